"""The skills of a simulated world, as the action of the bridge asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rclpy.node import Node

from reactree_core.errors import ReactreeError, WorldGoneError
from reactree_core.observation import Observation, Outcome
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.skill_types import SkillType
from sim_bridge.ros.served_world import result_of, ServedWorld
from skill_server.ros.running_skill import RunningSkill
from skill_server.ros.status import StatusBoard

#: Time between two feedbacks of a skill that takes time, s.
_FEEDBACK_PERIOD = 0.5


class WorldSkills:
    """Does skills in a world: a `SkillDoer`."""

    def __init__(
        self, node: Node, world: ServedWorld, status: StatusBoard, settings: LiveValues
    ) -> None:
        self._node = node
        self._world = world
        self._status = status
        self._settings = settings

    @property
    def last(self) -> Observation:
        """The newest observation of the world."""
        return self._world.last

    @property
    def types(self) -> tuple[SkillType, ...]:
        """Skills that the world declares."""
        return self._world.types

    def unchanged(self, skill: str, outcome: Outcome, text: str) -> Observation:
        """Observation of a skill that the world knows nothing of."""
        return self._world.unchanged(skill, outcome, text)

    async def perform(self, run: RunningSkill, skill: str) -> Observation:
        """Do a skill, after the time that skills are to take."""
        settings = self._settings
        tell = partial(run.tell, f'doing {skill}')
        await run.pause(settings.skill_duration, _FEEDBACK_PERIOD, tell)
        if not run.may_move() and (stopped := run.stopped) is not None:
            text = f'"{skill}" {run.ending} before it took effect.'
            return self._world.unchanged(skill, stopped, text)
        answer = self._world.step(skill, settings.failure_probability)
        stopped = await run.finish(answer)
        if stopped is not None:
            lift = self._status.fail(f'The world has not finished "{skill}": wait, or restart it.')
            answer.add_done_callback(lambda _: self._in_executor(lift))
            text = f'"{skill}" {run.ending} while the world did it: look before you go on.'
            return self._world.unchanged(skill, stopped, text)
        try:
            return result_of(answer)
        except ReactreeError as error:
            self._node.get_logger().error(f'"{skill}": {error}')
            if isinstance(error, WorldGoneError):
                self._status.need_reset(str(error))
            return self._world.unchanged(skill, Outcome.EXECUTION_FAILED, f'"{skill}": {error}')

    def _in_executor(self, lift: Callable[[], None]) -> None:
        executor = self._node.executor
        if executor is not None and not self._world.closed:
            executor.create_task(lift)
