"""The robots of a team, and what each does next."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from reactree_core.observation import Observation
from reactree_planner.facts.conditions import Milestone
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.team.parts import conditions_of, Part


class Does(Enum):
    """What becomes of a robot that does nothing."""

    SKILL = 'skill'
    WAIT = 'wait'
    NOTHING = 'nothing'


@dataclass(frozen=True, slots=True)
class Turn:
    """What one robot does next.

    :param skill: of SKILL. :param reason: why, for people.
    """

    does: Does
    skill: str = ''
    reason: str = ''


@dataclass(slots=True, eq=False)
class Mate:
    """One robot of the team.

    :param reasoner: with all that it knows. :param last: what it saw last.
    :param parts: of the work, in the order in which it got them.
    :param is_outdated: whether another robot has changed something where it is.
    :param refuses: parts that it cannot do, and why, as far as is known.
    """

    who: str
    reasoner: Reasoner
    last: Observation
    parts: tuple[Part, ...] = ()
    aim: Reasoner | None = None
    aims_at: Milestone = ()
    looks_at: str = ''
    is_busy: bool = False
    is_lost: bool = False
    is_outdated: bool = False
    refuses: dict[Part, str] = field(default_factory=dict)

    @property
    def held(self) -> tuple[str, ...]:
        """What it holds, also once it is lost."""
        return self.reasoner.belief.held

    def begin_anew(self) -> None:
        """Have no work, and aim at nothing."""
        self.parts, self.looks_at = (), ''
        self.aim, self.aims_at = None, ()
        self.refuses.clear()

    def aimed(self) -> Reasoner:
        """Its reasoner for its parts; the same while they stay the same."""
        wanted = conditions_of(self.parts)
        if self.aim is None or self.aims_at != wanted:
            if self.aim is not None:
                self.reasoner.forget(self.aim)
            self.aim, self.aims_at = self.reasoner.part((wanted,)), wanted
        return self.aim

    def cost_of(self, wanted: Milestone) -> float:
        """What it would cost it to bring this about; inf where it knows no way."""
        trial = self.reasoner.part((wanted,))
        cost = trial.cost()
        self.reasoner.forget(trial)
        return cost


class Mates(dict[str, Mate]):
    """The robots of a team by their names, in the order that settles ties."""

    @property
    def working(self) -> list[Mate]:
        """Robots that are there."""
        return [mate for mate in self.values() if not mate.is_lost]

    @property
    def lost(self) -> list[Mate]:
        """Robots that are gone."""
        return [mate for mate in self.values() if mate.is_lost]

    def holder(self, thing: str) -> str:
        """Which robot holds a thing; '' for none."""
        return next((mate.who for mate in self.values() if thing in mate.held), '')
