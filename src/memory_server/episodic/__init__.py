"""Episodic memory: experiences found by the likeness of their goals (ReAcTree section 4.2)."""
