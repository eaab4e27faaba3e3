"""Measures of the reading of tasks: recorded readings, their corruptions, the grammar's sets."""
