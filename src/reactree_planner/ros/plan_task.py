"""One goal of the action PlanTask: what it asks, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass, field

from rclpy.action.server import ServerGoalHandle

from reactree_core.observation import Progress
from reactree_core.record.outcome import Ending, ErrorCode, NOT_STARTED, RunOutcome
from reactree_core.record.run_settings import Ask, GO_ON, read_ask
from reactree_core.record.snapshot import EMPTY_TREE, TreeSnapshot
from reactree_core.ros.conversions import (
    bounded,
    duration_from_message,
    run_id_from_message,
    usage_to_message,
)
from reactree_core.ros.fields import bounded_names
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.planners.registry import is_planner, planner_names
from reactree_ros.action import PlanTask
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage

#: Longest task, in characters.
TASK_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a goal asks. Numbers are 0 where the node's parameters hold.

    :param goal_id: of the action goal; the run's own id, unless the run is resumed.
    :param resumes: whether the run goes on from its journal.
    :param ask: when people are asked; '' where the node's parameter holds.
    :param by_itself: whether the planner resumes the run without anybody's command.
    """

    run_id: str
    task: str
    planner: str
    decisions: int = 0
    steps: int = 0
    depth: int = 0
    tokens: int = 0
    seconds: float = 0.0
    goal_id: str = ''
    resumes: bool = False
    ask: str = ''
    by_itself: bool = False


@dataclass
class RunReport:
    """What a run came to. :param claimed: whether the planner said that the task is done.

    :param closing: hash of the last line of its journal.
    """

    outcome: RunOutcome = NOT_STARTED
    claimed: bool = False
    ending: Ending = field(default_factory=Ending)
    tree: TreeSnapshot = EMPTY_TREE
    progress: Progress | None = None
    usage: LlmUsage = NO_USAGE
    duration: float = 0.0
    notices: list[str] = field(default_factory=list)
    closing: str = ''


def objection_to(goal: PlanTask.Goal) -> RunOutcome | None:
    """Why a goal cannot be planned for; None where it can."""
    if len(goal.task) > TASK_LIMIT:
        return RunOutcome(
            ErrorCode.INVALID_TASK,
            f'The task has {len(goal.task)} characters, at most {TASK_LIMIT} '
            'are taken: say it shorter.',
        )
    if goal.planner and not is_planner(goal.planner):
        return RunOutcome(
            ErrorCode.UNKNOWN_PLANNER,
            f'There is no planner "{goal.planner[:80]}". Choose one of: '
            f'{", ".join(planner_names())}.',
        )
    if duration_from_message(goal.max_time) < 0:
        return RunOutcome(
            ErrorCode.INVALID_TASK,
            'The field max_time of the goal is below 0: set a longer time, or leave it 0.',
        )
    try:
        read_ask(goal.ask)
    except ValueError:
        known = [*(ask.value for ask in Ask), GO_ON]
        return RunOutcome(
            ErrorCode.INVALID_TASK,
            f'The field ask of the goal is "{bounded(goal.ask, 80)}": set one of '
            f'{", ".join(known)}, or leave it empty.',
        )
    return None


def request_of(handle: ServerGoalHandle) -> RunRequest:
    """What an accepted goal asks."""
    goal = handle.request
    goal_id = bytes(handle.goal_id.uuid).hex()
    resumed = run_id_from_message(goal.resume_run)
    resumes = bool(resumed.strip('0'))
    return RunRequest(
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


def result_of(report: RunReport, tree: TreeSnapshotMessage) -> PlanTask.Result:
    """The answer to a goal. :param tree: the newest that was published."""
    result = PlanTask.Result(
        error_code=int(report.outcome.code),
        error_msg=bounded(report.outcome.message),
        success=report.outcome.success,
        claimed=report.claimed,
        verified=bounded_names(report.ending.verified),
        assumed=bounded_names(report.ending.assumed),
        missing=bounded_names(report.ending.missing),
        unknown=bounded_names(report.ending.unknown),
        unread=bounded_names(report.ending.unread),
        tree=tree if report.tree.nodes else TreeSnapshotMessage(),
        decisions=report.tree.decisions,
        steps=report.tree.steps,
        duration=report.duration,
        usage=usage_to_message(report.usage),
        notices=[bounded(notice) for notice in report.notices],
        record_hash=report.closing,
    )
    if report.progress is not None:
        result.goal_known = True
        result.goal_met = report.progress.success
        result.conditions_met = report.progress.met
        result.conditions_total = report.progress.total
        result.has_score = report.progress.score is not None
        result.score = report.progress.score or 0.0
    return result
