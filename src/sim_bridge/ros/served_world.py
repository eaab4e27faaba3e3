"""The world as callbacks see it: asked without blocking, its answers stamped by the node."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from rclpy.node import Node
from rclpy.task import Future as RosFuture

from reactree_core.errors import ConfigurationError, ReactreeError, SkillError
from reactree_core.observation import Observation, Outcome
from reactree_core.skill_types import SkillType
from reactree_core.world import SnapshotWorld, World
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.world_thread import WorldThread
from sim_bridge.worlds.registry import close_world
from skill_server.quick_answers import settled

T = TypeVar('T')

#: Snapshots that are kept; the oldest gives way.
SNAPSHOTS = 16
#: What is told where a world tells nothing.
SILENCE = 'Nothing is told.'
#: Questions that may wait for a world which is slow or hangs.
WAITING = 64


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a world has loaded. :param task_id: empty, as the instruction, for free text."""

    backend: str = ''
    scene: str = ''
    task_id: str = ''
    instruction: str = ''


class ServedWorld:
    """A world in its own thread, with what the bridge remembers of it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._begin(_no_world)

    def _begin(self, make: Callable[[], World]) -> None:
        self._thread = WorldThread(make)
        self._random = Random(0)
        self.loaded = Loaded()
        #: Skills executed since the last reset.
        self.executed = 0
        #: Newest observation of the world: what still holds when a skill does nothing.
        self.last = Observation('')
        #: Skills that the world declares.
        self.types: tuple[SkillType, ...] = ()
        self._beginning = ('', '', 0)
        self._snapshots: dict[str, tuple[Any, Loaded, tuple[str, str, int], Any, int]] = {}
        self._snapshots_taken = 0
        #: Whether it was let go.
        self.closed = False

    def serve(self, make: Callable[[], World]) -> None:
        """Let the world go, and have another one, which is yet to be reset.

        :param make: makes it.
        """
        gone = self._thread
        self._begin(make)
        gone.close(last=close_world)

    def reset(self, scene: str, task: str, seed: int) -> Future[Observation]:
        """Load a scene and a task."""

        def question(world: World) -> Observation:
            observation = world.reset(scene, task, seed)
            loaded = world.task()
            self.loaded = Loaded(
                world.name,
                world.scene,
                loaded.task_id if loaded is not None else '',
                loaded.instruction if loaded is not None else '',
            )
            self._beginning = scene, task, seed
            self.types = world.vocabulary().skills
            self._random = Random(f'bridge {seed}')
            self.executed = 0
            return self._keep(world, observation)

        return self._thread.ask(question)

    def restart(self) -> Future[Observation]:
        """Load what is loaded once more, as it was at first."""
        return self.reset(*self._beginning)

    def snapshot(self) -> Future[str]:
        """Keep the world as it is; answers the id of the snapshot."""

        def question(world: World) -> str:
            kept = _able(world).snapshot()
            self._snapshots_taken += 1
            snapshot = str(self._snapshots_taken)
            self._snapshots[snapshot] = (
                kept, self.loaded, self._beginning, self._random.getstate(), self.executed
            )  # fmt: skip
            if len(self._snapshots) > SNAPSHOTS:
                del self._snapshots[next(iter(self._snapshots))]
            return snapshot

        return self._thread.ask(question)

    def restore(self, snapshot: str) -> Future[Observation]:
        """Put the world, and what the bridge remembers of it, back to a snapshot."""

        def question(world: World) -> Observation:
            able = _able(world)
            if snapshot not in self._snapshots:
                raise ConfigurationError(
                    f'there is no snapshot {snapshot[:40]!r}: the last {SNAPSHOTS} are kept; '
                    'take one with restore left empty'
                )
            kept, loaded, beginning, random, executed = self._snapshots[snapshot]
            observation = able.restore(kept)
            self.loaded, self._beginning, self.executed = loaded, beginning, executed
            self._random.setstate(random)
            return self._keep(world, observation)

        return self._thread.ask(question)

    def step(self, skill: str, failure_probability: float) -> Future[Observation]:
        """Do one skill, or have it fail without effect, with this probability."""

        def question(world: World) -> Observation:
            if failure_probability > 0.0 and skill in world.admissible_skills():
                if self._random.random() < failure_probability:
                    self.executed += 1
                    text = f'"{skill}" failed for no visible reason; nothing changed.'
                    return self.unchanged(skill, Outcome.EXECUTION_FAILED, text)
            observation = self._keep(world, world.step(skill))
            if observation.outcome is not Outcome.INVALID_SKILL:
                self.executed += 1
            return observation

        return self._thread.ask_soon(question)

    def ask(self, question: Callable[[World], T]) -> Future[T]:
        """Have any other question answered, after what it does now.

        :raises SkillError: too many wait for that already.
        """
        if self._thread.waiting >= WAITING:
            raise SkillError(
                f'{WAITING} questions wait for the world already: ask again when it has answered, '
                'or cancel the skill that it is busy with'
            )
        return self._thread.ask(question)

    async def answer(self, future: Future[T]) -> T:
        """Result of a question, awaited in a callback.

        :raises ReactreeError: the world could not answer.
        """
        if not settled(future):
            done = RosFuture()

            def wake(_: Future[T]) -> None:
                done.set_result(None)
                if self._node.executor is not None:
                    self._node.executor.wake()

            future.add_done_callback(wake)
            await done
        return result_of(future)

    def unchanged(self, skill: str, outcome: Outcome, text: str) -> Observation:
        """Observation of a skill that the world knows nothing of."""
        return replace(self.last, text=text, outcome=outcome, skill=skill, looked_at=(), facts=())

    def close(self, timeout: float = 1.0) -> None:
        """Let the world go; one that hangs is left behind."""
        self.closed = True
        self._thread.close(timeout, last=close_world)

    def unload(self) -> None:
        """Let the world go; whatever is asked from now on is answered with an error."""
        self.serve(_no_world)

    def _keep(self, world: World, observation: Observation) -> Observation:
        if not observation.text.strip():
            # A text is owed; some published environments have none for a skill that failed.
            observation = replace(observation, text=SILENCE)
        self.last = with_skills(world, observation)
        return self.last


def _no_world() -> World:
    raise SkillError('The bridge is not configured: a manager has to configure and activate it.')


def _able(world: World) -> SnapshotWorld:
    if isinstance(world, SnapshotWorld):
        return world
    raise ConfigurationError(f'the world {world.name} takes no snapshots: reset it instead')


def result_of(future: Future[T]) -> T:
    """Result of a question that has been answered.

    :raises ReactreeError: the world could not answer; of whatever class its own error is.
    """
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, ReactreeError):
        raise error
    raise SkillError(f'The world failed: {type(error).__name__}: {error}') from error
