"""Runs that this process sends to a planner and follows in the background, for those who ask."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.rules import BY_MCP
from reactree_core.record.events import Event
from reactree_core.ros.conversions import run_id_from_message
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_ros.msg import ApprovalRequest
from reactree_tools.glyphs import ASCII
from reactree_tools.plain_text import visible
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.ros.approvals import Approvals
from reactree_tools.ros.bridge_skills import find_skills
from reactree_tools.ros.plan_client import PlanClient, PlanRequest, TIME_MARGIN, with_conditions
from reactree_tools.ros.questions import Questions
from reactree_tools.ros.saying import say
from reactree_tools.ros.session import Session
from reactree_tools.task_readings import TaskReadings
from reactree_tools.views.run_display import CANCEL_PATIENCE, follow
from reactree_tools.views.summary import RunSummary, summary_lines, verdict
from reactree_tools.views.transcript import Transcript

#: Columns of the lines of a run.
_WIDTH = 160
#: Runs of which lines are kept, once they have ended.
_MOST_RUNS = 20
#: Seconds for a run to end once it is canceled: a little longer than `follow` waits.
_END = CANCEL_PATIENCE + 1.0


class FollowedRun:
    """A run and what it has told; implements `RunDisplay` for `follow`.

    :param approvals: and :param questions: of any run of the planner.
    """

    def __init__(
        self, session: Session, request: PlanRequest, approvals: Approvals, questions: Questions
    ) -> None:
        self._session = session
        self._request = request
        self._approvals = approvals
        self._questions = questions
        self._client = PlanClient(session, request)
        self._interrupts = Interrupts()
        self._transcript = Transcript(ASCII, _WIDTH)
        self._changed = threading.Condition()
        self._lines: list[str] = []
        self._waits = ''
        self._end: list[str] | None = None
        self._thread = threading.Thread(target=self._follow, name='run', daemon=True)

    @property
    def run_id(self) -> str:
        """32 hexadecimal digits."""
        return self._client.run_id

    def begin(self) -> None:
        """Send the task. :raises SkillError: there is no planner, or it does not take it."""
        try:
            self._client.find(self._interrupts.requested.is_set)
            self._client.send()
        except ReactreeError:
            self._client.close()
            raise
        self._thread.start()

    def _follow(self) -> None:
        limit = self._request.max_time + TIME_MARGIN if self._request.max_time else None
        try:
            summary = follow(self._client, self, self._interrupts, limit, attend=self._attend)
            end = ['The run was canceled, and the planner has not confirmed it.']
            if summary is not None:
                end = end_lines(with_conditions(self._session, summary))
        except ReactreeError as error:
            end = [str(error)]
        self._client.close()
        with self._changed:
            self._end, self._waits = end, ''
            self._changed.notify_all()

    def _attend(self) -> None:
        with self._changed:
            waits = self._what_waits()
            if waits != self._waits:
                self._waits = waits
                self._changed.notify_all()

    def _what_waits(self) -> str:
        """What a person is asked by this run; '' for nothing."""
        if self._interrupts.requested.is_set():
            return ''
        approval, question = self._approvals.waiting, self._questions.waiting
        if approval is not None and _run_of(approval) == self.run_id:
            why = f' ({visible(approval.reason, 300)})' if approval.reason else ''
            return f'Waits for approval of the skill "{_shown(approval)}"{why}.'
        if question is not None and _run_of(question) == self.run_id:
            options = ', '.join(
                f'{number} {visible(option, 100)}'
                for number, option in enumerate(question.options, start=1)
            )
            return f'Asks: {visible(question.text, 500)} Options: {options or "any words"}.'
        return ''

    def prepare(self, line: str) -> None:
        """Tell what the run waits for before it goes on."""
        if line:
            with self._changed:
                self._lines.append(visible(line, _WIDTH))
                self._changed.notify_all()

    def cancel(self) -> None:
        """Ask the planner to end the run; nobody is waited for any more."""
        self._interrupts.requested.set()
        with self._changed:
            self._waits = ''

    def end(self) -> None:
        """End the run, if it has not ended; nobody follows it any more."""
        self.cancel()
        if self._thread.is_alive():
            # It cancels the run, and waits for the planner to confirm that.
            self._thread.join(_END)

    @property
    def ended(self) -> bool:
        """Whether its result is known."""
        return self._end is not None

    @property
    def told(self) -> int:
        """How many lines it has told."""
        return len(self._lines)

    def wait(self, after: int, seconds: float) -> bool:
        """Wait for more than so many lines, the end, or something a person is asked.

        :return: whether there is any.
        """
        with self._changed:
            return self._changed.wait_for(
                lambda: len(self._lines) > after or self.ended or bool(self._waits), seconds
            )

    @property
    def waits(self) -> str:
        """What a person is asked now, in a sentence; '' for nothing."""
        return self._waits

    def lines(self, after: int) -> list[str]:
        """The lines behind the first so many."""
        with self._changed:
            return self._lines[after:]

    def state(self) -> list[str]:
        """How it stands: its result, what it waits for, or that it goes on."""
        if self._end is not None:
            return self._end
        return [self._waits or 'The run goes on.']

    # RunDisplay

    def __enter__(self) -> FollowedRun:
        return self

    def __exit__(self, *reason: object) -> None:
        return None

    def event(self, event: Event) -> None:
        """Keep its lines."""
        lines = [line.plain.rstrip() for line in self._transcript.lines(event)]
        with self._changed:
            self._lines += lines
            self._changed.notify_all()

    def tick(self, elapsed: float, canceling: bool) -> None:
        """Nothing moves."""

    def hold(self, held: bool) -> None:
        """Nothing moves."""

    def summary(self, summary: RunSummary) -> None:
        """Told by `state`."""


def _run_of(request: Any) -> str:
    return run_id_from_message(request.run_id)


def _shown(approval: ApprovalRequest) -> str:
    """The skill that waits, as clients are given it."""
    return visible(approval.skill, 1000)


def end_lines(summary: RunSummary) -> list[str]:
    """The last words of a run, for an assistant."""
    lines = [verdict(summary, ASCII), *summary_lines(summary, ASCII, _WIDTH)]
    return [line.plain.rstrip() for line in lines]


_Run = TypeVar('_Run')


def named_run(runs: Mapping[str, _Run], run_id: str) -> _Run:
    """The run whose id begins so; '' for the newest.

    :param runs: by their ids, the oldest first.
    :raises ConfigurationError: there is none, or several begin so.
    """
    found = [run for name, run in runs.items() if name.startswith(run_id.lower())]
    if run_id and len(found) > 1:
        raise ConfigurationError(
            f'{len(found)} runs that were sent from here begin with {run_id[:40]}: give more of '
            'its digits.'
        )
    if not found:
        raise ConfigurationError(
            f'No run {run_id[:40]} was sent from here.' if run_id else 'No task was sent yet.'
        )
    return found[-1]


class RunDesk:
    """A planner as its clients see it: runs are sent, followed, answered and ended.

    May be used from several threads.

    :param session: of the planner's namespace.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._approvals = Approvals(session)
        self._questions = Questions(session)
        self._lock = threading.Lock()
        self._runs: dict[str, FollowedRun] = {}
        self._skills: RosSkillServer | None = None
        self._readings = TaskReadings(lambda: self.skills()[0])

    def plan(
        self, task: str, planner: str, decisions: int, steps: int, seconds: float, ask: str
    ) -> FollowedRun:
        """Send a task; see `PlanRequest` for its limits.

        :raises SkillError: there is no planner, or it is at work on something else.
        """
        request = PlanRequest(task, planner, decisions, steps, max_time=seconds, ask=ask)
        run = FollowedRun(self._session, request, self._approvals, self._questions)
        run.begin()
        with self._lock:
            self._runs[run.run_id] = run
            ended = [name for name, one in self._runs.items() if one.ended]
            for name in ended[: max(0, len(self._runs) - _MOST_RUNS)]:
                del self._runs[name]
        return run

    def run(self, run_id: str) -> FollowedRun:
        """A run that was sent from here.

        :param run_id: its first digits; '' for the newest.
        :raises ConfigurationError: there is none, or several begin so.
        """
        with self._lock:
            return named_run(self._runs, run_id)

    def approve(self, run_id: str, skill: str, approve: bool, reason: str) -> str:
        """Let a skill that waits run, or refuse it: the planner's sentence.

        :param skill: the one that is meant; no other is answered.
        :raises ConfigurationError: it does not wait. :raises SkillError: it is not taken.
        """
        waiting = self._approvals.waiting
        if waiting is None or not _run_of(waiting).startswith(run_id.lower()):
            raise ConfigurationError('No skill waits for approval.')
        if skill not in (waiting.skill, _shown(waiting)):
            raise ConfigurationError(
                f'The skill that waits for approval is "{_shown(waiting)}", not '
                f'"{visible(skill)}": ask the person about that one.'
            )
        return self._approvals.answer(waiting, approve, reason, BY_MCP)

    def answer(self, run_id: str, said: str) -> str:
        """Answer a question: the planner's sentence.

        :raises ConfigurationError: none is open. :raises SkillError: it is no answer to it.
        """
        waiting = self._questions.waiting
        if waiting is None or not _run_of(waiting).startswith(run_id.lower()):
            raise ConfigurationError('No question is open.')
        return self._questions.answer(waiting, said)

    def say(self, run_id: str, text: str) -> str:
        """Correct the task of a run: the planner's sentence.

        :raises SkillError: no run is under way, or there is nothing in it.
        """
        return say(self._session, text, self.run(run_id).run_id, 'MCP')

    def skills(self) -> tuple[Vocabulary, Observation]:
        """What the robot can do, and what it sees now.

        :raises SkillError: no bridge answers in time.
        """
        with self._lock:
            if self._skills is None:
                self._skills = find_skills(self._session, CancelToken())
        return self._skills.list_skills(CancelToken())

    def read(self, task: str) -> dict[str, Any]:
        """What a task would be read as, as `reactree read --json` tells it.

        :raises SkillError: no bridge answers in time.
        """
        return self._readings.read(task)

    def close(self) -> None:
        """End the runs that go on: nobody follows them any more."""
        for run in list(self._runs.values()):
            run.end()
