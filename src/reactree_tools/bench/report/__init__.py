"""What a study came to: tables, comparisons, plots and kinds of failures, as one page or as text."""
