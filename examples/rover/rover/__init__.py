"""A simulated rover in a garden: it drives, waters plants, takes pictures, and has a battery."""
