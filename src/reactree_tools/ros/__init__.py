"""The only part of the command line that speaks ROS."""
