"""Writes the example trajectories that the memory node ships with (`python -m` this package)."""
