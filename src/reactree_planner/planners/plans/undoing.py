"""What takes executed skills back, as far as skills can (Tree-Planner section 3.3, step iii)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_planner.planners.situation import INVERSES
from reactree_planner.planners.situation import MOVING
from reactree_planner.planners.situation import parse_skill


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A skill that succeeded.

    :param skill: grounded text. :param text: what was observed.
    :param place: where the robot stood before it. :param room: the room of that.
    """

    skill: str
    text: str
    place: str
    room: str


@dataclass(frozen=True, slots=True)
class Undoing:
    """What takes one skill back.

    :param skills: the last of them does it; the others are for where that cannot be done at once.
    """

    skills: tuple[str, ...]
    moves: bool


def way_back(done: Sequence[DoneStep], verbs: tuple[str, ...]) -> tuple[Undoing, ...]:
    """What takes these skills back, newest first; skills without an inverse are left out.

    Of several moves in a row only the last is made: the robot ends where it began.

    :param verbs: of the skill server; it offers no other inverses.
    """
    undoings: list[Undoing] = []
    for step in reversed(done):
        undoing = _undoing(step, verbs)
        if undoing is None:
            continue
        if undoing.moves and undoings and undoings[-1].moves:
            undoings.pop()
        undoings.append(undoing)
    return tuple(undoings)


def _undoing(step: DoneStep, verbs: tuple[str, ...]) -> Undoing | None:
    skill = parse_skill(step.skill, verbs)
    if skill is None:
        return None
    if skill.verb in MOVING:
        # A place in another room is reached by way of that room.
        stations = [station for station in (step.room, step.place) if station]
        return Undoing(tuple(f'{skill.verb} {station}' for station in stations), True)
    inverse = INVERSES.get(skill.verb)
    if inverse not in verbs:
        return None
    return Undoing((f'{inverse} {skill.target}',), False)
