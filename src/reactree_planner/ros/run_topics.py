"""What a run publishes: decisions, observations, the tree, and feedback on its goal."""

from __future__ import annotations

from typing import Protocol

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, Event
from reactree_core.record.questions import Question
from reactree_core.record.snapshot import AgentTree
from reactree_core.ros import qos
from reactree_core.ros.conversions import bounded, observation_to_message, run_id_to_message
from reactree_core.ros.fields import bounded_name
from reactree_planner.resume.run_log import RunLog
from reactree_planner.ros.run_messages import decision_to_message, TreeMessages
from reactree_planner.runs.approval_gate import ApprovalState, SkillRequest
from reactree_planner.runs.open_questions import QuestionState
from reactree_ros.action import PlanTask
from reactree_ros.msg import ApprovalRequest
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import Question as QuestionMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage

_NO_RUN = '0' * 32
#: Begins the feedback of a run that waits for its model; that of events begins with a number.
PREPARING = 'model '


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

    def tell_preparing(self, line: str) -> None:
        """Tell what the run waits for before it goes on, as feedback on its goal."""
        handle = self._handle
        if handle is None or not handle.is_active:
            return
        tree = self.tree
        handle.publish_feedback(
            PlanTask.Feedback(
                decisions=tree.decisions,
                steps=tree.steps,
                active_node_id=tree.active_node_id,
                active_goal=bounded(self._task),
                last_event=bounded(f'{PREPARING}{line}'),
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
