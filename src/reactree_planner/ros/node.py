"""The planner node: PlanTask in, skills out, every decision a message."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TYPE_CHECKING

from rclpy.action import GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future
from std_msgs.msg import Bool

from reactree_core.cancellation import CancelToken
from reactree_core.domain import load_domain
from reactree_core.errors import CanceledError, ConfigurationError, ModelError
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.kept_ledger import ledger_of
from reactree_core.permission.rules_file import read_rules
from reactree_core.ports import LanguageModel, RemoteModel
from reactree_core.record.journal import journal_directory
from reactree_core.record.outcome import BY_PERSON, ErrorCode, RunOutcome
from reactree_core.record.questions import People
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionServer
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import LiveValues, read_all
from reactree_core.ros.spinning import run_node
from reactree_core.skill_vocabulary import SkillVocabulary
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.resume.recorded_people import load_recorded_people
from reactree_planner.ros.camera_client import RosPictures
from reactree_planner.ros.control_services import ControlServices
from reactree_planner.ros.health import is_missing, PlannerHealth
from reactree_planner.ros.memory_client import RosMemory
from reactree_planner.ros.parameters import deadlines_of, model_options_of, PARAMETERS
from reactree_planner.ros.plan_task import objection_to, request_of, result_of, RunReport
from reactree_planner.ros.resumption import Resumption
from reactree_planner.ros.run_topics import RunTopics
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.team_client import check_team, RosTeam
from reactree_planner.ros.watched_stop import FollowedStops, reason_of, Stop
from reactree_planner.runs.approval_gate import Gate
from reactree_planner.runs.mailbox import Mailbox
from reactree_planner.runs.open_questions import OpenQuestions
from reactree_ros.action import PlanTask

if TYPE_CHECKING:
    from reactree_planner.llm.models.progress import FetchStatus
    from reactree_planner.ros.run_worker import RunWorker

#: Seconds that a model's server gets to answer when the node starts.
_REACH_SECONDS = 10.0
#: Seconds that a run which is canceled gets for its last records.
_LAST_WORDS = 3.0
#: Seconds from the acceptance of a goal to its run; if they pass, others are accepted again.
_BEGINNING = 5.0
#: Seconds between two reports of a fetch that has not come further by a tenth.
_FETCH_PERIOD = 1.0
#: How a stop was pressed that came to the planner itself.
_PRESSED_HERE = 'It was pressed for all robots.'
#: For a client whose goal comes while the node goes down.
_GOING = 'The planner is going down: give the task again when it has started anew.'


class PlannerNode(ManagedNode):
    """Node `planner`. Its ROS surface:

    Action server: `~/plan_task` (PlanTask), one goal at a time.
    Publishers: `~/decisions` (Decision), `~/observations` (Observation), `~/tree`
    (TreeSnapshot, latched), `~/approvals` (ApprovalRequest, latched), `~/questions` (Question,
    latched), `/diagnostics` (DiagnosticArray).
    Subscribes `~/emergency_stop` (Bool: true ends the run, false does nothing), and
    `bridge/emergency_stop` likewise, of each robot.
    Services: `~/get_tree` (GetTree), `~/resolve_approval` (ResolveApproval),
    `~/answer_question` (AnswerQuestion), `~/correct_task` (CorrectTask), `~/pause` (SetBool),
    `~/step` (Trigger).
    With parameter `team` the bridges are those of its robots, each in its namespace.
    Clients: `bridge/execute_skill`, `bridge/list_skills`, `bridge/get_world_state`,
    `bridge/reset_world`, `bridge/snapshot_world`, `memory/*`. Subscribes `bridge_status`.
    Parameters: table PARAMETERS of reactree_planner.ros.parameters.

    :param load: makes the language model from parameter `model`. :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter cannot be used, or the model's name is unknown.
    """

    #: ROS destroys nodes too that could not be made.
    _model: LanguageModel | None = None
    _thread: threading.Thread | None = None
    _followed: FollowedStops | None = None

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
        #: Whether the node is going down.
        self._closing = False
        #: When the goal that was accepted last was, in seconds since 1970.
        self._accepted_at = 0.0
        self._health = PlannerHealth()
        #: What was told last of a model that is fetched, and when.
        self._fetched_tenth, self._fetch_told_at = -1, 0.0
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
        :raises ModelError: a run that was canceled still uses the model before.
        """
        # What a transition that broke has left is not the model that is wanted now.
        self.cleanup()
        values = read_all(self, PARAMETERS)
        kind, _, journal = values.model.partition(':')
        self._recorded_people = (
            load_recorded_people(Path(journal)) if kind == 'recorded' and journal else None
        )
        words = values.skill_vocabulary
        self._words = SkillVocabulary.load(Path(words).expanduser()) if words else None
        if values.team:
            check_team(values.team, bool(words))
        if values.domain:
            # A typing error shows now, not with the first task.
            load_domain(values.domain)
        # A mistake in the file shows now, before anything moves.
        rules = replace(read_rules(values.permission), hazards=read_hazards(values.hazards))
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
            raise ModelError('The canceled run still uses the model: wait until it has ended.')
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
        self._skills: RosSkillServer | RosTeam = (
            RosTeam(self, lambda: deadlines_of(live), self._live.team)
            if self._live.team
            else RosSkillServer(self, lambda: deadlines_of(live))
        )
        self._pictures = RosPictures(self, lambda: live.service_timeout)
        self._memory = RosMemory(self, lambda: live.memory_timeout, self._notice)
        group = ReentrantCallbackGroup()
        self._mailbox = Mailbox(
            lambda why: self._stop_run(f'{BY_PERSON}: {why}.'), lambda: self._skills.known_words
        )
        self._skills.when_stopped(self._on_stop)
        self._followed = FollowedStops(self._skills.stops)
        qos.subscribe_whatever_is_offered(self, Bool, '~/emergency_stop', self._on_button, group)
        ControlServices(self, group, self._gate, self._questions, self._topics, self._mailbox)
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
            model = self._load_model()
        except ModelError as error:
            if not values.model.startswith(('http://', 'https://')):
                raise ConfigurationError(str(error)) from error
            # A server may come up later; every goal tries again.
            self._health.model_fault = str(error)
            self.get_logger().error(str(error))
            return
        if isinstance(model, RemoteModel):
            self._reach(model)

    def _reach(self, model: RemoteModel) -> None:
        """Get in touch with a model's server, so that whoever finds the planner can use it.

        :raises ConfigurationError: the server does not have the model.
        """
        try:
            model.connect(CancelToken(time.monotonic() + _REACH_SECONDS))
        except (ModelError, CanceledError) as error:
            late = isinstance(error, CanceledError)
            self._health.model_fault = (
                f"The model's server does not answer within {_REACH_SECONDS:.0f} s"
                if late
                else str(error)
            )
            self.get_logger().error(f'{self._health.model_fault}; every task tries again')

    def _load_model(self) -> LanguageModel:
        with self._model_lock:
            # A run that finds no model tells so itself.
            self._health.model_fault = ''
            if self._model is None:
                values = read_all(self, PARAMETERS)
                options = replace(model_options_of(values), progress=self._tell_fetch)
                model = self._model = self._load(values.model, options)
                state = 'is fetched when it is first asked' if is_missing(model) else 'loaded'
                self.get_logger().info(f'model {model.name} {state}')
            return self._model

    def _tell_fetch(self, status: FetchStatus) -> None:
        """Tell how far the model is that a run waits for, from the thread that fetches it."""
        self._health.fetching = status.line
        new, self._fetched_tenth = status.tenth != self._fetched_tenth, status.tenth
        if new:
            self.get_logger().info(f'model {status.line}')
        now = time.monotonic()
        if new or status.is_ready or now - self._fetch_told_at >= _FETCH_PERIOD:
            self._fetch_told_at = now
            self._topics.tell_preparing('' if status.is_ready else status.line)

    # The stop ----------------------------------------------------------------------------

    def _on_button(self, message: Bool) -> None:
        if message.data:
            self._skills.press(_PRESSED_HERE)

    def _on_stop(self, stop: Stop) -> None:
        """No robot may move: the run ends, whatever it is at, unless it began after the press."""
        if stop.at > self._accepted_at:
            self._stop_run(reason_of(stop))

    def _stop_run(self, why: str) -> None:
        worker = self._worker
        if worker is not None and worker.end(why):
            self.get_logger().warning(f'run {worker.request.run_id[:8]}: {why}')

    # The action --------------------------------------------------------------------------

    def _accept(self, goal: PlanTask.Goal) -> GoalResponse:
        if self._closing or not self.is_active:
            self.get_logger().warning(f'goal rejected: {self.refusal or _GOING}')
            return GoalResponse.REJECT
        # Two goals may come before the first of them has begun its run.
        with self._slot:
            worker = self._worker
            if worker is None and time.monotonic() >= self._begins_until:
                self._begins_until = time.monotonic() + _BEGINNING
                self._accepted_at = time.time()
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

    async def _execute(self, handle: ServerGoalHandle) -> PlanTask.Result:
        # Most of what a planner is (24,000 lines), so that the node is there sooner and a planner
        # that waits is smaller.
        from reactree_planner.ros.run_worker import RunWorker

        objection = objection_to(handle.request)
        if objection is not None:
            self._begins_until = 0.0
            handle.abort()
            return self._result(RunReport(objection))
        assert self._resumption is not None
        request = request_of(handle)
        request = replace(request, by_itself=self._resumption.is_own(request.goal_id))
        with self._slot:
            if self._closing:
                handle.abort()
                return self._result(RunReport(RunOutcome(ErrorCode.CANCELED, _GOING)))
            if self._worker is not None:
                handle.abort()
                busy = 'The planner is busy with another task.'
                return self._result(RunReport(RunOutcome(ErrorCode.INVALID_TASK, busy)))
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
                self.telemetry,
                self._mailbox,
            )
            self._mailbox.open(request.run_id)
            self._worker = worker
            self._begins_until = 0.0
            self._topics.begin(
                request.run_id, handle, self._memory.shared_memory, self._memory.robot
            )
            if handle.is_cancel_requested or not self.is_active:
                worker.cancel.cancel()
            stop = self._skills.stopped_since(self._accepted_at)
            if stop is not None:
                self._on_stop(stop)
            # Planning waits and computes: on its own thread, never in a callback.
            finished: Future = Future(executor=self.executor)
            self._thread = threading.Thread(target=self._work, args=(worker, finished))
            self._thread.start()
        resumed = ', resumed' if request.resumes else ''
        self.get_logger().debug(f'plan_task {request.run_id}: "{request.task[:200]}"{resumed}')
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
            self._mailbox.close()
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
        return result_of(report, self._topics.tree)

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
        # From here on nobody begins a run, so the one that is ended is the last.
        with self._slot:
            self._closing = True
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
        if self._followed is not None:
            self._followed.close()
        if self._model is not None and not self.is_working:
            self._model.close()
        super().destroy_node()


def main() -> None:
    """Entry point of `planner_node`."""
    sys.exit(run_node(PlannerNode, threads=4))


if __name__ == '__main__':
    main()
