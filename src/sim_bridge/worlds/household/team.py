"""One household with several robots, each of which sees and handles it as a world of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from sim_bridge.worlds.household.company import Companion, Company, MOST_CHARACTERS
from sim_bridge.worlds.household.skills import GO_TO, PICK_UP, VERBS
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.world import HouseholdWorld


@dataclass(frozen=True, slots=True)
class RobotLimits:
    """What one robot can do of what the household allows.

    :param rooms: classes or names of rooms that it can enter, e.g. ('kitchen',); () for all.
    :param skills: verbs, e.g. ('go to', 'open'); () for all. :param hands: things that it holds
        at once, 0 to 2.
    :raises ConfigurationError: there is no such verb, or it has more hands.
    """

    rooms: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    hands: int = 2

    def __post_init__(self) -> None:
        unknown = set(self.skills) - set(VERBS)
        if unknown:
            raise ConfigurationError(
                f'a robot of a household has no skill {", ".join(sorted(unknown))}: its skills '
                f'are {", ".join(VERBS)}'
            )
        if not 0 <= self.hands <= 2:
            raise ConfigurationError(f'a robot of a household has 0 to 2 hands, not {self.hands}')

    def enters(self, room: str) -> bool:
        """Whether it can enter a room. :param room: with its number."""
        return not self.rooms or room in self.rooms or room.rpartition(' ')[0] in self.rooms

    def does(self, verb: str) -> bool:
        """Whether it has a skill."""
        return not self.skills or verb in self.skills


ALL = RobotLimits()


class TeamHome:
    """A household that several robots share; may be used from several threads.

    :param robots: their names, in the order of the team, 1 to 8.
    :param limits: of those that cannot do all.
    :param options: fields of the household's `Options`.
    :raises ConfigurationError: a value is out of range.
    """

    def __init__(
        self,
        robots: Sequence[str],
        limits: Mapping[str, RobotLimits] | None = None,
        **options: Any,
    ) -> None:
        if not 1 <= len(robots) <= MOST_CHARACTERS or len(set(robots)) < len(robots):
            raise ConfigurationError(
                f'a household has 1 to {MOST_CHARACTERS} robots, each with a name of its own, '
                f'not {", ".join(robots) or "none"}'
            )
        self._limits = dict(limits or {})
        self.home = HouseholdWorld(**options)
        self._company: Company[HouseholdState, Companion] | None = None
        self._turn = threading.RLock()
        self._loaded: tuple[str, str, int] | None = None
        #: The world of each robot.
        self.members = {who: Member(self, number, who) for number, who in enumerate(robots)}

    def limits_of(self, who: str) -> RobotLimits:
        """What a robot can do."""
        return self._limits.get(who, ALL)

    def reset(self, scene: str, task: str, seed: int) -> None:
        """Load a scene and a task, with every robot in a room that it can enter.

        :raises ConfigurationError: either cannot be loaded, or a robot can enter no room.
        """
        with self._turn:
            self.home.reset(scene, task, seed)
            state = self.home.state
            choice = Random(f'team {seed}')
            company = Company(state, Companion(state.graph.character, state.stand))
            for number, who in enumerate(self.members):
                limits = self.limits_of(who)
                open_to = [r for r in state.rooms if limits.enters(state.names.name[r])]
                if not open_to:
                    raise ConfigurationError(
                        f'{who} can enter no room of this home: its rooms are '
                        f'{", ".join(state.names.name[room] for room in state.rooms)}'
                    )
                room = choice.choice(open_to)
                if number:
                    company.members.append(Companion(*company.new_place(room)))
                    with company.acting(number):
                        state.look()
                elif state.room not in open_to:
                    state.go_to_room(room)
            self._company, self._loaded = company, (scene, task, seed)

    def load_once(self, scene: str, task: str, seed: int) -> None:
        """Load a scene and a task, unless that was done already.

        :raises ConfigurationError: other ones are loaded, or they cannot be loaded.
        """
        with self._turn:
            wanted = scene, task, seed
            if self._loaded is None:
                self.reset(scene, task, seed)
            elif self._loaded != wanted:
                raise ConfigurationError(
                    f'the home has {self._loaded} and not {wanted}: give every robot of a team '
                    'the same scene, task and seed'
                )

    def as_robot(self, number: int) -> _Acting:
        """The home with one robot acting; for `with`."""
        if self._company is None:
            raise ConfigurationError('no scene is loaded: reset the world first')
        return _Acting(self._turn, self._company, number)


class _Acting:
    """A block in which one robot acts, and no other one."""

    def __init__(
        self, turn: threading.RLock, company: Company[HouseholdState, Companion], number: int
    ) -> None:
        self._turn, self._acting = turn, company.acting(number)

    def __enter__(self) -> HouseholdState:
        self._turn.acquire()
        return self._acting.__enter__()

    def __exit__(self, *error: Any) -> None:
        try:
            self._acting.__exit__(*error)
        finally:
            self._turn.release()


class Member:
    """The household as one robot sees it (port `World`)."""

    name = 'household'
    quick = True

    def __init__(self, team: TeamHome, number: int, who: str) -> None:
        #: The home.
        self.team = team
        self._number = number
        self.who = who

    @property
    def _limits(self) -> RobotLimits:
        return self.team.limits_of(self.who)

    @property
    def scene(self) -> str:
        """What is loaded."""
        return self.team.home.scene

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task, for all robots."""
        self.team.reset(scene, task, seed)
        return self.observe()

    def vocabulary(self) -> Vocabulary:
        """Names and templates of this robot."""
        with self.team.as_robot(self._number):
            told, limits = self.team.home.vocabulary(), self._limits
        types = tuple(one for one in told.skill_types if limits.does(_verb(one.template)))
        return replace(
            told,
            templates=tuple(one.template for one in types),
            skill_types=types,
            rooms=tuple(filter(limits.enters, told.rooms)),
        )

    def observe(self) -> Observation:
        """What it sees from where it stands."""
        with self.team.as_robot(self._number):
            return self._fitting(self.team.home.observe())

    def admissible_skills(self) -> tuple[str, ...]:
        """Those of its skills that can succeed now."""
        with self.team.as_robot(self._number) as state:
            return self._own(self.team.home.admissible_skills(), len(state.held))

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""
        with self.team.as_robot(self._number) as state:
            return self._own(self.team.home.candidate_skills(), len(state.held))

    def step(self, skill: str) -> Observation:
        """Do one skill."""
        with self.team.as_robot(self._number) as state:
            if self._objection(skill, len(state.held)):
                seen = self.team.home.observe()
                text = f'{self._objection(skill, len(state.held))} {seen.text}'
                return self._fitting(
                    replace(seen, skill=skill, text=text, outcome=Outcome.PRECONDITION_FAILED)
                )
            return self._fitting(self.team.home.step(skill))

    def _objection(self, skill: str, held: int) -> str:
        """Why this robot cannot do a skill; '' where it can."""
        limits, verb = self._limits, _verb(skill)
        target = skill.removeprefix(verb).strip()
        if verb and not limits.does(verb):
            return f'This robot cannot {verb}.'
        if verb == GO_TO and target in self.team.home.vocabulary().rooms:
            return '' if limits.enters(target) else f'This robot cannot enter {target}.'
        if verb == PICK_UP and held >= limits.hands:
            return 'This robot has no hand free.'
        return ''

    def _own(self, skills: Sequence[str], held: int) -> tuple[str, ...]:
        if self._limits == ALL:
            return tuple(skills)
        return tuple(skill for skill in skills if not self._objection(skill, held))

    def _fitting(self, observation: Observation) -> Observation:
        skills = self._own(observation.admissible_skills, len(observation.held))
        return replace(observation, admissible_skills=skills)

    def progress(self) -> Progress | None:
        """Goal conditions met."""
        with self.team.as_robot(self._number):
            return self.team.home.progress()

    def task(self) -> WorldTask | None:
        """The loaded task."""
        found: WorldTask | None = self.team.home.task()
        return found

    def graph(self) -> dict[str, Any]:
        """The scene as it is now."""
        with self.team.as_robot(self._number):
            return self.team.home.graph()


def _verb(text: str) -> str:
    """The verb with which a skill, or a template, begins; '' for none."""
    return next((verb for verb in VERBS if text.startswith(f'{verb} ')), '')
