"""The bridge's state, latched for everybody."""

from __future__ import annotations

import threading
from enum import IntEnum

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock
from rclpy.clock import ClockType
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


class StatusBoard:
    """Holds the state and publishes every change of it.

    One activity at a time: whoever wants to move the world claims the bridge and gives it back.
    While the emergency stop is pressed the state is STOPPED, whatever goes on beneath.

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
        #: Whether what is wrong ends with a reset.
        self._ends_by_reset = False
        self._message = BridgeStatus(simulated=simulated)
        self._activity = BridgeState.STARTING
        self._said = ''
        #: What is shown in place of the state while the stop is pressed; '' else.
        self._stop = ''
        #: Why skills are refused in every state; '' while the bridge serves.
        self._refusal = ''
        self._publish()
        # A stamp that grows shows that callbacks are served; liveliness alone does not.
        node.create_timer(
            PERIOD, self.repeat, group, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    @property
    def state(self) -> BridgeState:
        """The present state."""
        return BridgeState.STOPPED if self._stop else self.activity

    @property
    def activity(self) -> BridgeState:
        """What goes on, whether or not the emergency stop is pressed."""
        return self._activity

    @property
    def stop(self) -> str:
        """Why nothing may move, as a sentence; '' while the emergency stop is not pressed."""
        return self._stop

    def press(self, why: str) -> None:
        """Let nothing move until `release`. :param why: a sentence that says what to do."""
        with self._lock:
            self._stop = bounded(why)
            self._publish()

    def release(self) -> None:
        """Let skills run again."""
        with self._lock:
            self._stop = ''
            self._publish()

    @property
    def sentence(self) -> str:
        """State and message for people, e.g. 'BUSY: open fridge 1'."""
        return ': '.join(filter(None, (self.state.name, self._stop or self._said)))

    def claim(self, state: BridgeState, message: str, mends: bool = False) -> bool:
        """Go from READY to a state, if it is READY.

        :param mends: from a FAULT that a reset ends, too.
        """
        with self._lock:
            if self._stop:
                return False
            ready = self._activity is BridgeState.READY
            if not ready and not (mends and self._ends_by_reset):
                return False
            self._set(state, message)
            return True

    def change(self, state: BridgeState, message: str = '') -> None:
        """Go to a state."""
        with self._lock:
            self._set(state, message)

    def serve(self, busy: str = '') -> None:
        """Be READY from now on. :param busy: what has not ended yet; READY follows then."""
        with self._lock:
            self._refusal = ''
            self._set(BridgeState.BUSY if busy else BridgeState.READY, busy)

    def refuse(self, message: str, state: BridgeState = BridgeState.STARTING) -> None:
        """Say this, and be READY no more before `serve`."""
        with self._lock:
            self._set(state, message)
            self._refusal = message

    def need_reset(self, message: str) -> None:
        """Go to FAULT until the world is reset."""
        with self._lock:
            self._set(BridgeState.FAULT, message)
            self._ends_by_reset = True

    def load(self, backend: str, scene: str, task_id: str) -> None:
        """Say what is loaded, with the next change."""
        with self._lock:
            self._message.backend = bounded(backend)
            self._message.scene = bounded(scene)
            self._message.task_id = bounded(task_id)

    def repeat(self) -> None:
        """Publish the state as it is."""
        with self._lock:
            self._publish()

    def _set(self, state: BridgeState, message: str) -> None:
        self._ends_by_reset = False
        if self._refusal and state is BridgeState.READY:
            state, message = BridgeState.STARTING, self._refusal
        self._activity = state
        self._said = bounded(message)
        self._publish()

    def _publish(self) -> None:
        self._message.header.stamp = self._clock.now().to_msg()
        self._message.state = int(self.state)
        self._message.message = self._stop or self._said
        self._publisher.publish(self._message)
