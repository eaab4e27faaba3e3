"""Events of the planner's topics, in order, into the history of their run."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from rclpy.clock import Clock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.subscription import Subscription

from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation
from reactree_core.ros import qos
from reactree_core.ros.conversions import observation_from_message
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.ros.conversions import decision_from_message
from reactree_planner.ros.conversions import snapshot_from_message
from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import TreeSnapshot
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage
from reactree_tools.event_order import EventOrder

#: Seconds between two looks at events that wait for others.
_PERIOD = 0.25
#: Seconds that events of a run under way are held back until its tree is there.
_TREE_PATIENCE = 2.0
#: Numbers of the first two events of a run, its start and its first look, which may swap.
_FIRST = 2
#: Seconds after joining a run at which its record is looked at again: events that were published
#: before the topics were matched reach nobody.
_LOOKS = (1.0, 2.5, 5.0)


class RunTaker(Protocol):
    """Takes one run in."""

    def add(self, event: Event) -> None:
        """The next event; its stamp counts from the run's start."""

    def adopt(self, snapshot: TreeSnapshot) -> None:
        """The run is under way, and its earlier events are lost."""


class PlannerFeed:
    """Subscribes `planner/decisions` and `planner/observations`, and `planner/tree` once.

    A run that has begun before is taken from its journal up to where the topics go on; where no
    journal can be read, from the latched tree, without what was said before.

    :param begin: called with the id of every run that is heard of; takes its events.
    :param record: a run's events as recorded so far; raises JournalError when there are none.
    """

    def __init__(
        self,
        node: Node,
        begin: Callable[[str], RunTaker],
        record: Callable[[str], Iterable[Event]],
    ) -> None:
        self._node = node
        self._begin_run = begin
        self._record = record
        self._run_id = ''
        self._taker: RunTaker | None = None
        self._order = EventOrder()
        self._began: float | None = None
        self._last = 0.0
        node.create_subscription(
            DecisionMessage, 'planner/decisions', self._on_decision, qos.events()
        )
        node.create_subscription(
            ObservationMessage, 'planner/observations', self._on_observation, qos.events()
        )
        self._trees: Subscription | None = None
        #: Until when the tree of a run is awaited whose beginning nobody has; 0 when it is not.
        self._patient_until = 0.0
        self._recorded = False
        self._lost = 0
        self._looks: list[float] = []
        self._next_look = 0.0
        self._subscribe_tree()
        node.create_timer(_PERIOD, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _on_decision(self, message: DecisionMessage) -> None:
        try:
            event = decision_from_message(message)
        except ValueError as error:
            self._complain(f'a decision cannot be read ({error})')
            return
        self._take(run_id_from_message(message.run_id), event)

    def _on_observation(self, message: ObservationMessage) -> None:
        try:
            event = observation_from_message(message)
        except ReactreeError as error:
            self._complain(str(error))
            return
        self._take(run_id_from_message(message.run_id), event)

    def _complain(self, sentence: str) -> None:
        self._node.get_logger().warning(sentence, throttle_duration_sec=10.0)

    def _subscribe_tree(self) -> None:
        # The whole tree follows every event; it is wanted only while a beginning is missing.
        if self._trees is None:
            self._trees = self._node.create_subscription(
                TreeSnapshotMessage, 'planner/tree', self._on_tree, qos.latched()
            )

    def _unsubscribe_tree(self) -> None:
        if self._trees is not None:
            self._node.destroy_subscription(self._trees)
            self._trees = None

    def _on_tree(self, message: TreeSnapshotMessage) -> None:
        run_id = run_id_from_message(message.run_id)
        if run_id and message.sequence >= _FIRST and run_id != self._run_id:
            self._begin(run_id)
            self._look_again()
        if self._recorded or not self._looks:
            self._unsubscribe_tree()
        if run_id != self._run_id or self._recorded:
            return
        # Also an end that came before the topics were matched.
        if self._patient_until or (message.finished and self._looks):
            try:
                self._adopt(snapshot_from_message(message))
            except ValueError as error:
                self._complain(f'the tree cannot be read ({error})')

    def _adopt(self, snapshot: TreeSnapshot) -> None:
        """Go on from a tree, with the events that came after it."""
        self._patient_until = 0.0
        self._lost = 0
        held = self._order.rest()
        self._order = EventOrder(after=snapshot.sequence)
        for event in held:
            self._order.add(event, time.monotonic())
        if self._taker is not None:
            self._taker.adopt(snapshot)
        self._pass_on()

    def _take(self, run_id: str, event: Event) -> None:
        if not run_id:
            return
        now = time.monotonic()
        if run_id != self._run_id:
            recorded = self._begin(run_id)
            if event.sequence <= _FIRST:
                self._patient_until = 0.0
            else:
                self._look_again()
            # The same event with the run's own clock tells when the run began.
            self._began = next(
                (event.stamp - known.stamp for known in recorded if _same(known, event)), None
            )
        if self._began is None:
            self._began = event.stamp - self._last
        stamp = max(0.0, event.stamp - self._began)
        self._order.add(replace(event, stamp=stamp), now)
        self._pass_on()

    def _begin(self, run_id: str) -> tuple[Event, ...]:
        """A new run; what its journal has of it goes first."""
        self._run_id = run_id
        self._order = EventOrder()
        self._lost = 0
        self._began = None
        self._last = 0.0
        self._looks = []
        self._taker = self._begin_run(run_id)
        recorded = self._read()
        self._recorded = bool(recorded)
        self._patient_until = 0.0 if recorded else time.monotonic() + _TREE_PATIENCE
        self._pass_on()
        return recorded

    def _look_again(self) -> None:
        """The run was joined on its way: what falls between record and topics is fetched."""
        now = time.monotonic()
        self._looks = [now + seconds for seconds in _LOOKS]
        if not self._recorded:
            self._subscribe_tree()

    def _read(self) -> tuple[Event, ...]:
        """Take in what the run's record has so far; events that are known are ignored."""
        try:
            recorded = tuple(self._record(self._run_id))
        except ReactreeError:
            return ()
        now = time.monotonic()
        for event in recorded:
            self._order.add(event, now)
        return recorded

    def _tick(self) -> None:
        now = time.monotonic()
        if self._looks and now >= self._looks[0]:
            del self._looks[0]
            if self._recorded:
                self._read()
            if not self._looks:
                self._unsubscribe_tree()
        elif self._order.waiting and self._recorded:
            self._read()
        self._pass_on()

    def _pass_on(self) -> None:
        taker = self._taker
        if taker is None or not self._order.waiting or time.monotonic() < self._patient_until:
            return
        for event in self._order.ready(time.monotonic()):
            self._last = max(self._last, event.stamp)
            taker.add(event)
        if self._order.lost > self._lost:
            self._lost = self._order.lost
            if not self._recorded:
                self._patient_until = time.monotonic() + _TREE_PATIENCE
                self._subscribe_tree()


def _same(one: Event, other: Event) -> bool:
    return one.sequence == other.sequence and isinstance(one, Observation) == isinstance(
        other, Observation
    )
