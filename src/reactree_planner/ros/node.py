"""The planner node: PlanTask in, skills out, every decision a message."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rclpy.action import GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import SetBool
from std_srvs.srv import Trigger

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.permission.kept_ledger import ledger_of
from reactree_core.permission.rules_file import read_rules
from reactree_core.ports import LanguageModel
from reactree_core.ros.actions import ActionServer
from reactree_core.ros.conversions import bounded
from reactree_core.ros.conversions import duration_from_message
from reactree_core.ros.conversions import run_id_from_message
from reactree_core.ros.conversions import usage_to_message
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.fields import bounded_names
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.ros.parameter_specs import read_all
from reactree_core.ros.spinning import run_node
from reactree_core.skill_vocabulary import SkillVocabulary
from reactree_domains.domain import load_domain
from reactree_planner.llm.registry import load_model
from reactree_planner.llm.registry import ModelOptions
from reactree_planner.planners.registry import planner_names
from reactree_planner.resume.recorded_model import load_recorded_people
from reactree_planner.ros.camera_client import RosPictures
from reactree_planner.ros.health import PlannerHealth
from reactree_planner.ros.memory_client import RosMemory
from reactree_planner.ros.parameters import deadlines_of
from reactree_planner.ros.parameters import model_options_of
from reactree_planner.ros.parameters import PARAMETERS
from reactree_planner.ros.resumption import Resumption
from reactree_planner.ros.run_topics import RunTopics
from reactree_planner.ros.run_worker import RunReport
from reactree_planner.ros.run_worker import RunRequest
from reactree_planner.ros.run_worker import RunWorker
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs.gate import Gate
from reactree_planner.runs.open_questions import OpenQuestions
from reactree_planner.runs.outcome import ErrorCode
from reactree_planner.runs.outcome import RunOutcome
from reactree_planner.runs.questions import People
from reactree_planner.tree.journal import journal_directory
from reactree_planner.tree.run_settings import Ask
from reactree_ros.action import PlanTask
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage
from reactree_ros.srv import AnswerQuestion
from reactree_ros.srv import GetTree
from reactree_ros.srv import ResolveApproval

#: Longest task, in characters.
TASK_LIMIT = 2000
#: Seconds that a run which is canceled gets for its last records.
_LAST_WORDS = 3.0
#: Seconds from the acceptance of a goal to its run; if they pass, others are accepted again.
_BEGINNING = 5.0


class PlannerNode(ManagedNode):
    """Node `planner`. Its ROS surface:

    Action server: `~/plan_task` (PlanTask), one goal at a time.
    Publishers: `~/decisions` (Decision), `~/observations` (Observation), `~/tree`
    (TreeSnapshot, latched), `~/approvals` (ApprovalRequest, latched), `~/questions` (Question,
    latched), `/diagnostics` (DiagnosticArray).
    Services: `~/get_tree` (GetTree), `~/resolve_approval` (ResolveApproval),
    `~/answer_question` (AnswerQuestion), `~/pause` (SetBool), `~/step` (Trigger).
    Clients: `bridge/execute_skill`, `bridge/list_skills`, `bridge/get_world_state`,
    `bridge/reset_world`, `bridge/snapshot_world`, `memory/*`. Subscribes `bridge_status`.
    Parameters: table PARAMETERS of reactree_planner.ros.parameters.

    :param load: makes the language model from parameter `model`. :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the model's name is unknown.
    """

    #: ROS destroys nodes too that could not be made.
    _model: LanguageModel | None = None
    _thread: threading.Thread | None = None

    def __init__(
        self, load: Callable[[str, ModelOptions], LanguageModel] = load_model, **options: Any
    ) -> None:
        super().__init__('planner', PARAMETERS, **options)
        self._load = load
        self._model_lock = threading.Lock()
        self._worker: RunWorker | None = None
        self._slot = threading.Lock()
        #: Until when the goal that was accepted last may begin its run.
        self._begins_until = 0.0
        self._health = PlannerHealth()
        self._words: SkillVocabulary | None = None
        #: Where the model is that of an earlier run, its people answer too.
        self._recorded_people: People | None = None
        self._resumption: Resumption | None = None
        self._server: ActionServer | None = None
        self._live = LiveValues(self, PARAMETERS)
        self.begin()

    # The lifecycle -----------------------------------------------------------------------

    def configure(self) -> None:
        """Load the model and the words of the robot.

        :raises ConfigurationError: one of them cannot be used.
        """
        values = read_all(self, PARAMETERS)
        kind, _, journal = values.model.partition(':')
        self._recorded_people = (
            load_recorded_people(Path(journal)) if kind == 'recorded' and journal else None
        )
        words = values.skill_vocabulary
        self._words = SkillVocabulary.load(Path(words).expanduser()) if words else None
        if values.domain:
            # A typing error shows now, not with the first task.
            load_domain(values.domain)
        # A mistake in the file shows now, before anything moves.
        rules = read_rules(values.permission)
        folder = journal_directory(self._live.journal_directory)
        self._permission = rules, ledger_of(rules, self.get_fully_qualified_name(), folder)
        self._load_first(values)
        # Whoever finds the action finds the model loaded.
        if self._server is None:
            self._serve()

    def activate(self) -> None:
        """Take goals from now on, and go on with an interrupted run where that is wanted."""
        self._resumption = Resumption(self, journal_directory(self._live.journal_directory))
        if self._live.resume_within:
            self._resumption.resume(self._live.resume_within)

    def deactivate(self) -> None:
        """Cancel the running goal, and wait until its client has the result."""
        if self._resumption is not None:
            self._resumption.close()
        self._end_run('The planner was deactivated: activate it, then give the task again.')

    def cleanup(self) -> None:
        """Let the model go.

        :raises ModelError: a run that was canceled still uses it.
        """
        if self.is_working:
            raise ModelError(
                'The model still works for the run that was canceled: clean up when it has ended.'
            )
        with self._model_lock:
            if self._model is not None:
                self._model.close()
            self._model = None
        self._words = self._recorded_people = None

    def _serve(self) -> None:
        live = self._live
        self._topics = RunTopics(self)
        self._gate = Gate(
            lambda: live.require_approval,
            lambda: live.approval_timeout,
            self._topics.tell_approval,
        )
        self._questions = OpenQuestions(
            self._topics.are_questions_watched,
            lambda: live.question_timeout,
            self._topics.tell_question,
        )
        self._skills = RosSkillServer(self, lambda: deadlines_of(live))
        self._pictures = RosPictures(self, lambda: live.service_timeout)
        self._memory = RosMemory(self, lambda: live.memory_timeout, self._notice)
        group = ReentrantCallbackGroup()
        ControlServices(self, group, self._gate, self._questions, self._topics)
        self._server = ActionServer(
            self,
            PlanTask,
            '~/plan_task',
            self._execute,
            self._accept,
            self._cancel,
            callback_group=group,
        )

    def health(self) -> Health:
        """Model, robot and runs."""
        return self._health.read(self._model, self._worker, self._skills, self._gate.paused)

    # The model ---------------------------------------------------------------------------

    def _load_first(self, values: Any) -> None:
        try:
            self._load_model()
        except ModelError as error:
            if not values.model.startswith(('http://', 'https://')):
                raise ConfigurationError(str(error)) from error
            # A server may come up later; every goal tries again.
            self._health.model_fault = str(error)
            self.get_logger().error(str(error))

    def _load_model(self) -> LanguageModel:
        with self._model_lock:
            if self._model is None:
                values = read_all(self, PARAMETERS)
                model = self._load(values.model, model_options_of(values))
                self._model = model
                self._health.model_fault = ''
                self.get_logger().info(f'model {model.name} loaded')
            return self._model

    # The action --------------------------------------------------------------------------

    def _accept(self, goal: PlanTask.Goal) -> GoalResponse:
        if not self.is_active:
            self.get_logger().warning(f'goal rejected: {self.refusal}')
            return GoalResponse.REJECT
        # Two goals may come before the first of them has begun its run.
        with self._slot:
            worker = self._worker
            if worker is None and time.monotonic() >= self._begins_until:
                self._begins_until = time.monotonic() + _BEGINNING
                return GoalResponse.ACCEPT
        busy = 'another goal has just been accepted'
        if worker is not None:
            busy = f'busy with "{worker.request.task[:80]}" (run {worker.request.run_id[:8]})'
        self.get_logger().warning(f'goal rejected: {busy}; cancel it first')
        return GoalResponse.REJECT

    def _cancel(self, handle: ServerGoalHandle) -> None:
        worker = self._worker
        if worker is not None and worker.request.goal_id == bytes(handle.goal_id.uuid).hex():
            worker.cancel.cancel()

    def _objection(self, goal: PlanTask.Goal) -> RunOutcome | None:
        if len(goal.task) > TASK_LIMIT:
            return RunOutcome(
                ErrorCode.INVALID_TASK,
                f'The task has {len(goal.task)} characters, at most {TASK_LIMIT} '
                'are taken: say it shorter.',
            )
        if goal.planner and goal.planner not in planner_names():
            return RunOutcome(
                ErrorCode.UNKNOWN_PLANNER,
                f'There is no planner "{goal.planner[:80]}". Choose one of: '
                f'{", ".join(planner_names())}.',
            )
        known = [ask.value for ask in Ask]
        if goal.ask and goal.ask not in known:
            return RunOutcome(
                ErrorCode.INVALID_TASK,
                f'The field ask of the goal is "{bounded(goal.ask, 80)}": set one of '
                f'{", ".join(known)}, or leave it empty.',
            )
        return None

    async def _execute(self, handle: ServerGoalHandle) -> PlanTask.Result:
        goal = handle.request
        objection = self._objection(goal)
        if objection is not None:
            self._begins_until = 0.0
            handle.abort()
            return self._result(RunReport(objection))
        goal_id = bytes(handle.goal_id.uuid).hex()
        resumed = run_id_from_message(goal.resume_run)
        resumes = bool(resumed.strip('0'))
        request = RunRequest(
            resumed if resumes else goal_id,
            bounded(goal.task),
            goal.planner,
            goal.max_decisions,
            goal.max_steps,
            goal.max_depth,
            goal.max_tokens,
            duration_from_message(goal.max_time),
            goal_id,
            resumes,
            goal.ask,
        )
        with self._slot:
            if self._worker is not None:
                handle.abort()
                return self._result(
                    RunReport(
                        RunOutcome(
                            ErrorCode.INVALID_TASK, 'The planner is busy with another task.'
                        )
                    )
                )
            values = read_all(self, PARAMETERS)
            self._memory.begin(
                request.run_id, values.memory, values.shared_memory, values.robot_name
            )
            self._questions.run_id = request.run_id
            worker = RunWorker(
                request,
                values,
                self._load_model,
                self._skills,
                self._words,
                self._memory,
                self._gate,
                self._recorded_people or self._questions,
                self._pictures,
                self._topics.publish,
                self._permission,
                self.get_logger(),
            )
            self._worker = worker
            self._begins_until = 0.0
            self._topics.begin(
                request.run_id, handle, self._memory.shared_memory, self._memory.robot
            )
        self.get_logger().debug(
            f'plan_task {request.run_id}: "{request.task[:200]}"{", resumed" if resumes else ""}'
        )
        if handle.is_cancel_requested or not self.is_active:
            worker.cancel.cancel()
        # Planning waits and computes: on its own thread, never in a callback.
        finished: Future = Future(executor=self.executor)
        self._thread = threading.Thread(target=self._work, args=(worker, finished))
        self._thread.start()
        await finished
        self._worker = None
        return self._conclude(handle, worker.report)

    def _work(self, worker: RunWorker, finished: Future) -> None:
        assert self._resumption is not None
        self._resumption.begin_run(worker.request.run_id)
        try:
            worker.execute()
        finally:
            self._resumption.end_run()
            finished.set_result(None)
            # A future done in another thread does not wake a waiting executor by itself.
            executor = self.executor
            if executor is not None:
                executor.wake()

    def _conclude(self, handle: ServerGoalHandle, report: RunReport) -> PlanTask.Result:
        outcome = report.outcome
        self._health.ended(outcome)
        if outcome.code is ErrorCode.NONE:
            handle.succeed()
        elif outcome.code is ErrorCode.CANCELED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        how = 'success' if outcome.success else outcome.code.name.lower()
        self.get_logger().info(
            f'run ended: {how}; decisions {report.tree.decisions}, skills {report.tree.steps}, '
            f'{report.duration:.1f} s. {outcome.message}'
        )
        return self._result(report)

    def _result(self, report: RunReport) -> PlanTask.Result:
        result = PlanTask.Result(
            error_code=int(report.outcome.code),
            error_msg=bounded(report.outcome.message),
            success=report.outcome.success,
            claimed=report.claimed,
            verified=bounded_names(report.ending.verified),
            missing=bounded_names(report.ending.missing),
            unknown=bounded_names(report.ending.unknown),
            tree=self._tree_message(report),
            decisions=report.tree.decisions,
            steps=report.tree.steps,
            duration=report.duration,
            usage=usage_to_message(report.usage),
            notices=[bounded(notice) for notice in report.notices],
        )
        if report.progress is not None:
            result.goal_known = True
            result.goal_met = report.progress.success
            result.conditions_met = report.progress.met
            result.conditions_total = report.progress.total
            result.has_score = report.progress.score is not None
            result.score = report.progress.score or 0.0
        return result

    def _tree_message(self, report: RunReport) -> TreeSnapshotMessage:
        return self._topics.tree if report.tree.nodes else TreeSnapshotMessage()

    def _notice(self, text: str) -> None:
        worker = self._worker
        if worker is None or worker.notice(text):
            self.get_logger().warning(text)

    @property
    def is_working(self) -> bool:
        """Whether a run goes on, as one does whose model hears no cancel."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End a running goal while messages still flow; called at shutdown."""
        self._end_run('')

    def _end_run(self, why: str) -> None:
        """Cancel the running goal and wait for its end. :param why: for its client."""
        worker, thread = self._worker, self._thread
        if worker is not None:
            worker.end(why)
        if thread is not None:
            thread.join(_LAST_WORDS)

    def destroy_node(self) -> None:
        """Free the model with the node."""
        if self._model is not None and not self.is_working:
            self._model.close()
        super().destroy_node()


