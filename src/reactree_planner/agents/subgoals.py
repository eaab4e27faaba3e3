"""Subgoals as the model writes them: taken as they are, or refused with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable

from reactree_core.record.events import ControlFlow, MOST_SUBGOALS
from reactree_planner.agents.guide import hopeless_part
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.runs.run_world import RunWorld

#: Longest subgoal that is taken, in characters.
LONGEST_SUBGOAL = 1000


def split_subgoals(
    text: str, most: int = MOST_SUBGOALS, as_written: bool = False
) -> tuple[str, ...]:
    """Subgoals of a `- subgoals:` line: split at commas and semicolons.

    :param most: further ones are dropped, 1 or more.
    :param as_written: as published: only a comma before a space parts, and full stops stay.
    """
    found = text.split(', ') if as_written else re.split(r'[,;]', text)
    parts = (' '.join(part.split()).rstrip('' if as_written else '.') for part in found)
    return tuple(part[:LONGEST_SUBGOAL] for part in parts if part)[:most]


def same_goal(left: str, right: str) -> bool:
    """Whether two goals say the same, whatever their case, punctuation and articles."""
    articles = ('a', 'an', 'the')
    return [word for word in plain_words(left) if word not in articles] == [
        word for word in plain_words(right) if word not in articles
    ]


class SubgoalCheck:
    """What is wrong with subgoals of one goal, as far as that is known.

    :param above: the goal, and those above it. :param checks: whether anything is wrong with any.
    :param has_tried: whether subgoals have failed with just what is known now.
    """

    def __init__(
        self,
        world: RunWorld,
        above: tuple[str, ...],
        checks: bool,
        has_tried: Callable[[tuple[str, ...]], bool] = lambda subgoals: False,
    ) -> None:
        self._world = world
        self._above = above
        self._checks = checks
        self._has_tried = has_tried

    def objection(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> str:
        """A sentence for the model; '' where nothing is known to be wrong."""
        if not subgoals or not self._checks:
            return ''
        if self._has_tried(subgoals):
            return 'This has failed before, and nothing is different since.'
        for place, text in enumerate(subgoals):
            if any(same_goal(text, goal) for goal in self._above):
                return f'This only says the goal once more: {text}.'
            again = any(same_goal(text, other) for other in subgoals[:place])
            if flow is ControlFlow.FALLBACK and again:
                return f'This stands twice, which is no alternative: {text}.'
            reason = hopeless_part(self._world, text)
            if reason:
                return f'This cannot be done: {text} ({reason}).'
        return ''
