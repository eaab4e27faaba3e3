"""One task sent to a running planner: its events as they come, its result, its cancel."""

from __future__ import annotations

import contextlib
import queue
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action.client import ClientGoalHandle

from reactree_core.errors import ReactreeError, SkillError
from reactree_core.record.events import Event
from reactree_core.record.outcome import ErrorCode
from reactree_core.record.run_settings import Ask
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient, cancel_if_taken
from reactree_core.ros.conversions import (
    duration_to_message,
    observation_from_message,
    run_id_from_message,
    run_id_to_message,
    usage_from_message,
)
from reactree_planner.ros.run_messages import decision_from_message, snapshot_from_message
from reactree_planner.ros.run_topics import PREPARING
from reactree_planner.ros.waiting import wait_for
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_tools.exit_codes import ExitCode
from reactree_tools.output import Output
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.ros.approvals import ApprovalDesk, Approvals
from reactree_tools.ros.desks import Desk
from reactree_tools.ros.questions import QuestionDesk, Questions
from reactree_tools.ros.run_at_work import RunAtWork
from reactree_tools.ros.saying import can_be_typed, say, SayingDesk
from reactree_tools.ros.session import Session, world_state
from reactree_tools.views.run_display import follow, JsonDisplay, RunDisplay, TerminalDisplay
from reactree_tools.views.summary import RunSummary

#: Seconds for a planner to be discovered; a cold start takes up to 3.5 s.
FIND_SECONDS = 8.0
#: Seconds for the planner to take or refuse the task.
ACCEPT_SECONDS = 15.0
#: Seconds without a planner on the graph after which it counts as gone.
GONE_SECONDS = 2.0
#: Seconds for a planner to hear of a cancel.
ABANDON_SECONDS = 2.0
_PERIOD = 0.05
NEVER = Ask.NEVER.value


def _name_of(code: int) -> str:
    try:
        return ErrorCode(code).name
    except ValueError:
        return str(code)


def summary_of(run_id: str, result: PlanTask.Result) -> RunSummary:
    """Read the result of a run."""
    return RunSummary(
        run_id=run_id,
        error=_name_of(result.error_code),
        error_code=result.error_code,
        message=result.error_msg,
        success=result.success,
        goal_known=result.goal_known,
        goal_met=result.goal_met,
        conditions_met=result.conditions_met,
        conditions_total=result.conditions_total,
        score=result.score if result.has_score else None,
        decisions=result.decisions,
        steps=result.steps,
        duration=result.duration,
        usage=usage_from_message(result.usage),
        tree=snapshot_from_message(result.tree),
        notices=tuple(result.notices),
        claimed=result.claimed,
        verified=tuple(result.verified),
        unread=tuple(result.unread),
        assumed=tuple(result.assumed),
        missing=tuple(result.missing),
        unknown=tuple(result.unknown),
    )


