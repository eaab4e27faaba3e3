"""Fills a memory by planning training tasks (ReAcTree section 4.2, bootstrapping)."""
