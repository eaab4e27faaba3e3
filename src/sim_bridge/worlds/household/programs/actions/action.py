"""What an action of a program is, and the ways to make one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim_bridge.worlds.household.programs.stage import Stage

#: Given the home and the objects of a step: why it cannot be done, or ''.
Check = Callable[[Stage, tuple[int, ...]], str]
Effect = Callable[[Stage, tuple[int, ...]], None]


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    :param objects: how many it takes.
    :param obstacle: the reason why it cannot be done, or ''.
    :param effect: does it.
    """

    objects: int
    failed_precondition: Check
    effect: Effect


def nothing(home: Stage, things: tuple[int, ...]) -> None:
    """Leaves no trace in the graph."""


def acting(reason: Callable[[Stage, int], str], effect: Effect = nothing) -> Action:
    """An action with one object.

    :param reason: why it cannot be done with the object, or ''.
    """
    return Action(1, lambda home, things: reason(home, things[0]), effect)


def swapping(reason: Callable[[Stage, int], str], old: str, new: str) -> Action:
    """An action with one object that puts one of its states in the place of another.

    :param reason: as for `acting`; says whether the old state is needed.
    """
    return acting(reason, lambda home, things: home.swap(things[0], old, new))
