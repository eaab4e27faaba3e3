"""A lamp as a skill server for reactree_ros."""
