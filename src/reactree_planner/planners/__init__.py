"""One file per planner; all work on a `PlanRun` and differ only in how they decide."""
