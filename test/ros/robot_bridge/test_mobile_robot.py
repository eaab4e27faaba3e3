"""The example of a mobile robot: it keeps the contract, and a planner goes on from its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_core.conformance import Verdict
from reactree_core.observation import Outcome
from reactree_tools.node_interfaces import robot_interfaces
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from reactree_tools.security_policy import policy_text
from robot_bridge.loading import load_robot
from robot_bridge.ros.installed_types import InstalledTypes
from support.robot_examples import plan, running_example
from support.waiting import wait_for

pytestmark = pytest.mark.timeout(240)
TASK = 'bring crate 3 to the packing table'


@pytest.fixture
def stack(monkeypatch, namespace, tmp_path):
    """The robot and its bridge, spun; a fast one, in the test's namespace."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / 'examples' / 'mobile_robot'))
    with running_example('mobile_robot', namespace, tmp_path) as node:
        node.hall.speed = 10.0
        yield node


def test_the_policy_of_its_file_is_current():
    root = Path(__file__).parents[3]
    robot = load_robot(root / 'examples' / 'mobile_robot' / 'robot.yaml', InstalledTypes())
    policy = root / 'config' / 'sros2' / 'mobile_robot.policy.xml'
    assert policy.read_text(encoding='utf-8') == policy_text(robot=robot)
    assert set(robot_interfaces(robot).subscribe) >= {'/tf', '/tf_static', '/amcl_pose'}


def test_it_keeps_the_contract(stack, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_a_planner_goes_on_from_a_closed_way_and_a_missed_grip(stack, namespace):
    stack.hall.obstacles = [(4.0, 2.0, 1.0)]
    stack.hall.misses = 1
    ended, seen = plan(
        namespace,
        TASK,
        (
            'go to shelf 1',
            'go to shelf 2',
            'pick up crate 3',
            'pick up crate 3',
            'go to packing table',
            'put crate 3 on packing table',
            'done',
        ),
    )
    assert ended
    assert [(one.skill, one.outcome) for one in seen] == [
        ('go to shelf 1', Outcome.EXECUTION_FAILED),
        ('go to shelf 2', Outcome.SUCCEEDED),
        ('pick up crate 3', Outcome.EXECUTION_FAILED),
        ('pick up crate 3', Outcome.SUCCEEDED),
        ('go to packing table', Outcome.SUCCEEDED),
        ('put crate 3 on packing table', Outcome.SUCCEEDED),
    ]
    assert seen[0].text.startswith(
        'The way to shelf 1 is closed: an obstacle blocks the way. You are at no named place'
    )
    assert seen[2].text.startswith(
        'The gripper has closed on nothing, and crate 3 is where it was'
    )
    assert seen[3].held == ('crate 3',)
    assert 'You see crate 3 at packing table.' in seen[-1].text


def test_a_planner_goes_on_without_a_server_that_is_gone(stack, namespace):
    stack.gripper.destroy()
    wait_for(stack.absent, 'the end of the gripper')
    ended, seen = plan(
        namespace, TASK, ('go to shelf 2', 'pick up crate 3', 'go to charger', 'done')
    )
    assert ended
    assert [one.outcome for one in seen] == [
        Outcome.SUCCEEDED,
        Outcome.PRECONDITION_FAILED,
        Outcome.SUCCEEDED,
    ]
    assert seen[1].text.startswith(
        f'The action /{namespace}/gripper/command has no server: is it running'
    )
