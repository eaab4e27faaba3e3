"""A run on the terminal as it happens, or as JSON lines; followed to its result, Ctrl-C obeyed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Protocol

from rich.status import Status

from reactree_core.errors import SkillError
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal_lines import encode_event
from reactree_tools.event_order import EventOrder, RunClock
from reactree_tools.output import Output
from reactree_tools.plain_text import printable_json, visible
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.status_line import is_end_of_run, StatusLine
from reactree_tools.views.summary import RunSummary, summary_lines, verdict
from reactree_tools.views.transcript import Transcript


class RunDisplay(Protocol):
    """What shows a run; entered while the run is under way."""

    def __enter__(self) -> RunDisplay:
        """Begin."""

    def __exit__(self, *reason: object) -> None:
        """End whatever moves."""

    def event(self, event: Event) -> None:
        """The next event, in order."""

    def tick(self, elapsed: float, canceling: bool) -> None:
        """Time went by. :param elapsed: seconds since the task was sent."""

    def prepare(self, line: str) -> None:
        """Show what the run waits for before it goes on. :param line: '' when it goes on."""

    def hold(self, held: bool) -> None:
        """Keep still while a person is asked something, and move again."""

    def summary(self, summary: RunSummary) -> None:
        """The end; shown after `__exit__`."""


class TerminalDisplay:
    """Scrolling lines, one moving line below them in a terminal, and the tree at the end.

    :param task: what was asked; stands in for a lost first event.
    :param full: show observations whole.
    """

    def __init__(self, output: Output, task: str, full: bool = False) -> None:
        self._output = output
        self._task = task
        self._transcript = Transcript(output.glyphs, output.console.width, full)
        self._line = StatusLine(output.glyphs)
        self._status: Status | None = None
        self._started = False
        self._held = False
        if output.live:
            self._status = output.console.status('', spinner='dots')

    def __enter__(self) -> TerminalDisplay:
        if self._status is not None:
            self._status.start()
            self.tick(0.0, False)
        return self

    def __exit__(self, *reason: object) -> None:
        if self._status is not None:
            self._status.stop()

    def event(self, event: Event) -> None:
        """Print its lines."""
        first = isinstance(event, Decision) and event.kind is DecisionKind.START
        if not first and not self._started:
            start = Decision(0, 0, DecisionKind.START, text=self._task)
            self._print(start)
        self._started = True
        self._print(event)

    def _print(self, event: Event) -> None:
        lines = list(self._transcript.lines(event))
        if lines and self._held:
            # Below what a person is being asked, which ends without a line break.
            self._output.console.print()
        for line in lines:
            self._output.console.print(line, no_wrap=True, overflow='ignore', crop=False)
        self._line.follow(event)

    def tick(self, elapsed: float, canceling: bool) -> None:
        """Move the line at the bottom."""
        if self._status is not None:
            text = self._line.text(self._transcript.tree, elapsed, canceling)
            text.truncate(max(10, self._output.console.width - 4), overflow='ellipsis')
            self._status.update(text)

    def prepare(self, line: str) -> None:
        """Show it in the moving line; without one, in lines of its own."""
        self._line.preparing = line
        if line and self._status is None:
            self._output.console.print(visible(line), highlight=False, soft_wrap=True)

    def hold(self, held: bool) -> None:
        """Take the moving line away, or put it back."""
        changed, self._held = held is not self._held, held
        if self._status is not None and changed:
            if held:
                self._status.stop()
            else:
                self._status.start()

    def summary(self, summary: RunSummary) -> None:
        """The tree, the verdict and the figures."""
        console = self._output.console
        glyphs = self._output.glyphs
        tree = agent_tree(summary.tree, glyphs)
        if tree is not None:
            console.print()
            self._output.print_lines(tree)
        console.print()
        console.print(verdict(summary, glyphs))
        for line in summary_lines(summary, glyphs, console.width):
            console.print(line, no_wrap=True, overflow='ignore', crop=False)


class JsonDisplay:
    """One JSON object a line: the events as a journal has them, then the result."""

    def __init__(self, output: Output) -> None:
        self._file = output.console.file

    def __enter__(self) -> JsonDisplay:
        return self

    def __exit__(self, *reason: object) -> None:
        return None

    def event(self, event: Event) -> None:
        """Write it."""
        print(printable_json(encode_event(event)), file=self._file, flush=True)

    def tick(self, elapsed: float, canceling: bool) -> None:
        """Nothing moves."""

    def prepare(self, line: str) -> None:
        """Events say it afterwards."""

    def hold(self, held: bool) -> None:
        """Nothing moves."""

    def summary(self, summary: RunSummary) -> None:
        """Write the result."""
        line = json.dumps(summary.record(), ensure_ascii=False)
        print(printable_json(line), file=self._file, flush=True)


#: Seconds a canceled run has to answer with its result.
CANCEL_PATIENCE = 5.0
#: Seconds to wait for the last events once the result is there.
EVENT_PATIENCE = 1.0
#: Seconds between two looks at everything.
PERIOD = 0.1


class Run(Protocol):
    """A run at a planner, however it is reached."""

    def wait(self, seconds: float) -> list[Event]:
        """Events that have arrived, after waiting at most so long for one, in any order."""

    @property
    def result(self) -> RunSummary | None:
        """The result, once there is one."""

    def cancel(self) -> None:
        """Ask the planner to end the run; safe to call often."""

    @property
    def preparing(self) -> str:
        """What it waits for before it goes on, which counts for no limit; '' for nothing."""

    def trouble(self) -> str:
        """A sentence when no result can come any more; '' while one can."""


def follow(
    run: Run,
    display: RunDisplay,
    interrupts: Interrupts,
    time_limit: float | None = None,
    trouble: Callable[[], str] = lambda: '',
    attend: Callable[[], None] = lambda: None,
) -> RunSummary | None:
    """Show a run until it ends.

    :param time_limit: seconds after which the run is canceled, a margin above the planner's own.
    :param trouble: a sentence when the run cannot go on for a reason outside of it.
    :param attend: called often: asks a person what the run waits for.
    :returns: the result; None when the run was canceled and gave none in time.
    :raises SkillError: the planner is gone, or keeps silent past the time limit.
    """
    order = EventOrder()
    clock = RunClock()
    started = looked = time.monotonic()
    waited = 0.0
    preparing = ''
    canceled_at: float | None = None
    ended = False
    result_at: float | None = None
    with display:
        while True:
            for event in run.wait(PERIOD):
                order.add(event, time.monotonic())
            now = time.monotonic()
            waited += now - looked if preparing else 0.0
            looked = now
            if run.preparing != preparing:
                preparing = run.preparing
                display.prepare(preparing)
            for event in order.ready(now):
                display.event(clock.rebase(event))
                ended = ended or is_end_of_run(event)
            # After the decision that asks: nothing is written below what a person is asked.
            attend()
            display.tick(now - started, canceled_at is not None)
            if run.result is not None:
                result_at = result_at if result_at is not None else now
                if ended or now - result_at >= EVENT_PATIENCE:
                    break
                continue
            if interrupts.again.is_set():
                return None
            sentence = trouble() or run.trouble()
            if sentence:
                raise SkillError(sentence)
            late = time_limit is not None and now - started - waited > time_limit
            if (interrupts.requested.is_set() or late) and canceled_at is None:
                run.cancel()
                canceled_at = now
            if canceled_at is not None and now - canceled_at > CANCEL_PATIENCE:
                if interrupts.requested.is_set():
                    return None
                raise SkillError(
                    'The planner did not end the run at the time limit and does not answer a '
                    'cancel. Look at its log, and restart it.'
                )
        for event in order.rest():
            display.event(clock.rebase(event))
    return run.result
