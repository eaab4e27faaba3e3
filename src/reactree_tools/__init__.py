"""The command line: starts the nodes, sends tasks, and shows homes, tasks, models and runs."""

__version__ = '0.1.0'
