"""The recorder node, and runs read from messages."""
