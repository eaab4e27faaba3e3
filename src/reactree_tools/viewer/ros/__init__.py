"""The viewer as a node: events from topics, health, the scene, the memory and control."""
