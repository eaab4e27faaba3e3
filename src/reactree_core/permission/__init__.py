"""What a robot may do: rules from a file or a task, kept by planner and skill server alike."""
