"""The example of an arm over a table: what its camera sees is what it knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from rclpy.node import Node

from reactree_core.conformance import Verdict
from reactree_core.observation import Outcome
from reactree_ros.msg import BridgeStatus
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from support.bridge_client import (
    Client,
    spinning,
)
from support.robot_examples import (
    plan,
    running_example,
    solve,
)
from support.waiting import wait_for

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def stack(monkeypatch, namespace, tmp_path):
    """The arm, its cameras and its bridge, spun; a fast one, in the test's namespace."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / 'examples' / 'table_arm'))
    with running_example('table_arm', namespace, tmp_path) as node:
        # Slow enough for the camera to follow the hand on a machine with much else to do.
        node.table.hurry = 4.0
        yield node


def test_it_keeps_the_contract(stack, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_parts_are_taken_where_their_markers_are_and_a_miss_is_noticed(stack, namespace):
    stack.table.misses = 1
    ended, seen = plan(
        namespace,
        'put gear 1 in the bin',
        ('pick up gear 1', 'pick up gear 1', 'put gear 1 on bin', 'done'),
    )
    assert ended
    assert [one.outcome for one in seen] == [
        Outcome.EXECUTION_FAILED,
        Outcome.SUCCEEDED,
        Outcome.SUCCEEDED,
    ]
    assert seen[0].text.startswith('The gripper has closed on nothing.')
    assert 'gear 1 at left tray' in seen[0].text
    assert 'gear 1 at bin' in seen[2].text and '(assumed)' not in seen[2].text
    assert stack.table.spot_of('gear 1') == 'bin'


def _looking(namespace):
    def make(context):
        return Node('client', context=context, namespace=namespace)

    return spinning(make)


def _close_on(stack, name):
    """Have the gripper close on a part that the camera still sees where it lay."""
    stack.table.move(stack.table.parts[name])
    assert stack.table.close()


def test_a_hand_that_holds_something_without_a_name_can_be_opened_by_the_skills_of_the_file(
    stack, namespace
):
    with _looking(namespace) as node:
        client = Client(node, snapshots=False).find()

        def look():
            return client.call('list_skills').observation

        wait_for(lambda: 'gear 1 at left tray' in look().text, 'the gear')
        _close_on(stack, 'gear 1')
        wait_for(lambda: 'You hold something' in look().text, 'something in the hand')
        assert set(look().admissible_skills) == {
            f'put something on {place}' for place in ('left tray', 'scale', 'right tray', 'bin')
        }
        wait_for(lambda: client.state == BridgeStatus.STATE_READY, 'the bridge')
        _, seen = client.execute('pick up gear 2')
        assert seen.outcome == Outcome.PRECONDITION_FAILED.value
        _, seen = client.execute('put something on scale')
        assert seen.outcome == Outcome.SUCCEEDED.value
        assert 'You hold nothing' in seen.text and 'gear 1 at scale' in seen.text
        assert 'something' not in seen.text.partition('. ')[2]
    assert stack.table.spot_of('gear 1') == 'scale'


def test_a_run_goes_on_from_a_grasp_that_was_broken_off(stack, namespace):
    _close_on(stack, 'gear 1')
    ended, seen = solve(namespace, 'put gear 1 on the scale')
    assert ended
    assert next(one.skill for one in seen if one.skill).startswith('put something on ')
    assert {one.outcome for one in seen if one.skill} == {Outcome.SUCCEEDED}
    assert stack.table.spot_of('gear 1') == 'scale'


def test_what_a_person_moves_is_seen_where_it_is(stack, namespace):
    stack.table.lay_out({'gear 1': 'left tray', 'battery 1': 'scale'})
    ended, seen = plan(
        namespace,
        'put battery 1 on the left tray',
        ('pick up battery 1', 'put battery 1 on left tray', 'done'),
    )
    assert ended and seen[0].outcome is Outcome.SUCCEEDED
    assert stack.table.spot_of('battery 1') == 'left tray'


def test_nothing_moves_in_the_dark(stack, namespace):
    def make(context):
        return Node('client', context=context, namespace=namespace)

    def look():
        return client.call('list_skills').observation.text

    with spinning(make) as node:
        client = Client(node, snapshots=False).find()
        wait_for(lambda: 'gear 1' in look(), 'the gear')
        stack.dark = True
        rest = stack.table.hand
        wait_for(lambda: 'What is here is not known' in look(), 'that nothing is known')
        _, seen = client.execute('pick up gear 1')
        assert seen.outcome == Outcome.PRECONDITION_FAILED.value
        assert 'The pose of "gear 1" is not known' in seen.text
        assert stack.table.hand == rest
        stack.dark = False
        wait_for(lambda: 'You see' in look(), 'the parts again')
        _, seen = client.execute('pick up gear 1')
        assert seen.outcome == Outcome.SUCCEEDED.value
    assert stack.table.held == 'gear 1'
