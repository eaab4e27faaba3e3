"""What a model can do, by some sixty small questions whose answers can be checked.

The questions are those that a planner asks, in its own prompts, in three invented domains
(`questions/`). What comes of them is kept as the model's profile, which the preset `default`
reads.
"""
