"""Following a run: order, deadlines, Ctrl-C, and what is said when nothing comes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType

import pytest

from reactree_core.errors import SkillError
from reactree_core.record.events import Event
from reactree_core.record.snapshot import TreeSnapshot
from reactree_core.usage import LlmUsage
from reactree_tools.exit_codes import ExitCode
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.views import run_display as module
from reactree_tools.views.run_display import follow
from reactree_tools.views.summary import RunSummary

SOLVED = RunSummary(
    '00', 'NONE', 0, '', True, True, True, 2, 2, 9, 5, 1.0, LlmUsage(), TreeSnapshot()
)


class FakeRun:
    """Brings the given batches of events, then a result, if it has one."""

    def __init__(self, batches: list[list[Event]], result: RunSummary | None) -> None:
        self.batches = batches
        self.canceled = 0
        self.answers_cancel = True
        self.each_wait: Callable[[], None] = lambda: None
        self._result = result
        self.gone = ''
        self.preparing = ''

    def wait(self, seconds: float) -> list[Event]:
        self.each_wait()
        return self.batches.pop(0) if self.batches else []

    @property
    def result(self) -> RunSummary | None:
        if self.canceled:
            return replace(SOLVED, error='CANCELED') if self.answers_cancel else None
        return None if self.batches else self._result

    def cancel(self) -> None:
        self.canceled += 1

    def trouble(self) -> str:
        return self.gone


class Shown:
    """Keeps what would be shown."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.open = False
        self.prepared: list[str] = []

    def __enter__(self) -> Shown:
        self.open = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.open = False

    def event(self, event: Event) -> None:
        self.events.append(event)

    def hold(self, held: bool) -> None:
        pass

    def prepare(self, line: str) -> None:
        self.prepared.append(line)

    def tick(self, elapsed: float, canceling: bool) -> None:
        assert self.open

    def summary(self, summary: RunSummary) -> None:
        raise AssertionError('the caller shows the summary')


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the patience of a person."""
    monkeypatch.setattr(module, 'CANCEL_PATIENCE', 0.05)
    monkeypatch.setattr(module, 'EVENT_PATIENCE', 0.05)


def test_a_run_is_shown_in_order_with_its_own_clock(sample_run: list[Event]) -> None:
    late = [replace(event, stamp=event.stamp + 1e9) for event in sample_run]
    shown = Shown()
    result = follow(FakeRun([late[2:], late[:2]], SOLVED), shown, Interrupts())
    assert result is SOLVED
    assert [event.sequence for event in shown.events] == [event.sequence for event in sample_run]
    assert shown.events[0].stamp == 0.0
    assert 20.0 < shown.events[-1].stamp < 30.0
    assert not shown.open


def test_the_last_events_may_come_after_the_result(sample_run: list[Event]) -> None:
    run = FakeRun([sample_run[:-1]], SOLVED)
    shown = Shown()
    follow(run, shown, Interrupts())
    assert len(shown.events) == len(sample_run) - 1


def test_ctrl_c_cancels_once_and_waits_for_the_result(sample_run: list[Event]) -> None:
    run = FakeRun([[event] for event in sample_run], SOLVED)
    interrupts = Interrupts()
    interrupts.requested.set()
    result = follow(run, Shown(), interrupts)
    assert run.canceled == 1
    assert result is not None
    assert result.error == 'CANCELED'


def test_a_planner_that_does_not_confirm_a_cancel_is_left_after_a_while() -> None:
    run = FakeRun([], None)
    run.answers_cancel = False
    interrupts = Interrupts()
    interrupts.requested.set()
    assert follow(run, Shown(), interrupts) is None


def test_a_second_ctrl_c_does_not_wait_at_all() -> None:
    run = FakeRun([], None)
    interrupts = Interrupts()
    interrupts.requested.set()
    interrupts.again.set()
    assert follow(run, Shown(), interrupts) is None
    assert run.canceled == 0


def test_a_planner_silent_past_its_limit_is_canceled_and_named() -> None:
    run = FakeRun([], None)
    run.answers_cancel = False
    with pytest.raises(SkillError, match='did not end the run at the time limit'):
        follow(run, Shown(), Interrupts(), time_limit=0.01)
    assert run.canceled == 1


def test_what_a_run_waits_for_is_shown_and_counts_for_no_limit(
    sample_run: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, 'monotonic', lambda: now[0])
    # What is told in each look, and how long the look takes.
    looks = [('', 1.0), ('a tenth', 600.0), ('a tenth', 600.0), ('half', 600.0), ('', 1.0)]
    run = FakeRun([[] for _ in looks] + [sample_run], SOLVED)

    def look() -> None:
        run.preparing, seconds = looks.pop(0) if looks else ('', 1.0)
        now[0] += seconds

    run.each_wait = look
    shown = Shown()
    assert follow(run, shown, Interrupts(), time_limit=700.0) is SOLVED
    assert shown.prepared == ['a tenth', 'half', '']
    assert run.canceled == 0

    looks[:] = [('', 600.0), ('', 600.0)]
    late = FakeRun([[], []], None)
    late.each_wait = look
    follow(late, Shown(), Interrupts(), time_limit=700.0)
    assert late.canceled, 'without such a wait the limit holds'


def test_a_planner_that_is_gone_ends_the_waiting(sample_run: list[Event]) -> None:
    run = FakeRun([sample_run[:3]], None)
    run.each_wait = lambda: setattr(run, 'gone', '' if run.batches else 'The planner is gone.')
    shown = Shown()
    with pytest.raises(SkillError, match='planner is gone'):
        follow(run, shown, Interrupts())
    assert not shown.open


def test_signals_become_flags_and_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert interrupts.wait(1.0)
        assert not interrupts.again.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.again.is_set()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ('changes', 'code'),
    [
        ({}, ExitCode.OK),
        # Nothing was to be judged.
        ({'goal_known': False, 'goal_met': False}, ExitCode.OK),
        ({'goal_known': False, 'unknown': ('gate 1 is shut',)}, ExitCode.NOT_KNOWN),
        ({'goal_known': False, 'verified': ('gate 1 is shut',)}, ExitCode.OK),
        ({'goal_known': False, 'assumed': ('gate 1 is shut',)}, ExitCode.ASSUMED),
        ({'goal_known': False, 'missing': ('gate 1 is shut',)}, ExitCode.FAILED),
        ({'goal_met': False}, ExitCode.FAILED),
        ({'success': False}, ExitCode.FAILED),
        ({'success': False, 'error': 'BRIDGE_UNAVAILABLE'}, ExitCode.UNUSABLE),
        ({'success': False, 'error': 'INVALID_TASK'}, ExitCode.UNUSABLE),
        ({'success': False, 'error': 'BRIDGE_LOST'}, ExitCode.FAILED),
    ],
)
def test_the_exit_status_says_how_it_ended(changes: dict[str, object], code: ExitCode) -> None:
    assert replace(SOLVED, **changes).exit_code is code  # type: ignore[arg-type]
