"""Where experiences are kept."""
