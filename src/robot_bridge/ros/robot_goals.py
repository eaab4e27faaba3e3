"""The goals that a robot's actions are at work on, and which of them no skill waits for."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future

from reactree_core.ros.discovery import is_served
from robot_bridge.goal_ids import is_ours
from skill_server.ros.status import StatusBoard

#: Seconds between two looks at what is left over.
_LOOK = 0.1
#: So many looks in a row find a server gone that is.
_MISSED = 5
#: Seconds until a goal that goes on is canceled again.
_CANCEL_AGAIN = 1.0
#: Seconds between a cancel of all goals and one of a single goal: a server of rclpy that is asked
#: for both at once, in two threads, breaks.
_APART = 0.3
#: Seconds after the answer to a cancel in which the states of goals follow it.
_FOLLOWS = 0.2
#: Goals whose end is known before their status tells it.
_KEPT_ENDS = 100
_ALL = bytes(16)
_ACTIVE = (
    GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING
)  # fmt: skip


@dataclass
class _Action:
    """What is known of one action.

    :param active: goals, by its newest status; `ended` those that it tells the end of, `begun`
        those that it has not taken the cancel of; `publishers` were there when it came.
    :param waited: goals that the running skill waits for.
    :param left: goals that nobody waits for any more, not known to have ended, with their results;
        `seen` of them stood in a status.
    :param sent: answers of the server to goals that nobody waits for any more, and that it may
        yet take.
    :param over: goals that have ended.
    :param unwanted: goals that were told to end, whoever has sent them.
    :param clearing: all goals are to be canceled, and the server has not answered yet.
    :param answered_at: when its server answered that last; `ending` are the goals of all answers.
    :param vanished: its server went away while it was at work, and has not been asked since.
    """

    name: str
    cancel: Client
    active: set[bytes] = field(default_factory=set)
    ended: set[bytes] = field(default_factory=set)
    begun: set[bytes] = field(default_factory=set)
    is_heard: bool = False
    publishers: frozenset[bytes] = frozenset()
    waited: set[bytes] = field(default_factory=set)
    left: dict[bytes, Future | None] = field(default_factory=dict)
    seen: set[bytes] = field(default_factory=set)
    sent: list[Future] = field(default_factory=list)
    over: deque[bytes] = field(default_factory=lambda: deque(maxlen=_KEPT_ENDS))
    unwanted: set[bytes] = field(default_factory=set)
    clearing: bool = False
    answered_at: float = -math.inf
    ending: set[bytes] = field(default_factory=set)
    vanished: bool = False
    #: Looks in a row that found its server gone.
    missed: int = 0
    #: Goal, or _ALL -> the request to cancel it that has no answer, and when it was sent.
    asked: dict[bytes, tuple[Future, float]] = field(default_factory=dict)
    fault: str = ''
    lift: Callable[[], None] | None = None

    @property
    def alive(self) -> set[bytes]:
        """Goals that are not known to have ended."""
        return (self.active | self.left.keys() | self.waited).difference(self.over, self.ended)

    @property
    def strays(self) -> set[bytes]:
        """Those that no skill waits for."""
        return self.alive - self.waited

    @property
    def refused(self) -> set[bytes]:
        """Those that go on since the server has not taken their cancel."""
        if self.clearing or time.monotonic() - self.answered_at < _FOLLOWS:
            return set()
        return (self.alive & self.begun & self.unwanted) - self.ending


@dataclass
class _Called:
    """A call of a service.

    :param is_ready: whether a server is there. :param servers: that were there when it was called.
    :param missed: looks in a row that found none of them. :param is_there: whether one still is.
    :param is_replaced: whether another one is there in its place, which knows nothing of the call.
    """

    answer: Future
    is_ready: Callable[[], bool]
    servers: frozenset[bytes]
    missed: int = 0
    is_there: bool = True
    is_replaced: bool = False

    @property
    def is_over(self) -> bool:
        """Test whether nobody is at work on it any more, as far as is known."""
        return self.answer.done() or not self.is_there


class RobotGoals:
    """Watches the goals of a robot's actions, and cancels them.

    A robot moves as long as one of its actions is at work, whether or not the bridge that has sent
    the goal still lives. So the status of every action is heard, and while a goal goes on that no
    skill waits for, the bridge is in FAULT. One that a bridge has sent, now or in an earlier life,
    is canceled again and again; one of somebody else is left alone, unless all were to end or the
    emergency stop is pressed.

    Subscribes `<action>/_action/status`; calls `<action>/_action/cancel_goal`.

    :param actions: their names. :param status: of the bridge.
    """

    def __init__(self, node: Node, actions: Iterable[str], status: StatusBoard) -> None:
        self._node = node
        self._status = status
        self._group = MutuallyExclusiveCallbackGroup()
        self._lock = threading.RLock()
        self._actions: dict[str, _Action] = {}
        #: Until then what has not ended is no fault; in monotonic seconds.
        self._patient_until = 0.0
        #: Services that were called and have not answered.
        self._called: dict[str, _Called] = {}
        for name in dict.fromkeys(actions):
            client = node.create_client(
                CancelGoal, f'{name}/_action/cancel_goal', callback_group=self._group
            )
            action = self._actions[name] = _Action(name, client)
            node.create_subscription(
                GoalStatusArray,
                f'{name}/_action/status',
                partial(self._on_status, action),
                qos_profile_action_status_default,
                callback_group=self._group,
            )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(_LOOK, self._look, self._group, clock=steady)

    # Goals of skills ------------------------------------------------------------------------

    def begin(self, action: str, goal_id: bytes) -> None:
        """A skill sends a goal and waits for its end."""
        with self._lock:
            self._actions[action].waited.add(goal_id)
            self._actions[action].clearing = False

    def end(self, action: str, goal_id: bytes, result: Future | None) -> None:
        """A skill waits no longer.

        :param result: of the goal; it goes on where that is not there. None: it was not taken.
        """
        with self._lock:
            watched = self._actions[action]
            watched.waited.discard(goal_id)
            if result is not None and result.done():
                self._is_over(watched, goal_id)
            elif result is not None:
                watched.left[goal_id] = result
            self._tell(watched)

    def leave(self, action: str, sent: Future) -> None:
        """Wait no longer for the answer to a goal. :param sent: is that answer, once it comes."""
        with self._lock:
            self._actions[action].sent.append(sent)

    def _may_take(self, action: _Action) -> bool:
        """Test whether a server has a goal that it has neither taken nor rejected."""
        action.sent = [sent for sent in action.sent if not sent.done()]
        return bool(action.sent) and is_served(self._node, action.cancel)

    def cancel(self, action: str, goal_id: bytes) -> None:
        """Have a goal end that a skill waits for."""
        with self._lock:
            self._ask(self._actions[action], goal_id)

    def call(self, service: str, answer: Future, is_ready: Callable[[], bool]) -> None:
        """Watch a call of a service until its answer, or the end of its server.

        :param is_ready: tells whether a server is there.
        """
        with self._lock:
            self._called[service] = _Called(answer, is_ready, self.servers(service))

    def is_called(self, service: str) -> bool:
        """Test whether a service was called that has not answered, and is still there."""
        with self._lock:
            called = self._called.get(service)
            return called is not None and not called.is_over

    @property
    def unanswered_calls(self) -> list[str]:
        """Services that were called and have not answered, a sentence each."""
        with self._lock:
            return [
                f'The service {name} was called and '
                + (
                    'has not answered'
                    if called.is_there
                    else 'its server is gone without an answer'
                )
                + ': the robot is not known to have stopped.'
                for name, called in self._called.items()
                if not called.answer.done() and not called.is_replaced
            ]

    def servers(self, service: str) -> frozenset[bytes]:
        """Identities of the servers of a service; none where the middleware shows none."""
        topic = f'rr{self._node.resolve_service_name(service)}Reply'
        found = self._node.get_publishers_info_by_topic(topic, no_mangle=True)
        return frozenset(bytes(one.endpoint_gid) for one in found)

    @property
    def strays(self) -> bool:
        """Whether a goal goes on that no skill waits for, whoever has sent it."""
        with self._lock:
            return any(action.strays for action in self._actions.values())

    # Ending all -----------------------------------------------------------------------------

    def cancel_all(self, patience: float = 0.0) -> None:
        """Have all goals of all actions end, whoever has sent them, as soon as a server is met.

        :param patience: s, until it is a fault that one has not; where nothing begins meanwhile.
        """
        with self._lock:
            self._patient_until = time.monotonic() + patience
            for action in self._actions.values():
                action.clearing = True
                action.unwanted |= action.alive
                if _ALL in action.asked and action.asked[_ALL][0].done():
                    # What was answered before says nothing of what is so now.
                    del action.asked[_ALL]
        self._look()

    def unanswered(self) -> list[str]:
        """Actions with a server that has not said yet that it ends its goals."""
        with self._lock:
            return [
                action.name
                for action in self._actions.values()
                if action.clearing and is_served(self._node, action.cancel)
            ]

    def unmet(self) -> list[str]:
        """Actions whose server was not met, so that it was not asked to end its goals."""
        with self._lock:
            return [
                action.name
                for action in self._actions.values()
                if action.clearing and not is_served(self._node, action.cancel)
            ]

    def unheard(self) -> list[str]:
        """Actions that have answered a cancel just now, and may still tell what goes on.

        A goal that another process has canceled stands in no answer, but in the status.
        """
        with self._lock:
            now = time.monotonic()
            return [
                action.name
                for action in self._actions.values()
                if not action.is_heard and now - action.answered_at < _FOLLOWS
            ]

    def are_refused(self) -> bool:
        """Tell whether all that goes on does so since its server does not take the cancel."""
        with self._lock:
            going = [action for action in self._actions.values() if action.alive]
            return bool(going) and all(action.refused == action.alive for action in going)

    def moving(self, skill: str = '') -> list[str]:
        """What is not known to have ended, a sentence each; none where all was seen to end.

        :param skill: that runs, for sentences.
        """
        with self._lock:
            sentences = [
                _of_one(action, skill) for action in self._actions.values() if action.alive
            ]
            sentences += [
                f'The action {action.name} was sent a goal that it has not answered: it may yet '
                'begin, and is canceled then.'
                for action in self._actions.values()
                if not action.alive and self._may_take(action)
            ]
            sentences += [
                f'The action {action.name} was at work when its server disappeared: the robot is '
                'not known to have stopped.'
                for action in self._actions.values()
                if action.vanished and not action.alive
            ]
            sentences += [
                f'The action {name} does not answer: the robot is not known to have stopped.'
                for name in self.unanswered()
                if not self._actions[name].alive
            ]
            sentences += self.unanswered_calls
        return sentences

    # What servers report -----------------------------------------------------------------------

    def _on_status(self, action: _Action, message: GoalStatusArray) -> None:
        statuses = {bytes(one.goal_info.goal_id.uuid): one.status for one in message.status_list}
        with self._lock:
            action.active = {goal for goal, status in statuses.items() if status in _ACTIVE}
            action.ended = statuses.keys() - action.active
            canceling = GoalStatus.STATUS_CANCELING
            action.begun = {goal for goal in action.active if statuses[goal] != canceling}
            action.is_heard = True
            action.publishers = self._publishers(action)
            for goal in list(action.left):
                if goal in action.active:
                    action.seen.add(goal)
                elif goal in statuses or goal in action.seen:
                    self._is_over(action, goal)
            self._tell(action)

    def _publishers(self, action: _Action) -> frozenset[bytes]:
        found = self._node.get_publishers_info_by_topic(
            self._node.resolve_topic_name(f'{action.name}/_action/status')
        )
        return frozenset(bytes(one.endpoint_gid) for one in found)

    def _is_over(self, action: _Action, goal: bytes) -> None:
        action.left.pop(goal, None)
        action.seen.discard(goal)
        action.active.discard(goal)
        action.unwanted.discard(goal)
        action.ending.discard(goal)
        action.asked.pop(goal, None)
        action.over.append(goal)

    def _look(self) -> None:
        """Ask for ends that are due, and see what has ended."""
        with self._lock:
            for action in self._actions.values():
                for goal, result in list(action.left.items()):
                    if result is not None and result.done():
                        self._is_over(action, goal)
                self._look_for_server(action)
                if action.clearing:
                    self._ask(action, _ALL)
                if self._status.stop:
                    action.unwanted |= action.strays
                for goal in action.strays:
                    if is_ours(goal) or goal in action.unwanted:
                        self._ask(action, goal)
                self._tell(action)
            self._look_for_answers()

    def _look_for_answers(self) -> None:
        """Note which of the servers of calls that were not answered are gone."""
        for name, called in list(self._called.items()):
            if called.answer.done():
                del self._called[name]
                continue
            servers = self.servers(name)
            known = servers & called.servers if called.servers else servers
            # Once may be a moment of discovery.
            is_there = bool(known) if called.servers else called.is_ready()
            called.missed = 0 if is_there else called.missed + 1
            called.is_there &= called.missed < _MISSED
            called.is_replaced |= not called.is_there and called.is_ready()

    def _look_for_server(self, action: _Action) -> None:
        """Note that the server which was at work is gone, or is another one now."""
        if not action.alive:
            action.missed = 0
            return
        there = self._publishers(action)
        known = there & action.publishers if action.publishers else there
        # Once may be a moment of discovery.
        action.missed = 0 if known else action.missed + 1
        if action.missed >= _MISSED:
            action.vanished = True
            action.active.clear()
            action.left.clear()
            action.seen.clear()

    def _ask(self, action: _Action, goal: bytes) -> None:
        """Ask for the end of a goal, or of all, unless that was done just now."""
        pending, asked_at = action.asked.get(goal, (None, 0.0))
        others = [key for key in action.asked if (key == _ALL) != (goal == _ALL)]
        just = max((action.asked[key][1] for key in others), default=0.0)
        now = time.monotonic()
        if now - asked_at < _CANCEL_AGAIN or now - just < _APART:
            return
        if not is_served(self._node, action.cancel):
            return
        if pending is not None and not pending.done():
            action.cancel.remove_pending_request(pending)
        request = CancelGoal.Request()
        request.goal_info.goal_id.uuid = list(goal)
        answer = action.cancel.call_async(request)
        action.asked[goal] = answer, now
        answer.add_done_callback(partial(self._on_answer, action, goal))

    def _on_answer(self, action: _Action, goal: bytes, answer: Any) -> None:
        response = answer.result()
        if response is None:
            return
        with self._lock:
            if goal != _ALL:
                # A goal that is being canceled is "terminated" too; only its status tells its end.
                if response.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
                    self._is_over(action, goal)
                action.ending |= {bytes(one.goal_id.uuid) for one in response.goals_canceling}
            elif action.clearing:
                action.clearing = action.vanished = False
                action.answered_at = time.monotonic()
                ending = {bytes(one.goal_id.uuid) for one in response.goals_canceling}
                action.unwanted |= ending
                action.ending |= ending
                # Their status may come before this answer, or later.
                for one in ending - action.alive - action.ended - set(action.over):
                    action.left[one] = None
            self._tell(action)

    # What is said ------------------------------------------------------------------------------

    def _tell(self, action: _Action) -> None:
        """Be in FAULT while a goal goes on that no skill waits for."""
        strays = action.strays
        patient = not action.fault and time.monotonic() < self._patient_until
        if strays and not any(is_ours(goal) or goal in action.unwanted for goal in strays):
            # Of an action that the running skill's own one uses, it may be; see `RobotSkills`.
            fault = '' if self._status.is_busy or patient else (
                f'The action {action.name} works on a goal of somebody else: wait for its end, or '
                'cancel it.'
            )  # fmt: skip
        elif strays and not patient:
            fault = (
                f'The action {action.name} has not ended after its cancel: the robot may still '
                'move. Wait, or restart its server.'
            )
        else:
            fault = ''
        if fault == action.fault:
            return
        if action.lift is not None:
            action.lift()
        action.fault = fault
        action.lift = self._status.fail(fault) if fault else None


def _of_one(action: _Action, skill: str) -> str:
    """What is said of an action that goes on. :param skill: that runs, or ''."""
    if not action.refused:
        return f'The action {action.name} has not ended: the robot still moves.'
    if skill and action.refused & action.waited:
        return (
            f'The skill "{skill}" cannot be stopped: its action {action.name} refuses the cancel, '
            'and the robot still moves.'
        )
    return f'The action {action.name} refuses the cancel: the robot still moves.'
