"""A simulated bench with two arms: a stack of the shape of MoveIt, and two grippers."""
