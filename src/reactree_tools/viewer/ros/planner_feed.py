"""The planner's topics, as far as they are wanted, for the follower of its runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.subscription import Subscription

from reactree_core.record.events import Event
from reactree_core.ros import qos
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.ros.heard_events import PlannerEvents
from reactree_planner.ros.run_messages import snapshot_from_message
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage
from reactree_tools.viewer.run_event_merger import RunEventMerger, RunSink

#: Seconds between two looks at events that wait for others.
_PERIOD = 0.25


class PlannerFeed:
    """Subscribes `planner/decisions` and `planner/observations`, and `planner/tree` when wanted.

    :param begin: called with the id of every run that is heard of; takes its events.
    :param robot: namespace of the planner, with a slash at its end; '' for the viewer's own.
    :param record: a run's events as recorded so far; raises JournalError when there are none.
    """

    def __init__(
        self,
        node: Node,
        begin: Callable[[str], RunSink],
        record: Callable[[str], Iterable[Event]],
        robot: str = '',
    ) -> None:
        self._node = node
        self._robot = robot
        self._follower = RunEventMerger(begin, record)
        self._trees: Subscription | None = None
        self._events = PlannerEvents(node, qos.events(), self._hear, robot)
        self._subscribe_as_wanted()
        node.create_timer(_PERIOD, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _hear(self, run_id: str, event: Event) -> None:
        self._follower.hear(run_id, event, time.monotonic())
        self._subscribe_as_wanted()

    def _on_tree(self, message: TreeSnapshotMessage) -> None:
        try:
            snapshot = snapshot_from_message(message)
        except ValueError as error:
            self._events.complain(f'the tree cannot be read ({error})')
            return
        run_id = run_id_from_message(message.run_id)
        self._follower.hear_tree(run_id, snapshot, time.monotonic())
        self._subscribe_as_wanted()

    def _tick(self) -> None:
        self._follower.look(time.monotonic())
        self._subscribe_as_wanted()

    def _subscribe_as_wanted(self) -> None:
        wanted = self._follower.wants_tree
        if wanted and self._trees is None:
            self._trees = self._node.create_subscription(
                TreeSnapshotMessage, f'{self._robot}planner/tree', self._on_tree, qos.latched()
            )
        elif not wanted and self._trees is not None:
            self._node.destroy_subscription(self._trees)
            self._trees = None
