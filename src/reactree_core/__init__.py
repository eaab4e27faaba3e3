"""Values, ports and errors shared by every node; nothing here knows a world, a model or ROS."""
