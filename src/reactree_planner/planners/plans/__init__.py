"""Plans of steps: what the planners that write such plans share."""
