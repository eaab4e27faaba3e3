"""How often a failed step may be made good, and what the model is told of it (section 4.1)."""

from __future__ import annotations

from reactree_planner.planners.plans.execution import StepResult


class Corrections:
    """Counts the corrections of one run.

    :param most: as many are allowed, 0 or more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.made = 0

    def take(self) -> bool:
        """Make one more; False when none is left."""
        if self.made >= self._most:
            return False
        self.made += 1
        return True

    @property
    def used_up_text(self) -> str:
        """Why a run ends at a failed step, for people."""
        if not self._most:
            return 'failed steps are not corrected'
        return f'all {self._most} corrections are made: raise plans.corrections to go on longer'


def error_text(result: StepResult) -> str:
    """What the model is told of a failed step: which it was, and what the world said."""
    return f'The step "{result.skill}" failed: {result.text}'
