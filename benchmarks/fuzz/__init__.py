"""Fuzzing of what reads a stranger's bytes: journals, bags, files, answers, requests."""
