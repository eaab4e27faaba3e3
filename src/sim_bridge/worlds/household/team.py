"""One household with several robots, each of which sees and handles it as a world of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import yaml

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome, Vocabulary
from sim_bridge.worlds.household.company import Companion, Company
from sim_bridge.worlds.household.skills import GO_TO, PICK_UP, VERBS
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.world import HouseholdWorld
from sim_bridge.worlds.shared_world import DrawnMember, Member, robot_names, SharedWorld

#: What a robot's file may say of it; `world` says that it is a simulated one.
_FIELDS = ('world', 'rooms', 'skills', 'hands')
_WORLD = 'household'


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


class TeamHome(SharedWorld[HouseholdWorld]):
    """A household that several robots share.

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
        self._limits = dict(limits or {})
        self._company: Company[HouseholdState, Companion] | None = None
        super().__init__(HouseholdWorld(**options), robots)

    def _member(self, number: int, who: str) -> Member:
        return LimitedMember(self, number, who, self._limits.get(who, ALL))

    def _bring(self, seed: int) -> None:
        """Have every robot in a room that it can enter.

        :raises ConfigurationError: a robot can enter no room.
        """
        state = self.home.state
        choice = Random(f'team {seed}')
        company = Company(state, Companion(state.graph.character, state.stand))
        for number, who in enumerate(self.members):
            limits = self._limits.get(who, ALL)
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
        self._company = company

    def _acting(self, number: int) -> AbstractContextManager[object]:
        assert self._company is not None, 'a scene is loaded'
        return self._company.acting(number)


class LimitedMember(DrawnMember):
    """The household as a robot sees it that may not be able to do all."""

    def __init__(self, team: TeamHome, number: int, who: str, limits: RobotLimits) -> None:
        super().__init__(team, number, who)
        self._limits = limits

    def vocabulary(self) -> Vocabulary:
        """Names and templates of this robot."""
        vocabulary, limits = super().vocabulary(), self._limits
        types = tuple(one for one in vocabulary.skill_types if limits.does(_verb(one.template)))
        return replace(
            vocabulary,
            templates=tuple(one.template for one in types),
            skill_types=types,
            rooms=tuple(filter(limits.enters, vocabulary.rooms)),
        )

    def observe(self) -> Observation:
        """What it sees from where it stands."""
        return self._fitting(super().observe())

    def admissible_skills(self) -> tuple[str, ...]:
        """Those of its skills that can succeed now."""
        return self._own(super().admissible_skills(), super().observe())

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""
        return self._own(super().candidate_skills(), super().observe())

    def step(self, skill: str) -> Observation:
        """Do one skill."""
        seen = super().observe()
        objection = self._objection(skill, len(seen.held))
        if not objection:
            return self._fitting(super().step(skill))
        text = f'{objection} {seen.text}'
        return self._fitting(
            replace(seen, skill=skill, text=text, outcome=Outcome.PRECONDITION_FAILED)
        )

    def _objection(self, skill: str, held: int) -> str:
        """Why this robot cannot do a skill; '' where it can."""
        limits, verb = self._limits, _verb(skill)
        target = skill.removeprefix(verb).strip()
        if verb and not limits.does(verb):
            return f'This robot cannot {verb}.'
        if verb == GO_TO and target in self._home.vocabulary().rooms:
            return '' if limits.enters(target) else f'This robot cannot enter {target}.'
        if verb == PICK_UP and held >= limits.hands:
            return 'This robot has no hand free.'
        return ''

    def _own(self, skills: Sequence[str], seen: Observation) -> tuple[str, ...]:
        if self._limits == ALL:
            return tuple(skills)
        return tuple(skill for skill in skills if not self._objection(skill, len(seen.held)))

    def _fitting(self, observation: Observation) -> Observation:
        skills = self._own(observation.admissible_skills, observation)
        return replace(observation, admissible_skills=skills)


def _verb(text: str) -> str:
    """The verb with which a skill, or a template, begins; '' for none."""
    return next((verb for verb in VERBS if text.startswith(f'{verb} ')), '')


def first_of_team(robots: int | str = 2, **options: Any) -> Member:
    """A household for several robots, as the first of them sees it: for studies of teams.

    :param robots: as of `robot_names`. :param options: fields of the household's `Options`.
    :raises ConfigurationError: a value is out of range, or a robot's file cannot be used.
    """
    limits = read_robots(robot_names(robots))
    return TeamHome(tuple(limits), limits, **options).first


def read_robots(texts: Sequence[str]) -> dict[str, RobotLimits]:
    """Robots with what they can do, in their order.

    :param texts: of each a name, or the path of a YAML file with what it can do, perhaps behind
        its name: 'cook=robot.yaml'; else the file's name is that of the robot.
    :raises ConfigurationError: a file cannot be read, or says something else.
    """
    robots: dict[str, RobotLimits] = {}
    for text in texts:
        name, _, file = text.rpartition('=')
        path = Path(file)
        is_file = path.suffix in ('.yaml', '.yml')
        robots[name or path.stem] = _read(path) if is_file else RobotLimits()
    if len(robots) < len(texts):
        raise ConfigurationError(f'the robots {", ".join(texts)} need names of their own')
    return robots


def _read(path: Path) -> RobotLimits:
    try:
        content = yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'the robot file {path} cannot be read: {error}') from None
    if not isinstance(content, Mapping) or set(content) - set(_FIELDS):
        raise ConfigurationError(
            f'the robot file {path} is of a simulated robot: it may have {", ".join(_FIELDS)}, '
            'and nothing else'
        )
    if content.get('world') != _WORLD:
        raise ConfigurationError(f'the robot file {path}: write `world: {_WORLD}` first')
    lists = [content.get(name, []) for name in ('rooms', 'skills')]
    hands = content.get('hands', RobotLimits().hands)
    if not all(isinstance(one, list) and all(isinstance(n, str) for n in one) for one in lists):
        raise ConfigurationError(f'the robot file {path}: rooms and skills are lists of texts')
    if not isinstance(hands, int) or isinstance(hands, bool):
        raise ConfigurationError(f'the robot file {path}: hands is a number')
    return RobotLimits(tuple(lists[0]), tuple(lists[1]), hands)
