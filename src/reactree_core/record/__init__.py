"""The record of a run: events, and what is made from them: tree, trajectories, journal, trace."""
