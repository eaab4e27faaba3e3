"""What a run knows: skills taken apart, where things are, what was done, which conditions hold."""
