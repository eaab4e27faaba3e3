"""Follows a run from the sent task to its result: shows events, obeys Ctrl-C, keeps deadlines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from reactree_core.errors import SkillError
from reactree_planner.tree.events import Event
from reactree_tools.event_order import EventOrder
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.run_clock import RunClock
from reactree_tools.run_summary import RunSummary
from reactree_tools.views.run_display import RunDisplay
from reactree_tools.views.status_line import is_end_of_run

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
    started = time.monotonic()
    canceled_at: float | None = None
    ended = False
    result_at: float | None = None
    with display:
        while True:
            for event in run.wait(PERIOD):
                order.add(event, time.monotonic())
            attend()
            now = time.monotonic()
            for event in order.ready(now):
                display.event(clock.rebase(event))
                ended = ended or is_end_of_run(event)
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
            late = time_limit is not None and now - started > time_limit
            if (interrupts.requested.is_set() or late) and canceled_at is None:
                run.cancel()
                canceled_at = now
            if canceled_at is not None and now - canceled_at > CANCEL_PATIENCE:
                if interrupts.requested.is_set():
                    return None
                raise SkillError(
                    'The planner keeps silent past the time limit and does not answer a cancel. '
                    'Look at its log, and start it again.'
                )
        for event in order.rest():
            display.event(clock.rebase(event))
    return run.result
