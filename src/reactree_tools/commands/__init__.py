"""One module for each command: `add_parser` declares it, `run` does it.

They import what they need when they run, so that help and the commands without ROS are quick.
"""
