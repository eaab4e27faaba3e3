"""Events of one run: numbered, stamped, written down, taken into the tree and sent."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from reactree_core.observation import Observation
from reactree_core.record.events import bounded_event, ControlFlow, Decision, DecisionKind, Event
from reactree_core.record.run_settings import Limits, RunSettings
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trajectory import Trajectories
from reactree_core.usage import LlmUsage
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.run_ports import EventSink

#: Decisions that the limits of a run count.
_COUNTED = (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND, DecisionKind.REPAIR)


class EventWriter:
    """The one way in which a run's events come about.

    :param tree: takes every event in, and :param trajectories: after it.
    :param limits: no decision is written past theirs.
    :param sink: told of every event.
    :param log: where events are written down, and come from while the run is resumed.
    """

    def __init__(
        self,
        tree: AgentTree,
        trajectories: Trajectories,
        limits: Limits,
        log: RunLog,
        sink: EventSink,
    ) -> None:
        self._tree = tree
        self._trajectories = trajectories
        #: No decision is written past these.
        self.limits = limits
        self._log = log
        self._sink = sink
        self._number = 0
        #: Number of the newest observation; 0 before the first.
        self.newest_observation = 0
        self._began = time.monotonic_ns() - round(log.used_seconds * 1e9)

    def start(self, task: str, settings: RunSettings) -> None:
        """Emit the START of a run and let its clock begin; that of a resumed one goes on."""
        if not self._log.replaying:
            self._began = time.monotonic_ns()
        self._log.on_resumed = lambda: self._resume(task, settings)
        self.decide(0, DecisionKind.START, text=task, settings=settings, stamp=0.0)

    def _resume(self, task: str, settings: RunSettings) -> None:
        """Emit a second START, under the number of the last event."""
        last, stamp = self._tree.sequence, self.elapsed()
        if last:
            settings = replace(settings, resumed=True, elapsed=stamp)
            self.emit(
                Decision(last, 0, DecisionKind.START, text=task, settings=settings, stamp=stamp)
            )

    def elapsed(self) -> float:
        """Seconds since the START event, in whole nanoseconds; interruptions do not count."""
        stamp = self._log.stamp
        return stamp if stamp is not None else (time.monotonic_ns() - self._began) / 1e9

    def next_number(self) -> int:
        """The number of the next event."""
        self._number += 1
        return self._number

    @contextmanager
    def before(self, decision: Decision) -> Iterator[None]:
        """Emit other events in place of a decision: the block raises once it has emitted any."""
        self._number = decision.sequence - 1
        yield
        self._number = decision.sequence

    def decision(self, node_id: int, kind: DecisionKind, **content: Any) -> Decision:
        """A decision taken now, with the next number.

        :raises LimitReached: it would be one too many.
        """
        if kind in _COUNTED:
            self.limits.check_decision(self._tree.decisions)
        content.setdefault('stamp', self.elapsed())
        return Decision(self.next_number(), node_id, kind, **content)

    def decide(self, node_id: int, kind: DecisionKind, **content: Any) -> None:
        """Emit a decision taken now. :raises LimitReached: it would be one too many."""
        self.emit(self.decision(node_id, kind, **content))

    def grow(
        self,
        kind: DecisionKind,
        node_id: int,
        flow: ControlFlow,
        subgoals: Sequence[str],
        reason: str,
        usage: LlmUsage,
    ) -> tuple[int, ...]:
        """Grow the tree below a node: the new agent nodes, in order.

        :raises LimitReached: the decision limit.
        """
        self.decide(
            node_id,
            kind,
            text=reason,
            control_flow=flow,
            subgoals=tuple(subgoals),
            usage=usage,
        )
        control = self._tree.children(node_id)[-1]
        return tuple(child.node_id for child in self._tree.children(control.node_id))

    def emit(self, event: Event) -> None:
        """Write an event down, take it in and send it."""
        # In the log first: what others have seen must not be lost. As messages carry it, so that
        # both records have the same.
        event = self._log.take(bounded_event(event))
        if isinstance(event, Observation):
            self.newest_observation = event.sequence
        self._tree.apply(event)
        self._trajectories.apply(event)
        self._sink(event)
        for again in self._log.resumptions():
            self._sink(again)
