"""Experiences in files that other programs and other machines read: JSON lines, published text."""