def main() -> None:
    """Entry point of `planner_node`."""
    sys.exit(run_node(PlannerNode, threads=4))


class ControlServices:
    """Services of the planner by which people look at its run, hold it, and answer it.

    :param group: reentrant, so that they answer while a run waits.
    """

    def __init__(
        self,
        node: Node,
        group: CallbackGroup,
        gate: Gate,
        questions: OpenQuestions,
        topics: RunTopics,
    ) -> None:
        self._gate = gate
        self._questions = questions
        self._topics = topics
        for kind, name, callback in (
            (GetTree, '~/get_tree', self._get_tree),
            (ResolveApproval, '~/resolve_approval', self._resolve_approval),
            (AnswerQuestion, '~/answer_question', self._answer_question),
            (SetBool, '~/pause', self._pause),
            (Trigger, '~/step', self._step),
        ):
            node.create_service(kind, name, callback, callback_group=group)

    def _get_tree(self, request: GetTree.Request, response: GetTree.Response) -> Any:
        wanted = run_id_from_message(request.run_id)
        have = run_id_from_message(self._topics.tree.run_id)
        response.found = bool(self._topics.tree.nodes) and (
            not wanted.strip('0') or wanted == have
        )
        if response.found:
            response.tree = self._topics.tree
        return response

    def _resolve_approval(
        self, request: ResolveApproval.Request, response: ResolveApproval.Response
    ) -> Any:
        response.accepted, response.message = self._gate.resolve(
            run_id_from_message(request.run_id),
            request.sequence,
            request.skill,
            request.approve,
            bounded(request.reason, 500),
        )
        return response

    def _answer_question(
        self, request: AnswerQuestion.Request, response: AnswerQuestion.Response
    ) -> Any:
        accepted, message = self._questions.answer(
            run_id_from_message(request.run_id),
            request.number,
            request.answer,
            request.answered_by,
        )
        response.accepted, response.message = accepted, bounded(message)
        return response

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> Any:
        self._gate.pause(request.data)
        response.success = True
        response.message = 'skills wait' if request.data else 'skills run'
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Any:
        response.success = self._gate.step()
        response.message = (
            'one skill may run' if response.success else 'not paused: call ~/pause with true first'
        )
        return response


if __name__ == '__main__':
    main()
