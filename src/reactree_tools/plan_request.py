"""What a user asks of the planner."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The goal of PlanTask; 0 leaves a limit to the planner's parameters.

    :param task: up to 2000 characters; '' takes the task loaded in the bridge.
    :param max_time: seconds.
    :param run_id: of the run to come, or to go on with; 32 hexadecimal digits.
    :param resumes: whether the run has been begun and was interrupted.
    """

    task: str = ''
    planner: str = ''
    max_decisions: int = 0
    max_steps: int = 0
    max_depth: int = 0
    max_tokens: int = 0
    max_time: float = 0.0
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    resumes: bool = False

    @property
    def goal_id(self) -> str:
        """Of the action goal: that of its run, but no id may be used twice."""
        return uuid.uuid4().hex if self.resumes else self.run_id
