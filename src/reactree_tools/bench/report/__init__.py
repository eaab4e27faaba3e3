"""What a study came to: tables, comparisons, plots and kinds of failures, on a page or as text."""
