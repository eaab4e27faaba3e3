"""Decisions and trees of a run as messages, and back."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.record.events import (
    ControlFlow,
    Decision,
    DecisionKind,
    NodeKind,
    NodeStatus,
    WITH_GOAL,
)
from reactree_core.record.goal_record import GoalRecord, NO_GOAL
from reactree_core.record.run_settings import (
    ask_of,
    kept_of,
    Limits,
    NO_SETTINGS,
    policy_of,
    RunSettings,
    settings_of_lines,
)
from reactree_core.record.snapshot import TreeNode, TreeSnapshot
from reactree_core.ros.conversions import (
    bounded,
    link_from_message,
    link_to_message,
    run_id_to_message,
    time_to_message,
    usage_from_message,
    usage_to_message,
)
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Goal as GoalMessage
from reactree_ros.msg import RunSettings as RunSettingsMessage
from reactree_ros.msg import TreeNode as TreeNodeMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage


def decision_to_message(decision: Decision, run_id: str, began: float) -> DecisionMessage:
    """Decision as a message.

    :param began: start of the run in the node's clock, seconds; stamps count from it.
    """
    message = DecisionMessage()
    message.header.stamp = time_to_message(began + decision.stamp)
    message.run_id = run_id_to_message(run_id)
    message.sequence = decision.sequence
    message.node_id = decision.node_id
    message.kind = int(decision.kind)
    message.text = bounded(decision.text)
    message.skill = bounded(decision.skill)
    message.control_flow = int(decision.control_flow)
    message.subgoals = [bounded(subgoal) for subgoal in decision.subgoals]
    message.status = int(decision.status)
    message.ties = [bounded(tie) for tie in decision.ties]
    message.usage = usage_to_message(decision.usage)
    message.allowed_by = bounded(decision.allowed_by)
    message.approver = bounded(decision.approver)
    message.undone_by = bounded(decision.undone_by)
    message.who = bounded(decision.who)
    message.link = link_to_message(decision.link)
    if decision.kind in WITH_GOAL:
        message.goal = _goal_to_message(decision.goal)
    if decision.kind is DecisionKind.START:
        message.settings = [_settings_to_message(decision.settings)]
    return message


def _goal_to_message(goal: GoalRecord) -> list[GoalMessage]:
    """A reading as a message; none for a task that was not read."""
    if goal == NO_GOAL:
        return []
    return [
        GoalMessage(
            milestones=[bounded(one) for one in goal.milestones],
            sources=[bounded(one) for one in goal.sources],
            unread=[bounded(one) for one in goal.unread],
            left_to_model=[bounded(one) for one in goal.left_to_model],
            words=[bounded(one) for one in goal.words],
            accounts=[bounded(one) for one in goal.accounts],
            language=goal.language,
            read_by=goal.read_by,
            whole=goal.whole,
            acts=goal.acts,
            trigger=bounded(goal.trigger),
        )
    ]


def _goal_from_message(messages: Sequence[GoalMessage]) -> GoalRecord:
    if not messages:
        return NO_GOAL
    goal = messages[0]
    return GoalRecord(
        tuple(goal.milestones),
        tuple(goal.sources),
        tuple(goal.unread),
        tuple(goal.left_to_model),
        tuple(goal.words),
        tuple(goal.accounts),
        goal.language,
        goal.read_by,
        goal.whole,
        goal.acts,
        goal.trigger,
    )


def _settings_to_message(settings: RunSettings) -> RunSettingsMessage:
    limits = settings.limits
    return RunSettingsMessage(
        planner=settings.planner,
        parallel_policy=settings.parallel_policy.value,
        kept=settings.kept.value,
        undo=settings.undo,
        domain=settings.domain,
        recall=settings.recall,
        scene=settings.scene,
        world_task=settings.world_task,
        skills_before=settings.skills_before,
        max_decisions=limits.decisions,
        max_steps=limits.steps,
        max_depth=limits.depth,
        max_tokens=limits.tokens,
        max_time=limits.seconds,
        max_cost=limits.cost,
        resumed=settings.resumed,
        elapsed=settings.elapsed,
        ask=settings.ask.value,
        preset=settings.preset,
        free_endings=settings.free_endings,
    )


def decision_from_message(message: DecisionMessage) -> Decision:
    """Decision of a message."""
    # Divided, not multiplied: 1e-9 has no exact float, and its error would show.
    stamp = message.header.stamp.sec + message.header.stamp.nanosec / 1e9
    return Decision(
        message.sequence,
        message.node_id,
        DecisionKind(message.kind),
        message.text,
        message.skill,
        ControlFlow(message.control_flow),
        tuple(message.subgoals),
        NodeStatus(message.status),
        stamp,
        usage_from_message(message.usage),
        _settings_from_message(message),
        tuple(message.ties),
        _goal_from_message(message.goal),
        message.allowed_by,
        message.approver,
        message.undone_by,
        message.who,
        link_from_message(message.link),
    )


def _settings_from_message(message: DecisionMessage) -> RunSettings:
    """What a START says. :raises ValueError: a value is out of range."""
    if message.kind != DecisionMessage.KIND_START:
        return NO_SETTINGS
    if not message.settings:
        return settings_of_lines(message.subgoals)  # an older recording
    sent = message.settings[0]
    return RunSettings(
        sent.planner,
        policy_of(sent.parallel_policy),
        kept_of(sent.kept, sent.planner),
        sent.undo,
        sent.domain,
        sent.recall,
        sent.scene,
        sent.world_task,
        sent.skills_before,
        Limits(
            sent.max_decisions,
            sent.max_steps,
            sent.max_depth,
            sent.max_tokens,
            sent.max_time,
            sent.max_cost,
        ),
        sent.resumed,
        sent.elapsed,
        ask_of(sent.ask),
        sent.preset,
        sent.free_endings,
    )


def node_to_message(node: TreeNode) -> TreeNodeMessage:
    """Tree node as a message."""
    return TreeNodeMessage(
        node_id=node.node_id,
        parent_id=node.parent_id,
        depth=node.depth,
        kind=int(node.kind),
        status=int(node.status),
        goal=bounded(node.goal),
        detail=bounded(node.detail),
        decisions=node.decisions,
        steps=node.steps,
        started=node.started,
        ended=node.ended,
    )


def node_from_message(message: TreeNodeMessage) -> TreeNode:
    """Tree node of a message."""
    return TreeNode(
        message.node_id,
        message.parent_id,
        message.depth,
        NodeKind(message.kind),
        NodeStatus(message.status),
        message.goal,
        message.detail,
        message.decisions,
        message.steps,
        message.started,
        message.ended,
    )


class TreeMessages:
    """Snapshots of one run as messages; nodes that did not change are converted once."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id_to_message(run_id)
        self._known: dict[int, tuple[TreeNode, TreeNodeMessage]] = {}

    def message(self, snapshot: TreeSnapshot, stamp: float) -> TreeSnapshotMessage:
        """A snapshot as a message. :param stamp: seconds in the node's clock."""
        message = TreeSnapshotMessage()
        message.header.stamp = time_to_message(stamp)
        message.run_id = self._run_id
        message.task = bounded(snapshot.task)
        message.planner = snapshot.planner
        message.sequence = snapshot.sequence
        message.decisions = snapshot.decisions
        message.steps = snapshot.steps
        message.finished = snapshot.finished
        message.active_node_id = snapshot.active_node_id
        message.must_not = [bounded(line) for line in snapshot.must_not]
        message.wanted = [bounded(line) for line in snapshot.wanted]
        message.ties = [bounded(line) for line in snapshot.ties]
        message.goal = _goal_to_message(snapshot.goal)
        message.milestones_met = snapshot.milestones_met
        message.corrections = [bounded(line) for line in snapshot.corrections]
        message.waiting_for = bounded(snapshot.waiting_for)
        message.firings = snapshot.firings
        message.firings_done = snapshot.firings_done
        message.nodes = [self._node(node) for node in snapshot.nodes]
        return message

    def _node(self, node: TreeNode) -> TreeNodeMessage:
        known = self._known.get(node.node_id)
        if known is None or known[0] is not node:
            known = (node, node_to_message(node))
            self._known[node.node_id] = known
        return known[1]


def snapshot_from_message(message: TreeSnapshotMessage) -> TreeSnapshot:
    """Tree of a message."""
    return TreeSnapshot(
        message.task,
        message.planner,
        message.sequence,
        message.decisions,
        message.steps,
        message.finished,
        message.active_node_id,
        tuple(node_from_message(node) for node in message.nodes),
        tuple(message.must_not),
        tuple(message.wanted),
        tuple(message.ties),
        _goal_from_message(message.goal),
        message.milestones_met,
        tuple(message.corrections),
        message.waiting_for,
        message.firings,
        message.firings_done,
    )
