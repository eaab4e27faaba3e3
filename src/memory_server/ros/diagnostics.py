"""The state of the memory on /diagnostics, where diagnostic_msgs is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node

try:
    from diagnostic_msgs.msg import DiagnosticArray
    from diagnostic_msgs.msg import DiagnosticStatus
    from diagnostic_msgs.msg import KeyValue
except ImportError:
    DiagnosticArray = None


@dataclass(frozen=True, slots=True)
class Health:
    """How the node is.

    :param fault: what does not work at all; '' for nothing.
    :param warning: what works less well than it could; '' for nothing.
    """

    fault: str = ''
    warning: str = ''
    values: dict[str, str] = field(default_factory=dict)


class DiagnosticsPublisher:
    """Publishes a node's health at a steady pace.

    :param period: s.
    :param health: asked each time; must be quick.
    """

    def __init__(self, node: Node, period: float, health: Callable[[], Health]) -> None:
        self._node = node
        self._health = health
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        node.create_timer(
            period,
            self._publish,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def _publish(self) -> None:
        health = self._health()
        status = DiagnosticStatus(
            name=f'{self._node.get_fully_qualified_name()}: memory',
            hardware_id='',
            level=DiagnosticStatus.OK,
            message=health.fault or health.warning or 'in order',
            values=[KeyValue(key=key, value=value) for key, value in health.values.items()],
        )
        if health.fault:
            status.level = DiagnosticStatus.ERROR
        elif health.warning:
            status.level = DiagnosticStatus.WARN
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)


def start_diagnostics(node: Node, period: float, health: Callable[[], Health]) -> bool:
    """Publish from now on; False when that is switched off or diagnostic_msgs is missing.

    :param period: s; 0 switches it off.
    """
    if DiagnosticArray is None or not period:
        return False
    DiagnosticsPublisher(node, period, health)
    return True
