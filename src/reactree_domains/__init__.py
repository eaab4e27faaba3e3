"""Domains: prompts, examples and rules for a sort of robots, each in a folder."""
