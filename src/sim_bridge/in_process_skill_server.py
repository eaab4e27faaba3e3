"""A world as a skill server in the planner's own process: for evaluation and seed memories.

What the bridge node is over ROS, without ROS; both serve the same `World`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Progress, restamped, Vocabulary
from reactree_core.world import ExpertWorld, SnapshotWorld, World


def with_skills(world: World, observation: Observation) -> Observation:
    """An observation with the skills that can succeed after it, where it does not say them."""
    if observation.admissible_skills:
        return observation
    return replace(observation, admissible_skills=world.admissible_skills())


class InProcessSkillServer:
    """Port `SkillServer` over a world; counts what it executed.

    :param restart: puts the world back to where its task began; None where nothing can.
    """

    def __init__(self, world: World, restart: Callable[[], object] | None = None) -> None:
        self.world = world
        self._restart = restart
        self.executed: list[str] = []
        self._snapshots: dict[str, object] = {}

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot sees now."""
        return self.world.vocabulary(), self.look(cancel)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set."""
        return self.world.candidate_skills()

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now."""
        return self._answer(self.world.observe())

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill. :raises CanceledError: stopped before it began."""
        cancel.check()
        self.executed.append(skill)
        observation = self._answer(self.world.step(skill))
        return replace(observation, sequence=sequence, node_id=node_id)

    def _answer(self, observation: Observation) -> Observation:
        """Stamp an observation of the world, and its evidence, with the wall clock."""
        return restamped(with_skills(self.world, observation), time.time())

    def snapshot(self, cancel: CancelToken) -> str:
        """Keep the world, where it can be kept."""
        if not isinstance(self.world, SnapshotWorld):
            return ''
        name = str(len(self._snapshots) + 1)
        self._snapshots[name] = self.world.snapshot()
        return name

    def restore(self, snapshot: str, cancel: CancelToken) -> Observation:
        """Put the world back. :raises SkillError: there is no such snapshot."""
        cancel.check()
        if snapshot not in self._snapshots or not isinstance(self.world, SnapshotWorld):
            raise SkillError(f'There is no snapshot {snapshot!r}.')
        observation = self.world.restore(self._snapshots[snapshot])
        return self._answer(observation)

    def expert_plan(self, cancel: CancelToken) -> tuple[str, ...]:
        """What the world's expert does; it is rehearsed, then the world is put back.

        :raises SkillError: the world has no expert, it finds no way, or nothing can put it back.
        """
        cancel.check()
        world = self.world
        if not isinstance(world, ExpertWorld):
            raise SkillError(f'The world "{world.name}" has no expert: choose another planner.')
        put_back = self._way_back()
        try:
            return world.expert()
        except ConfigurationError as error:
            raise SkillError(
                f'The expert of the world "{world.name}" cannot begin: {error}.'
            ) from error
        finally:
            put_back()

    def _way_back(self) -> Callable[[], object]:
        """What puts the world back to where it is now. :raises SkillError: nothing can."""
        world = self.world
        if isinstance(world, SnapshotWorld):
            try:
                now = world.snapshot()
            except ConfigurationError:
                pass  # an engine without them
            else:
                return lambda: world.restore(now)
        if self._restart is None or self.executed:
            raise SkillError(
                f'The expert of the world "{world.name}" rehearses its plan, and nothing here can '
                'put this world back: ask before anything is done, where it can be reset.'
            )
        return self._restart

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met."""
        return self.world.progress()

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back. :raises SkillError: nobody said how."""
        cancel.check()
        if self._restart is None:
            raise SkillError('Nothing here can put this world back to its beginning.')
        self._restart()
