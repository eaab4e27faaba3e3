"""Whether a robot may move: its servers are there, it is ready, and nobody has stopped it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from rclpy.task import Future

from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.discovery import is_served
from robot_bridge.calls import Call
from robot_bridge.filling import Filling, Surroundings
from robot_bridge.robot import Robot
from robot_bridge.ros.installed_types import fill, installed_type
from robot_bridge.ros.robot_goals import RobotGoals
from robot_bridge.signals import Signal
from skill_server.ros.emergency_stop import ITSELF
from skill_server.ros.status import StatusBoard

#: Seconds between two looks whether it is ready.
_LOOK = 0.1
#: Seconds between two questions to a service.
_ASK = 0.5
#: Seconds for what an activation has ended, until it is a fault that it has not.
_ENDS = 2.0
#: Seconds for a button of the emergency stop to be met.
_MET = 0.3
#: Seconds for the last message of one that keeps it.
_HEARD = 1.0


class SignalHearing:
    """The newest of what one signal says.

    :param changed: called when something came.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        signal: Signal,
        surroundings: Surroundings,
        changed: Callable[[], None],
    ) -> None:
        self._node = node
        self._signal = signal
        self._surroundings = surroundings
        self._changed = changed
        self._newest: tuple[Any, float] | None = None
        self._client: Any = None
        self._asked: tuple[Future | None, float] = (None, -math.inf)
        entry = signal.entry
        kind = installed_type(entry.type)
        if entry.service:
            self._client = node.create_client(kind, entry.service, callback_group=group)
        elif entry.latched:
            node.create_subscription(
                kind, entry.topic, self._take, qos.latched(), callback_group=group
            )
        else:
            qos.subscribe_whatever_is_offered(node, kind, entry.topic, self._take, group)

    def _take(self, message: Any) -> None:
        self._newest = message, time.monotonic()
        self._changed()

    def ask(self) -> None:
        """Ask the service where it is due; one that does not answer in time says nothing."""
        if self._client is None:
            return
        now, (pending, asked_at) = time.monotonic(), self._asked
        if pending is not None and not pending.done():
            if now - asked_at < self._signal.entry.within:
                return
            self._client.remove_pending_request(pending)
            self._newest = None
        if now - asked_at < _ASK:
            return
        if not is_served(self._node, self._client):
            self._newest = None
            return
        values = self._signal.send(Filling({}, self._surroundings))
        asked = self._client.call_async(fill(self._client.srv_type.Request(), values))
        self._asked = asked, now
        asked.add_done_callback(self._answered)

    def _answered(self, answer: Any) -> None:
        if answer.result() is not None:
            self._take(answer.result())

    @property
    def what(self) -> str:
        """Where it comes from, for sentences."""
        return self._signal.what

    def holds(self) -> bool | None:
        """Whether the signal is true; None where that is not known."""
        if self._newest is None:
            return None
        message, came_at = self._newest
        if 0.0 < self._signal.entry.age < time.monotonic() - came_at:
            return None
        try:
            return self._signal.holds(message)
        except LookupError:
            return None

    def objection(self) -> str:
        """Why a robot is not ready, by a signal that must be true; '' where it is."""
        holds, signal = self.holds(), self._signal
        if holds:
            return ''
        if holds is False and signal.entry.say:
            return signal.entry.say
        said = 'says nothing' if holds is None else 'does not say so'
        return f'The robot is not ready: "{signal.wanted}" is wanted, and {signal.what} {said}.'


class Stop(Protocol):
    """The emergency stop of the bridge."""

    def press(self, how: str, itself: bool = False) -> None:
        """Press it."""


