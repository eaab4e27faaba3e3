"""Pictures of a home: cameras, what is drawn of it, and what is seen where."""
