"""Sentences as unit vectors, by encoders that carry a name."""
