"""The self-test of a robot's file: each skill, rule and hazard tried in a declared world."""
