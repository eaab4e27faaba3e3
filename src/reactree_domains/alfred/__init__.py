"""A domain: ALFRED's household tasks in rooms of AI2-THOR."""
