"""How good programs are: executability, goal-condition recall and success (Tree-Planner).

The goal of a task is what its gold program changes: states, and INSIDE, ON and HOLDS edges, that
hold after it and did not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge.worlds.household.programs.environment_state import Fact
from sim_bridge.worlds.household.programs.execution import Execution


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over programs, each 0..1; 0.0 without any.

    :param executability: share whose steps were all executed.
    :param recall: share of a goal's conditions that hold, at the best moment of the execution.
    :param success: share of programs with all conditions at once, at some moment.
    """

    executability: float
    recall: float
    success: float


def goal_conditions(before: frozenset[Fact], after: frozenset[Fact]) -> frozenset[Fact]:
    """What a gold program brought about."""
    return after - before


def recall(execution: Execution, goal: frozenset[Fact]) -> float:
    """Largest share of the goal's conditions that held at one moment, 0..1; 1.0 for no goal."""
    if not goal:
        return 1.0
    return max(len(goal & facts) for facts in execution.visited) / len(goal)


def measure(results: Sequence[tuple[Execution, frozenset[Fact]]]) -> Measures:
    """Means over executions with their goals."""
    if not results:
        return Measures(0.0, 0.0, 0.0)
    recalls = [recall(execution, goal) for execution, goal in results]
    count = len(results)
    return Measures(
        sum(execution.succeeded for execution, _ in results) / count,
        sum(recalls) / count,
        sum(value == 1.0 for value in recalls) / count,
    )
