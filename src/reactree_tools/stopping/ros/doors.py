"""Participants by which a stop enters the graph, and a view of the graph.

A participant of Fast DDS announces itself before it receives, so that the answer of a quick peer
may be lost; that peer then announces itself again after up to 3 s. So parts enter the graph by
another participant as long as something that is to be stopped was not met.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from typing import Protocol

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from reactree_core.errors import ConfigurationError
from reactree_core.robot_record import RobotRecord
from reactree_core.ros.spinning import NodesInThread, reason_of, security_hint
from reactree_tools.node_table import COMMANDS, enclave_arguments
from reactree_tools.stopping.orders import Order
from reactree_tools.stopping.ros.stop_parts import CANCEL

#: Seconds for which robots without a record are looked for at least.
LOOK = 1.0
#: Seconds after which what was not met is not there; Fast DDS takes up to 3 s on a quiet machine.
MEET = 4.0
#: Seconds after which what is not known is said to be so; of a bridge that takes its time to
#: answer, more.
PATIENCE = 7.0
#: Seconds between two looks at the graph, and at the processes of bridges.
LOOK_AGAIN = 0.1
#: Seconds between two rounds.
_SPIN = 0.003
#: Seconds until the next participant, and how many there are at most.
_NEXT_DOOR, _MOST_DOORS = 0.12, 8
#: What rclpy raises where a policy of its security does not permit an entity.
REFUSED = (RuntimeError, ValueError)
#: Actions of planners and of skill servers, behind the names of their nodes.
PLAN, EXECUTE = '/plan_task', '/execute_skill'


class Entering(Protocol):
    """A part that meets others by nodes."""

    def enter(self, node: Node) -> None:
        """Meet them by one more node."""


class Doors:
    """Nodes by which parts enter the graph, each of a participant of its own.

    :param namespace: of the order.
    :raises ConfigurationError: ROS cannot start in this environment.
    """

    def __init__(self, namespace: str) -> None:
        self._arguments = ['--ros-args', *enclave_arguments(namespace, COMMANDS)]
        self._doors: list[tuple[Context, Node, NodesInThread]] = []
        self._parts: list[Entering] = []
        self._opened_at = -math.inf
        self.open()
        self.graph = Graph(self)

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

    def pause(self, is_sought: bool) -> None:
        """Let a moment pass before the next look, and make another door where one is due.

        rclpy signals no event when a server is discovered, so that it has to be looked for.

        :param is_sought: whether something was not met.
        """
        due = time.monotonic() - self._opened_at > _NEXT_DOOR
        if is_sought and due and len(self._doors) < _MOST_DOORS:
            self.open()
        time.sleep(_SPIN)

    def enter(self, part: Entering) -> None:
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


class Graph:
    """View of the ROS graph.

    :param doors: by which it is seen.
    """

    def __init__(self, doors: Doors) -> None:
        self._doors = doors

    def bridges(self, order: Order) -> set[str]:
        """Full names of the skill servers of an order."""
        return self._servers(EXECUTE, order)

    def planners(self, order: Order) -> set[str]:
        """Full names of the planners of an order."""
        return self._servers(PLAN, order)

    def shows(self, record: RobotRecord) -> set[str]:
        """Names of a record that somebody serves, hears or reports on: the robot may be there."""
        press, pressed = record.press, record.pressed
        services = {*record.services, *record.asked, str(pressed.get('service') or '')}
        services |= {f'{action}{CANCEL}' for action in record.actions}
        # What this program publishes and hears itself does not count.
        commanded = {*record.topics, *(end.name for end in record.ends)}
        reported = {*record.heard, str(pressed.get('topic') or '')}
        if press is not None:
            (services if press.kind == 'service' else commanded).add(press.name)
        return {
            name
            for node in self._doors.nodes
            for names, count in (
                (services, node.count_services),
                (commanded, node.count_subscribers),
                (reported, node.count_publishers),
            )
            for name in names - {''}
            if count(name)
        }

    def _servers(self, action: str, order: Order) -> set[str]:
        """Full names of nodes that serve an action."""
        end = f'{action}{CANCEL}'
        return {
            service.removesuffix(end)
            for node in self._doors.nodes
            for service, _ in node.get_service_names_and_types()
            if service.endswith(end) and order.covers(service) and node.count_services(service)
        }
