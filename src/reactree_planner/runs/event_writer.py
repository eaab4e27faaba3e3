"""Events of one run: numbered, stamped, written down, taken into the tree and sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from reactree_core.observation import Observation
from reactree_core.record.events import (
    bounded_event,
    ControlFlow,
    Decision,
    DecisionKind,
    Event,
    NodeStatus,
)
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import Limits, RunSettings
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trajectory import Trajectories
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.resume.run_log import RunLog, UNCOUNTED

#: Called with every event, after it is in the tree: journal, topics, views.
EventSink = Callable[[Event], None]
#: Decisions that the limits of a run count.
_COUNTED = (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND, DecisionKind.REPAIR)


class EventWriter:
    """The one way in which a run's events come about.

    :param tree: takes every event in, and :param trajectories: after it.
    :param limits: no decision is written past theirs. :param sink: called with every event.
    :param log: where events are written down, and come from while the run is resumed.
    :param bounds_depth: whether the limit of depth ends the run; else a node at it fails.
    """

    def __init__(
        self,
        tree: AgentTree,
        trajectories: Trajectories,
        limits: Limits,
        log: RunLog,
        sink: EventSink,
        bounds_depth: bool = True,
    ) -> None:
        self.tree = tree
        self._trajectories = trajectories
        #: Those that hold now.
        self.limits = limits
        if limits.seconds:
            self.limits = replace(limits, seconds=limits.seconds + log.uncounted_seconds)
        self.log = log
        self._sink = sink
        self._bounds_depth = bounds_depth
        self._number = 0
        #: Number of the newest observation; 0 before the first.
        self.newest_observation = 0
        self._began = time.monotonic_ns() - round(log.used_seconds * 1e9)

    def start(self, task: str, settings: RunSettings) -> None:
        """Emit the START of a run and let its clock begin; that of a resumed one goes on."""
        if not self.log.replaying:
            self._began = time.monotonic_ns()
        self.log.on_resumed = lambda: self._resume(task, settings)
        self.decide(0, DecisionKind.START, text=task, settings=settings, stamp=0.0)

    def replay_all(self) -> None:
        """Take in and send all that the past has left, whatever a planner would do now."""
        while (event := self.log.next_event()) is not None:
            self._number = max(self._number, event.sequence)
            self._send(event)

    def _resume(self, task: str, settings: RunSettings) -> None:
        """Emit a second START, under the number of the last event."""
        last, stamp = self.tree.sequence, self.elapsed()
        if last:
            settings = replace(settings, resumed=True, elapsed=stamp)
            self.emit(
                Decision(last, 0, DecisionKind.START, text=task, settings=settings, stamp=stamp)
            )

    def elapsed(self) -> float:
        """Seconds since the START event, in whole nanoseconds; interruptions do not count."""
        stamp = self.log.stamp
        return stamp if stamp is not None else (time.monotonic_ns() - self._began) / 1e9

    def extend(self, seconds: float) -> None:
        """Count seconds that have passed for no limit, also once the run is resumed."""
        if self.limits.seconds:
            self.limits = replace(self.limits, seconds=self.limits.seconds + seconds)
        if not self.log.replaying:
            self.log.keep(Answer(UNCOUNTED, {'seconds': seconds}))

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
            self.limits.check_decision(self.tree.decisions)
        content.setdefault('stamp', self.elapsed())
        return Decision(self.next_number(), node_id, kind, **content)

    def decide(self, node_id: int, kind: DecisionKind, **content: Any) -> None:
        """Emit a decision taken now. :raises LimitReached: it would be one too many."""
        self.emit(self.decision(node_id, kind, **content))

    def think(self, node_id: int, text: str, usage: LlmUsage = NO_USAGE, who: str = '') -> None:
        """Emit a thought, or what people should know of a robot of a team: :param who: it is."""
        self.decide(node_id, DecisionKind.THINK, text=text, usage=usage, who=who)

    def note_wait(self, what: str) -> None:
        """Emit that nothing is done until something happens."""
        self.decide(0, DecisionKind.WAIT, text=what)

    def refuse(self, node_id: int, text: str, usage: LlmUsage = NO_USAGE) -> None:
        """Emit why a written step cannot be done: a failed step that reaches no robot."""
        status = NodeStatus.FAILURE
        self.decide(node_id, DecisionKind.THINK, text=text, status=status, usage=usage)

    def conclude(
        self, node_id: int, skill: str, usage: LlmUsage = NO_USAGE, reason: str = ''
    ) -> None:
        """Emit `done` or `failure`, which end a node and reach no robot."""
        self.decide(node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage)

    def end_node(self, node_id: int, success: bool, reason: str = '') -> None:
        """Emit the end of an agent node that did not expand."""
        self.decide(node_id, DecisionKind.FINISH, text=reason, status=_status(success))

    def overrule(self, node_id: int, success: bool, reason: str) -> None:
        """End a node otherwise than its subgoals did. :raises LimitReached: the decision limit."""
        self.decide(node_id, DecisionKind.REPAIR, text=reason, status=_status(success))

    def grow(
        self,
        node_id: int,
        flow: ControlFlow,
        subgoals: Sequence[str],
        usage: LlmUsage = NO_USAGE,
        reason: str = '',
        kind: DecisionKind = DecisionKind.EXPAND,
    ) -> tuple[int, ...]:
        """Grow the tree below a node.

        :param subgoals: 1 or more. :param reason: what people may want to know about them.
        :param kind: REPAIR where others have failed, or left something out.
        :return: the new agent nodes, in order. :raises LimitReached: the depth or decision limit.
        """
        if self._bounds_depth and kind is DecisionKind.EXPAND:
            self.limits.check_depth(self.tree.node(node_id).depth + 2)
        goals = tuple(subgoals)
        self.decide(node_id, kind, text=reason, control_flow=flow, subgoals=goals, usage=usage)
        control = self.tree.children(node_id)[-1]
        return tuple(child.node_id for child in self.tree.children(control.node_id))

    def emit(self, event: Event) -> None:
        """Write an event down, take it in and send it."""
        # In the log first: what others have seen must not be lost. As messages carry it, so that
        # both records have the same.
        self._send(self.log.take(bounded_event(event)))

    def _send(self, event: Event) -> None:
        if isinstance(event, Observation):
            self.newest_observation = event.sequence
        self.tree.apply(event)
        self._trajectories.apply(event)
        self._sink(event)
        for again in self.log.resumptions():
            self._sink(again)


def _status(success: bool) -> NodeStatus:
    return NodeStatus.SUCCESS if success else NodeStatus.FAILURE
