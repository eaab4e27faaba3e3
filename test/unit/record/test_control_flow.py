"""Sequence, fallback and parallel, against the sentences of the paper."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reactree_core.record.control_flow import combined_status, run_children
from reactree_core.record.events import ControlFlow, NodeStatus
from reactree_core.record.run_settings import ParallelPolicy

FLOWS = (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL)


def run(flow, results, policy=ParallelPolicy.MAJORITY):
    ran = []

    def run_child(child):
        ran.append(child)
        return results[child]

    return run_children(flow, range(len(results)), policy, run_child), ran


def test_sequence_stops_at_the_first_failure():
    assert run(ControlFlow.SEQUENCE, [True, False, True]) == (False, [0, 1])
    assert run(ControlFlow.SEQUENCE, [True, True]) == (True, [0, 1])


def test_fallback_stops_at_the_first_success():
    assert run(ControlFlow.FALLBACK, [False, True, True]) == (True, [0, 1])
    assert run(ControlFlow.FALLBACK, [False, False]) == (False, [0, 1])


def test_parallel_runs_every_child_whatever_happens():
    for policy in ParallelPolicy:
        assert run(ControlFlow.PARALLEL, [False, True, False], policy)[1] == [0, 1, 2]


def test_a_tie_is_no_majority():
    assert not ParallelPolicy.MAJORITY.holds(1, 2)
    assert ParallelPolicy.MAJORITY.holds(2, 3)


def test_all_and_any_say_what_they_mean():
    assert not ParallelPolicy.ALL.holds(2, 3)
    assert ParallelPolicy.ALL.holds(3, 3)
    assert ParallelPolicy.ANY.holds(1, 9)
    assert not ParallelPolicy.ANY.holds(0, 9)


@given(
    st.sampled_from(FLOWS),
    st.lists(st.booleans(), min_size=1, max_size=16),
    st.sampled_from(list(ParallelPolicy)),
)
def test_the_reducer_and_the_runner_agree(flow, results, policy):
    success, ran = run(flow, results, policy)
    statuses = [NodeStatus.IDLE] * len(results)
    for position, child in enumerate(ran):
        before = combined_status(flow, statuses, policy)
        assert before is NodeStatus.RUNNING or before is NodeStatus.IDLE, position
        statuses[child] = NodeStatus.SUCCESS if results[child] else NodeStatus.FAILURE
    decided = combined_status(flow, statuses, policy)
    assert decided is (NodeStatus.SUCCESS if success else NodeStatus.FAILURE)
