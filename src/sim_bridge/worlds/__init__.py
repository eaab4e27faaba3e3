"""Worlds behind the bridge: a folder each, by name in `registry`."""
