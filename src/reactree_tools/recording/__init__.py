"""Runs as bags: written while they happen, mended after a crash, replayed and run again."""
