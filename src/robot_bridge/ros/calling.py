"""Calls of the robot's interfaces while a skill runs: deadlines, cancels, and sentences."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_core.observation import Outcome
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient, cancel_if_taken
from reactree_core.ros.discovery import is_served
from robot_bridge.calls import Call
from robot_bridge.filling import Filling
from robot_bridge.goal_ids import goal_id_of
from robot_bridge.robot import Robot
from robot_bridge.ros.installed_types import fill, installed_type
from robot_bridge.ros.robot_goals import RobotGoals
from skill_server.ros.running_skill import RunningSkill

#: Longest wait for an action to take a goal, s.
_TAKE = 5.0
#: Longest wait for an action to end after its cancel, s; the planner waits 0.4 s in all.
_STOP = 0.3
#: Time between two looks whether a server is there, s.
_LOOK = 0.5
#: Periods without a message after which this process was suspended: others are served first.
_AWAY = 5
#: How rclpy names the end of a goal.
_STATUS = {
    GoalStatus.STATUS_SUCCEEDED: 'succeeded',
    GoalStatus.STATUS_CANCELED: 'canceled',
    GoalStatus.STATUS_ABORTED: 'aborted',
}


class CallDoer:
    """Does the calls of a robot's skills.

    Clients and publishers are made at once, so that discovery is over when a skill comes.
    """

    def __init__(self, node: Node, group: CallbackGroup, robot: Robot, goals: RobotGoals) -> None:
        self._node = node
        self._group = group
        self._goals = goals
        self._ends: dict[tuple[str, str], Any] = {}
        self._waiting: list[tuple[Call, Future]] = []
        #: Newest message of each awaited topic, and when it came.
        self._newest: dict[str, tuple[Any, float]] = {}
        #: When the last two calls began: what is awaited may come before the wait begins.
        self._began = (0.0, 0.0)
        calls = (call for skill in robot.skills for call in skill.calls)
        for call in (call for call in calls if not call.step.is_wait):
            key = (call.step.kind, call.step.name)
            if key not in self._ends:
                self._ends[key] = self._make(call)

    def _make(self, call: Call) -> Any:
        step, node, group = call.step, self._node, self._group
        kind = installed_type(step.type)
        match step.kind:
            case 'action':
                return ActionClient(node, kind, step.name, callback_group=group)
            case 'service':
                return node.create_client(kind, step.name, callback_group=group)
            case 'publish':
                return node.create_publisher(
                    kind, step.name, qos.latched() if step.latched else 10
                )

        def hear(message: Any) -> None:
            self._heard(step.name, message)

        if not step.latched:
            return qos.subscribe_whatever_is_offered(node, kind, step.name, hear, group)
        return node.create_subscription(kind, step.name, hear, qos.latched(), callback_group=group)

    def absent(self) -> list[str]:
        """Actions and services that have no server now, as 'the action /x'."""
        ready = {
            'action': lambda end: end.server_is_ready(),
            'service': lambda end: is_served(self._node, end),
        }
        return [
            f'the {kind} {name}'
            for (kind, name), end in self._ends.items()
            if kind in ready and not ready[kind](end)
        ]

    async def do(
        self, run: RunningSkill, call: Call, filling: Filling, goal_id: UUID | None
    ) -> tuple[Outcome, str]:
        """Do a call to its end.

        :param goal_id: of the skill's goal; makes those of its actions. None outside a run.
        :returns: its outcome, and a sentence where one is needed.
        """
        end = self._ends[call.step.kind, call.step.name]
        self._began = (self._began[1], time.monotonic())
        if not run.may_move() and run.stopped is not None:
            return run.stopped, f'{_begin(call)} {run.ending} before it began.'
        match call.step.kind:
            case 'action':
                skill = None if goal_id is None else bytes(goal_id.uuid)
                return await self._action(run, call, filling, end, goal_id_of(skill, call.number))
            case 'service':
                return await self._service(run, call, filling, end)
            case 'publish':
                return await self._publish(run, call, filling, end)
            case _:
                return await self._await(run, call)

    # Actions -----------------------------------------------------------------------------------

    async def _action(
        self, run: RunningSkill, call: Call, filling: Filling, client: Any, goal_id: bytes
    ) -> tuple[Outcome, str]:
        if not await self._found(run, call, client.server_is_ready):
            return self._nobody(run, call)
        result: list[Future] = []
        self._goals.begin(call.step.name, goal_id)
        try:
            return await self._goal(run, call, filling, client, goal_id, result)
        finally:
            self._goals.end(call.step.name, goal_id, result[0] if result else None)

    async def _goal(
        self,
        run: RunningSkill,
        call: Call,
        filling: Filling,
        client: Any,
        goal_id: bytes,
        result: list[Future],
    ) -> tuple[Outcome, str]:
        """Have a goal done. :param result: takes that of the goal, once it is accepted."""
        hearing = _Hearing(run, call, filling)
        sent = client.send_goal_async(
            fill(installed_type(call.step.type).Goal(), call.send(filling)),
            feedback_callback=hearing.feedback,
            goal_uuid=UUID(uuid=list(goal_id)),
        )
        taken = await run.wait_for(sent, _TAKE)
        if not taken and run.stopped is not None:
            # It may be taken at this moment: then its end is waited for.
            taken = await run.wait_for(sent, _STOP, after_all=True)
        if not taken:
            # Whoever takes it after all is told to stop: nobody waits for it any more.
            sent.add_done_callback(cancel_if_taken)
            if run.stopped is not None:
                return run.stopped, f'{_begin(call)} {run.ending} before it began.'
            text = f'{_begin(call)} did not take the goal within {_TAKE:g} s.'
            return Outcome.EXECUTION_FAILED, text
        handle = sent.result()
        if not handle.accepted:
            return call.judge('rejected', None, filling)
        ended = handle.get_result_async()
        result.append(ended)
        watch = _Watch(client.server_is_ready, hearing)
        if await run.wait_for(ended, call.step.within or 0.0, hopeless=watch.hopeless):
            answer = ended.result()
            status = _STATUS.get(answer.status, 'aborted')
            if status == 'canceled' and run.stopped is not None:
                return run.stopped, f'{_begin(call)} {run.ending}.'
            return call.judge(status, answer.result, filling)
        if watch.gone:
            return Outcome.EXECUTION_FAILED, (
                f'The server of {call.what} is gone while it was at work: what it has done is not '
                'known, and it may still move.'
            )
        self._goals.cancel(call.step.name, goal_id)
        in_time = await run.wait_for(ended, _STOP, after_all=True)
        still = '' if in_time else ' It has not reported its end yet.'
        if run.stopped is not None:
            return run.stopped, f'{_begin(call)} {run.ending}.{still}'
        if watch.silent:
            silence = f'has sent nothing for {hearing.silence:g} s and was canceled'
            return Outcome.EXECUTION_FAILED, f'{_begin(call)} {silence}.{still}'
        limit = f'did not end within {call.step.within:g} s and was canceled'
        return Outcome.TIMED_OUT, f'{_begin(call)} {limit}.{still}'

    # Services and topics -----------------------------------------------------------------------

    async def _service(
        self, run: RunningSkill, call: Call, filling: Filling, client: Any
    ) -> tuple[Outcome, str]:
        is_ready = partial(is_served, self._node, client)
        if not await self._found(run, call, is_ready):
            return self._nobody(run, call)
        if self._goals.is_called(call.step.name):
            return Outcome.PRECONDITION_FAILED, (
                f'{_begin(call)} was called before and has not answered: it may still be at work, '
                'and is not called a second time beside that. Wait for its answer, or restart its '
                'server.'
            )
        request = fill(client.srv_type.Request(), call.send(filling))
        answer = client.call_async(request)
        self._goals.call(call.step.name, answer, is_ready)
        watch = _Watch(is_ready)
        if await run.wait_for(answer, call.step.within or 0.0, hopeless=watch.hopeless):
            return call.judge('succeeded', answer.result(), filling)
        unknown = 'what it has done is not known'
        if run.stopped is not None:
            return run.stopped, f'{_begin(call)} {run.ending} before it answered; {unknown}.'
        if watch.gone:
            return (
                Outcome.EXECUTION_FAILED,
                f'{_begin(call)} is gone without an answer; {unknown}.',
            )
        limit = f'did not answer within {call.step.within:g} s'
        return Outcome.TIMED_OUT, f'{_begin(call)} {limit}; {unknown}.'

    async def _publish(
        self, run: RunningSkill, call: Call, filling: Filling, publisher: Any
    ) -> tuple[Outcome, str]:
        if not await self._found(run, call, lambda: publisher.get_subscription_count() > 0):
            return self._nobody(run, call)
        kind = installed_type(call.step.type)
        message = fill(kind(), call.send(filling))
        publisher.publish(message)
        if call.step.hold > 0.0:
            repeat = _Repeated(run, lambda: publisher.publish(message), 1.0 / call.step.rate)
            timer = self._node.create_timer(
                repeat.period,
                repeat.send,
                self._group,
                clock=Clock(clock_type=ClockType.STEADY_TIME),
            )
            try:
                await run.wait_for(Future(), call.step.hold)
            finally:
                self._node.destroy_timer(timer)
                if call.at_end is not None:
                    publisher.publish(fill(kind(), call.at_end(filling)))
        elif call.at_end is not None:
            publisher.publish(fill(kind(), call.at_end(filling)))
        if run.stopped is not None:
            return run.stopped, f'{_begin(call)} {run.ending}.'
        return Outcome.SUCCEEDED, ''

    async def _await(self, run: RunningSkill, call: Call) -> tuple[Outcome, str]:
        came = Future()
        waiting = (call, came)
        self._waiting.append(waiting)
        try:
            last, came_at = self._newest.get(call.step.name, (None, 0.0))
            if last is not None and (call.step.latched or came_at >= self._began[0]):
                self._take(call, came, last)
            if await run.wait_for(came, call.step.within or 0.0):
                return Outcome.SUCCEEDED, ''
        finally:
            self._waiting.remove(waiting)
        wanted = ', '.join(f'{field}: {value}' for field, value in call.step.when.items())
        if run.stopped is not None:
            return run.stopped, f'Waiting for {wanted} on {call.step.name} {run.ending}.'
        within = call.step.within
        text = f'{_begin(call)} did not say "{wanted}" within {within:g} s.'
        return Outcome.TIMED_OUT, text

    def _heard(self, name: str, message: Any) -> None:
        self._newest[name] = (message, time.monotonic())
        for call, came in self._waiting:
            if call.step.name == name:
                self._take(call, came, message)

    @staticmethod
    def _take(call: Call, came: Future, message: Any) -> None:
        if call.test is not None and call.test(message) and not came.done():
            came.set_result(None)

    # Servers -----------------------------------------------------------------------------------

    async def _found(self, run: RunningSkill, call: Call, ready: Callable[[], bool]) -> bool:
        """Wait for the other side of an interface; false too where the skill is to end."""
        if not ready():
            await run.wait_for(Future(), call.step.find, hopeless=ready)
        return run.may_move() and ready()

    def _nobody(self, run: RunningSkill, call: Call) -> tuple[Outcome, str]:
        if run.stopped is not None:
            return run.stopped, f'{_begin(call)} {run.ending} before it began.'
        kind = 'subscriber' if call.step.kind == 'publish' else 'server'
        return Outcome.PRECONDITION_FAILED, (
            f'{_begin(call)} has no {kind}: is it running, and is this its name?'
        )


class _Repeated:
    """A message that a skill repeats, each time only while the skill may move.

    :param send: publishes it. :param period: s.
    """

    def __init__(self, run: RunningSkill, send: Callable[[], None], period: float) -> None:
        self._run = run
        self._send = send
        self.period = period
        self._due = time.monotonic() + period

    def send(self) -> None:
        """Send it once more."""
        now = time.monotonic()
        # A process that was suspended hears first what has come meanwhile, as a stop by topic.
        was_away = now - self._due > _AWAY * self.period
        self._due = now + self.period
        if not was_away and self._run.may_move():
            self._send()


class _Hearing:
    """Feedback of an action, passed on."""

    def __init__(self, run: RunningSkill, call: Call, filling: Filling) -> None:
        self._run = run
        self._told = call.feedback
        self._filling = filling
        self._first: float | None = None
        self._doing = f'{call.step.name.lstrip("/")} is at work'
        self.silence = call.feedback.written.silence if call.feedback else 0.0
        self.heard_at = time.monotonic()

    def feedback(self, message: Any) -> None:
        """Take feedback, and tell what the file says about it."""
        self.heard_at = time.monotonic()
        if self._told is None:
            return
        feedback = message.feedback
        part, self._first = self._told.part_done(feedback, self._first)
        said = self._told.say(self._filling, feedback) if self._told.say else self._doing
        self._run.tell(said, part)


class _Watch:
    """Whether waiting is in vain: the server is gone, or has been silent for too long."""

    def __init__(self, ready: Callable[[], bool], hearing: _Hearing | None = None) -> None:
        self._ready = ready
        self._hearing = hearing
        self._looked_at = time.monotonic()
        self._missed = 0
        self.gone = False
        self.silent = False

    def hopeless(self) -> bool:
        """Looks again, but not too often."""
        now = time.monotonic()
        hearing = self._hearing
        if hearing is not None and 0.0 < hearing.silence < now - hearing.heard_at:
            self.silent = True
        if now - self._looked_at >= _LOOK:
            self._looked_at = now
            # Once may be a moment of discovery.
            self._missed = 0 if self._ready() else self._missed + 1
            self.gone = self._missed > 1
        return self.gone or self.silent


def _begin(call: Call) -> str:
    return call.what[:1].upper() + call.what[1:]
