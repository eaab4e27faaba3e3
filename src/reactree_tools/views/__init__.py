"""What the terminal shows: pure functions from values to renderables. No ROS here."""
