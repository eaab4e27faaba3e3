"""Example experiences that are shipped as text files in this folder."""
