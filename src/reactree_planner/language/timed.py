"""What is said of order and number, before it is known what its words refer to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from reactree_planner.language.actions import Action


class TimeKind(Enum):
    """What is said of some skills."""

    AT_MOST = 'at most'
    ONLY_AFTER = 'only after'
    THEN = 'then'


@dataclass(frozen=True, slots=True)
class Timed:
    """A rule in time, before it is known what its words refer to.

    :param actions: what it is about. :param conditions: what it waits for, or what follows it.
    :param any_of: whether one of the conditions is enough.
    :param at_most: how often. :param within: in how many skills it follows; None: before the end.
    :param asks: whether its words also ask for something.
    """

    kind: TimeKind
    actions: tuple[Action, ...]
    conditions: tuple[Action, ...] = ()
    any_of: bool = False
    at_most: int = 0
    within: int | None = None
    asks: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """Actions of a clause. :param any_of: whether "or" stands between them."""

    actions: tuple[Action, ...]
    any_of: bool = False


def only_after(actions: tuple[Action, ...], told: Told) -> Timed:
    """Actions that wait until others were done."""
    return Timed(TimeKind.ONLY_AFTER, actions, told.actions, told.any_of)


def followed_by(first: Told, then: Told, within: int) -> Timed:
    """Actions that others follow. :param within: so many skills; 0: before the end."""
    return Timed(TimeKind.THEN, first.actions, then.actions, then.any_of, within=within or None)
