"""Faults in a table: what is done to the nodes, how often, and whether they kept what is promised.

`table.py` has the rows, `__main__.py` runs them and writes docs/reliability.md. A row is played in
a process of its own (`play.py`) on a `Stage`: nodes as processes over the real middleware, with a
scripted model and a store in a file. What holds for all rows is in `checks.py`.
"""
