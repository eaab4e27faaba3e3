"""Events of a planner's topics with those that it keeps for who comes late, each run in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from rclpy.node import Node

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Event
from reactree_core.ros import qos
from reactree_planner.ros.heard_events import PlannerEvents
from reactree_tools.event_order import EventOrder
from reactree_tools.live_audit import HeardEvent
from reactree_tools.ros.bridge_skills import find_skills
from reactree_tools.ros.session import Session
from reactree_tools.views.status_line import is_end_of_run

#: Seconds in which what a planner keeps arrives once it is found: a run whose end is heard of then
#: is over.
_SETTLING = 1.0


class KeptEvents:
    """Subscribes `planner/decisions` and `planner/observations`.

    Runs that had ended when this began are left out.

    :param node: in the planner's namespace.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._orders: dict[str, EventOrder] = {}
        self._past: set[str] = set()
        #: When the planner was found, by a clock that only moves forward.
        self._found: float | None = None
        PlannerEvents(node, qos.kept_events(), self._hear)

    def _hear(self, run_id: str, event: Event) -> None:
        now = time.monotonic()
        with self._lock:
            if self._found is None:
                self._found = now
            if is_end_of_run(event) and now - self._found < _SETTLING:
                self._past.add(run_id)
            self._orders.setdefault(run_id, EventOrder()).add(event, now)

    def ready(self, now: float) -> Iterator[HeardEvent]:
        """Events whose turn it is. :param now: of `time.monotonic`."""
        found = []
        with self._lock:
            if self._found is None and self._node.count_publishers('planner/decisions'):
                self._found = now
            if self._found is None or now - self._found < _SETTLING:
                return
            for run_id in self._past:
                self._orders.pop(run_id, None)
            for run_id, order in self._orders.items():
                missed = order.gap(now)
                found += [HeardEvent(run_id, event, missed) for event in order.ready(now)]
        yield from found


def vocabulary_of_bridge(session: Session) -> Vocabulary:
    """What the skill server in a session's namespace declares.

    :raises SkillError: none answers in time.
    """
    cancel = CancelToken()
    return find_skills(session, cancel).list_skills(cancel)[0]