class PlanClient:
    """Subscribes first and sends then, so that no event is missed.

    Use it from one thread; callbacks come from the session's.
    """

    def __init__(self, session: Session, request: PlanRequest) -> None:
        self._session = session
        self._request = request
        self._arrived: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._result: RunSummary | None = None
        self._goal: Any = None
        self._gone_since: float | None = None
        self._preparing = ''
        node = session.node
        self._client = ActionClient(node, PlanTask, 'planner/plan_task')
        self._subscriptions = [
            node.create_subscription(
                DecisionMessage, 'planner/decisions', self._on_decision, qos.events()
            ),
            node.create_subscription(
                ObservationMessage, 'planner/observations', self._on_observation, qos.events()
            ),
        ]

    @property
    def run_id(self) -> str:
        """32 hexadecimal digits."""
        return self._request.run_id

    def _on_decision(self, message: DecisionMessage) -> None:
        if run_id_from_message(message.run_id) == self.run_id:
            self._arrived.put(decision_from_message(message))

    def _on_observation(self, message: ObservationMessage) -> None:
        if run_id_from_message(message.run_id) == self.run_id:
            self._arrived.put(observation_from_message(message))

    def find(self, stop: Callable[[], bool]) -> bool:
        """Wait for the planner and its topics; False when `stop` said so.

        :raises SkillError: there is no planner.
        """
        return self._session.find(self._matched, 'planner', FIND_SECONDS, stop)

    def _matched(self) -> bool:
        node = self._session.node
        return self._client.server_is_ready() and all(
            node.count_publishers(subscription.topic_name) for subscription in self._subscriptions
        )

    def send(self) -> None:
        """Send the task.

        :raises SkillError: the planner does not answer, or is at work on something else.
        """
        request = self._request
        goal = PlanTask.Goal(
            task=request.task,
            planner=request.planner,
            max_decisions=request.max_decisions,
            max_steps=request.max_steps,
            max_depth=request.max_depth,
            max_tokens=request.max_tokens,
            max_time=duration_to_message(request.max_time),
            ask=request.ask,
        )
        if request.resumes:
            goal.resume_run = run_id_to_message(request.run_id)
        future = self._client.send_goal_async(
            goal, self._on_feedback, run_id_to_message(request.goal_id)
        )
        self._goal = wait_for(future, ACCEPT_SECONDS)
        if self._goal is None:
            raise SkillError(
                f'The planner did not take the task within {ACCEPT_SECONDS:g} s'
                f'{self._take_back(future)} Look at its log.'
            )
        if not self._goal.accepted:
            raise SkillError(f'The planner did not accept the task: {self._occupied()}')
        self._goal.get_result_async().add_done_callback(self._on_result)

    def _take_back(self, sent: Any) -> str:
        """Cancel a task that nobody waits for any more; the rest of a sentence about it."""
        sent.add_done_callback(cancel_if_taken)
        # A planner that was held up finds both at once, and this process gone.
        goal = ClientGoalHandle(
            self._client,
            run_id_to_message(self._request.goal_id),
            PlanTask.Impl.SendGoalService.Response(),
        )
        answer = wait_for(goal.cancel_goal_async(), ABANDON_SECONDS)
        if answer is not None and answer.return_code == CancelGoal.Response.ERROR_NONE:
            return ', so it was canceled.'
        return (
            ' and does not answer to the cancel: it may still begin it. Make sure that it does '
            'not before you go near the robot.'
        )

    def _occupied(self) -> str:
        """Why the planner takes no task, as the end of a sentence."""
        work = RunAtWork(self._session)
        name = work.name()
        work.close()
        if not name:
            return 'it has just taken another one, or is not active. Look at its log.'
        namespace = self._session.namespace
        where = '' if namespace == '/' else f' --namespace {namespace}'
        return (
            f'it is at work on {name}. Wait for that to end, or cancel it: Ctrl-C in its '
            f'terminal, or `reactree cancel{where}`.'
        )

    def _on_feedback(self, message: Any) -> None:
        line = message.feedback.last_event
        self._preparing = line.removeprefix(PREPARING) if line.startswith(PREPARING) else ''

    @property
    def preparing(self) -> str:
        """How far the model is that the run waits for; '' for none."""
        return self._preparing

    def _on_result(self, future: Any) -> None:
        answer = future.result()
        if answer is None or answer.status == GoalStatus.STATUS_UNKNOWN:
            return
        self._result = summary_of(self.run_id, answer.result)
        self._arrived.put(None)

    def wait(self, seconds: float) -> list[Event]:
        """Events that have arrived, after waiting at most so long for the first."""
        events: list[Event] = []
        try:
            item = self._arrived.get(timeout=seconds)
            while True:
                if item is not None:
                    events.append(item)
                item = self._arrived.get_nowait()
        except queue.Empty:
            return events

    @property
    def result(self) -> RunSummary | None:
        """The result, once it is there."""
        return self._result

    def cancel(self) -> None:
        """Ask the planner to end the run."""
        if self._goal is not None:
            self._goal.cancel_goal_async()

    def abandon(self) -> None:
        """Cancel the run, when it can still be told, without waiting for its end."""
        if self._goal is not None and self._result is None and self._client.server_is_ready():
            with contextlib.suppress(TimeoutError):
                self._session.wait(self._goal.cancel_goal_async(), ABANDON_SECONDS)

    def close(self) -> None:
        """Hear no more of the run; for sessions that go on to others."""
        for subscription in self._subscriptions:
            self._session.node.destroy_subscription(subscription)
        self._client.destroy()

    def trouble(self) -> str:
        """A sentence when the planner has left the graph."""
        if self._client.server_is_ready():
            self._gone_since = None
            return ''
        now = time.monotonic()
        self._gone_since = self._gone_since if self._gone_since is not None else now
        if now - self._gone_since < GONE_SECONDS:
            return ''
        return (
            'The planner is gone; the run has no result. Its journal keeps what was done. '
            "Look at the planner's log, start it again, and go on with: "
            f'reactree plan --resume {self.run_id}'
        )


