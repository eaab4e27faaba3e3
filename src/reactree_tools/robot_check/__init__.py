"""The self-test of a robot's file: every skill, rule and hazard of it tried in a declared world."""
