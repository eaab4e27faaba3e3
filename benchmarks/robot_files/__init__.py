"""Generated robot files, and what must hold of every skill in each."""
