"""A simulated mobile robot with a stack of the shape of Nav2, and a gripper."""
