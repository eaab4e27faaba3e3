"""Several robots with one task: who does which part, who waits for whom. No ROS."""
