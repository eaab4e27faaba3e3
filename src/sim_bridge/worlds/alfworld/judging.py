"""Whether a goal is reached: of the things of which most conditions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from reactree_core.observation import Progress
from sim_bridge.worlds.alfworld.game import Goal

#: Condition of a goal -> its sentence.
_SENTENCES = {
    'isClean': '{0} is clean',
    'isHot': '{0} is hot',
    'isCool': '{0} is cool',
    'isSliced': '{0} is sliced',
    'isToggled': '{0} is on',
    'inReceptacle': '{0} is in or on {1}',
    'atLocation': 'you are where the lamp is',
    'holds': 'you hold {1}',
}


class Judged(Protocol):
    """What a goal is judged by."""

    def is_so(self, predicate: str, things: Sequence[str]) -> bool:
        """Whether a fact that changes holds now."""


def satisfied(goal: Goal, state: Judged) -> tuple[int, dict[str, str]]:
    """How many conditions of a goal hold of the best choice of things, and that choice."""
    best, chosen = -1, {}
    for choice in goal.choices:
        met = sum(
            state.is_so(one.atom[0], [choice.get(word, word) for word in one.atom[1:]])
            == one.holds
            for one in goal.conditions
        )
        if met > best:
            best, chosen = met, dict(choice)
            if best == len(goal.conditions):
                break
    return max(best, 0), chosen


def progress_of(goals: Iterable[Goal], state: Judged, class_of: Callable[[str], str]) -> Progress:
    """All conditions of some goals, one by one, each of the best choice of its goal.

    :param class_of: of a thing; '' for what is none.
    """
    met, lines = 0, []
    for goal in goals:
        here, choice = satisfied(goal, state)
        met += here
        for one in goal.conditions:
            things = [choice.get(word, word) for word in one.atom[1:]]
            so = state.is_so(one.atom[0], things) == one.holds
            # Any thing of the class will do: its number would say too much.
            classes = [f'a {kind}' if (kind := class_of(thing)) else '' for thing in things]
            sentence = _SENTENCES.get(one.atom[0], one.atom[0]).format(*classes, '', '')
            lines.append(f'{"met" if so else "not met"}: {sentence}')
    return Progress(met, len(lines), tuple(lines))
