"""Sends a task and shows its run: what `plan` and `demo` share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from reactree_core.errors import ReactreeError
from reactree_tools.exit_codes import ExitCode
from reactree_tools.follow import follow
from reactree_tools.output import Output
from reactree_tools.plan_request import PlanRequest
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.ros.approvals import ApprovalDesk
from reactree_tools.ros.approvals import Approvals
from reactree_tools.ros.plan_client import PlanClient
from reactree_tools.ros.session import Session
from reactree_tools.ros.world_client import world_state
from reactree_tools.run_summary import RunSummary
from reactree_tools.views.run_display import JsonDisplay
from reactree_tools.views.run_display import RunDisplay
from reactree_tools.views.run_display import TerminalDisplay

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
    client = PlanClient(session, request)
    desk = ApprovalDesk(Approvals(session, request.run_id), output, not as_json, display.hold)
    if not client.find(interrupts.requested.is_set):
        return ExitCode.INTERRUPTED
    client.send()
    limit = request.max_time + TIME_MARGIN if request.max_time else None
    with ExitStack() as on_failure:
        # A run that nobody watches any more (a closed pipe, a dead node) is not left running.
        on_failure.callback(client.abandon)
        on_failure.callback(desk.close)
        summary = follow(client, display, interrupts, limit, trouble, desk.tick)
        desk.close()
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
    """The summary with a line for each goal condition, when the bridge still can tell.

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
