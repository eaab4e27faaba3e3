"""A goal as its event tells it."""

from __future__ import annotations

from reactree_planner.language.goal import Goal
from reactree_planner.tree.goal_record import GoalRecord


def record_of(goal: Goal) -> GoalRecord:
    """A goal in texts, for the record of a run."""
    return GoalRecord(
        tuple('; '.join(one.text for one in step) for step in goal.milestones),
        tuple(f'{thing} from {place}' for thing, place in goal.sources),
        goal.unread,
        goal.left_to_model,
        tuple(word.text for word in goal.words),
        tuple(word.account for word in goal.words),
        goal.language,
        goal.by.value,
        goal.whole,
        goal.acts,
    )
