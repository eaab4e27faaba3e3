"""A bridge as it reports itself: whether it is there, at work, in fault or stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node

from reactree_core.errors import RobotStoppedError, SkillError
from reactree_core.ros import conversions, qos
from reactree_planner.ros.watched_stop import WatchedStop
from reactree_ros.msg import BridgeStatus

#: Status messages that may come although their bridge is gone: one was on its way.
_LATE = 1
#: States in which a bridge takes no skill before somebody has seen to it.
_TAKES_NOTHING = (BridgeStatus.STATE_FAULT, BridgeStatus.STATE_STOPPED)


def _nobody() -> None:
    """Nobody listens."""


class WatchedBridge:
    """Subscribes `bridge_status`, and watches its lease.

    :param base: namespace below that of the node in which the bridge is, with a slash; '' for the
        same.
    """

    def __init__(self, node: Node, base: str, group: ReentrantCallbackGroup) -> None:
        self._lost = threading.Event()
        #: How often a bridge went silent; a skill that is under way then is lost.
        self._losses = 0
        #: Status messages in all, those since the last loss, and when one said READY last.
        self._heard = self._heard_since = 0
        self._idle_at = 0.0
        self.status: BridgeStatus | None = None
        #: Its emergency stop.
        self.stop = WatchedStop(node, base, group)
        self._listener: Callable[[], None] = _nobody
        node.create_subscription(
            BridgeStatus,
            f'{base}bridge_status',
            self._on_status,
            qos.status(),
            callback_group=group,
            event_callbacks=SubscriptionEventCallbacks(liveliness=self._on_liveliness),
            qos_overriding_options=qos.overridable(),
        )

    def listen(self, listener: Callable[[], None] = _nobody) -> bool:
        """Call somebody at every change that the bridge reports; whether it reports any."""
        self._listener = listener
        return self.status is not None and self.status.revision != 0

    def _on_status(self, message: BridgeStatus) -> None:
        known, self.status = self.status, message
        if known is not None and known.revision != message.revision:
            self._listener()
        self._heard += 1
        self._heard_since += 1
        self.stop.take(message)
        if message.state == BridgeStatus.STATE_READY:
            self._idle_at = time.monotonic()
        if self._heard_since > _LATE:
            self._find_again()

    def _on_liveliness(self, event: Any) -> None:
        if event.not_alive_count_change > 0 or event.alive_count_change < 0:
            self._losses += 1
            self._heard_since = 0
            if event.alive_count == 0:
                self._lost.set()
        if event.alive_count > 0:
            self._find_again()

    def _find_again(self) -> None:
        if self._lost.is_set():
            self._lost.clear()
            self._greet()

    def _greet(self) -> None:
        """Called once a bridge that was gone is there again."""

    @property
    def lost(self) -> bool:
        """Whether a bridge was there and went silent for its lease."""
        return self._lost.is_set()

    @property
    def simulated(self) -> bool:
        """Whether it said, when it was heard of last, that nothing real moves."""
        return self.status is not None and bool(self.status.simulated)

    @property
    def lacks(self) -> str:
        """What a bridge that is ready says that people should know; '' for nothing."""
        ready = self.status is not None and self.status.state == BridgeStatus.STATE_READY
        return conversions.bounded(self.status.message) if ready and self.status else ''

    @property
    def _is_busy(self) -> bool:
        return self.status is not None and self.status.state == BridgeStatus.STATE_BUSY

    def _takes_nothing(self) -> bool:
        return self.status is not None and self.status.state in _TAKES_NOTHING

    def _check_status(self) -> None:
        """Whether the bridge takes skills.

        :raises RobotStoppedError: its emergency stop is pressed. :raises SkillError: it is in
            fault.
        """
        if self.status is not None and self._takes_nothing():
            said = conversions.bounded(self.status.message)
            if self.status.state == BridgeStatus.STATE_STOPPED:
                raise RobotStoppedError(said or 'The emergency stop is pressed.')
            raise SkillError(f'The bridge reports a fault: {said}')
        # A skill server without an emergency stop is held here.
        held = self.stop.held
        if held:
            raise RobotStoppedError(held)
