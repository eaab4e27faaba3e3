"""Watching runs: a page in the browser, live or from a record, and pictures of trees.

Everything shown comes from a run's events through the planner's own reducer.
"""
