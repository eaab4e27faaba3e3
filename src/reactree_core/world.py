"""The seam of a bridge: what it asks of a simulated world, and what a world may offer besides.

Worlds implement these by shape (typing.Protocol).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

from reactree_core.observation import Observation, Outline, Progress, Vocabulary, WorldTask


class World(Protocol):
    """A simulated world behind the bridge. Not thread-safe: the bridge serialises calls."""

    @property
    def name(self) -> str:
        """E.g. 'household'."""

    @property
    def scene(self) -> str:
        """What is loaded."""

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task (see ResetWorld.srv for their forms).

        :raises ConfigurationError: either cannot be loaded; the world stays as it was.
        """

    def vocabulary(self) -> Vocabulary:
        """Names and templates."""

    def observe(self) -> Observation:
        """What the robot sees from where it stands; changes nothing."""

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills that can succeed now as far as the robot can know."""

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""

    def step(self, skill: str) -> Observation:
        """Do one skill. Unknown skills answer INVALID_SKILL and change nothing."""

    def progress(self) -> Progress | None:
        """Goal conditions met, or None without any."""

    def task(self) -> WorldTask | None:
        """The loaded task, or None for free text."""


@runtime_checkable
class GraphWorld(World, Protocol):
    """A world of rooms and things, which can be drawn."""

    def graph(self) -> dict[str, Any]:
        """Scene graph in VirtualHome's format: {'nodes': [...], 'edges': [...]}."""


@runtime_checkable
class FloorWorld(GraphWorld, Protocol):
    """A world with files of its own for its scenes, and rooms that are explored bit by bit.

    Its graph has a 'floor' beside nodes and edges, which is what the robot knows by now: 'rooms'
    with name and polygon, 'doors', 'locations' and 'things' with name and 'at' as [x, z] in
    metres, 'agent' as [x, z], 'reach' in metres or None. (A robot's map has more: see
    docs/robot_contract.md.)
    """

    def floor(self) -> dict[str, Any]:
        """The same of the whole scene as it began, known or not.

        'room' is that of the agent. Things tell besides: 'room', 'fixed', 'in' (what they are
        directly in, on or part of, then 'at' is None), and 'states' as words.
        """

    def scene_file(self) -> str:
        """The scene as it began, as text of a file that `reset` takes."""


@runtime_checkable
class OutlineWorld(World, Protocol):
    """A world without rooms that can be drawn nevertheless."""

    def outline(self) -> Outline:
        """What there is, as a tree."""


@runtime_checkable
class SnapshotWorld(World, Protocol):
    """A world that can be put back, for planners that look ahead or undo."""

    def snapshot(self) -> object:
        """The world as it is now, what is random in it included; later skills leave it alone."""

    def restore(self, snapshot: object) -> Observation:
        """Put the world back, as often as one likes; answers what the robot then sees."""


@runtime_checkable
class DisplacingWorld(World, Protocol):
    """A world in which somebody else may carry a thing off, to try how planners recover."""

    def displace(self, thing: str, choice: Random) -> bool:
        """Put a thing that the robot does not hold somewhere else.

        :param thing: its name with its number. :param choice: draws the place.
        :return: False where there is no such thing or no other place: nothing has changed.
        """


@runtime_checkable
class TaskWorld(World, Protocol):
    """A world that sets tasks by number: for evaluations, and for training memories.

    Its `reset` takes the tasks 'generated:<seed>' and '<family>:<seed>'; and '<split>:<seed>'
    where it has a field `splits`, e.g. ('train', 'test'); `split_sizes` says how many tasks, from
    0, some of them have, and `names_task(text)` whether a text is the name of one task.
    """

    def task_families(self) -> tuple[str, ...]:
        """Kinds of tasks, e.g. ('setup_table', ...)."""

    def scene_of(self, seed: int) -> str:
        """The scene in which the tasks of a seed are set; '' where there are no scenes."""

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """Tasks of a file, in order: the text of its path and an index as seed set one by `reset`.

        :raises ConfigurationError: it cannot be read, or this world has no task files.
        """


@runtime_checkable
class ExpertWorld(World, Protocol):
    """A world that can solve its tasks."""

    def expert(self) -> tuple[str, ...]:
        """Do the loaded task, and answer the skills that were needed.

        :raises ConfigurationError: no such task is loaded.
        :raises SkillError: the expert finds no way.
        """
