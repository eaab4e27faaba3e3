"""The viewer's server: the page, its stream of frames, and what it asks for on demand."""
