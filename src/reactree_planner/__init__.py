"""The agent tree and its planners."""
