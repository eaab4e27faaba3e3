"""Runs and floors as the viewer knows them, in a terminal."""
