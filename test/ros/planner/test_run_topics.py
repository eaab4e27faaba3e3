"""Decisions and trees as messages: over the wire and back, and the line that feedback tells."""

from __future__ import annotations

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from reactree_core.foreign_text import cleaned
from reactree_core.observation import Observation
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_core.usage import LlmUsage
from reactree_planner.ros.run_messages import (
    decision_from_message,
    decision_to_message,
    snapshot_from_message,
    TreeMessages,
)
from reactree_planner.ros.run_topics import line_of
from support.repaired_run import OVERRULED, repaired_run

RUN = '0123456789abcdef' * 2
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
numbers = st.integers(0, 2**32 - 1)
texts = st.text(st.characters(exclude_categories=['Cs', 'Cc']), max_size=40).map(cleaned)
several = st.lists(texts, max_size=4).map(tuple)
usages = st.builds(LlmUsage, texts, numbers, numbers, numbers, numbers, numbers, st.just(0.5))
decisions = st.builds(
    Decision,
    numbers,
    numbers,
    # A START carries settings, which have a test of their own.
    st.sampled_from([kind for kind in DecisionKind if kind is not DecisionKind.START]),
    texts,
    texts,
    st.sampled_from(ControlFlow),
    several,
    st.sampled_from(NodeStatus),
    # Multiples of 1/512 s are whole nanoseconds, and exact as a float too.
    st.integers(0, 2**30).map(lambda number: number / 512),
    usages,
    ties=several,
)


def over_the_wire(message):
    """The same message as a subscriber of another process gets it."""
    return deserialize_message(serialize_message(message), type(message))


@given(decisions)
@patient
def test_a_decision_comes_back_as_it_went(decision):
    message = over_the_wire(decision_to_message(decision, RUN, 0.0))
    assert decision_from_message(message) == decision


def test_a_grounded_and_repaired_run_and_its_tree_come_back_as_they_went():
    messages = TreeMessages(RUN)
    tree, told = AgentTree(), AgentTree()
    for event in repaired_run():
        tree.apply(event)
        if isinstance(event, Decision):
            message = over_the_wire(decision_to_message(event, RUN, 0.0))
            event = decision_from_message(message)
        told.apply(event)
        heard = snapshot_from_message(over_the_wire(messages.message(tree.snapshot(), 0.0)))
        assert heard == tree.snapshot() == told.snapshot()
    assert tree.snapshot() == reduce_events(repaired_run())


def test_any_text_of_a_tie_is_one_that_a_message_carries():
    decision = Decision(1, 0, DecisionKind.GROUND, ties=('\ud800\0' + 'x' * 100_000,))
    message = over_the_wire(decision_to_message(decision, RUN, 0.0))
    assert len(message.ties[0].encode()) < 100_000


def test_feedback_tells_what_a_task_means_and_how_a_node_goes_on():
    lines = [line_of(event) for event in repaired_run() if not isinstance(event, Observation)]
    assert '0: ground 2 crate in truck, pump is on' in lines
    assert f'1: repair {OVERRULED}' in lines
