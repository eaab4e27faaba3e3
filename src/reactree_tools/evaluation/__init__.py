"""Seeded household tasks, planned by a real model, scored by the world."""
