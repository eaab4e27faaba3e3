"""The emergency stop of one robot, as its bridge and its buttons report it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import Bool

from reactree_core.record.outcome import BY_EMERGENCY_STOP
from reactree_core.ros import conversions, qos
from reactree_core.stop_log import stop_log, StopEvent
from reactree_ros.msg import BridgeStatus

_NANO = 1e-9
#: Seconds between two looks at the logs; each is a stat of one file.
_LOOK = 0.05
_PRESSED = 'It was pressed.'
_RELEASED = 'It was pressed, and released since.'


@dataclass(frozen=True, slots=True)
class Stop:
    """A press. :param why: as a sentence. :param at: when, in seconds since 1970."""

    why: str
    at: float


def _said(pressed: StopEvent) -> str:
    return f'The emergency stop was pressed {pressed}.'


def reason_of(stop: Stop) -> str:
    """Why a run has ended that a stop ended."""
    return f'{BY_EMERGENCY_STOP}: {stop.why} Once it is released, motion needs a new task.'


def _nobody(stop: Stop) -> None:
    """Nobody listens."""


class WatchedStop:
    """Subscribes `bridge/emergency_stop` of one robot, and takes its `bridge_status`.

    A press is known by any of four signs, so that none is missed: the state STOPPED; another
    `stopped_at`, where a press and its release came between two looks; the topic, where the
    bridge is gone; the robot's stop log, where the bridge is gone and the network slow, or has no
    emergency stop.

    :param base: namespace below that of the node in which the bridge is, with a slash; '' for the
        same.
    """

    def __init__(self, node: Node, base: str, group: CallbackGroup) -> None:
        #: The newest press that was reported; None for none.
        self.last: Stop | None = None
        #: Called with each press, from any thread.
        self.on_press: Callable[[Stop], None] = _nobody
        self._known: BridgeStatus | None = None
        self._log = stop_log(f'{node.get_namespace().rstrip("/")}/{base}bridge')
        self._version = self._log.version()
        pressed = self._log.newest_press()
        #: Id of the newest press in the log.
        self._logged = pressed.id if pressed is not None else ''
        if pressed is not None:
            self.last = Stop(_said(pressed), min(pressed.at, time.time()))
        self._topic = f'{base}bridge/emergency_stop'
        qos.subscribe_whatever_is_offered(node, Bool, self._topic, self._on_button, group)

    @property
    def held(self) -> str:
        """Reason why nothing may begin by the log of the robot, as a sentence; '' where it may."""
        last = self._log.last()
        if last is None or not last.pressed:
            return ''
        return (
            f'The emergency stop was pressed {last}: no task begins until it is released, with '
            '`reactree stop --release`.'
        )

    def since(self, at: float) -> Stop | None:
        """The press that came later than a time, in seconds since 1970; None for none."""
        return self.last if self.last is not None and self.last.at > at else None

    def take(self, status: BridgeStatus) -> None:
        """Take what the bridge reports."""
        known, self._known = self._known, status
        at = status.stopped_at.sec + status.stopped_at.nanosec * _NANO
        stopped = BridgeStatus.STATE_STOPPED
        why = conversions.bounded(status.message) if status.state == stopped else _RELEASED
        if known is None:
            # By the clock of the bridge: it may have been long ago.
            is_pressed = status.state == stopped
            if at or is_pressed:
                self._press(why, at or time.time(), tell=is_pressed)
        elif (status.state == stopped and known.state != stopped) or (
            at and status.stopped_at != known.stopped_at
        ):
            self._press(why, time.time())

    def press(self, why: str) -> None:
        """Take a press that something else than the bridge reports. :param why: a sentence."""
        known = self._known
        if known is not None and known.state == BridgeStatus.STATE_STOPPED and self.last:
            # The bridge says more about it.
            why = self.last.why
        self._press(why, time.time())

    def look(self) -> None:
        """Look into the log, if it has changed."""
        version = self._log.version()
        if version == self._version:
            return
        self._version = version
        pressed, known = self._log.newest_press(), self.last
        if pressed is None or (pressed.id and pressed.id == self._logged):
            return
        self._logged = pressed.id
        if known is None or pressed.at > known.at:
            # Of this machine's clock, unlike that of a bridge; a run that began later goes on.
            self._press(_said(pressed), pressed.at)

    def _on_button(self, message: Bool) -> None:
        if message.data:
            self.press(f'It was pressed by the topic {self._topic}.')

    def _press(self, why: str, at: float, tell: bool = True) -> None:
        # By a clock that is ahead, it would hold against every run until then.
        self.last = Stop(why or _PRESSED, min(at, time.time()))
        if tell:
            self.on_press(self.last)


class FollowedStops:
    """Follows the stop logs of robots in a thread of its own, however busy the executor is.

    :param stops: of the robots.
    """

    def __init__(self, stops: Sequence[WatchedStop]) -> None:
        self._stops = stops
        self._closed = threading.Event()
        threading.Thread(target=self._follow, name='stop logs', daemon=True).start()

    def close(self) -> None:
        """Follow them no more."""
        self._closed.set()

    def _follow(self) -> None:
        while not self._closed.wait(_LOOK):
            for stop in self._stops:
                stop.look()
