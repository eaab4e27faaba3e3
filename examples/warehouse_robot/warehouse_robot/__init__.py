"""A warehouse robot as a skill server for reactree_ros."""
