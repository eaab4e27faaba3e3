"""What takes executed skills back, as far as skills can (Tree-Planner section 3.3, step iii)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.skill_types import SkillKind
from reactree_planner.planners.skills import SkillBook


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


def way_back(done: Sequence[DoneStep], skills: SkillBook) -> tuple[Undoing, ...]:
    """What takes these skills back, newest first; skills without an inverse are left out.

    Of several moves in a row only the last is made: the robot ends where it began.

    :param skills: of the skill server; it offers no other inverses.
    """
    undoings: list[Undoing] = []
    for step in reversed(done):
        undoing = _undoing(step, skills)
        if undoing is None:
            continue
        if undoing.moves and undoings and undoings[-1].moves:
            undoings.pop()
        undoings.append(undoing)
    return tuple(undoings)


def _undoing(step: DoneStep, skills: SkillBook) -> Undoing | None:
    skill = skills.parse(step.skill)
    if skill is None:
        return None
    if skill.kind is SkillKind.MOVE and len(skill.values) == 1:
        # A place in another region is reached by way of that region.
        stations = [station for station in (step.room, step.place) if station]
        return Undoing(tuple(skill.type.filled((station,)) for station in stations), True)
    if not skill.inverse or skills.parse(skill.inverse) is None:
        return None
    return Undoing((skill.inverse,), False)
