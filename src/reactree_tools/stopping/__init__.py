"""Stops of robots, with or without our nodes, and their releases."""
