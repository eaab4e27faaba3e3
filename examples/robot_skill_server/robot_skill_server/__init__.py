"""A skill server for reactree_ros."""
