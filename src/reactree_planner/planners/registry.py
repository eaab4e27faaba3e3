"""Planners by name."""

from __future__ import annotations

from typing import Protocol

from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_planner.planners.iterative import GlobalReplanner
from reactree_planner.planners.iterative import IterativePlanner
from reactree_planner.planners.iterative import LocalReplanner
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.tree_planner import TreePlanner
from reactree_planner.planners.zero_shot import ZeroShotPlanner


class Planner(Protocol):
    """A way to plan: decides, and leaves the rest to the run."""

    @property
    def name(self) -> str:
        """As in the parameter `planner`."""

    def run(self, run: PlanRun) -> bool:
        """Plan and act to the end; True for success.

        :raises ReactreeError: whatever ended the run early.
        """

    def experiences(self, run_id: str, run: PlanRun, task_type: str) -> tuple[Experience, ...]:
        """What is worth keeping of a run whose goal was met."""


_PLANNERS: dict[str, type[Planner]] = {
    'reactree': ReAcTreePlanner,
    'zero_shot': ZeroShotPlanner,
    'iterative': IterativePlanner,
    'local_replan': LocalReplanner,
    'global_replan': GlobalReplanner,
    'tree_planner': TreePlanner,
}


def planner_names() -> tuple[str, ...]:
    """Names that `make_planner` knows."""
    return tuple(sorted(_PLANNERS))


def make_planner(name: str) -> Planner:
    """A fresh planner. :raises ConfigurationError: no planner has this name."""
    try:
        return _PLANNERS[name]()
    except KeyError:
        raise ConfigurationError(
            f'There is no planner "{name}". Choose one of: {", ".join(planner_names())}.'
        ) from None
