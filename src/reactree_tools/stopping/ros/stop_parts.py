"""The parts of a stop: requests, goals of actions, a robot's own stop, and a skill server's.

Each is a small state machine that is stepped until it knows, and enters the graph by nodes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    qos_profile_action_status_default,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.task import Future
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.robot_record import Command, RobotRecord
from reactree_core.ros.discovery import is_served
from reactree_ros.msg import BridgeStatus
from robot_bridge.ros.installed_types import fill, installed_type

#: Seconds after which a request without an answer is sent again: answers may be lost while two
#: nodes meet.
_AGAIN = 0.5
#: How often a robot's own stop is called: once more, since the middleware may lose the first. One
#: that hangs is not called again and again.
_PRESSES = 2
#: Seconds after which goals that go on are canceled once more.
_CANCEL_AGAIN = 1.0
#: Seconds after an answer in which the state of goals follows it.
FOLLOWS = 0.2
ACTIVE = (
    GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING
)  # fmt: skip
#: What stands behind the name of an action, and of a node that can be stopped.
CANCEL, STOP = '/_action/cancel_goal', '/emergency_stop'
#: Of a button that latches.
BUTTON = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class Request:
    """A request to a service, sent once it is there, and again where no answer comes.

    The answer to any of these counts: a slow server has not lost the first.

    :param patient: send it again ever more rarely, to a server that takes its time.
    :param most: how often it is sent at most.
    """

    def __init__(
        self, kind: Any, name: str, request: Any, patient: bool = False, most: float = math.inf
    ) -> None:
        self._kind = kind
        self._name = name
        self._patient = patient
        self._most = most
        self._clients: list[Any] = []
        self._request = request
        #: Requests that wait for an answer, each with its client, oldest first.
        self._pending: list[tuple[Any, Future]] = []
        self._sent_at = 0.0
        #: When it was sent first, in monotonic seconds; 0: not yet.
        self.first_sent_at = 0.0
        #: The answer; None where there is none.
        self.answer: Any = None
        self.answered_at = 0.0

    def enter(self, node: Node) -> None:
        """Look for the service by one more node."""
        self._clients.append((node, node.create_client(self._kind, self._name)))

    @property
    def met(self) -> bool:
        """Test whether the service is there, or was."""
        return self._sent_at > 0.0

    def step(self, now: float) -> None:
        """Send what is due, and take the answer."""
        came = next((one for _, one in self._pending if one.done()), None)
        if came is not None:
            self.answer = came.result()
            self.answered_at = now
            self._forget()
        pause = _AGAIN * 2 ** max(0, len(self._pending) - 1) if self._patient else _AGAIN
        if self.answer is not None or now - self._sent_at < pause:
            return
        if len(self._pending) >= self._most:
            return
        ready = [client for node, client in self._clients if is_served(node, client)]
        if ready:
            # Another one where the first gets no answer.
            last = self._pending[-1][0] if self._pending else None
            client = next((one for one in ready if one is not last), ready[0])
            self._pending.append((client, client.call_async(self._request)))
            self._sent_at = now
            self.first_sent_at = self.first_sent_at or now

    def renew(self) -> None:
        """Have it sent again."""
        self.answer = None
        self._forget()
        self._sent_at = min(self._sent_at, time.monotonic() - _AGAIN)

    def _forget(self) -> None:
        for client, pending in self._pending:
            client.remove_pending_request(pending)
        self._pending.clear()


class ActionGoals:
    """The goals of one action: all are canceled, and followed to their end.

    :param name: on the graph. :param skills: templates of skills that use it.
    :param cancels: false follows them only.
    """

    def __init__(self, name: str, skills: Sequence[str] = (), cancels: bool = True) -> None:
        self.name = name
        self._skills = skills
        self._cancels = cancels
        self._request = Request(CancelGoal, f'{name}{CANCEL}', CancelGoal.Request())
        self._status: dict[bytes, int] | None = None
        self._canceled: set[bytes] = set()
        self._taken: Any = None
        #: Goals that were asked to end.
        self.count = 0

    def enter(self, node: Node) -> None:
        """Meet its server by one more node."""
        if self._cancels:
            self._request.enter(node)
        node.create_subscription(
            GoalStatusArray,
            f'{self.name}/_action/status',
            self._on_status,
            qos_profile_action_status_default,
        )

    def _on_status(self, message: GoalStatusArray) -> None:
        self._status = {
            bytes(one.goal_info.goal_id.uuid): one.status for one in message.status_list
        }

    @property
    def met(self) -> bool:
        """Test whether its server is there."""
        return self._request.met

    @property
    def is_heard(self) -> bool:
        """Test whether its server has told of its goals."""
        return self._status is not None

    @property
    def _active(self) -> set[bytes]:
        known = self._status or {}
        active = {goal for goal, status in known.items() if status in ACTIVE}
        return active | (self._canceled - known.keys())

    def step(self, now: float) -> None:
        """Cancel all goals; once more where some go on."""
        self._request.step(now)
        answer = self._request.answer
        if answer is not None and answer is not self._taken:
            self._taken = answer
            self._canceled |= {bytes(one.goal_id.uuid) for one in answer.goals_canceling}
            self.count = len(self._canceled)
        due = now - self._request.answered_at > _CANCEL_AGAIN
        if answer is not None and self._active and due:
            self._request.renew()

    def ended(self, now: float) -> bool:
        """Test whether no goal is at work any more, as far as its server reports."""
        settled = self._taken is not None and now - self._request.answered_at > FOLLOWS
        heard = self._status is not None or not self._canceled
        return settled and heard and not self._active

    def refused(self, now: float) -> bool:
        """Test whether its server has not taken the cancel of a goal that goes on."""
        settled = self._taken is not None and now - self._request.answered_at > FOLLOWS
        known = self._status or {}
        return settled and any(
            known.get(goal) in (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)
            for goal in self._active - self._canceled
        )

    def doubt(self, now: float) -> str:
        """Sentence about what is not known of it; '' where it has ended."""
        if self.ended(now):
            return ''
        skills = ' and '.join(f'"{skill}"' for skill in self._skills)
        what = f'The action {self.name}{f" of {skills}" if skills else ""}'
        if not self._cancels:
            return f'{what} is at work.' if self._active else ''
        if self.refused(now):
            return f'{what} cannot be stopped: it refuses the cancel, and goes on.'
        if self._active:
            return f'{what} has not ended after its cancel.'
        if self.met:
            return f'{what} does not answer.'
        return f'{what} is not on the graph: whether it is at work is not known.'


class OwnStop:
    """The robot's own emergency stop, pressed by a service or a message, and sensed.

    :param section: reports whether it is pressed, as in a record.
    """

    def __init__(self, press: Command | None, section: Mapping[str, Any]) -> None:
        self._press = press
        self._section = section
        self._request: Request | None = None
        self._message: Any = None
        self._publishers: list[Any] = []
        self._sent = False
        self._nodes: list[Node] = []
        self._hearings: list[Any] = []
        self._signal: Any = None
        self.trouble = ''
        if press is None:
            return
        try:
            kind = installed_type(press.type)
            if press.kind == 'service':
                request = fill(kind.Request(), press.values)
                self._request = Request(kind, press.name, request, most=_PRESSES)
            else:
                self._message = fill(kind(), press.values)
        except (ReactreeError, ValueError, TypeError, AssertionError, AttributeError) as error:
            self.trouble = f'The own stop of the robot, {press.name}, cannot be pressed: {error}.'

    def enter(self, node: Node) -> None:
        """Meet it by one more node."""
        self._nodes.append(node)
        if self._request is not None:
            self._request.enter(node)
        elif self._message is not None and self._press is not None:
            profile = BUTTON if self._press.latched else 10
            self._publishers.append(
                node.create_publisher(type(self._message), self._press.name, profile)
            )

    @property
    def exists(self) -> bool:
        """Test whether the robot has one that can be pressed."""
        return self._press is not None

    @property
    def met(self) -> bool:
        """Test whether it is there."""
        return self._sent or (self._request is not None and self._request.met)

    @property
    def name(self) -> str:
        """On the graph; '' where there is none."""
        return self._press.name if self._press is not None else ''

    def step(self, now: float) -> None:
        """Press it, and ask whether it is."""
        if self._request is not None:
            self._request.step(now)
        for publisher in self._publishers if not self._sent else ():
            if publisher.get_subscription_count():
                publisher.publish(self._message)
                self._sent = True
        for hearing in self._hearings:
            hearing.ask()

    def listen(self) -> None:
        """Hear from now on whether it is pressed. Later than the presses: this takes a while."""
        if not self._section:
            return
        from robot_bridge.ros.installed_types import InstalledTypes
        from robot_bridge.ros.readiness import SignalHearing
        from robot_bridge.stopping import pressed_signal

        try:
            if self._signal is None:
                self._signal = pressed_signal(self._section, InstalledTypes())
        except ConfigurationError as error:
            self.trouble = f'Whether the own stop of the robot is pressed is not known: {error}.'
            self._section = {}
            return
        self._hearings += [
            SignalHearing(
                node, node.default_callback_group, self._signal, _NOTHING_AROUND, lambda: None
            )
            for node in self._nodes[len(self._hearings) :]
        ]

    @property
    def sensed(self) -> str:
        """Topic on which its stop is reported; '' where it is not."""
        return next((str(one.what) for one in self._hearings if one.holds()), '')

    @property
    def denied(self) -> str:
        """Topic that reports the stop as not pressed, and none as pressed; '' for none."""
        if self.sensed:
            return ''
        return next((str(one.what) for one in self._hearings if one.holds() is False), '')

    @property
    def hears(self) -> bool:
        """Test whether the robot can report that it is pressed."""
        return bool(self._section)

    @property
    def taken(self) -> bool:
        """Test whether the robot has answered that it is pressed."""
        answer = self._request.answer if self._request is not None else None
        return answer is not None and getattr(answer, 'success', True) is not False

    @property
    def settled(self) -> bool:
        """Test whether nothing more is to be expected of the press."""
        if not self.exists or self.trouble or self._sent:
            return True
        return self._request is not None and self._request.answer is not None

    def did(self) -> str:
        """Name of the button that was pressed, for people; '' where nothing was."""
        if self.taken:
            return f'pressed {self.name}'
        return f'published on {self.name}' if self._sent else ''

    def doubt(self) -> str:
        """Fault of it, as a sentence; '' where it was pressed, or there is none."""
        if self.trouble or self._press is None:
            return self.trouble
        name = f'The own stop of the robot, {self._press.name},'
        if self._request is not None and self._request.answer is not None:
            why = getattr(self._request.answer, 'message', '')
            return '' if self.taken else f'{name} did not take it: {why}'.rstrip(': ') + '.'
        if self._sent:
            return ''
        return f'{name} has not answered.' if self.met else f'{name} is not there.'


class _NothingAround:
    """Surroundings of a signal, which needs none."""

    def reported(self, name: str) -> str:
        """The same name."""
        return name

    def pose_of(self, name: str, frame: str = '') -> Any:
        """:raises ConfigurationError: always."""
        raise ConfigurationError(f'where {name} is is not known')

    def now(self) -> float:
        """The time of this machine."""
        return time.time()


_NOTHING_AROUND = _NothingAround()


class SkillServerStop:
    """The skill server, by service and topic.

    :param name: its full name. :param press: false releases.
    """

    def __init__(self, name: str, press: bool) -> None:
        self._name = name
        self._press = press
        request = SetBool.Request(data=press)
        self._request = Request(SetBool, f'{name}{STOP}', request, patient=True)
        self._before: SetBool.Response | None = None
        self.status: BridgeStatus | None = None

    def enter(self, node: Node) -> None:
        """Meet it by one more node."""
        self._request.enter(node)
        topic = f'{self._name.rpartition("/")[0]}/bridge_status'
        node.create_subscription(BridgeStatus, topic, self._hear, BUTTON)
        if self._press:
            node.create_publisher(Bool, f'{self._name}{STOP}', BUTTON).publish(Bool(data=True))

    def _hear(self, message: BridgeStatus) -> None:
        self.status = message

    @property
    def met(self) -> bool:
        """Test whether it is there."""
        return self._request.met

    @property
    def first_sent_at(self) -> float:
        """Time of the first request, in monotonic seconds; 0: not yet."""
        return self._request.first_sent_at

    @property
    def answer(self) -> SetBool.Response | None:
        """Answer; None where it has not answered."""
        return self._request.answer or self._before

    @property
    def is_asked(self) -> bool:
        """Test whether an answer is to come."""
        return self._request.answer is None

    def ask_again(self) -> None:
        """Ask once more: what it said may not be so any more."""
        self._before = self._request.answer
        self._request.renew()

    def step(self, now: float) -> None:
        """Ask it."""
        self._request.step(now)

    def silence(self, now: float, record: RobotRecord | None) -> str:
        """Reason why there is no answer of a bridge that is there, as a sentence.

        :param record: of its robot.
        """
        lives = f'its process {record.pid} lives' if record and record.pid else 'it is there'
        asked_at = self.first_sent_at
        if not asked_at:
            return f'The bridge {self._name} was not met, though {lives}: look at its log.'
        status = self.status
        is_stopped = status is not None and status.state == BridgeStatus.STATE_STOPPED
        shown = 'reports that it is stopped, but' if is_stopped and self._press else 'lives and'
        return (
            f'The bridge {self._name} {shown} has not answered within {now - asked_at:.0f} s: '
            'look at its log.'
        )
