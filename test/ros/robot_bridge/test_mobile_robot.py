"""The example of a mobile robot: it keeps the contract, and a planner goes on from its faults."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.cancellation import CancelToken
from reactree_core.conformance import Verdict
from reactree_core.observation import Outcome
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.planners.registry import carry_out
from reactree_planner.planners.registry import make_planner
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.skill_client import SkillDeadlines
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import InProcessMemory
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from robot_bridge.ros.node import RobotBridgeNode
from support.bridge_client import spinning
from support.waiting import wait_for

_INTERFACES = 'scripts/set_up.py --interfaces examples/mobile_robot/interfaces builds them'
for package in ('nav2_msgs', 'control_msgs', 'vision_msgs', 'tf2_msgs'):
    pytest.importorskip(package, reason=f'{package} is not installed: {_INTERFACES}')

pytestmark = pytest.mark.timeout(240)
_FOLDER = Path(__file__).parents[3] / 'examples' / 'mobile_robot'


@pytest.fixture
def stack(monkeypatch, namespace, tmp_path):
    """The robot and its bridge, spun; a fast one, in the test's namespace."""
    monkeypatch.syspath_prepend(str(_FOLDER))
    module = importlib.import_module('mobile_robot.stack')

    file = tmp_path / 'robot.yaml'
    written = (_FOLDER / 'robot.yaml').read_text()
    file.write_text(re.sub('(name|topic): /', rf'\1: /{namespace}/', written))

    def make_bridge(context):
        return RobotBridgeNode(
            context=context,
            namespace=namespace,
            parameter_overrides=[Parameter('robot', value=str(file))],
        )

    def make_stack(context):
        return module.Stack(context=context, namespace=namespace)

    with spinning(make_stack, 4) as node:
        node.hall.speed = 10.0
        with spinning(make_bridge) as bridge:
            wait_for(lambda: not bridge._calls.absent(), 'discovery')
            node.absent = bridge._calls.absent
            yield node


def plan(namespace, skills):
    """What came of skills that a model chooses one after the other, and whether it ended well."""
    left = list(skills)

    def answer(text, options):
        if options is None:
            return ' I go on.'
        names = [option.strip() for option in options]
        if left[0] in names:
            return names.index(left.pop(0))
        return next(at for at, name in enumerate(names) if name.startswith('Act'))

    seen = []

    def watch(event):
        if getattr(event, 'skill', '') and hasattr(event, 'outcome'):
            seen.append(event)

    def make_planner_node(context):
        return Node('planner', context=context, namespace=namespace)

    with spinning(make_planner_node, 2) as node:
        server = RosSkillServer(node, lambda: SkillDeadlines(find=30.0, service=20.0, skill=60.0))
        server.find(CancelToken())
        server.run_id = '5eed' * 8
        run = PlanRun(
            'bring crate 3 to the packing table',
            Ports(PolicyModel(answer), server, InProcessMemory()),
            PlannerSettings(guards=Guards.none(), repairs=0),
            Limits(30, 20),
            CancelToken(),
            watch,
        )
        ended = carry_out(make_planner('react'), run)
    return ended, seen


def test_it_keeps_the_contract(stack, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_a_planner_goes_on_from_a_closed_way_and_a_missed_grip(stack, namespace):
    stack.hall.obstacles = [(4.0, 2.0, 1.0)]
    stack.hall.misses = 1
    ended, seen = plan(
        namespace,
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
    ended, seen = plan(namespace, ('go to shelf 2', 'pick up crate 3', 'go to charger', 'done'))
    assert ended
    assert [one.outcome for one in seen] == [
        Outcome.SUCCEEDED,
        Outcome.PRECONDITION_FAILED,
        Outcome.SUCCEEDED,
    ]
    assert seen[1].text.startswith(
        f'The action /{namespace}/gripper/command has no server: is it running'
    )
