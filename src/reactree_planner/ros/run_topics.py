"""What a run tells the graph: decisions, observations, the tree, and feedback on its goal."""

from __future__ import annotations

from typing import Protocol

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rclpy.duration import Duration
from rclpy.node import Node

from reactree_core.observation import Observation
from reactree_core.ros import qos
from reactree_core.ros.conversions import bounded
from reactree_core.ros.conversions import observation_to_message
from reactree_core.ros.conversions import run_id_to_message
from reactree_planner.resume.run_log import RunLog
from reactree_planner.ros.conversions import decision_to_message
from reactree_planner.ros.conversions import TreeMessages
from reactree_planner.runs.gate import ApprovalState
from reactree_planner.runs.gate import SkillRequest
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import AgentTree
from reactree_ros.action import PlanTask
from reactree_ros.msg import ApprovalRequest
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage

_NO_RUN = '0' * 32


def line_of(event: Event) -> str:
    """One line about an event, for feedback and logs."""
    if isinstance(event, Observation):
        return f'{event.node_id}: {event.text}'
    subgoals = ', '.join(event.subgoals)
    what = subgoals if event.kind is DecisionKind.EXPAND else event.skill or event.text
    return f'{event.node_id}: {event.kind.name.lower()} {what}'


class PublishedRun(Protocol):
    """What is asked of a run that is published."""

    @property
    def task(self) -> str:
        """The sentence."""

    @property
    def tree(self) -> AgentTree:
        """What its events came to."""

    @property
    def log(self) -> RunLog:
        """Tells how long it took before it was resumed."""

    def elapsed(self) -> float:
        """Seconds since it began."""


class RunTopics:
    """Publishers `~/decisions`, `~/observations`, `~/tree` and `~/approvals` of the planner."""

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock()
        # Kept, so that a recorder that comes late misses nothing of a run.
        self._decisions = node.create_publisher(DecisionMessage, '~/decisions', qos.kept_events())
        self._observations = node.create_publisher(
            ObservationMessage, '~/observations', qos.kept_events()
        )
        self._trees = node.create_publisher(TreeSnapshotMessage, '~/tree', qos.latched())
        self._approvals = node.create_publisher(ApprovalRequest, '~/approvals', qos.latched())
        self._messages = TreeMessages(_NO_RUN)
        self._run_id = _NO_RUN
        #: Start of the run in the node's clock, in nanoseconds; None until its first event.
        self._began: int | None = None
        self._handle: ServerGoalHandle | None = None
        #: Newest tree, as published.
        self.tree = TreeSnapshotMessage()

    def begin(self, run_id: str, handle: ServerGoalHandle) -> None:
        """What follows belongs to this run."""
        self._run_id = run_id
        self._handle = handle
        self._began = None
        self._messages = TreeMessages(run_id)

    def publish(self, event: Event, run: PublishedRun) -> None:
        """Tell of an event, the tree after it, and how far the goal has come."""
        if self._began is None:
            self._began = self._clock.now().nanoseconds - round(run.log.used_seconds * 1e9)
        # Exactly, so that a record of the messages has the events as they were.
        if isinstance(event, Observation):
            observation = observation_to_message(event, self._run_id)
            observation.header.stamp = self._time(event.stamp)
            self._observations.publish(observation)
        else:
            decision = decision_to_message(event, self._run_id, 0.0)
            decision.header.stamp = self._time(event.stamp)
            self._decisions.publish(decision)
        self.tree = self._messages.message(run.tree.snapshot(), 0.0)
        self.tree.header.stamp = self._time(run.elapsed())
        self._trees.publish(self.tree)
        if isinstance(event, Decision):
            self._give_feedback(event, run)

    def _give_feedback(self, event: Decision, run: PublishedRun) -> None:
        handle = self._handle
        if handle is None or not handle.is_active:
            return
        active = event.node_id
        handle.publish_feedback(
            PlanTask.Feedback(
                decisions=run.tree.decisions,
                steps=run.tree.steps,
                active_node_id=active,
                active_goal=bounded(run.tree.node(active).goal if active else run.task),
                last_event=bounded(line_of(event)),
            )
        )

    def _time(self, stamp: float) -> Time:
        """Seconds since the run's start as a time of the node's clock."""
        sec, nanosec = divmod((self._began or 0) + round(stamp * 1e9), 1_000_000_000)
        return Time(sec=sec, nanosec=nanosec)

    def tell_approval(self, request: SkillRequest, state: ApprovalState, seconds: float) -> None:
        """Tell of a skill that waits for `~/resolve_approval`, or what became of it.

        :param seconds: until it counts as refused.
        """
        now = self._clock.now()
        message = ApprovalRequest(
            run_id=run_id_to_message(request.run_id),
            sequence=request.sequence,
            node_id=request.node_id,
            state=int(state),
            skill=bounded(request.skill),
            goal=bounded(request.goal),
            place=bounded(request.place),
            room=bounded(request.room),
            reason=bounded(request.reason),
            task=bounded(request.task),
            deadline=(now + Duration(nanoseconds=round(seconds * 1e9))).to_msg(),
        )
        message.header.stamp = now.to_msg()
        self._approvals.publish(message)
