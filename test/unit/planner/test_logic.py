"""Execution orders: read and written, and run as levels of the tree like Python's and / or."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.record.events import ControlFlow, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.plan import (
    Group,
    joined,
    levels_of,
    parse_expression,
    Plan,
    print_expression,
    run_plan,
    Step,
    StepEnd,
    steps_of,
)
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings

AND, OR = ControlFlow.SEQUENCE, ControlFlow.FALLBACK
STEPS = 8

expressions = st.recursive(
    st.builds(Step, st.integers(1, STEPS)),
    lambda parts: st.builds(joined, st.sampled_from((AND, OR)), st.lists(parts, min_size=1)),
    max_leaves=12,
)


@given(expressions)
def test_what_is_written_reads_back_as_the_same(expression):
    assert parse_expression(print_expression(expression), STEPS) == expression


@given(expressions)
def test_every_level_has_one_operator_and_the_levels_alternate(expression):
    def check(part):
        if isinstance(part, Group):
            assert len(part.parts) >= 2
            for inner in part.parts:
                assert not isinstance(inner, Group) or inner.flow is not part.flow
                check(inner)

    check(expression)


class Outcomes:
    """Steps that end as told, and are remembered in the order in which they ran."""

    def __init__(self, outcomes):
        self._outcomes = outcomes
        self.ran = []

    def end(self, number):
        self.ran.append(number)
        return self._outcomes[number - 1]


def run_in_a_tree(home, memory, expression, outcomes):
    events = []
    ports = Ports(PolicyModel(lambda text, options: ''), home, memory)
    limits = Limits(depth=0)
    run = PlanRun('a task', ports, PlannerSettings(), limits, CancelToken(), events.append)
    run.start('test')

    def run_step(node_id, goal, information):
        success = outcomes.end(int(goal))
        run.events.end_node(node_id, success)
        return StepEnd(success, goal)

    plan = Plan(tuple(str(number) for number in range(1, STEPS + 1)), expression)
    return run_plan(run, 1, plan, run_step), reduce_events(events)


@given(expressions, st.lists(st.booleans(), min_size=STEPS, max_size=STEPS))
def test_a_tree_of_an_expression_ends_as_python_evaluates_it(
    make_home, make_memory, expression, outcomes
):
    source = print_expression(expression).replace('AND', 'and').replace('OR', 'or')
    python = Outcomes(outcomes)
    expected = eval(re.sub(r'Step (\d+)', r'end(\1)', source), {'end': python.end})
    tree = Outcomes(outcomes)
    end, snapshot = run_in_a_tree(make_home(), make_memory(), expression, tree)
    assert end.success is expected
    assert tree.ran == python.ran
    wanted = NodeStatus.SUCCESS if expected else NodeStatus.FAILURE
    assert snapshot.nodes[0].status is wanted
    # What is never reached does not grow.
    assert max(node.depth for node in snapshot.nodes) <= 1 + 2 * max(1, levels_of(expression))


@pytest.mark.parametrize(
    ('text', 'expression'),
    [
        ('Step 1', Step(1)),
        ('(Step 1 AND Step 2).', Group(AND, (Step(1), Step(2)))),
        ('step 1 or step 2 and step 3', Group(OR, (Step(1), Group(AND, (Step(2), Step(3)))))),
        ('((1 OR 2)) AND ((3))', Group(AND, (Group(OR, (Step(1), Step(2))), Step(3)))),
        ('Step 1 AND (Step 2 AND Step 3)', Group(AND, (Step(1), Step(2), Step(3)))),
    ],
)
def test_execution_orders_are_read_as_models_write_them(text, expression):
    assert parse_expression(text, 3) == expression


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('', 'ends where a step should be'),
        ('Step 1 AND', 'ends where a step should be'),
        ('(Step 1 OR Step 2', 'lacks a closing bracket'),
        ('Step 1 Step 2', 'goes on with "STEP 2" after its end'),
        ('Step 4', 'has "STEP 4" where one of steps 1 to 3 should be'),
        ('Step 1 XOR Step 2', 'cannot be read from "XOR Step 2" on'),
        ('(' * 17 + 'Step 1' + ')' * 17, 'has more than 16 levels of brackets'),
        (' AND '.join(['Step 1'] * 17), 'names more than 16 steps'),
    ],
)
def test_what_is_no_execution_order_is_told_in_a_sentence(text, sentence):
    with pytest.raises(ModelOutputError, match=re.escape(sentence)):
        parse_expression(text, 3)


@given(st.text(max_size=300))
def test_whatever_is_written_either_reads_or_is_refused(text):
    try:
        expression = parse_expression(text, 3)
    except ModelOutputError:
        return
    assert set(steps_of(expression)) <= {1, 2, 3}
