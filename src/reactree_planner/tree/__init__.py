"""The agent tree: events, the reducer that makes the tree from them, control flow, limits."""
