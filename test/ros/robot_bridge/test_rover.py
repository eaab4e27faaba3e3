"""The example of a rover: it keeps the contract, and a planner without a model does its tasks."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.conformance import Verdict
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import carry_out, make_planner
from reactree_planner.ros.skill_client import RosSkillServer, SkillDeadlines
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from support.bridge_client import spinning
from support.robot_examples import running_example

_INTERFACES = 'scripts/set_up.py --interfaces examples/rover builds them'
for package in ('nav2_msgs', 'garden_msgs'):
    pytest.importorskip(package, reason=f'{package} is not installed: {_INTERFACES}')

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def garden(monkeypatch, namespace, tmp_path):
    """The rover's garden, with its bridge beside it; all of it fast."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / 'examples' / 'rover'))
    with running_example('rover', namespace, tmp_path) as node:
        monkeypatch.setattr('rover.garden.SPEED', 20.0)
        monkeypatch.setattr('rover.garden.CHARGE', 0.5)
        yield node.garden


def plan(namespace, task):
    """Whether a planner without a model says that it has done a task, and its run."""
    from rclpy.node import Node

    def make(context):
        return Node('planner', context=context, namespace=namespace)

    with spinning(make, 2) as node:
        server = RosSkillServer(node, lambda: SkillDeadlines(find=30.0, service=20.0, skill=60.0))
        server.find(CancelToken())
        server.run_id = '5eed' * 8
        run = PlanRun(
            task,
            Ports(load_model('none', ModelOptions()), server, InProcessMemory()),
            PlannerSettings(),
            Limits(30, 20),
            CancelToken(),
            lambda event: None,
        )
        ended = carry_out(make_planner('reactree'), run)
    return ended, run


def test_it_keeps_the_contract(garden, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_dry_plants_are_watered_and_no_others(garden, namespace):
    garden.moisture.update({1: 12.0, 2: 55.0, 3: 40.0, 4: 10.0})
    ended, run = plan(namespace, 'water every dry plant in row 1')
    assert ended
    assert garden.moisture[1] > 30.0 and set(garden.watered) == {1}
    assert run.ending.verified == ('all plant in row 1 is moist being dry',)


def test_what_no_probe_tells_is_not_watered_and_not_called_done(garden, namespace):
    garden.moisture[3] = math.nan
    ended, _ = plan(namespace, 'water plant 3 until its moisture is above 40 %')
    assert not ended
    assert not garden.watered


def test_it_charges_and_waits_as_told(garden, namespace):
    garden.charge = 0.3
    ended, run = plan(
        namespace, 'charge until the battery is above 80 %, then go to the shed and wait 2 seconds'
    )
    assert ended
    assert garden.place == 'shed'
    arrived = garden.stops[-1][1]
    assert garden.seconds - arrived >= 2.0
    assert garden.stops[-1][3] > 0.75
    assert 'done wait 2 seconds' in run.ending.verified
