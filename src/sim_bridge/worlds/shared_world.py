"""One world that several robots share, each of which sees and handles it as a world of its own."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Progress, Vocabulary, WorldTask
from reactree_core.world import TaskWorld
from sim_bridge.worlds.registry import close_world

#: In one world.
MOST_ROBOTS = 8


H = TypeVar('H', bound=TaskWorld)


class SharedWorld(ABC, Generic[H]):
    """A world and its robots; may be used from several threads.

    :param home: the world, as it is with one robot.
    :param robots: their names, in the order of the team, 1 to 8.
    :raises ConfigurationError: there are more, or two have the same name.
    """

    def __init__(self, home: H, robots: Sequence[str]) -> None:
        if not 1 <= len(robots) <= MOST_ROBOTS or len(set(robots)) < len(robots):
            raise ConfigurationError(
                f'a home has 1 to {MOST_ROBOTS} robots, each with a name of its own, not '
                f'{", ".join(robots) or "none"}'
            )
        self.home = home
        self._turn = threading.RLock()
        self._loaded: tuple[str, str, int] | None = None
        #: The world of each robot.
        self.members = {who: self._member(number, who) for number, who in enumerate(robots)}

    def _member(self, number: int, who: str) -> Member:
        return Member(self, number, who)

    @property
    def first(self) -> Member:
        """The world of the first robot."""
        return next(iter(self.members.values()))

    def reset(self, scene: str, task: str, seed: int) -> None:
        """Load a scene and a task; the first robot stands where it would stand alone.

        :raises ConfigurationError: either cannot be loaded, or a robot has no place in it.
        """
        with self._turn:
            self.home.reset(scene, task, seed)
            self._bring(seed)
            self._loaded = scene, task, seed

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

    @abstractmethod
    def _bring(self, seed: int) -> None:
        """Have all robots stand in what was loaded. :param seed: for where they stand."""

    @abstractmethod
    def _acting(self, number: int) -> AbstractContextManager[object]:
        """A block in which the home is seen and handled by one robot."""

    @contextmanager
    def as_robot(self, number: int) -> Iterator[H]:
        """The home with one robot acting, and no other one; for `with`."""
        with self._turn:
            if self._loaded is None:
                raise ConfigurationError('no scene is loaded: reset the world first')
            with self._acting(number):
                yield self.home

    def progress(self) -> Progress | None:
        """Goal conditions met, by the robot for which most are: one may say what a robot holds."""
        found = []
        for number in range(len(self.members)):
            with self.as_robot(number) as home:
                found.append(home.progress())
        known = [one for one in found if one is not None]
        return max(known, key=lambda one: one.ratio) if known else None


class Member:
    """The world as one robot sees it (port `TaskWorld`).

    :param team: what it shares. :param number: of this robot, from 0. :param who: its name.
    """

    def __init__(self, team: SharedWorld[Any], number: int, who: str) -> None:
        self.team = team
        self._number = number
        self.who = who
        self.name: str = team.home.name
        self.quick: bool = getattr(team.home, 'quick', False)

    @property
    def scene(self) -> str:
        """What is loaded."""
        return str(self.team.home.scene)

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task, for all robots."""
        self.team.reset(scene, task, seed)
        return self.observe()

    def vocabulary(self) -> Vocabulary:
        """Names and templates of this robot."""
        with self._acting() as home:
            return home.vocabulary()

    def observe(self) -> Observation:
        """What it sees from where it stands."""
        with self._acting() as home:
            return home.observe()

    def admissible_skills(self) -> tuple[str, ...]:
        """Those of its skills that can succeed now."""
        with self._acting() as home:
            return home.admissible_skills()

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""
        with self._acting() as home:
            return home.candidate_skills()

    def step(self, skill: str) -> Observation:
        """Do one skill."""
        with self._acting() as home:
            return home.step(skill)

    def progress(self) -> Progress | None:
        """Goal conditions met, by any of the robots."""
        return self.team.progress()

    def task(self) -> WorldTask | None:
        """The loaded task."""
        return self._home.task()

    def task_families(self) -> tuple[str, ...]:
        """Kinds of tasks; see the port."""
        return self._home.task_families()

    def scene_of(self, seed: int) -> str:
        """The scene in which the tasks of a seed are set; see the port."""
        return self._home.scene_of(seed)

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """Tasks of a file; see the port."""
        return self._home.tasks_of_file(path)

    def close(self) -> None:
        """Give back what the world holds, for all robots."""
        close_world(self._home)

    @property
    def _home(self) -> TaskWorld:
        home: TaskWorld = self.team.home
        return home

    def _acting(self) -> AbstractContextManager[TaskWorld]:
        return self.team.as_robot(self._number)


class DrawnMember(Member):
    """A member of a world that can be drawn (port `GraphWorld`)."""

    def graph(self) -> dict[str, Any]:
        """The scene as it is now."""
        with self.team.as_robot(self._number) as home:
            graph: dict[str, Any] = home.graph()
            return graph


def robot_names(robots: int | str) -> tuple[str, ...]:
    """Robots as the option of a world reports them.

    :param robots: how many, or names or files with a plus between, as in 'cook.yaml+carrier.yaml'.
    :raises ConfigurationError: it is neither.
    """
    if isinstance(robots, str) and robots:
        return tuple(robots.split('+'))
    if type(robots) is not int or not 1 <= robots <= MOST_ROBOTS:
        raise ConfigurationError(
            f'robots must be 1 to {MOST_ROBOTS}, or names or files with a plus between, not '
            f'{robots!r}'
        )
    return tuple(f'robot_{number + 1}' for number in range(robots))