#: Seconds beyond the planner's own time limit before this side cancels.
TIME_MARGIN = 20.0


def send_task(
    session: Session,
    request: PlanRequest,
    output: Output,
    interrupts: Interrupts,
    as_json: bool = False,
    full: bool = False,
    trouble: Callable[[], str] = lambda: '',
) -> ExitCode:
    """Send a task, show the run, and say how it ended.

    :param trouble: a sentence when the run cannot go on for a reason outside of it.
    :raises SkillError: there is no planner, it does not take the task, or it is gone.
    """
    display: RunDisplay = (
        JsonDisplay(output) if as_json else TerminalDisplay(output, request.task, full)
    )
    if not request.ask and (as_json or not sys.stdin.isatty()):
        # Nobody is there to answer.
        request = replace(request, ask=NEVER)
    client = PlanClient(session, request)
    desks: list[Desk[Any]] = [
        ApprovalDesk(Approvals(session, request.run_id), output, not as_json, display.hold)
    ]
    if not as_json and sys.stdin.isatty() and request.ask != NEVER:
        questions = Questions(session, request.run_id)
        desks.append(QuestionDesk(questions, output, True, display.hold))

    words: SayingDesk | None = None
    if not as_json and can_be_typed():
        words = SayingDesk(partial(say, session, run_id=client.run_id), output, display.hold)

    def attend() -> None:
        if words is not None and any(desk.waits for desk in desks):
            # Before a desk takes the keyboard: each gives it back as it found it.
            words.pause()
        for desk in desks:
            desk.tick()
        if words is not None and not any(desk.busy or desk.waits for desk in desks):
            words.tick()

    def close() -> None:
        if words is not None:
            words.close()
        for desk in desks:
            desk.close()

    if not client.find(interrupts.requested.is_set):
        return ExitCode.INTERRUPTED
    client.send()
    limit = request.max_time + TIME_MARGIN if request.max_time else None
    with ExitStack() as on_failure:
        # A run that nobody watches any more (a closed pipe, a dead node) is not left running.
        on_failure.callback(client.abandon)
        on_failure.callback(close)
        summary = follow(client, display, interrupts, limit, trouble, attend)
        close()
        on_failure.pop_all()
    if summary is None:
        output.warn(
            'Canceled; the planner has not confirmed it. A skill may still be running: look at '
            "the robot, and at the planner's log."
        )
        return ExitCode.INTERRUPTED
    display.summary(with_conditions(session, summary))
    return ExitCode.INTERRUPTED if interrupts.requested.is_set() else summary.exit_code


def with_conditions(session: Session, summary: RunSummary) -> RunSummary:
    """The summary with a line for each goal condition, when the bridge still can report.

    The bridge judges the task that is loaded, whatever sentence the planner was given.
    """
    if not summary.goal_known:
        return summary
    try:
        state = world_state(session)
    except ReactreeError:
        return summary
    notices = summary.notices
    if state.instruction and state.instruction != summary.tree.task:
        notices += (f'the goal is that of the loaded task: {state.instruction}',)
    return replace(summary, conditions=state.conditions, notices=notices)


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The goal of PlanTask; 0 leaves a limit to the planner's parameters.

    :param task: up to 2000 characters; '' takes the task loaded in the bridge.
    :param max_time: seconds.
    :param run_id: of the run to come, or to go on with; 32 hexadecimal digits.
    :param resumes: whether the run has been begun and was interrupted.
    :param ask: when people are asked; '' leaves it to the planner's parameter.
    """

    task: str = ''
    planner: str = ''
    max_decisions: int = 0
    max_steps: int = 0
    max_depth: int = 0
    max_tokens: int = 0
    max_time: float = 0.0
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    resumes: bool = False
    ask: str = ''

    @property
    def goal_id(self) -> str:
        """Of the action goal: that of its run, but no id may be used twice."""
        return uuid.uuid4().hex if self.resumes else self.run_id
