"""One PlanTask goal from acceptance to result, on a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rclpy.logging import LoggingSeverity

from reactree_core.cancellation import CancelToken
from reactree_core.chain_link import ChainLink
from reactree_core.domain import NEUTRAL
from reactree_core.embedding.registry import shared_embedder
from reactree_core.errors import (
    CanceledError,
    ReactreeError,
    ResumeError,
    RobotStoppedError,
    SkillError,
)
from reactree_core.observation import Observation
from reactree_core.permission.rules import Rules
from reactree_core.permission.spending import Ledger, read_price
from reactree_core.ports import FetchedModel, LanguageModel, Pictures, RemoteModel
from reactree_core.record.chain import sign
from reactree_core.record.events import Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.journal import Journal, journal_directory
from reactree_core.record.journal_keeping import read_keep, remove_old_journals
from reactree_core.record.journal_lines import Answer, Record
from reactree_core.record.outcome import (
    ErrorCode,
    gave_up,
    outcome_of_error,
    RunOutcome,
    stop_words,
)
from reactree_core.record.questions import People
from reactree_core.record.run_settings import Limits, read_ask, RunSettings
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trace import RunTrace
from reactree_core.record.trajectory import Trajectories
from reactree_core.record.utterances import Listening, SILENCE
from reactree_core.ros.fields import bounded, bounded_name
from reactree_core.skill_vocabulary import SkillVocabulary, TranslatedSkillServer
from reactree_core.telemetry import Telemetry
from reactree_planner.exam.profile_file import profile_file
from reactree_planner.llm.registry import served_by
from reactree_planner.planners.registry import make_planner
from reactree_planner.planners.team import TeamPlanner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import (
    logged_gate,
    LoggedMemory,
    LoggedPeople,
    LoggedSkills,
)
from reactree_planner.resume.logged_team import LoggedTeam
from reactree_planner.resume.run_log import changed_limits, check_past, Past, read_past, RunLog
from reactree_planner.ros.memory_client import RosMemory
from reactree_planner.ros.parameters import limits_of, settings_of
from reactree_planner.ros.plan_task import RunReport, RunRequest
from reactree_planner.ros.run_topics import line_of
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.team_client import RosTeam
from reactree_planner.ros.watched_stop import reason_of, Stop
from reactree_planner.runs.approval_gate import Gate, SkillRequest
from reactree_planner.runs.event_writer import EventWriter
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.standing import Waits
from reactree_ros.srv import GetWorldState

#: Seconds a run that was canceled or failed may still spend asking for the world's state.
_LAST_QUESTION = 0.3
#: Longest excerpt of a text in the log, in characters.
_EXCERPT = 200


def _began(state: GetWorldState.Response | None, domain: str) -> RunSettings:
    """In which world a run begins, so that it can be run again in one like it."""
    if state is None:
        return RunSettings(domain=domain)
    return RunSettings(
        domain=domain,
        scene=bounded_name(state.scene),
        world_task=bounded_name(state.task_id),
        skills_before=state.skills_executed,
    )


def _log_line(record: Record) -> str:
    """What happened, in one line: sizes, times and an excerpt, never a whole prompt."""
    if isinstance(record, Observation):
        said = f'{record.outcome.name.lower()}, {len(record.text)} characters, {line_of(record)}'
        return bounded_name(f'observation {record.sequence}: {said[:_EXCERPT]}')
    if not isinstance(record, Answer):
        return bounded_name(f'decision {record.sequence}: {line_of(record)[:_EXCERPT]}')
    content = dict(record.content)
    usage = content.pop('usage', None)
    said = str(content.get('option') or content.get('text') or content)
    line = f'{record.kind}: {len(said)} characters, "{said[:_EXCERPT].strip()}"'
    if usage is not None:
        line += (
            f', {usage.get("latency", 0.0):.2f} s, {usage.get("prompt_tokens", 0)} prompt tokens '
            f'({usage.get("cached_tokens", 0)} cached), '
            f'{usage.get("completion_tokens", 0)} written'
        )
    return bounded_name(f'model {line}' if usage is not None else f'answer to {line}')


class RunWorker:
    """Runs one request; `cancel` may be called from any thread.

    :param words: the robot's own, when it has any.
    :param people: who may be asked. :param pictures: of the world.
    :param publish: called with every event and the tree after it.
    :param permission: what may be done, and what all runs have spent.
    :param logger: of the node; at DEBUG it shows everything that the journal keeps.
    :param telemetry: takes the run's spans; None where nobody wants them.
    :param said: what people say while it is under way.
    """

    def __init__(
        self,
        request: RunRequest,
        values: SimpleNamespace,
        model: Callable[[], LanguageModel],
        skills: RosSkillServer | RosTeam,
        words: SkillVocabulary | None,
        memory: RosMemory,
        gate: Gate,
        people: People,
        pictures: Pictures,
        publish: Callable[[Event, str, EventWriter], None],
        permission: tuple[Rules, Ledger],
        logger: Any,
        telemetry: Telemetry | None = None,
        said: Listening = SILENCE,
    ) -> None:
        self.request = request
        self.cancel = CancelToken()
        self.report = RunReport()
        self._values = values
        self._model = model
        self._skills = skills
        self._words = words
        self._memory = memory
        self._gate = gate
        self._people = people
        self._pictures = pictures
        self._publish = publish
        self._permission = permission
        self._logger = logger
        self._telemetry = telemetry
        self._said = said
        self._run: PlanRun | None = None
        #: What it goes on from, and where it is written down.
        self._past: Past | None = None
        self._log: RunLog | None = None
        self._why_ended = ''
        #: Last thought of each agent node: why it does what it does.
        self._thoughts: dict[int, str] = {}

    def end(self, why: str) -> bool:
        """Cancel the run, from any thread; whether that is news.

        :param why: as its error message, in place of an earlier one; '' for the usual.
        """
        is_new = not self.cancel.canceled or why != self._why_ended
        self._why_ended = why or self._why_ended
        self.cancel.cancel()
        return is_new

    def notice(self, text: str) -> bool:
        """Something went wrong without ending the run; True when it is new to this run."""
        new = text not in self.report.notices
        if new:
            self.report.notices.append(text)
        return new

    def execute(self) -> RunReport:
        """Run to the end; failures are in the report, faults of programs are raised too."""
        began = time.monotonic()
        journal: Journal | None = None
        directory = journal_directory(self._values.journal_directory)
        try:
            if self.request.resumes:
                check_past(directory, self.request.run_id)
            # Before it is read: nobody else writes it then, and what a crash tore is cut off.
            journal = Journal(directory, self.request.run_id)
            remove_old_journals(directory, read_keep(self._values.keep_journals))
            past = read_past(directory, self.request.run_id) if self.request.resumes else None
            self.report.outcome = self._plan(journal, past)
        except ResumeError as error:
            # The journal stays as it is: with other settings the run may still go on.
            self._run = None
            self.report.outcome = self._outcome_of(error)
        except ReactreeError as error:
            self.report.outcome = self._outcome_of(error)
        except Exception as error:
            # Planners and models of other packages may raise anything; the goal is answered.
            self.report.outcome = RunOutcome(
                ErrorCode.INTERNAL_ERROR,
                f'The planner broke ({type(error).__name__}: {str(error)[:200]}): this is a fault '
                'in its program, or in the model back end. The log of the node has the details.',
            )
            raise
        finally:
            self._close(journal)
            self.report.duration = time.monotonic() - began
        return self.report

    def _outcome_of(self, error: ReactreeError) -> RunOutcome:
        if isinstance(error, CanceledError) and not self.cancel.canceled:
            return RunOutcome(
                ErrorCode.TIME_LIMIT,
                'The run reached its limit of time: raise max_time to let it go on longer.',
            )
        outcome = outcome_of_error(error)
        if outcome.code is not ErrorCode.CANCELED:
            return outcome
        if not self._why_ended and isinstance(error, RobotStoppedError):
            return RunOutcome(outcome.code, reason_of(Stop(str(error), 0.0)))
        return RunOutcome(outcome.code, self._why_ended or outcome.message)

    def _limits(self, past: Past | None) -> Limits:
        request = self.request
        if past is None:
            return limits_of(
                self._values,
                request.decisions,
                request.steps,
                request.depth,
                request.tokens,
                request.seconds,
            )
        return changed_limits(
            past.settings.limits,
            decisions=request.decisions,
            steps=request.steps,
            depth=request.depth,
            tokens=request.tokens,
            seconds=request.seconds,
        )

    def _settings(self, past: Past | None, planner: str, model: str) -> PlannerSettings:
        """:param model: what it calls itself."""
        values = self._values
        if past is not None:
            # What a resumed run was answered came of what it asks.
            settings = settings_of(values, planner, past.settings.preset)
            return replace(settings, ask=past.settings.ask)
        preset = values.preset
        if profile_file(values.model, values.server_model).is_file():
            from reactree_planner.exam.profile import profiled_preset

            preset, notice = profiled_preset(preset, values.model, values.server_model, model)
            if notice and self.notice(notice):
                self._logger.info(notice)
        when, goes_on = read_ask(self.request.ask)
        if goes_on:
            # In the preset it is recorded, so that a resumed run goes on alike.
            preset = f'{preset},go_on=true'
        settings = settings_of(values, planner, preset)
        return replace(settings, ask=when or settings.ask)

    def _plan(self, journal: Journal, past: Past | None) -> RunOutcome:
        values, request = self._values, self.request
        trace: RunTrace | None = None
        # When the run broke off: before anything more is written.
        written = journal.path.stat().st_mtime_ns if past is not None else 0
        self._skills.begin(request.run_id, written / 1e9)

        def keep(record: Record) -> ChainLink:
            link = journal.append(record)
            if trace is not None and self._run is not None:
                trace.take(record, self._run.events.elapsed())
            if self._logger.is_enabled_for(LoggingSeverity.DEBUG):
                self._logger.debug(_log_line(record))
            return link

        log = self._log = RunLog(keep, past.records if past is not None else ())
        self._past = past
        limits = self._limits(past)
        if limits.seconds:
            used = log.used_seconds - log.uncounted_seconds
            self.cancel.deadline = time.monotonic() + limits.seconds - used
        name = request.planner or (TeamPlanner.name if values.team else values.planner)
        name = past.settings.planner if past is not None else name
        planner = make_planner(name)
        model = self._model()
        if isinstance(model, RemoteModel):
            model.connect(self.cancel)
        if self._telemetry is not None:
            provider, remote = served_by(values.model)
            trace = RunTrace(self._telemetry, request.run_id, model.name, provider, remote)
            if past is not None:
                trace.replay(past.records, log.used_seconds, written)
            self._skills.traceparent = trace.traceparent
        try:
            self._skills.find(self.cancel, past is not None)
            if request.by_itself:
                self._check_stops(written / 1e9)
            if past is not None:
                # A skill outlives the planner that asked for it.
                self._skills.wait_until_idle(self.cancel)
        except SkillError as error:
            if request.by_itself and isinstance(error, RobotStoppedError):
                raise
            return RunOutcome(ErrorCode.BRIDGE_UNAVAILABLE, str(error))
        if self._skills.lacks:
            self.notice(self._skills.lacks)
        remembers = values.memory and self._memory.wait_until_there(
            values.memory_timeout, self.cancel
        )
        if values.memory and not remembers:
            self.notice('The memory node is not there; planning goes on without it.')
        state = self._skills.world_state(self.cancel)
        if past is not None:
            task = past.task
        else:
            task = request.task or (bounded(state.instruction) if state is not None else '')
            if not task.strip():
                return RunOutcome(
                    ErrorCode.INVALID_TASK,
                    'The task is empty and the bridge has none '
                    'loaded: say in a sentence what the robot is to do.',
                )
        skills = self._logged_skills(log)
        run = PlanRun(
            task,
            Ports(
                LoggedModel(model, log),
                skills,
                LoggedMemory(self._memory, log),
                shared_embedder,
                LoggedPeople(self._people, log),
                self._pictures,
                self._said,
            ),
            self._settings(past, name, model.name),
            limits,
            self.cancel,
            self._take,
            logged_gate(self._pass_gate, log),
            self.notice,
            # A resumed run has what its first START told.
            _began(state, self._domain(values, skills) if past is None else ''),
            log=log,
            permission=self._permission[0],
            # Who does not say so may move something real.
            simulated=self._skills.simulated,
            ledger=self._permission[1],
            price=read_price(values.price),
            waits=Waits(
                values.standing_time,
                values.standing_times,
                values.standing_look,
                values.lost_time,
            ),
        )
        self._run = run
        if isinstance(model, FetchedModel):
            model.attend(self.cancel, run.uncounted)
        success = carry_out(planner, run)
        if success:
            # What still moves may undo what was done.
            self._skills.settle(self.cancel)
        self.report.claimed = success
        if remembers and not self._memory.wait_until_there(0.0, self.cancel):
            self.notice('The memory node ended during the run; look at its log.')
        self._finish(NodeStatus.SUCCESS if success else NodeStatus.FAILURE, '')
        self.report.progress = self._skills.progress(self.cancel)
        progress = self.report.progress
        met = progress.success if progress is not None else success
        if met and not run.answer and values.keep_experiences and values.memory:
            task_type = state.task_id.partition(':')[0] if state is not None else ''
            kept = run.experiences(request.run_id, task_type, progress is not None)
            self._memory.store(kept, self.cancel)
        if success:
            return RunOutcome(ErrorCode.NONE, run.answer)
        return RunOutcome(ErrorCode.TASK_FAILED, gave_up(run.tree.reason, run.aims.ending))

    def _check_stops(self, since: float) -> None:
        """Whether nobody has stopped the robot since its run broke off, at a time.

        :raises RobotStoppedError: somebody has, and nobody has asked for motion since.
        """
        stop = self._skills.stopped_since(since)
        if stop is not None:
            raise RobotStoppedError(stop.why)

    def _end_record(self, past: Past, log: RunLog, reason: str) -> None:
        """Give the record of an interrupted run that is not gone on with its end.

        A planner that was stopped while it repeated the record has taken in a part of it: what is
        left of the record goes to the same writer.

        :param reason: why it is over.
        """

        def send(event: Event) -> None:
            self._publish(event, past.task, writer)

        if self._run is not None:
            writer = self._run.events
        else:
            tree = AgentTree()
            writer = EventWriter(tree, Trajectories(tree), past.settings.limits, log, send)
        writer.replay_all()
        writer.decide(0, DecisionKind.FINISH, text=reason, status=NodeStatus.CANCELED)
        self.report.tree = writer.tree.snapshot()

    def _logged_skills(self, log: RunLog) -> LoggedSkills:
        """The robot, or the team, with its answers logged."""
        if isinstance(self._skills, RosTeam):
            return LoggedTeam(self._skills, log)
        words = self._words
        return LoggedSkills(
            TranslatedSkillServer(self._skills, words) if words else self._skills, log
        )

    def _domain(self, values: SimpleNamespace, skills: LoggedSkills) -> str:
        """Whose prompts a run has, for whoever reads its record."""
        domain: str = values.domain
        if not domain:
            with suppress(SkillError):
                # What keeps the server from answering ends the run when it is asked again.
                domain = skills.ask_ahead(self.cancel).domain
        return bounded_name(domain) or NEUTRAL

    def _pass_gate(self, decision: Decision) -> str | None:
        run = self._run
        assert run is not None
        now = run.world.belief.observation
        nodes = (
            decision.node_id,
            *(node.node_id for node in run.tree.ancestors(decision.node_id)),
        )
        thoughts = [self._thoughts[node] for node in nodes if node in self._thoughts]
        request = SkillRequest(
            self.request.run_id,
            decision.sequence,
            decision.skill,
            decision.node_id,
            run.tree.node(decision.node_id).goal,
            # Of a team, what is known last may be of another robot.
            '' if decision.who else now.place,
            '' if decision.who else now.room,
            ' '.join(filter(None, (run.acting.asking, decision.text or next(iter(thoughts), '')))),
            run.task,
            by_mcp=run.acting.by_mcp,
        )
        refusal = self._gate.pass_skill(request, self.cancel, bool(run.acting.asking))
        run.acting.approver = self._gate.approver
        if refusal is None and run.acting.asking:
            self._skills.approved.add(decision.sequence)
        return refusal

    def _take(self, event: Event) -> None:
        assert self._run is not None
        if isinstance(event, Decision) and event.kind is DecisionKind.THINK:
            self._thoughts[event.node_id] = event.text
        self._publish(event, self._run.task, self._run.events)

    def _finish(self, status: NodeStatus, reason: str) -> None:
        if self._run is not None and not self._run.tree.finished:
            self._run.finish(status, reason)

    def _close_journal(self, journal: Journal) -> None:
        """Close it, with its closing hash in the result, signed where a key is named."""
        journal.close()
        self.report.closing = journal.closing
        key = self._values.record_key
        if key:
            try:
                sign(journal.path, journal.closing, Path(key).expanduser())
            except ReactreeError as error:
                self.notice(str(error))

    def _close(self, journal: Journal | None) -> None:
        """Last events, counts and the world's verdict, whatever happened before."""
        run, log, past = self._run, self._log, self._past
        outcome = self.report.outcome
        if past is not None and log is not None and stop_words(outcome.message):
            if run is None or log.replaying:
                self._end_record(past, log, outcome.message)
                self._run = run = None
        if run is not None:
            try:
                self._finish(NodeStatus.CANCELED, outcome.message)
                if self.report.progress is None and not self._skills.lost:
                    last = CancelToken(time.monotonic() + _LAST_QUESTION)
                    self.report.progress = self._skills.progress(last)
            except ReactreeError as error:
                self.notice(str(error))
            self.report.tree = run.tree.snapshot()
            self.report.usage = run.budget.usage
            self.report.ending = run.aims.ending
        if journal is not None:
            self._close_journal(journal)
