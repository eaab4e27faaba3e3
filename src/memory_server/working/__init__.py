"""Working memories of the runs."""
