"""Stops robots over ROS by what they are themselves: their actions, and their own stops.

All robots are stopped side by side, each by all means at once, whether or not one of our nodes
lives:

    robot's own stop       pressed                     (record)
    robot's actions        all goals canceled          (record)
    what skills publish    ended, as `finally` says    (record, where the bridge is gone)
    bridge                 asked by service and topic  (record, graph)
    planner                asked by topic; its goals are canceled where it does not heed that

Every part is a small state machine that is stepped until it knows, or until the time is over. None
waits for another.

A participant of Fast DDS announces itself before it receives, so that the answer of a quick peer
may be lost; that peer then announces itself again after up to 3 s. So parts enter the graph by
another participant as long as something that is to be stopped was not met (`_Doors`).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Protocol

import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    qos_profile_action_status_default,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.durability import this_domain
from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.robot_record import Command, Life, remove_record, RobotRecord
from reactree_core.ros.spinning import leaving, NodesInThread, reason_of, security_hint
from reactree_ros.msg import BridgeStatus
from reactree_tools.exit_codes import ExitCode
from reactree_tools.node_table import COMMANDS, enclave_arguments
from reactree_tools.stopping.orders import (
    choose,
    Chosen,
    gone_sentence,
    name_mistakes,
    Order,
    RobotReport,
    settle_logs,
    StopResult,
    title,
)
from robot_bridge.ros.installed_types import fill, installed_type

#: Seconds for which robots without a record are looked for at least.
LOOK = 1.0
#: Seconds after which what was not met is not there; Fast DDS takes up to 3 s on a quiet machine.
MEET = 4.0
#: Seconds after which what is not known is said to be so.
PATIENCE = 7.0
#: Seconds after which a request without an answer is sent again: answers may be lost while two
#: nodes meet.
_AGAIN = 0.5
#: Seconds after which goals that go on are canceled once more.
_CANCEL_AGAIN = 1.0
#: Seconds after an answer in which the state of goals follows it.
_FOLLOWS = 0.2
#: Seconds that a planner gets to end its runs by itself.
_RUNS_END = 1.0
#: Seconds between two rounds.
_SPIN = 0.003
#: Seconds until the next participant, and how many there are at most.
_NEXT_DOOR, _MOST_DOORS = 0.12, 8
#: What rclpy raises where a policy of its security does not permit an entity.
_REFUSED = (RuntimeError, ValueError)
_ACTIVE = (
    GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING
)  # fmt: skip
_CANCEL, _STOP = '/_action/cancel_goal', '/emergency_stop'
_PLAN, _EXECUTE = '/plan_task', '/execute_skill'
_BUTTON = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class _Request:
    """A request to a service, sent once it is there, and again where no answer comes."""

    def __init__(self, kind: Any, name: str, request: Any) -> None:
        self._kind = kind
        self._name = name
        self._clients: list[Any] = []
        self._asked: Any = None
        self._request = request
        self._pending: Future | None = None
        self._sent_at = 0.0
        #: The answer; None where there is none.
        self.answer: Any = None
        self.answered_at = 0.0

    def enter(self, node: Node) -> None:
        """Look for the service by one more node."""
        self._clients.append(node.create_client(self._kind, self._name))

    @property
    def met(self) -> bool:
        """Whether the service is there, or was."""
        return self._sent_at > 0.0

    def step(self, now: float) -> None:
        """Send what is due, and take the answer."""
        pending = self._pending
        if pending is not None and pending.done():
            self.answer = pending.result()
            self.answered_at = now
            self._pending = None
        if self.answer is not None or now - self._sent_at < _AGAIN:
            return
        ready = [client for client in self._clients if client.service_is_ready()]
        if ready:
            if pending is not None:
                self._asked.remove_pending_request(pending)
            # Another one where the first gets no answer.
            self._asked = next((one for one in ready if one is not self._asked), ready[0])
            self._pending = self._asked.call_async(self._request)
            self._sent_at = now

    def renew(self) -> None:
        """Have it sent again."""
        self.answer = None
        self._sent_at = min(self._sent_at, time.monotonic() - _AGAIN)


class _Action:
    """The goals of one action: all are canceled, and followed to their end.

    :param name: on the graph. :param skills: templates of skills that use it.
    """

    def __init__(self, name: str, skills: Sequence[str] = ()) -> None:
        self.name = name
        self._skills = skills
        self._request = _Request(CancelGoal, f'{name}{_CANCEL}', CancelGoal.Request())
        self._status: dict[bytes, int] | None = None
        self._canceled: set[bytes] = set()
        self._taken: Any = None
        #: Goals that were asked to end.
        self.count = 0

    def enter(self, node: Node) -> None:
        """Meet its server by one more node."""
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
        """Whether its server is there."""
        return self._request.met

    @property
    def _active(self) -> set[bytes]:
        known = self._status or {}
        active = {goal for goal, status in known.items() if status in _ACTIVE}
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
        """Whether no goal is at work any more, as far as its server reports."""
        settled = self._taken is not None and now - self._request.answered_at > _FOLLOWS
        heard = self._status is not None or not self._canceled
        return settled and heard and not self._active

    def refused(self, now: float) -> bool:
        """Whether its server has not taken the cancel of a goal that goes on."""
        settled = self._taken is not None and now - self._request.answered_at > _FOLLOWS
        known = self._status or {}
        return settled and any(
            known.get(goal) in (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)
            for goal in self._active - self._canceled
        )

    def doubt(self, now: float) -> str:
        """What is not known of it, as a sentence; '' where it has ended."""
        if self.ended(now):
            return ''
        skills = ' and '.join(f'"{skill}"' for skill in self._skills)
        what = f'The action {self.name}{f" of {skills}" if skills else ""}'
        if self.refused(now):
            return f'{what} cannot be stopped: it refuses the cancel, and goes on.'
        if self._active:
            return f'{what} has not ended after its cancel.'
        if self.met:
            return f'{what} does not answer.'
        return f'{what} is not on the graph: whether it is at work is not known.'


class _OwnStop:
    """The robot's own emergency stop, pressed by a service or a message, and sensed.

    :param section: reports whether it is pressed, as in a record.
    """

    def __init__(self, press: Command | None, section: Mapping[str, Any]) -> None:
        self._press = press
        self._section = section
        self._request: _Request | None = None
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
                self._request = _Request(kind, press.name, fill(kind.Request(), press.values))
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
            profile = _BUTTON if self._press.latched else 10
            self._publishers.append(
                node.create_publisher(type(self._message), self._press.name, profile)
            )

    @property
    def exists(self) -> bool:
        """Whether the robot has one that can be pressed."""
        return self._press is not None

    @property
    def met(self) -> bool:
        """Whether it is there."""
        return self._sent or (self._request is not None and self._request.met)

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
        """Where it is reported that it is pressed; '' where it is not."""
        return next((str(one.what) for one in self._hearings if one.holds()), '')

    @property
    def hears(self) -> bool:
        """Whether the robot can report that it is pressed."""
        return bool(self._section)

    @property
    def taken(self) -> bool:
        """Whether the robot has answered that it is pressed."""
        answer = self._request.answer if self._request is not None else None
        return answer is not None and getattr(answer, 'success', True) is not False

    @property
    def settled(self) -> bool:
        """Whether nothing more is to be expected of the press."""
        if not self.exists or self.trouble or self._sent:
            return True
        return self._request is not None and self._request.answer is not None

    def did(self) -> str:
        """What was pressed, for people; '' where nothing was."""
        assert self._press is not None or not self.exists
        name = self._press.name if self._press is not None else ''
        if self.taken:
            return f'pressed {name}'
        return f'published on {name}' if self._sent else ''

    def doubt(self) -> str:
        """What is wrong with it, as a sentence; '' where it was pressed, or there is none."""
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


class _Bridge:
    """The skill server, by service and topic.

    :param name: its full name. :param press: false releases.
    """

    def __init__(self, name: str, press: bool) -> None:
        self._name = name
        self._press = press
        self._request = _Request(SetBool, f'{name}{_STOP}', SetBool.Request(data=press))
        self.status: BridgeStatus | None = None

    def enter(self, node: Node) -> None:
        """Meet it by one more node."""
        self._request.enter(node)
        topic = f'{self._name.rpartition("/")[0]}/bridge_status'
        node.create_subscription(BridgeStatus, topic, self._hear, _BUTTON)
        if self._press:
            node.create_publisher(Bool, f'{self._name}{_STOP}', _BUTTON).publish(Bool(data=True))

    def _hear(self, message: BridgeStatus) -> None:
        self.status = message

    @property
    def met(self) -> bool:
        """Whether it is there."""
        return self._request.met

    @property
    def answer(self) -> SetBool.Response | None:
        """What it says; None where it has not answered."""
        return self._request.answer

    def step(self, now: float) -> None:
        """Ask it."""
        self._request.step(now)


class _Robot:
    """One robot and all means to stop it.

    :param record: None of a robot that only the graph shows.
    """

    def __init__(self, name: str, record: RobotRecord | None) -> None:
        self.name = name
        self.record = record
        self._began = time.monotonic()
        self._life = record.life if record is not None else Life.UNKNOWN
        # Cancels first: a robot that drives is stopped by them.
        actions: Mapping[str, Sequence[str]] = record.actions if record is not None else {}
        self._actions = [_Action(action, skills) for action, skills in actions.items()]
        press, section = (record.press, record.pressed) if record is not None else (None, {})
        self._own = _OwnStop(press, section)
        self._bridge = _Bridge(name, press=True)
        if record is None:
            # A skill server of the user's own: its skills are all that is known to move.
            self._actions.append(_Action(f'{name}{_EXECUTE}'))
        bridge_helps = self._life in (Life.ALIVE, Life.UNKNOWN)
        ends = () if record is None or bridge_helps else record.ends
        self._ends = [_OwnStop(end, {}) for end in ends]

    @property
    def robot(self) -> str:
        """Its name; '' where it has none."""
        if self.record is not None:
            return self.record.robot
        status = self._bridge.status
        return status.backend if status is not None and not status.simulated else ''

    @property
    def _parts(self) -> list[_Action | _OwnStop | _Bridge]:
        return [*self._actions, self._own, *self._ends, self._bridge]

    def enter(self, node: Node) -> None:
        """Have what was not met yet meet others by one more node; what ROS permits of it."""
        for part in self._parts:
            if not part.met:
                with suppress(*_REFUSED):
                    part.enter(node)

    @property
    def is_sought(self) -> bool:
        """Whether something that would stop it was not met."""
        own = self._own.exists and not self._own.met
        return own or any(not action.met for action in self._actions)

    def step(self, now: float) -> None:
        """Send what is due."""
        for part in self._parts:
            part.step(now)
        if now - self._began > _FOLLOWS and (self._own.settled or self._meets_nobody(now)):
            self._own.listen()

    def _meets_nobody(self, now: float) -> bool:
        return now - self._began > MEET

    @property
    def _met(self) -> bool:
        return any(part.met for part in self._parts)

    @property
    def _is_helped(self) -> bool:
        """Whether its bridge is expected to answer."""
        if self._life in (Life.GONE, Life.SUSPENDED):
            return False
        return self._life is Life.ALIVE or self._bridge.met

    def settled(self, now: float) -> bool:
        """Whether all is known that can be."""
        answer = self._bridge.answer
        if self._is_helped and answer is None:
            return False
        waits = not self._meets_nobody(now) and not (answer is not None and answer.success)
        for action in self._actions:
            known = action.ended(now) or action.refused(now)
            if not known and (waits if not action.met else True):
                return False
        own = self._own.settled or (not self._own.met and not waits)
        sensed = not self._own.hears or bool(self._own.sensed) or self._meets_nobody(now)
        return own and sensed and (self._met or not waits)

    def report(self, now: float) -> RobotReport:
        """What became of it."""
        report = RobotReport(title(self.name, self.robot), self.name)
        record, answer = self.record, self._bridge.answer
        if record is not None and self._life is Life.GONE and not self._met:
            if record.simulated:
                report.standing.append('its world moves only by its bridge, which has ended')
                remove_record(record.node)
            else:
                report.gone = True
                report.doubts.append(f'{gone_sentence(record)}.')
            return report
        report.done += filter(None, (self._own.did(), *(end.did() for end in self._ends)))
        report.done += [
            f'canceled {action.count} goal{"s" if action.count > 1 else ""} of {action.name}'
            for action in self._actions
            if action.count
        ]
        doubts = self._doubts(now)
        if answer is not None:
            report.done.append('its bridge has pressed the stop')
        elif self._life in (Life.SUSPENDED, Life.GONE):
            how = 'is suspended' if self._life is Life.SUSPENDED else 'has ended'
            report.done.append(f'its bridge {how} (process {record.pid if record else 0})')
        if self._own.sensed:
            report.standing.append(f'{self._own.sensed} reports that its own stop is pressed')
        quiet = [action for action in self._actions if action.ended(now)]
        if quiet and len(quiet) == len(self._actions):
            count = f'all {len(quiet)} actions report' if len(quiet) > 1 else 'its action reports'
            report.standing.append(f'{count} no goal at work')
        elif answer is not None and answer.success:
            report.standing.append('its bridge reports that nothing is at work')
        report.doubts += doubts
        return report

    def _doubts(self, now: float) -> list[str]:
        answer, record = self._bridge.answer, self.record
        helped = answer is not None and answer.success
        doubts = [
            doubt
            for action in self._actions
            # What is not there is not at work where the bridge has seen all end.
            if (doubt := action.doubt(now)) and (action.met or not helped)
        ]
        if answer is not None and not answer.success and not doubts:
            doubts.append(_own_words(answer.message))
        if answer is None and self._is_helped:
            doubts.append(f'The bridge {self.name} does not answer: look at its log.')
        halted = bool(self._own.sensed) or (self._own.taken and not self._own.hears)
        if answer is None and record is not None and not halted:
            unseen = [*record.services, *record.topics]
            if unseen:
                doubts.append(
                    f'Skills that use {_some(unseen)} may still be at work: nothing reports '
                    'their end while the bridge does not answer.'
                )
        own = self._own.doubt()
        if own:
            doubts.append(own)
        elif doubts and record is not None:
            doubts.append(self._own_result())
        return doubts

    def _own_result(self) -> str:
        """What the robot's own stop did, for whoever reads what still moves."""
        if not self._own.exists:
            return 'The robot has no stop of its own that could be pressed (`press:` in its file).'
        if self._own.sensed:
            return f'Its own stop is pressed ({self._own.sensed} reports it).'
        return f'Its own stop: {self._own.did()}.'


