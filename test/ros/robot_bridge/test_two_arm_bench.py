"""The example of a bench with two arms: the contract, a part handed over, and its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_core.conformance import Verdict
from reactree_core.observation import Outcome
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from support.robot_examples import plan, running_example
from support.waiting import wait_for

pytestmark = pytest.mark.timeout(240)
TASK = 'put gear 1 on the right tray'


@pytest.fixture
def stack(monkeypatch, namespace, tmp_path):
    """The bench and its bridge, spun; a fast one, in the test's namespace."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / 'examples' / 'two_arm_bench'))
    with running_example('two_arm_bench', namespace, tmp_path) as node:
        node.bench.hurry = 10.0
        yield node


def test_it_keeps_the_contract(stack, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_a_planner_goes_on_from_an_arm_too_short_and_a_missed_grip(stack, namespace):
    stack.bench.misses = 1
    ended, seen = plan(
        namespace,
        TASK,
        (
            'pick up gear 1 with right arm',
            'pick up gear 1 with left arm',
            'pick up gear 1 with left arm',
            'put gear 1 on right tray with left arm',
            'hand gear 1 over to right arm',
            'put gear 1 on right tray with right arm',
            'done',
        ),
    )
    assert ended
    assert [one.outcome for one in seen] == [
        Outcome.PRECONDITION_FAILED,
        Outcome.EXECUTION_FAILED,
        Outcome.SUCCEEDED,
        Outcome.PRECONDITION_FAILED,
        Outcome.SUCCEEDED,
        Outcome.SUCCEEDED,
    ]
    assert seen[0].text.startswith('The right arm does not reach gear 1. You hold nothing.')
    assert seen[1].text.startswith('The left gripper has closed on nothing.')
    assert 'You hold gear 1 in left hand (by ' in seen[2].text
    assert seen[3].text.startswith('The left arm does not reach right tray.')
    assert 'You hold gear 1 in right hand (by ' in seen[4].text
    assert seen[4].held == ('gear 1',)
    assert 'You hold nothing. You see gear 1 at right tray' in seen[5].text
    assert stack.bench.held_by('right') == ''


def test_a_planner_goes_on_when_there_is_no_way(stack, namespace):
    stack.bench.covers = [(0.0, 0.4, 0.15)]
    ended, seen = plan(
        namespace,
        TASK,
        (
            'pick up gear 1 with left arm',
            'put gear 1 on fixture with left arm',
            'hand gear 1 over to right arm',
            'put gear 1 on left tray with left arm',
            'done',
        ),
    )
    assert ended
    assert [one.outcome for one in seen] == [
        Outcome.SUCCEEDED,
        Outcome.PRECONDITION_FAILED,
        Outcome.EXECUTION_FAILED,
        Outcome.SUCCEEDED,
    ]
    assert seen[1].text.startswith('Something is in the way of the left arm to fixture.')
    assert 'gave up: goal in collision.' in seen[2].text


def test_a_planner_goes_on_without_a_gripper_that_is_gone(stack, namespace):
    stack.servers['right_gripper/gripper_cmd'].destroy()
    wait_for(stack.absent, 'the end of the gripper')
    ended, seen = plan(
        namespace,
        TASK,
        ('pick up gear 2 with right arm', 'pick up gear 1 with left arm', 'done'),
    )
    assert ended
    assert [one.outcome for one in seen] == [Outcome.EXECUTION_FAILED, Outcome.SUCCEEDED]
    assert seen[0].text.startswith(
        f'The action /{namespace}/right_gripper/gripper_cmd has no server: is it running'
    )
