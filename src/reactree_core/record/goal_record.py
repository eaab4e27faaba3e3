"""What a task was read as, as its GROUND event says it, in texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from reactree_core.foreign_text import bounded


@dataclass(frozen=True, slots=True)
class GoalRecord:
    """A reading of a task; the fields are those of Goal.msg.

    :param milestones: conditions of each, parted by "; ", in the order in which they are met; the
        last one holds at the end.
    :param sources: things and where the task says that they are now, e.g. "parcel from shelf".
    :param unread: phrases of the task that nothing accounts for.
    :param left_to_model: what reads as forbidden and cannot be kept.
    :param words: words of the task, in order. :param accounts: for each, what accounts for it; ''
        for one that was not read.
    :param language: ISO 639-1 code; '' where it is not known.
    :param read_by: skill, grammar, model, both or person; in earlier records also interpreted:
        an intention that a model guessed.
    :param whole: whether every word was read. :param acts: whether facts may choose skills for it.
    :param trigger: when the milestones are wanted, e.g. 'whenever cup in counter'; '' for now.
    """

    milestones: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    left_to_model: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    language: str = ''
    read_by: str = ''
    whole: bool = False
    acts: bool = False
    trigger: str = ''


#: Of a run whose task was not read, and of records from before tasks were read as one goal.
NO_GOAL = GoalRecord()

#: Its fields that are lists of texts.
_TEXTS = ('milestones', 'sources', 'unread', 'left_to_model', 'words', 'accounts')


def bounded_goal(goal: GoalRecord) -> GoalRecord:
    """A reading as its message carries it."""
    changes: dict[str, Any] = {name: tuple(map(bounded, getattr(goal, name))) for name in _TEXTS}
    return replace(goal, **changes, trigger=bounded(goal.trigger))
