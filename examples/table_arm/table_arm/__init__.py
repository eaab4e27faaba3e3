"""A simulated arm over a table: a stack of the shape of MoveIt, a gripper, and a camera."""
