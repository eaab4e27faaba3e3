"""What a run says the graph: decisions, observations, the tree, and feedback on its goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from reactree_core.observation import Observation
from reactree_core.record.events import (
    ControlFlow,
    Decision,
    DecisionKind,
    Event,
    NodeKind,
    NodeStatus,
    WITH_GOAL,
)
from reactree_core.record.goal_record import GoalRecord, NO_GOAL
from reactree_core.record.questions import Question
from reactree_core.record.run_settings import (
    ask_of,
    kept_of,
    Limits,
    NO_SETTINGS,
    policy_of,
    RunSettings,
    settings_of_lines,
)
from reactree_core.record.snapshot import AgentTree, TreeNode, TreeSnapshot
from reactree_core.ros import qos
from reactree_core.ros.conversions import (
    bounded,
    link_from_message,
    link_to_message,
    observation_to_message,
    run_id_to_message,
    time_to_message,
    usage_from_message,
    usage_to_message,
)
from reactree_core.ros.fields import bounded_name
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.approval_gate import ApprovalState, SkillRequest
from reactree_planner.runs.open_questions import QuestionState
from reactree_ros.action import PlanTask
from reactree_ros.msg import ApprovalRequest
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Goal as GoalMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import Question as QuestionMessage
from reactree_ros.msg import RunSettings as RunSettingsMessage
from reactree_ros.msg import TreeNode as TreeNodeMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage

_NO_RUN = '0' * 32


def line_of(event: Event) -> str:
    """One line about an event, for feedback and logs."""
    if isinstance(event, Observation):
        return f'{event.node_id}: {event.text}'
    what = event.skill or ', '.join(event.subgoals) or event.text
    return f'{event.node_id}: {event.kind.name.lower()} {what}'


class PublishedEvents(Protocol):
    """What is asked of a run that is published."""

    #: What its events came to.
    tree: AgentTree
    #: Tells how long it took before it was resumed.
    log: RunLog

    def elapsed(self) -> float:
        """Seconds since it began."""


class RunTopics:
    """Publishers of the planner: of events, the tree, and what is asked of people."""

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock()

        def publisher(kind: type, name: str, profile: QoSProfile) -> Publisher:
            return node.create_publisher(
                kind, f'~/{name}', profile, qos_overriding_options=qos.overridable()
            )

        # Kept, so that a recorder that comes late misses nothing of a run.
        self._decisions = publisher(DecisionMessage, 'decisions', qos.kept_events())
        self._observations = publisher(ObservationMessage, 'observations', qos.kept_events())
        self._trees = publisher(TreeSnapshotMessage, 'tree', qos.latched())
        self._approvals = publisher(ApprovalRequest, 'approvals', qos.latched())
        self._questions = publisher(QuestionMessage, 'questions', qos.latched())
        self._messages = TreeMessages(_NO_RUN)
        self._run_id = _NO_RUN
        self._task = ''
        self._shared_memory = self._robot = ''
        #: Start of the run in the node's clock, in nanoseconds; None until its first event.
        self._began: int | None = None
        self._handle: ServerGoalHandle | None = None
        #: Newest tree, as published.
        self.tree = TreeSnapshotMessage()

    def begin(
        self, run_id: str, handle: ServerGoalHandle, shared_memory: str = '', robot: str = ''
    ) -> None:
        """What follows belongs to this run.

        :param shared_memory: working memory that its observations fill; '' for the run's own.
        :param robot: who this is there.
        """
        self._run_id = run_id
        self._shared_memory, self._robot = bounded_name(shared_memory), bounded_name(robot)
        self._handle = handle
        self._began = None
        self._messages = TreeMessages(run_id)

    def publish(self, event: Event, task: str, run: PublishedEvents) -> None:
        """Tell of an event, the tree after it, and how far the goal has come.

        :param task: the sentence.
        """
        self._task = task
        if self._began is None:
            self._began = self._clock.now().nanoseconds - round(run.log.used_seconds * 1e9)
        # Exactly, so that a record of the messages has the events as they were.
        if isinstance(event, Observation):
            observation = observation_to_message(event, self._run_id)
            observation.header.stamp = self._time(event.stamp)
            observation.shared_memory, observation.robot = self._shared_memory, self._robot
            self._observations.publish(observation)
        else:
            decision = decision_to_message(event, self._run_id, 0.0)
            decision.header.stamp = self._time(event.stamp)
            self._decisions.publish(decision)
        self.tree = self._messages.message(run.tree.snapshot(), 0.0)
        self.tree.header.stamp = self._time(run.elapsed())
        self._trees.publish(self.tree)
        if isinstance(event, Decision):
            self._give_feedback(event, run.tree)

    def _give_feedback(self, event: Decision, tree: AgentTree) -> None:
        handle = self._handle
        if handle is None or not handle.is_active:
            return
        active = event.node_id
        handle.publish_feedback(
            PlanTask.Feedback(
                decisions=tree.decisions,
                steps=tree.steps,
                active_node_id=active,
                active_goal=bounded(tree.node(active).goal if active else self._task),
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

    def are_questions_watched(self) -> bool:
        """Whether somebody who could answer would see a question."""
        watching: int = self._questions.get_subscription_count()
        return watching > 0

    def tell_question(
        self, question: Question, state: QuestionState, seconds: float, answer: str, by: str
    ) -> None:
        """Tell of a question that is open for `~/answer_question`, or what became of it.

        :param seconds: until its default is taken. :param by: who answered.
        """
        now = self._clock.now()
        message = QuestionMessage(
            run_id=run_id_to_message(self._run_id),
            number=question.number,
            node_id=question.node_id,
            state=int(state),
            text=bounded(question.text),
            options=[bounded(option) for option in question.options],
            default_answer=bounded(question.default),
            task=bounded(self._task),
            deadline=(now + Duration(nanoseconds=round(seconds * 1e9))).to_msg(),
            answer=bounded(answer),
            answered_by=bounded(by),
        )
        message.header.stamp = now.to_msg()
        self._questions.publish(message)


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


def decision_from_message(message: DecisionMessage, began: float = 0.0) -> Decision:
    """Decision of a message; stamps count from `began`."""
    # Divided, not multiplied: 1e-9 has no exact float, and its error would show.
    stamp = message.header.stamp.sec + message.header.stamp.nanosec / 1e9 - began
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
