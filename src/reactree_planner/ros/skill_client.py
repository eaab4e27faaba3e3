"""The skill server as a port: skills as goals with a deadline, watched, canceled at once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node
from rclpy.task import Future

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    CanceledError,
    RobotStoppedError,
    SkillError,
    SkillResultError,
    SkillRunsError,
)
from reactree_core.observation import Observation, Outcome
from reactree_core.ros import conversions
from reactree_core.ros.actions import ActionClient, cancel_if_taken
from reactree_core.ros.discovery import is_served
from reactree_core.ros.fields import NAME_LIMIT
from reactree_core.skill_types import longest_wait
from reactree_planner.ros.bridge_services import BridgeServices, SkillDeadlines
from reactree_planner.ros.waiting import wait_for, wait_until
from reactree_planner.ros.watched_stop import Stop, WatchedStop
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.msg import Observation as ObservationMessage

#: Seconds for a service that a server need not have to be discovered after the others.
_FOLLOWS = 1.0
#: Seconds more for the services of a bridge that is heard: on a machine with too much to do,
#: the middleware loses what it says of them, and repeats it every few seconds.
_MEETS = 30.0
#: Seconds that a canceled skill has to end.
_END = 0.4
#: Skills that did not end which are remembered.
_KEPT = 20
#: Seconds in which a bridge repeats what it does.
_REPEATS = 1.2


@dataclass(frozen=True, slots=True, eq=False)
class _Unended:
    """A skill that was told to end and had not, with its goal."""

    run_id: str
    skill: str
    handle: Any
    result: Future


def _untraced(sequence: int) -> str:
    return ''


class RosSkillServer(BridgeServices):
    """Client of one bridge (port `SkillServer`). Used by one run at a time.

    Calls `bridge/execute_skill`; its parameters are those of `BridgeServices`.
    """

    def __init__(
        self, node: Node, deadlines: Callable[[], SkillDeadlines], robot: str = ''
    ) -> None:
        #: Skills that were told to end and had not.
        self._unended: deque[_Unended] = deque(maxlen=_KEPT)
        super().__init__(node, deadlines, robot)
        self._execute = ActionClient(
            node, ExecuteSkill, f'{self._base}bridge/execute_skill', callback_group=self._group
        )
        self.run_id = ''
        self._since = time.time()
        #: Trace context of a skill of the run, by its number.
        self.traceparent: Callable[[int], str] = _untraced
        #: Numbers of skills of the run that a person has approved.
        self.approved: set[int] = set()
        #: Whether a person has approved all, by the command that does them.
        self.all_approved = False

    def begin(self, run_id: str, since: float = 0.0) -> None:
        """Work for a run.

        :param since: stops that came later end its part in it, also where they are released;
            seconds since 1970; 0: from now on.
        """
        self.run_id = run_id
        self._since = since or time.time()
        self.traceparent = _untraced
        self.approved.clear()
        self.listen()

    def when_stopped(self, listener: Callable[[Stop], None]) -> None:
        """Have somebody called, from any thread, with each press of the emergency stop."""
        self.stop.on_press = listener

    @property
    def stops(self) -> tuple[WatchedStop, ...]:
        """Of its robot."""
        return (self.stop,)

    def press(self, why: str) -> None:
        """Take the emergency stop for pressed. :param why: a sentence."""
        self.stop.press(why)

    def stopped_since(self, at: float) -> Stop | None:
        """The press that came later than a time, in seconds since 1970; None for none."""
        return self.stop.since(at)

    @property
    def stopped(self) -> Stop | None:
        """The press since the run began, which ends the robot's part in it; None for none."""
        return self.stop.since(self._since)

    def _check_stop(self) -> None:
        """:raises RobotStoppedError: the emergency stop was pressed since the run began."""
        stop = self.stopped
        if stop is not None:
            raise RobotStoppedError(stop.why)

    def _greet(self) -> None:
        """A bridge that was gone for long has not heard what was canceled."""
        for one in self._unended:
            if not one.result.done():
                one.handle.cancel_goal_async()

    def _missing(self) -> str:
        """Name the first part of a bridge that is not met, as a clause; '' for none."""
        if self.status is None:
            return 'no bridge_status was heard'
        if self.lost:
            return 'bridge_status has been silent since the bridge was lost'
        if self.status.state == BridgeStatus.STATE_STARTING:
            return 'the bridge is starting'
        if not self._execute.server_is_ready():
            return 'bridge_status is heard, bridge/execute_skill is not offered'
        if not is_served(self._node, self._list):
            return 'bridge_status is heard, bridge/list_skills is not offered'
        return ''

    def _is_met(self) -> bool:
        """Test for a bridge that is heard and has started: its services are being discovered."""
        starting = self.status is None or self.status.state == BridgeStatus.STATE_STARTING
        return not starting and not self.lost

    def find(self, cancel: CancelToken, resumes: bool = False) -> None:
        """Wait until a bridge is there: longer where it is heard and its services are not met yet.

        :param resumes: whether a run goes on.
        :raises SkillError: none came in time, or it is in fault.
        :raises RobotStoppedError: its emergency stop is pressed. :raises CanceledError: stopped.
        """

        def there() -> bool:
            return not self._missing() or (self._is_met() and self._takes_nothing())

        patience = self._deadlines().find
        found = wait_until(there, patience, cancel)
        if not found and self._is_met():
            wait_until(lambda: there() or not self._is_met(), _MEETS, cancel)
            found = there()
        if not found:
            if self.status is not None and self.status.message and not self.lost:
                said = conversions.bounded(self.status.message)
                raise SkillError(f'The skill server was not ready within {patience:g} s: {said}')
            raise SkillError(
                f'No skill server answered on {self._where} within {patience:g} s '
                f'({self._missing()}): start a bridge (`reactree up`), or check the '
                'namespace and ROS_DOMAIN_ID.'
            )
        self._check_status()
        wait_until(lambda: is_served(self._node, self._state), _FOLLOWS, cancel)

    def wait_until_idle(self, cancel: CancelToken) -> None:
        """Wait until no skill runs that somebody else has asked for.

        :raises SkillError: one runs for longer than a skill may. :raises CanceledError: stopped.
        """

        def idle() -> bool:
            return not self._is_busy

        patience = self._deadlines().skill
        ended = wait_until(idle, patience, cancel)
        if not ended and self.status is not None:
            # The status says which skill it is; one that waits may take longer.
            observed, _, _ = conversions.skills_from_response(self._ask_for_skills(cancel))
            longer = longest_wait(self.status.message, observed.skills)
            ended = longer > 0.0 and wait_until(idle, longer, cancel)
            patience += longer
        if not ended:
            raise SkillError(
                f'The skill server has been busy for {patience:g} s: wait for its '
                'skill to end, or cancel it.'
            )

    def _at_work(self, since: float) -> str:
        """What is not known to have ended, as a sentence; '' when all has.

        :param since: by then, in monotonic seconds, a bridge that serves others too was idle.
        """
        for one in self._unended:
            # One of an earlier run ended with that run; what is left of it, the bridge reports.
            if one.run_id == self.run_id and not one.result.done():
                return f'"{one.skill}" was told to end and has not'
        if self._takes_nothing():
            return conversions.bounded(self.status.message) if self.status else ''
        busy = self._is_busy and self._idle_at < since
        return 'The skill server is still at work on a skill' if busy else ''

    def settle(self, cancel: CancelToken, fresh: bool = False) -> None:
        """Wait until no skill runs that was asked for.

        :param fresh: what the bridge has reported before does not count.
        :raises SkillRunsError: one does, or may, for longer than a service may take.
        :raises CanceledError: stopped.
        """
        began, heard = time.monotonic(), self._heard
        if fresh:
            wait_until(lambda: self._heard > heard or self.lost, _REPEATS, cancel)
        patience = self._deadlines().service
        if wait_until(lambda: self.lost or not self._at_work(began), patience, cancel):
            if self.lost:
                raise self._lose('a skill')
            return
        raise SkillRunsError(
            f'{self._at_work(began)}: the robot may still move. Wait until it stands still, or '
            'stop it (`reactree stop`), and look before you go on.'
        )

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill to its end; a skill that overruns its deadline is canceled.

        :raises SkillResultError: it ended, but its result is not one of this goal.
        :raises RobotStoppedError: the emergency stop is or was pressed.
        :raises SkillError: the bridge does not take it.
        """
        self._check_stop()
        self._check_status()
        deadlines = self._deadlines()
        limit = deadlines.skill + longest_wait(skill, self._types)
        goal = ExecuteSkill.Goal(
            run_id=conversions.run_id_to_message(self.run_id),
            sequence=sequence,
            node_id=node_id,
            skill=conversions.bounded(skill),
            approved=self.all_approved or sequence in self.approved,
            time_limit=conversions.duration_to_message(limit),
            traceparent=self.traceparent(sequence),
        )
        goal_id = conversions.skill_goal_id(self.run_id, sequence)
        self._node.get_logger().debug(f'execute_skill {sequence}: "{goal.skill[:200]}"')
        losses = self._losses

        def lost() -> bool:
            # Also where another bridge is there by now.
            return self.lost or self._losses != losses

        sent = self._execute.send_goal_async(goal, goal_uuid=goal_id)
        try:
            handle = wait_for(sent, deadlines.service, cancel, lost)
        except CanceledError:
            # The goal is on its way: whatever becomes of it, it must not go on alone.
            self._cancel_when_accepted(skill, sent)
            raise
        if handle is None:
            sent.add_done_callback(cancel_if_taken)
            if lost():
                raise self._lose(f'"{skill}"')
            raise SkillError(
                f'The skill server did not take "{skill}" within '
                f"{deadlines.service:g} s: check the bridge's log."
            )
        result = None
        if not handle.accepted:
            # It may be at work on this very goal, or have done it, since before a restart.
            result = handle.get_result_async()
            known = wait_for(result, limit + _END, cancel, lost)
            if known is None or known.status == GoalStatus.STATUS_UNKNOWN:
                result = None
        if not handle.accepted and result is None:
            # What the bridge says of itself may come after its rejection.
            wait_until(self._takes_nothing, _END, cancel)
            self._check_status()
            raise SkillError(
                f'The skill server rejected "{skill}"; its log says why (it may be '
                "busy with another planner's skill)."
            )
        result = result or handle.get_result_async()
        try:
            # The server keeps the limit itself; this waits a little longer for its answer.
            answer = wait_for(result, limit + _END, cancel, lost)
        except CanceledError:
            self._cancel_skill(skill, handle, result)
            raise
        ended = 'no result' if answer is None else f'goal status {answer.status}'
        self._node.get_logger().debug(f'execute_skill {sequence}: {ended}')
        if answer is None:
            gone = lost()
            # Also for a server that comes back: the skill must not go on alone.
            self._cancel_skill(skill, handle, result)
            if gone:
                raise self._lose(f'"{skill}"')
            text = f'{skill} took longer than {limit:g} s and was stopped.'
            return self._look_again(Observation(text, Outcome.TIMED_OUT, skill), cancel)
        # A stop ends a skill: what came of it is no reason to go on.
        self._check_stop()
        if answer.status == GoalStatus.STATUS_UNKNOWN:
            # The server has forgotten the result: an empty one would read as a success.
            raise self._lose(f'"{skill}"')
        observation = _checked_result(goal, answer.result.observation)
        if observation.outcome is Outcome.TIMED_OUT:
            return self._look_again(observation, cancel)
        return observation

    def _look_again(self, observation: Observation, cancel: CancelToken) -> Observation:
        """What is seen once a skill that took too long has ended.

        :raises SkillRunsError: it has not ended. :raises SkillError: nothing can be seen.
        """
        self.settle(cancel, fresh=True)
        seen = self.look(cancel)
        return replace(
            seen,
            text=f'{observation.text} What is seen now: {seen.text}',
            outcome=observation.outcome,
            skill=observation.skill,
            distance=observation.distance,
        )

    def _cancel_when_accepted(self, skill: str, sent: Any) -> None:
        handle = wait_for(sent, _END, None, lambda: self.lost)
        if handle is None:
            sent.add_done_callback(cancel_if_taken)
        elif handle.accepted:
            self._cancel_skill(skill, handle, handle.get_result_async())

    def _cancel_skill(self, skill: str, handle: Any, result: Future) -> None:
        """Stop a skill and give it a moment to end."""
        handle.cancel_goal_async()
        wait_for(result, _END, None, lambda: self.lost)
        if not result.done():
            text = conversions.bounded(skill, 80)
            self._unended.append(_Unended(self.run_id, text, handle, result))


def _checked_result(goal: ExecuteSkill.Goal, message: ObservationMessage) -> Observation:
    """What a skill came to. :raises SkillResultError: the answer is no result of this goal."""
    try:
        observation = conversions.observation_from_message(message)
    except SkillError as error:
        raise SkillResultError(f'"{goal.skill}" has ended, but {error}.') from error
    found = [
        f'{name} is {conversions.bounded(str(back), 80)!r} instead of {str(sent)!r}'
        for name, sent, back in (
            (
                'run_id',
                conversions.run_id_from_message(goal.run_id),
                conversions.run_id_from_message(message.run_id),
            ),
            ('sequence', goal.sequence, message.sequence),
            ('skill', conversions.bounded(goal.skill, NAME_LIMIT), observation.skill),
        )
        if sent != back
    ]
    found += ['its text is empty'] if not observation.text.strip() else []
    if observation.outcome is Outcome.BRIDGE_LOST:
        found.append("outcome BRIDGE_LOST is no server's to tell")
    if found:
        raise SkillResultError(
            f'"{goal.skill}" has ended, but the skill server answered with a result that is not '
            f'of this goal: {", ".join(found)}. See docs/robot_contract.md for what a result must '
            'hold, and look before you go on.'
        )
    return observation
