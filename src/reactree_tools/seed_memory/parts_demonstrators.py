"""Demonstrators of tasks whose skills are known beforehand: they are shown part by part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sim_bridge.worlds.procworld import ProcWorldWorld
from sim_bridge.worlds.procworld.exploring import explore
from sim_bridge.worlds.procworld.tasks import HouseTask
from sim_bridge.worlds.programs import ProgramsWorld
from sim_bridge.worlds.scienceworld import ScienceWorldWorld


class PartsDemonstrator:
    """Does a task whose skills are known beforehand, part by part.

    :param parts: of the task, in order, each with its skills.
    """

    def __init__(self, parts: Mapping[str, Sequence[str]]) -> None:
        self._parts = parts
        self._skills = tuple(skill for part in parts.values() for skill in part)

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or that this one is begun."""
        parts = self.subgoals(goal)
        return f'I {", then ".join(parts)}.' if parts else 'I do this step by step.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task; () for one of them, or for the only one."""
        single = goal in self._parts or len(self._parts) == 1
        return () if single else tuple(self._parts)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of a part."""
        steps = self._parts.get(goal, self._skills)
        return steps[len(done)] if len(done) < len(steps) else ''

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return self._skills[len(done)] if len(done) < len(self._skills) else ''


class ProgramDemonstrator(PartsDemonstrator):
    """Does the gold program of a task, one errand after another. :param world: with its task."""

    #: With what an errand ends.
    _ENDS = re.compile(r'(?:grab|put|close|sit) ')

    def __init__(self, world: ProgramsWorld) -> None:
        skills = world.gold_skills()
        errands: dict[str, tuple[str, ...]] = {}
        errand: list[str] = []
        for skill in skills:
            errand.append(skill)
            if self._ENDS.match(skill) or skill == skills[-1]:
                names = [re.sub(r' \d+', '', part) for part in errand]
                errands[' and '.join(names)] = tuple(errand)
                errand = []
        super().__init__(errands)


class HouseDemonstrator(PartsDemonstrator):
    """Does a task of ProcWorld as its expert does that explores. :param world: with its task."""

    def __init__(self, world: ProcWorldWorld) -> None:
        task = world.task()
        assert isinstance(task, HouseTask), 'only tasks with a goal are shown'
        parts: dict[str, list[str]] = {}
        for one in explore(world.engine, task.goal):
            parts.setdefault(one.part, []).append(one.skill)
        super().__init__({part: tuple(skills) for part, skills in parts.items()})

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or how this one is done."""
        if self.subgoals(goal):
            return super().thought(goal)
        if goal.startswith('find '):
            return 'I go to what I see where it may be, then farther on, until it is told.'
        return 'I go to where this is done, and do it there.'


class ScienceDemonstrator(PartsDemonstrator):
    """Plays the gold path of a task of ScienceWorld, one room after another.

    :param world: with its task; it is rehearsed and begun anew.
    """

    #: Skills of a part that is done in a room.
    _LONGEST = 2
    #: What belongs to the part that goes to a room.
    _MOVES = re.compile(r'(?:open (?:door.*|.* door)|go to .*)$')

    def __init__(self, world: ScienceWorldWorld) -> None:
        parts: dict[str, tuple[str, ...]] = {}
        part: list[str] = []
        moves = True
        for skill in world.gold_skills():
            walks = self._MOVES.match(skill) is not None
            if walks is not moves or (not walks and len(part) == self._LONGEST):
                self._keep(part, parts)
                part = []
            moves = walks
            part.append(skill)
        self._keep(part, parts)
        super().__init__(parts)

    def _keep(self, skills: list[str], parts: dict[str, tuple[str, ...]]) -> None:
        if not skills:
            return
        goes = [skill for skill in skills if skill.startswith('go to ')]
        # Where the robot goes to is all that a walk is about.
        name = goes[-1] if goes else ' and then '.join(skills)
        # No two subgoals of a list are called the same.
        while name in parts:
            name += ' again'
        parts[name] = tuple(skills)

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or that this one is begun."""
        if not self._skills:
            return 'I do not know how.'
        return super().thought(goal).replace(' and then', ', then')

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return super().next_of_all(goal, done) if self._skills else 'failure'
