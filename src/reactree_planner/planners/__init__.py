"""One file per planner; all work on a `PlannedRun` and differ only in how they decide."""