class Readiness:
    """Says whether skills may run, in the bridge's status, and stops the robot: a `Motion`.

    After an activation the bridge is STARTING until every action has ended what it was at, every
    server of the file was found (or was waited for), and the robot's signals are as they must be.
    A signal that changes later is a FAULT; the robot's own emergency stop presses the bridge's.

    :param absent: names servers that are not there.
    :param server_timeout: longest wait for them, s. :param stop_timeout: longest wait for what a
        stop has ended, s. Both are asked when they are used.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        surroundings: Surroundings,
        status: StatusBoard,
        goals: RobotGoals,
        absent: Callable[[], list[str]],
        server_timeout: Callable[[], float],
        stop_timeout: Callable[[], float],
    ) -> None:
        self._node = node
        self._group = MutuallyExclusiveCallbackGroup()
        self._lock = threading.RLock()
        self._surroundings = surroundings
        self._status = status
        self._goals = goals
        self._absent = absent
        self._server_timeout = server_timeout
        self._stop_timeout = stop_timeout
        self._stop: Stop | None = None
        self._serve: Callable[[str], None] | None = None
        self._active = False
        self._began = 0.0
        self._fault = ''
        self._lift: Callable[[], None] | None = None
        signals = robot.signals
        self._pressed = self._hear(signals.pressed) if signals.pressed else None
        self._ready = [self._hear(signal) for signal in signals.ready]
        self._press = signals.press
        self._presser = self._make_presser(signals.press) if signals.press else None
        #: A press that is to be answered, and who was there to answer it.
        self._pressing: Future | None = None
        self._pressing_servers: frozenset[bytes] = frozenset()
        self._not_pressed = ''

    def _hear(self, signal: Signal) -> SignalHearing:
        return SignalHearing(self._node, self._group, signal, self._surroundings, self._look)

    def _make_presser(self, call: Call) -> Any:
        kind, step = installed_type(call.step.type), call.step
        if step.kind == 'service':
            return self._node.create_client(kind, step.name, callback_group=self._group)
        profile = qos.latched() if step.latched else 10
        return self._node.create_publisher(kind, step.name, profile)

    def watch(self, stop: Stop) -> None:
        """Look from now on. :param stop: is pressed when the robot's own is."""
        self._stop = stop
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._node.create_timer(_LOOK, self._look, self._group, clock=steady)

    def begin(self, serve: Callable[[str], None]) -> None:
        """Have all goals end, wait until the robot is ready, and then serve.

        :param serve: called with what people should know before the first skill.
        """
        self._serve, self._began, self._active = serve, time.monotonic(), True
        self._goals.cancel_all(patience=_ENDS)
        self._look()

    def end(self) -> None:
        """Have all goals end, and say no more whether the robot is ready."""
        self._serve, self._active = None, False
        self._goals.cancel_all()
        self._tell('')

    # Looking ---------------------------------------------------------------------------------

    def _look(self) -> None:
        with self._lock:
            self._take_note()

    def _take_note(self) -> None:
        for hearing in (*((self._pressed,) if self._pressed else ()), *self._ready):
            hearing.ask()
        if self._pressed is not None and self._pressed.holds() and self._stop is not None:
            self._stop.press(ITSELF, itself=True)
        # While a skill waits for an answer, it is at work.
        self._status.note('' if self._status.is_busy else ' '.join(self._goals.unanswered_calls))
        if not self._active:
            return
        objection = self._objection()
        if self._serve is None:
            self._tell(objection)
            return
        waits = ' '.join(filter(None, (self._waits_for(), objection)))
        if waits:
            self._status.refuse(waits)
            return
        serve, self._serve = self._serve, None
        missing = self._absent()
        notice = f'Not there: {", ".join(missing)}. Skills that need it fail.' if missing else ''
        if notice:
            self._node.get_logger().warning(notice)
        serve(notice)

    def _objection(self) -> str:
        """Why the robot may not move, by its own signals; '' where it may."""
        if self._pressed is not None and self._pressed.holds() is None:
            return (
                'Whether the emergency stop of the robot is pressed is not known: '
                f'{self._pressed.what} says nothing.'
            )
        return next(filter(None, (hearing.objection() for hearing in self._ready)), '')

    def _waits_for(self) -> str:
        """What an activation still waits for; '' when all is there."""
        unanswered = self._goals.unanswered()
        if unanswered:
            return f'The action {unanswered[0]} has not answered yet whether it is at work.'
        if self._goals.unheard():
            return f'The action {self._goals.unheard()[0]} tells whether it is at work.'
        if self._goals.strays:
            return 'Waits for the end of what the robot is at.'
        waited = time.monotonic() - self._began
        # A server may be met for its goals and not yet for their cancel.
        missing = self._absent() or [f'the action {name}' for name in self._goals.unmet()]
        if missing and waited < self._server_timeout():
            return f'Waits for {", ".join(missing)}.'
        if waited < (_HEARD if self._buttons_are_latched() else _MET):
            return 'Waits for the button of the emergency stop.'
        return ''

    def _buttons_are_latched(self) -> bool:
        """Whether a button keeps its last message, which may not have come yet."""
        topic = self._node.resolve_topic_name('~/emergency_stop')
        return any(
            publisher.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
            for publisher in self._node.get_publishers_info_by_topic(topic)
        )

    def _tell(self, fault: str) -> None:
        """Be in FAULT while the robot is not ready. :param fault: '' where it is."""
        if fault == self._fault:
            return
        if self._lift is not None:
            self._lift()
        self._fault = fault
        self._lift = self._status.fail(fault) if fault else None

    # Stopping --------------------------------------------------------------------------------

    def stop(self, press: bool) -> None:
        """Have everything end. :param press: the robot's own emergency stop, too."""
        self._goals.cancel_all()
        if not press or self._press is None or self._presser is None:
            return
        step = self._press.step
        name = f'The emergency stop of the robot, {step.name},'
        if self._pressing is not None and not self._pressing.done():
            # Called beside a call that hangs, it might hang for good.
            if self._goals.servers(step.name) & self._pressing_servers:
                return
            self._presser.remove_pending_request(self._pressing)
        self._pressing, self._not_pressed = None, ''
        try:
            values = self._press.send(Filling({}, self._surroundings))
        except SkillError as error:
            self._not_pressed = f'{name} was not pressed: {error}'
            return
        kind = installed_type(step.type)
        if step.kind == 'publish':
            if not self._presser.get_subscription_count():
                self._not_pressed = f'{name} was not pressed: nobody hears it.'
            self._presser.publish(fill(kind(), values))
        elif is_served(self._node, self._presser):
            self._not_pressed = f'{name} has not answered.'
            self._pressing_servers = self._goals.servers(step.name)
            self._pressing = self._presser.call_async(fill(kind.Request(), values))
            self._pressing.add_done_callback(self._on_pressed)
        else:
            self._not_pressed = f'{name} was not pressed: it is not there.'

    def _on_pressed(self, answer: Any) -> None:
        response = answer.result()
        assert self._press is not None
        refused = response is None or getattr(response, 'success', True) is False
        why = getattr(response, 'message', '')
        self._not_pressed = (
            f'The emergency stop of the robot, {self._press.step.name}, did not take it: {why}'
            if refused
            else ''
        )

    async def moving(self) -> str:
        """What is not known to have stopped, in a moment, as sentences; '' where all has."""
        over: Future = Future(executor=self._node.executor)
        deadline = time.monotonic() + self._stop_timeout()

        def look() -> None:
            still = self._not_pressed or self._status.is_busy or self._goals.moving()
            # What refuses goes on, however long is waited.
            known = not still or (self._pressing_is_over() and self._goals.are_refused())
            if (known or time.monotonic() >= deadline) and not over.done():
                over.set_result(None)

        steady = Clock(clock_type=ClockType.STEADY_TIME)
        timer = self._node.create_timer(_LOOK / 2, look, self._group, clock=steady)
        await over
        self._node.destroy_timer(timer)
        skill = self._status.skill
        active = self._goals.moving(skill)
        if self._status.is_busy and not active:
            active = [
                f'The skill "{skill}" has not ended: the robot is not known to have stopped.'
            ]
        if active and not self._not_pressed:
            active.append(self._own_result())
        return ' '.join((*((self._not_pressed,) if self._not_pressed else ()), *active))

    def unended(self) -> str:
        """Sentences about what is not known to have ended now; '' where all has."""
        return ' '.join(self._goals.moving(self._status.skill))

    def _pressing_is_over(self) -> bool:
        return self._pressing is None or self._pressing.done()

    def _own_result(self) -> str:
        """What the robot's own stop did, for whoever reads that the robot still moves."""
        if self._press is None:
            return 'The robot has no stop of its own that could be pressed (`press:` in its file).'
        name = self._press.step.name
        if self._pressed is not None and self._pressed.holds():
            return f'The own stop of the robot, {name}, was pressed; {self._pressed.what} says so.'
        return f'The own stop of the robot, {name}, was pressed.'

    @property
    def pressed(self) -> str:
        """Why nothing may move whatever people say; '' where nothing reports so."""
        if self._pressed is None or self._pressed.holds() is False:
            return ''
        if self._pressed.holds() is None:
            return (
                f'Whether that of the robot is pressed is not known: {self._pressed.what} says '
                'nothing.'
            )
        return 'That of the robot itself is pressed: release it first, then this one.'
