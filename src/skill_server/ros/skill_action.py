"""The action of a skill server: one skill at a time, never the same one twice."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from action_msgs.msg import GoalStatus
from rclpy.action import GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_core.errors import SkillError
from reactree_core.observation import Observation, Outcome
from reactree_core.permission.guard import SkillGuard
from reactree_core.ros.actions import ActionServer, begin
from reactree_core.ros.conversions import (
    duration_from_message,
    observation_to_message,
    run_id_from_message,
    stamped,
)
from reactree_core.ros.fields import bounded, NAME_LIMIT
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.skill_checks import misfit
from reactree_core.skill_types import SkillType
from reactree_core.telemetry import Telemetry
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import Observation as ObservationMessage
from skill_server.executed_skills import ExecutedSkills
from skill_server.ros.running_skill import RunningSkill
from skill_server.ros.status import BridgeState, ShownState, StatusBoard

#: Seconds for which the protocol keeps a result. At every change it tells all clients of all goals
#: it keeps, so a long time makes quick skills slow; later repeats are answered from memory.
RESULT_TIMEOUT = 5


class SkillDoer(Protocol):
    """Who does the skills: a simulated world, or the interfaces of a robot."""

    @property
    def last(self) -> Observation:
        """What is known now."""

    @property
    def types(self) -> tuple[SkillType, ...]:
        """Skills that are declared."""

    async def perform(self, run: RunningSkill, skill: str) -> Observation:
        """Do a skill until its end, or until the run is to end early."""

    def unchanged(self, skill: str, outcome: Outcome, text: str) -> Observation:
        """Observation of a skill that has not been begun."""


class SkillAction:
    """Action server `~/execute_skill` (ExecuteSkill).

    Every accepted goal ends with a filled observation: SUCCEEDED ones succeed, CANCELED ones are
    canceled, all others abort. Goals are rejected while a skill runs or the world is reset; what a
    rule or the emergency stop forbids is answered SAFETY_REJECTED.

    :param guard: asked before every skill.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        doer: SkillDoer,
        status: StatusBoard,
        settings: LiveValues,
        guard: SkillGuard,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._node = node
        self._group = group
        self._doer = doer
        self._status = status
        self._executed = ExecutedSkills()
        self._run: RunningSkill | None = None
        #: What it has claimed of the status.
        self._work: ShownState | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._closing = False
        #: Goals rejected since the start.
        self.rejected = 0
        #: Looks whether the emergency stop was pressed meanwhile.
        self.look: Callable[[], None] = lambda: None
        #: Takes a span of every skill that is done; None where nobody wants them.
        self.telemetry: Telemetry | None = None
        ActionServer(
            node,
            ExecuteSkill,
            '~/execute_skill',
            self._execute,
            self._consider,
            self._cancel,
            self._may_cancel,
            self._accept,
            callback_group=group,
            result_timeout=RESULT_TIMEOUT,
        )

    def stop(self, timeout: float) -> None:
        """Take no more goals and end the running one; from outside the executor.

        :param timeout: seconds to wait for its end.
        """
        self._closing = True
        run = self._run
        if run is not None:
            run.stop(Outcome.CANCELED)
        self._idle.wait(timeout)

    def serve(self, message: str = '') -> None:
        """Have the bridge be READY, or BUSY until the skill has ended that was stopped before.

        :param message: what people should know before the first skill.
        """
        self._status.serve(message)

    def end_running(self, why: str) -> None:
        """End the running skill, if there is one, at once; goals are taken again afterwards.

        :param why: e.g. 'the emergency stop'.
        """
        run = self._run
        if run is not None:
            run.ended_by = why
            run.stop(Outcome.CANCELED)

    # Goals -------------------------------------------------------------------------------

    def _consider(self, goal: ExecuteSkill.Goal) -> GoalResponse:
        # While stopped, a goal is taken, and its answer says why nothing is done.
        ready = self._status.state in (BridgeState.READY, BridgeState.STOPPED)
        if ready and not self._closing:
            return GoalResponse.ACCEPT
        self.rejected += 1
        reason = 'shutting down' if self._closing else self._status.sentence
        self._node.get_logger().warning(
            f'goal rejected: "{bounded(goal.skill, 80)}" cannot start now ({reason})'
        )
        return GoalResponse.REJECT

    def _accept(self, handle: ServerGoalHandle) -> None:
        work = self._status.claim(BridgeState.BUSY, bounded(handle.request.skill, NAME_LIMIT))
        if work is not None:
            self._work = work
            limit = duration_from_message(handle.request.time_limit)
            limit = limit if limit > 0.0 else self._settings.skill_time_limit
            self._idle.clear()
            self._run = RunningSkill(self._node, handle, self._group, limit, self.look)
            # Its client knew that it was accepted before this was called, and others that it is
            # at work before there was a run to end.
            if handle.is_cancel_requested:
                self._run.cancel()
            elif self._closing or self._status.state is not BridgeState.BUSY:
                stopped = bool(self._status.stop)
                self.end_running('the emergency stop' if stopped else 'the end of the bridge')
        begin(handle)

    def _may_cancel(self, handle: ServerGoalHandle) -> bool:
        run = self._run
        begins = handle.status == GoalStatus.STATUS_ACCEPTED
        return begins or (run is not None and run.handle is handle)

    def _cancel(self, handle: ServerGoalHandle) -> None:
        run = self._run
        if run is not None and run.handle is handle:
            run.cancel()

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteSkill.Result:
        goal = handle.request
        run_id = run_id_from_message(goal.run_id)
        run = self._run
        if run is None or run.handle is not handle:
            # Stopped; or two goals at once, in two threads of a multi-threaded executor.
            outcome, text = Outcome.SAFETY_REJECTED, self._status.stop
            if not text:
                outcome = Outcome.PRECONDITION_FAILED
                text = f'"{bounded(goal.skill, 80)}" cannot start: another skill is running.'
            rejected = self._doer.unchanged(goal.skill, outcome, text)
            handle.abort()
            message, _ = self._message(self._number(rejected, goal), goal, run_id)
            return ExecuteSkill.Result(observation=message)
        try:
            observation = self._known(goal, run_id)
            if observation is None:
                self._node.get_logger().debug(
                    f'run {run_id} number {goal.sequence} begins: {bounded(goal.skill, 200)}'
                )
                observation = self._number(await self._traced(run, goal, run_id), goal)
                self._node.get_logger().debug(
                    f'run {run_id} number {goal.sequence}: {bounded(goal.skill, 200)}'
                    f' ({observation.outcome.name.lower()})'
                )
                message, observation = self._message(observation, goal, run_id)
                self._executed.remember(run_id, observation)
            else:
                message = observation_to_message(observation, run_id)
        finally:
            self._release(run)
        if observation.succeeded:
            handle.succeed()
        elif observation.outcome is Outcome.CANCELED and run.cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return ExecuteSkill.Result(observation=message)

    def _release(self, run: RunningSkill) -> None:
        # Before the result goes out: the client may send its next goal at once.
        run.close()
        self._run = None
        assert self._work is not None
        self._status.give_back(self._work)
        self._idle.set()

    # Skills ------------------------------------------------------------------------------

    def _known(self, goal: ExecuteSkill.Goal, run_id: str) -> Observation | None:
        """Answer to a goal for which nothing is to be done."""
        known = self._executed.recall(run_id, goal.sequence)
        if known is not None and known.skill == bounded(goal.skill, NAME_LIMIT):
            return known
        objection = ''
        if known is not None:
            objection = (
                f'Number {goal.sequence} of this run was "{known.skill}": take a new number'
                ' for every skill.'
            )
        elif not goal.skill.strip():
            objection = 'The skill is empty: send one of the admissible skills.'
        elif len(goal.skill.encode('utf-8', 'replace')) > NAME_LIMIT:
            objection = (
                f'The skill has more than {NAME_LIMIT} bytes: send one of the admissible skills.'
            )
        else:
            objection = misfit(goal.skill, self._doer.types)
        if not objection:
            return None
        invalid = self._doer.unchanged(goal.skill, Outcome.INVALID_SKILL, objection)
        return self._number(invalid, goal)

    async def _traced(
        self, run: RunningSkill, goal: ExecuteSkill.Goal, run_id: str
    ) -> Observation:
        """Do a skill, in a span below the one that the goal names."""
        telemetry = self.telemetry
        if telemetry is None:
            return await self._permitted(run, goal, run_id)
        attributes = {'reactree.run.id': run_id, 'reactree.sequence': goal.sequence}
        parent = bounded(goal.traceparent, NAME_LIMIT)
        span = telemetry.begin('execute_skill', attributes, parent, kind='server')
        outcome = ''
        try:
            observation = await self._permitted(run, goal, run_id)
            outcome = observation.outcome.name.lower()
            span.set_attribute('reactree.outcome', outcome)
            return observation
        finally:
            failed = outcome != Outcome.SUCCEEDED.name.lower()
            telemetry.end(span, error=outcome or 'canceled' if failed else '')

    async def _permitted(
        self, run: RunningSkill, goal: ExecuteSkill.Goal, run_id: str
    ) -> Observation:
        """Do a skill that the rules let through; else say which rule does not."""
        skill = goal.skill
        refusal = self._guard.refusal(
            run_id, skill, goal.approved, self._doer.last, self._doer.types
        )
        if refusal is not None:
            self._node.get_logger().warning(bounded(f'refused: {refusal.reason}'))
            return self._doer.unchanged(skill, Outcome.SAFETY_REJECTED, refusal.reason)
        began = time.monotonic()
        try:
            observation = await self._doer.perform(run, skill)
        except Exception as error:  # noqa: BLE001 - it may have moved something, so it counts
            text = (
                f'"{bounded(skill, 80)}" broke ({type(error).__name__}: {str(error)[:200]}); what '
                'it did is not known. Look at the robot and at the log of the skill server.'
            )
            self._node.get_logger().error(f'{text}\n{traceback.format_exc()}')
            observation = self._doer.unchanged(skill, Outcome.EXECUTION_FAILED, text)
        self._guard.record(run_id, replace(observation, skill=skill), time.monotonic() - began)
        return observation

    def _number(self, observation: Observation, goal: ExecuteSkill.Goal) -> Observation:
        return stamped(
            observation,
            self._node.get_clock(),
            skill=bounded(goal.skill, NAME_LIMIT),
            sequence=goal.sequence,
            node_id=goal.node_id,
        )

    def _message(
        self, observation: Observation, goal: ExecuteSkill.Goal, run_id: str
    ) -> tuple[ObservationMessage, Observation]:
        """An observation in both shapes; another one when the answer fits no message."""
        try:
            return observation_to_message(observation, run_id), observation
        except SkillError as error:
            self._node.get_logger().error(f'"{observation.skill}": {error}')
            text = f'The skill was answered with what cannot be: {error}.'
            observation = self._number(Observation(text, Outcome.EXECUTION_FAILED), goal)
            return observation_to_message(observation, run_id), observation