class _Planner:
    """A planner: its runs end by its own stop, and else by a cancel.

    :param name: full name of its node.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._began = time.monotonic()
        self._nodes: list[Node] = []
        self._buttons: list[Any] = []
        self._status: GoalStatusArray | None = None
        self._cancel: _Action | None = None

    def enter(self, node: Node) -> None:
        """Meet it by one more node."""
        self._nodes.append(node)
        with suppress(*_REFUSED):
            button = node.create_publisher(Bool, f'{self.name}{_STOP}', _BUTTON)
            button.publish(Bool(data=True))
            self._buttons.append(button)
        if self._cancel is not None:
            self._cancel.enter(node)
        node.create_subscription(
            GoalStatusArray,
            f'{self.name}{_PLAN}/_action/status',
            self._hear,
            qos_profile_action_status_default,
        )

    def _hear(self, message: GoalStatusArray) -> None:
        self._status = message

    @property
    def _runs(self) -> bool:
        status = self._status
        return status is not None and any(one.status in _ACTIVE for one in status.status_list)

    def step(self, now: float) -> None:
        """Cancel where it does not heed."""
        heeds = any(button.get_subscription_count() > 0 for button in self._buttons)
        patience = _RUNS_END if heeds else _FOLLOWS
        if self._cancel is None and self._runs and now - self._began > patience:
            self._cancel = _Action(f'{self.name}{_PLAN}')
            for node in self._nodes:
                self._cancel.enter(node)
        if self._cancel is not None:
            self._cancel.step(now)

    def settled(self, now: float) -> bool:
        """Whether its runs have ended."""
        return now - self._began > _FOLLOWS and not self._runs

    def note(self, now: float) -> str:
        """What people should know of it; '' for nothing."""
        if self.settled(now):
            return ''
        return f'The run of {self.name} has not ended yet; no stopped robot takes its skills.'


class _Entering(Protocol):
    """A part that meets others by nodes."""

    def enter(self, node: Node) -> None:
        """Meet them by one more node."""


class _Doors:
    """Nodes by which parts enter the graph, each of a participant of its own.

    :param namespace: of the order.
    :raises ConfigurationError: ROS cannot start in this environment.
    """

    def __init__(self, namespace: str) -> None:
        self._arguments = ['--ros-args', *enclave_arguments(namespace, COMMANDS)]
        self._doors: list[tuple[Context, Node, NodesInThread]] = []
        self._parts: list[_Entering] = []
        self._opened_at = -math.inf
        self.open()

    def open(self) -> None:
        """Make another one, and have all parts enter by it."""
        self._opened_at = time.monotonic()
        context = Context()
        try:
            rclpy.init(
                args=self._arguments,
                context=context,
                signal_handler_options=SignalHandlerOptions.NO,
            )
            node = Node(
                f'_reactree_stop_{os.getpid()}_{time.monotonic_ns() % 10**9}',
                context=context,
                use_global_arguments=False,
                enable_rosout=False,
                start_parameter_services=False,
            )
        except RuntimeError as error:
            context.try_shutdown()
            raise ConfigurationError(
                f'ROS 2 cannot start here: {reason_of(error)}.{security_hint()} The stop is in '
                'the logs of the robots, which their bridges follow.'
            ) from error
        for part in self._parts:
            part.enter(node)
        thread = NodesInThread(context, node)
        thread.start()
        self._doors.append((context, node, thread))

    def open_if(self, is_sought: bool) -> None:
        """Make another one where one is due. :param is_sought: something was not met."""
        due = time.monotonic() - self._opened_at > _NEXT_DOOR
        if is_sought and due and len(self._doors) < _MOST_DOORS:
            self.open()

    def enter(self, part: _Entering) -> None:
        """Have a part enter by all."""
        self._parts.append(part)
        for node in self.nodes:
            part.enter(node)

    @property
    def nodes(self) -> list[Node]:
        """One a door."""
        return [node for _, node, _ in self._doors]

    def close(self) -> None:
        """Leave the graph; the process ends where the middleware does not let go."""
        for context, _, thread in self._doors:
            with suppress(TimeoutError):
                thread.end(grace=1.0)
            context.try_shutdown()

    # What the graph shows ----------------------------------------------------------------------

    def bridges(self, order: Order) -> set[str]:
        """Full names of the skill servers of an order."""
        return self._servers(_EXECUTE, order)

    def planners(self, order: Order) -> set[str]:
        """Full names of the planners of an order."""
        return self._servers(_PLAN, order)

    def _servers(self, action: str, order: Order) -> set[str]:
        """Full names of nodes that serve an action."""
        end = f'{action}{_CANCEL}'
        return {
            service.removesuffix(end)
            for node in self.nodes
            for service, _ in node.get_service_names_and_types()
            if service.endswith(end) and order.covers(service) and node.count_services(service)
        }


def carry_out(
    order: Order, chosen: Chosen | None = None, say: Callable[[StopResult], None] | None = None
) -> StopResult:
    """Stop robots, or release them.

    :param chosen: of `choose`, where that was done already.
    :param say: given what became of it before the graph is left; of a program that ends then, even
        where the middleware does not let go.
    :raises ConfigurationError: ROS cannot start here; the logs were written.
    """
    chosen = choose(order) if chosen is None else chosen
    doors, code = _Doors(order.namespace), ExitCode.FAILED
    try:
        result = (_press if order.press else _release)(order, chosen, doors)
        settle_logs([*chosen.records, *chosen.logged], chosen)
        result.notes += [
            f'{title(name, "")} is not kept stopped over a restart: {why}.'
            for name, why in chosen.trouble.items()
        ]
        result.notes += chosen.notes
        if result.exit_code is not ExitCode.OK and security_hint():
            result.notes.append(security_hint().strip())
        code = result.exit_code
        if say is not None:
            say(result)
    finally:
        with ExitStack() as leaves:
            if say is not None:
                leaves.enter_context(leaving(code))
            doors.close()
    return result


def _press(order: Order, chosen: Chosen, doors: _Doors) -> StopResult:
    robots = {name: _Robot(name, record) for name, record in chosen.records.items()}
    planners: dict[str, _Planner] = {}
    for robot in robots.values():
        doors.enter(robot)
    began = time.monotonic()
    looked = 0.0
    while (now := time.monotonic()) - began < PATIENCE:
        if now - looked > 0.1:
            looked = now
            for name in doors.bridges(order) - robots.keys() - chosen.others:
                if order.names(name):
                    robots[name] = _Robot(name, None)
                    doors.enter(robots[name])
            for name in doors.planners(order) - planners.keys() if not order.robot else ():
                planners[name] = _Planner(name)
                doors.enter(planners[name])
        parts: list[_Robot | _Planner] = [*robots.values(), *planners.values()]
        for part in parts:
            part.step(now)
        looks = now - began < (LOOK if robots else MEET)
        if not looks and all(part.settled(now) for part in parts):
            break
        doors.open_if(not robots or any(robot.is_sought for robot in robots.values()))
        time.sleep(_SPIN)
    now = time.monotonic()
    result = StopResult([robot.report(now) for robot in robots.values()])
    names = [(name, robot.robot) for name, robot in robots.items()]
    result.mistakes += name_mistakes(order, names, chosen.known)
    if not robots and not order.robot:
        result.mistakes.append(_nobody(order, list(planners)))
    result.notes += filter(None, (planner.note(now) for planner in planners.values()))
    return result


def _release(order: Order, chosen: Chosen, doors: _Doors) -> StopResult:
    nodes = {
        **{name: record.robot for name, record in chosen.records.items()},
        **chosen.logged,
    }
    bridges = {name: _Bridge(name, press=False) for name in nodes}
    for bridge in bridges.values():
        doors.enter(bridge)
    began = time.monotonic()
    looked = 0.0
    while (now := time.monotonic()) - began < PATIENCE:
        looks = now - began < (LOOK if bridges else MEET)
        meets = now - began < MEET
        if now - looked > 0.1:
            looked = now
            for name in doors.bridges(order) - bridges.keys() - chosen.others:
                if order.names(name):
                    bridges[name] = _Bridge(name, press=False)
                    doors.enter(bridges[name])
        for bridge in bridges.values():
            bridge.step(now)
        lives = {name for name, one in chosen.records.items() if one.life is Life.ALIVE}
        open_ones = [
            one
            for name, one in bridges.items()
            if not one.answer and (one.met or (meets and name in lives))
        ]
        if not looks and not open_ones:
            break
        doors.open_if(not bridges or bool(open_ones))
        time.sleep(_SPIN)
    result = StopResult()
    for name, bridge in bridges.items():
        robot, answer = nodes.get(name, ''), bridge.answer
        report = RobotReport(title(name, robot), name, ok='is released', bad='STAYS STOPPED')
        record = chosen.records.get(name)
        is_served = bridge.met or (record is not None and record.life is Life.ALIVE)
        if answer is not None and not answer.success:
            report.doubts.append(str(answer.message))
        elif name in chosen.trouble:
            report.doubts.append(f'{chosen.trouble[name]}.'.capitalize())
        elif answer is None and is_served:
            report.doubts.append(f'The bridge {name} does not answer: look at its log.')
        elif answer is None:
            report.standing.append('no bridge is there: skills run once one is started')
        result.reports.append(report)
    names = [(name, nodes.get(name, '')) for name in bridges]
    result.mistakes += name_mistakes(order, names, chosen.known)
    if not bridges and not order.robot:
        result.mistakes.append(_nobody(order))
    return result


def _nobody(order: Order, planners: Sequence[str] = ()) -> str:
    """What to say where there is no robot."""
    domain = this_domain()
    asked = f' Its planner {", ".join(planners)} was asked to end its run.' if planners else ''
    release = '' if order.press else ' --release'
    return (
        f'There is no robot in namespace {order.namespace} of ROS domain {domain}: none has left '
        f'a record here, and none is on the graph.{asked} If one runs, give its --namespace and '
        f'set the same ROS_DOMAIN_ID: reactree stop{release} --namespace robot_1'
    )


def _own_words(message: str) -> str:
    """What a bridge says beyond that its stop is pressed."""
    return message.rpartition('`reactree stop --release`.')[2].strip() or message


def _some(names: Sequence[str]) -> str:
    shown = ', '.join(names[:4])
    return f'{shown} and {len(names) - 4} more' if len(names) > 4 else shown
