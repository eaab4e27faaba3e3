"""How a node is, on /diagnostics, where diagnostic_msgs is installed."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from reactree_core.ros import qos
from reactree_core.ros.fields import bounded

try:
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
except ImportError:
    DiagnosticArray = None

#: Time between two messages on /diagnostics, s.
PERIOD = 1.0


@dataclass(frozen=True, slots=True)
class Health:
    """How the node is.

    :param fault: what does not work at all; '' for nothing.
    :param warning: what works less well than it could; '' for nothing.
    :param state: what it does, where nothing is wrong.
    """

    fault: str = ''
    warning: str = ''
    values: dict[str, str] = field(default_factory=dict)
    state: str = 'in order'


class DiagnosticsPublisher:
    """Publishes a node's health at a steady pace.

    :param part: what of the node it is about, after its name.
    :param health: asked each time; must be quick.
    """

    def __init__(self, node: Node, part: str, health: Callable[[], Health]) -> None:
        self._node = node
        self._part = part
        self._health = health
        # A robot is distinguished from others by its namespace.
        self._hardware = node.get_namespace().strip('/') or socket.gethostname()
        self._publisher = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=qos.overridable()
        )
        node.create_timer(
            PERIOD,
            self._publish,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _publish(self) -> None:
        health = self._health()
        status = DiagnosticStatus(
            name=f'{self._node.get_fully_qualified_name()}: {self._part}',
            hardware_id=self._hardware,
            level=DiagnosticStatus.OK,
            message=bounded(health.fault or health.warning or health.state),
            values=[
                KeyValue(key=key, value=bounded(value)) for key, value in health.values.items()
            ],
        )
        if health.fault:
            status.level = DiagnosticStatus.ERROR
        elif health.warning:
            status.level = DiagnosticStatus.WARN
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


def start_diagnostics(node: Node, part: str, health: Callable[[], Health]) -> None:
    """Publish from now on, unless diagnostic_msgs is missing.

    :param part: what of the node it is about.
    """
    if DiagnosticArray is not None:
        DiagnosticsPublisher(node, part, health)
