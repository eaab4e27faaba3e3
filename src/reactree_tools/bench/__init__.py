"""Studies: planners, presets, models and memories on sets of tasks, and the tables of them."""
