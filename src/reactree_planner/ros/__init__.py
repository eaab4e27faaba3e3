"""The planner on the ROS graph."""
