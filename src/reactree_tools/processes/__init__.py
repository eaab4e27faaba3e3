"""The nodes as child processes: found, started, watched and ended. No ROS here."""
