"""The state of a skill server, latched for everybody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.node import Node

from reactree_core.ros import qos
from reactree_core.ros.fields import bounded
from reactree_ros.msg import BridgeStatus


class BridgeState(IntEnum):
    """What the bridge is doing; equal to the STATE_* constants of BridgeStatus.msg."""

    STARTING = 0
    READY = 1
    BUSY = 2
    RESETTING = 3
    FAULT = 4
    STOPPED = 5


#: Time between two status messages besides those of changes, s.
PERIOD = 1.0
_MOST_REVISIONS = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class ShownState:
    """A state and its message; two that say the same are two."""

    state: BridgeState
    message: str = ''


class StatusBoard:
    """Holds the state and publishes every change of it.

    What is told lies in layers, and the uppermost is shown; READY, where there is none:

        emergency stop       until it is released; the faults beneath are shown with it
        faults               each until whoever has told it lifts it
        refusal              until `serve`: the node is not active
        work                 a skill or a reset, until it is given back; one at a time
        the world is gone    until it is reset

    So a robot that still moves is one in FAULT after a deactivation and an activation, too.

    :param simulated: whether nothing but a simulated world moves.
    """

    def __init__(self, node: Node, group: CallbackGroup, simulated: bool = False) -> None:
        self._clock = node.get_clock()
        # Subscribers warn of other qualities themselves; here, the events that could would cost
        # every round of the executor.
        quiet = PublisherEventCallbacks(use_default_callbacks=False)
        self._publisher = node.create_publisher(
            BridgeStatus,
            'bridge_status',
            qos.status(),
            event_callbacks=quiet,
            qos_overriding_options=qos.overridable(),
        )
        self._lock = threading.Lock()
        self._message = BridgeStatus(simulated=simulated)
        #: Why nothing may move; '' while the emergency stop is not pressed.
        self._stop = ''
        self._faults: list[ShownState] = []
        self._refusal: ShownState | None = ShownState(BridgeState.STARTING)
        self._work: ShownState | None = None
        self._gone: ShownState | None = None
        self._ready = ShownState(BridgeState.READY)
        #: What people should know besides, while it is READY.
        self._aside = ''
        #: Tells how what is sensed differs from before; None: nobody can.
        self.sensed: Callable[[], object] | None = None
        self._last_sensed: object = None
        self._publish()
        # A stamp that grows shows that callbacks are served; liveliness alone does not.
        node.create_timer(
            PERIOD, self.repeat, group, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    @property
    def state(self) -> BridgeState:
        """The present state."""
        return BridgeState.STOPPED if self._stop else self._shown().state

    @property
    def is_busy(self) -> bool:
        """Whether a skill or a reset is at work."""
        return self._work is not None

    @property
    def skill(self) -> str:
        """The skill that is at work; '' where none is."""
        work = self._work
        return work.message if work is not None and work.state is BridgeState.BUSY else ''

    @property
    def stop(self) -> str:
        """Why nothing may move, as a sentence; '' while the emergency stop is not pressed."""
        return self._stop

    def press(self, why: str, at: float = 0.0) -> None:
        """Let nothing move until `release`.

        :param why: a sentence that says what to do. :param at: when it was pressed, in seconds
            since 1970; 0: now.
        """
        with self._lock:
            self._stop = bounded(why)
            self._note_stop(at or time.time())
            self._publish()

    def stopped_before(self, at: float) -> None:
        """Report when the stop was pressed last, in seconds since 1970, with the next change."""
        with self._lock:
            self._note_stop(at)

    def _note_stop(self, at: float) -> None:
        # By the clock of the system: runs are compared with it, also where time is simulated.
        seconds = int(at)
        self._message.stopped_at.sec = seconds
        self._message.stopped_at.nanosec = int((at - seconds) * 1e9)

    def release(self) -> None:
        """Let skills run again."""
        with self._lock:
            self._stop = ''
            self._publish()

    @property
    def sentence(self) -> str:
        """State and message for people, e.g. 'BUSY: open fridge 1'."""
        return ': '.join(filter(None, (self.state.name, self._said())))

    def claim(self, state: BridgeState, message: str, mends: bool = False) -> ShownState | None:
        """Go from READY to a state, if it is READY.

        :param mends: from the FAULT of a world that is gone, too.
        :return: what `give_back` takes; None where it is not READY.
        """
        with self._lock:
            shown = self._shown()
            free = shown is self._ready or (mends and shown is self._gone)
            if self._stop or not free:
                return None
            self._work = ShownState(state, bounded(message))
            self._publish()
            return self._work

    def give_back(self, work: ShownState, mended: bool = False) -> None:
        """End what was claimed, unless it was of a world that has been let go since.

        :param mended: a world that was gone is there again.
        """
        with self._lock:
            if self._work is work:
                self._work = None
                self._gone = None if mended else self._gone
                self._publish()

    def fail(self, message: str) -> Callable[[], None]:
        """Go to FAULT. :return: what lifts this fault, and no other one."""
        fault = ShownState(BridgeState.FAULT, bounded(message))

        def lift() -> None:
            with self._lock:
                if fault in self._faults:
                    self._faults.remove(fault)
                    self._publish()

        with self._lock:
            self._faults.append(fault)
            self._publish()
        return lift

    def need_reset(self, message: str) -> None:
        """Go to FAULT until the world is reset."""
        with self._lock:
            self._gone = ShownState(BridgeState.FAULT, bounded(message))
            self._publish()

    def renew(self) -> None:
        """Forget, with the next change, what holds for a world that has been let go."""
        with self._lock:
            self._faults.clear()
            self._gone = None
            if self._work is not None and self._work.state is BridgeState.RESETTING:
                self._work = None

    def serve(self, message: str = '') -> None:
        """Be READY from now on, once nothing else is to be shown.

        :param message: what people should know before the first skill.
        """
        with self._lock:
            self._refusal = None
            self._ready = ShownState(BridgeState.READY, bounded(message))
            self._publish()

    def note(self, aside: str) -> None:
        """Report something beside the state while it is READY. :param aside: '' for nothing."""
        with self._lock:
            if bounded(aside) != self._aside:
                self._aside = bounded(aside)
                self._publish()

    def refuse(self, message: str, state: BridgeState = BridgeState.STARTING) -> None:
        """Say this, and be READY no more before `serve`."""
        with self._lock:
            self._refusal = ShownState(state, bounded(message))
            self._publish()

    def load(self, backend: str, scene: str, task_id: str) -> None:
        """Say what is loaded, with the next change."""
        with self._lock:
            self._message.backend = bounded(backend)
            self._message.scene = bounded(scene)
            self._message.task_id = bounded(task_id)

    def repeat(self) -> None:
        """Publish the state as it is, and whether anything is sensed that differs."""
        sensed = self.sensed() if self.sensed is not None and not self.is_busy else None
        with self._lock:
            if sensed is not None and sensed != self._last_sensed:
                self._last_sensed = sensed
                self._message.revision = self._message.revision % _MOST_REVISIONS + 1
            self._publish()

    def _shown(self) -> ShownState:
        """The uppermost layer beneath the stop."""
        layers = (*self._faults, self._refusal, self._work, self._gone)
        return next(filter(None, layers), self._ready)

    def _said(self) -> str:
        if not self._stop:
            shown = self._shown()
            aside = self._aside if shown is self._ready else ''
            return bounded(f'{shown.message} {aside}'.strip())
        return bounded(' '.join((self._stop, *(fault.message for fault in self._faults))))

    def _publish(self) -> None:
        self._message.header.stamp = self._clock.now().to_msg()
        self._message.state = int(self.state)
        self._message.message = self._said()
        self._publisher.publish(self._message)
