"""How good programs are: executability, goal-condition recall and success (Tree-Planner).

The goal of a task is what its gold program changes: states and edges that hold after it and did
not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sim_bridge.worlds.household.programs.execution import Execution
from sim_bridge.worlds.household.programs.stage import Fact


class Rule(Enum):
    """What of an execution counts.

    The published program takes the end of plans that are executed as a whole (PLAN), and the best
    moment on the path of runs that decide as they go (GROUNDED); a step that failed for good makes
    either 0. KIND takes the best moment, whatever came after it.
    """

    PLAN = 'plan'
    GROUNDED = 'grounded'
    KIND = 'kind'


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over programs, each 0..1; 0.0 without any.

    :param executability: share whose steps were all executed (Exec).
    :param recall: share of a goal's conditions that hold (GCR).
    :param success: share of programs with all conditions at once (SR).
    """

    executability: float
    recall: float
    success: float


def goal_conditions(before: frozenset[Fact], after: frozenset[Fact]) -> frozenset[Fact]:
    """What a gold program brought about."""
    return after - before


def recall(execution: Execution, goal: frozenset[Fact], rule: Rule = Rule.KIND) -> float:
    """Share of the goal's conditions that count as reached, 0..1; 1.0 for no goal."""
    if rule is not Rule.KIND and not execution.succeeded:
        return 0.0
    if not goal:
        return 1.0
    visited = execution.visited[-1:] if rule is Rule.PLAN else execution.visited
    return max(len(goal & facts) for facts in visited) / len(goal)


def measure(
    results: Sequence[tuple[Execution, frozenset[Fact]]], rule: Rule = Rule.KIND
) -> Measures:
    """Means over executions with their goals."""
    if not results:
        return Measures(0.0, 0.0, 0.0)
    recalls = [recall(execution, goal, rule) for execution, goal in results]
    count = len(results)
    return Measures(
        sum(execution.succeeded for execution, _ in results) / count,
        sum(recalls) / count,
        sum(value == 1.0 for value in recalls) / count,
    )
