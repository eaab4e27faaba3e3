"""What control-flow nodes come to: sequence, fallback and parallel (ReAcTree section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactree_core.record.events import ControlFlow, NodeStatus
from reactree_core.record.run_settings import ParallelPolicy


def combined_status(
    flow: ControlFlow, statuses: Sequence[NodeStatus], policy: ParallelPolicy
) -> NodeStatus:
    """Status of a control-flow node from its children's, in order (ReAcTree section 4.1).

    A fallback's children may have run in any order: Tree-Planner decides anew which is next.

    :return: SUCCESS or FAILURE once decided, RUNNING before.
    """
    if flow is ControlFlow.SEQUENCE:
        for status in statuses:
            if status is not NodeStatus.SUCCESS:
                failed = status is NodeStatus.FAILURE
                return NodeStatus.FAILURE if failed else NodeStatus.RUNNING
        return NodeStatus.SUCCESS
    if flow is ControlFlow.FALLBACK:
        if NodeStatus.SUCCESS in statuses:
            return NodeStatus.SUCCESS
        failed = all(status is NodeStatus.FAILURE for status in statuses)
        return NodeStatus.FAILURE if failed else NodeStatus.RUNNING
    if any(status not in (NodeStatus.SUCCESS, NodeStatus.FAILURE) for status in statuses):
        return NodeStatus.RUNNING
    successes = sum(status is NodeStatus.SUCCESS for status in statuses)
    held = policy.holds(successes, len(statuses))
    return NodeStatus.SUCCESS if held else NodeStatus.FAILURE


def run_children(
    flow: ControlFlow,
    children: Sequence[int],
    policy: ParallelPolicy,
    run_child: Callable[[int], bool],
) -> bool:
    """Run children in order until the flow is decided.

    :param children: node ids. :param run_child: runs one to its end, True for success.
    """
    if flow is ControlFlow.SEQUENCE:
        return all(run_child(child) for child in children)
    if flow is ControlFlow.FALLBACK:
        return any(run_child(child) for child in children)
    results = [run_child(child) for child in children]
    return policy.holds(sum(results), len(results))
