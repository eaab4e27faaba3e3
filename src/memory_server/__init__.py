"""The memory node: experiences kept in a database, and what each run has seen."""
