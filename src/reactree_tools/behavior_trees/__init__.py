"""What runs proved, as behaviour trees: written from records, and ticked without a model."""
