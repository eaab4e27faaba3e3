"""How a run ended, as one value that the terminal and `--json` both show."""

from __future__ import annotations

from dataclasses import asdict
from dataclasses import dataclass
from typing import Any

from reactree_core.usage import LlmUsage
from reactree_planner.tree.snapshot import TreeSnapshot
from reactree_tools.exit_codes import ExitCode


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of PlanTask; the fields are those of PlanTask.action.

    :param error: name of the error code, e.g. 'TASK_FAILED'; 'NONE' without one.
    :param message: one sentence that says what to do; '' without an error.
    :param conditions: a line for each goal condition, when the bridge can tell.
    :param duration: seconds.
    :param score: 0..1, what the world gave; None where it gives none.
    """

    run_id: str
    error: str
    error_code: int
    message: str
    success: bool
    goal_known: bool
    goal_met: bool
    conditions_met: int
    conditions_total: int
    decisions: int
    steps: int
    duration: float
    usage: LlmUsage
    tree: TreeSnapshot
    notices: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    score: float | None = None

    @property
    def exit_code(self) -> ExitCode:
        """OK when the tree succeeded and the goal is met as far as anybody knows."""
        if self.error in ('INVALID_TASK', 'UNKNOWN_PLANNER', 'BRIDGE_UNAVAILABLE'):
            return ExitCode.UNUSABLE
        if self.success and (self.goal_met or not self.goal_known):
            return ExitCode.OK
        return ExitCode.FAILED

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {'event': 'result', **asdict(self)}
