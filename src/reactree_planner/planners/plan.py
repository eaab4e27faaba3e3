"""A plan: steps and their execution order, and how it becomes levels of the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.agents.subgoals import LONGEST_SUBGOAL
from reactree_planner.planners.logic import Expression
from reactree_planner.planners.logic import levels_of
from reactree_planner.planners.logic import print_expression
from reactree_planner.planners.logic import Step
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow

_BETWEEN = {ControlFlow.SEQUENCE: ', then ', ControlFlow.FALLBACK: ', or '}


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps and how they are joined.

    :param steps: what is to be done, step 1 first. :param order: names steps by number.
    """

    steps: tuple[str, ...]
    order: Expression

    def goal_of(self, part: Expression) -> str:
        """A part of the order in words, as the goal of a node."""
        if isinstance(part, Step):
            return self.steps[part.number - 1]
        return _BETWEEN[part.flow].join(map(self.goal_of, part.parts))[:LONGEST_SUBGOAL]

    @property
    def levels(self) -> int:
        """Levels of control flow below the node that plans, 1 or more."""
        return max(1, levels_of(self.order))


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended.

    :param information: what those who come after it are told; only successes tell anything.
    """

    success: bool
    information: str = ''


#: Runs a step's node to its end, given its goal and the information so far.
RunStep = Callable[[int, str, str], StepEnd]


def run_plan(
    run: PlanRun,
    node_id: int,
    plan: Plan,
    run_step: RunStep,
    information: str = '',
    usage: LlmUsage = NO_USAGE,
    why: str = '',
) -> StepEnd:
    """Grow a plan below a node and run it: AND is a sequence, OR a fallback (ADaPT 3.2).

    An expression inside another becomes a node of its own, which expands at once: several levels
    (appendix B). Information comes from successful steps only; those joined by OR are all told
    the same (appendix A).

    :param usage: model work of writing the plan. :param why: there is a plan, for people.
    :raises LimitReached: the tree may not be so deep.
    """
    reason = f'{why}Execution Order: {print_expression(plan.order)}'
    return _run_part(run, node_id, plan, plan.order, run_step, information, usage, reason)


def _run_part(
    run: PlanRun,
    node_id: int,
    plan: Plan,
    part: Expression,
    run_step: RunStep,
    information: str,
    usage: LlmUsage = NO_USAGE,
    reason: str = '',
) -> StepEnd:
    flow = ControlFlow.SEQUENCE if isinstance(part, Step) else part.flow
    inner = (part,) if isinstance(part, Step) else part.parts
    goals = [plan.goal_of(one) for one in inner]
    parts = dict(zip(run.grow(node_id, flow, goals, usage, reason), inner, strict=True))
    known = information

    def run_child(child: int) -> bool:
        nonlocal known
        one = parts[child]
        if isinstance(one, Step):
            end = run_step(child, plan.goal_of(one), known)
        else:
            end = _run_part(run, child, plan, one, run_step, known)
        if end.success:
            known = end.information or known
        return end.success

    success = run.run_children(flow, tuple(parts), run_child)
    return StepEnd(success, known if success else '')
