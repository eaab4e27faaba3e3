"""The example of a rover: it keeps the contract, and a planner without a model does its tasks."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.conformance import Verdict
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_core.record.utterances import SILENCE
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs.mailbox import Mailbox
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.standing import NO_WAITS, Waits
from reactree_tools.episode import InProcessMemory
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.session import Session
from support.bridge_client import spinning
from support.robot_examples import running_example

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def garden(monkeypatch, namespace, tmp_path):
    """The rover's garden, with its bridge beside it; all of it fast."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / 'examples' / 'rover'))
    with running_example('rover', namespace, tmp_path) as node:
        monkeypatch.setattr('rover.garden.SPEED', 20.0)
        monkeypatch.setattr('rover.garden.CHARGE', 0.5)
        yield node.garden


def plan(namespace, task, waits=NO_WAITS, watch=lambda event: None, said=SILENCE):
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
            Ports(load_model('none', ModelOptions()), server, InProcessMemory(), said=said),
            PlannerSettings(),
            Limits(30, 20),
            CancelToken(),
            watch,
            waits=waits,
        )
        run.looks = _count_looks(server)
        ended = carry_out(make_planner('reactree'), run)
    return ended, run


def _count_looks(server):
    """How often the skill server is asked what is seen, while the run waits too."""
    looks, look = [], server.look

    def counted(cancel):
        looks.append(time.monotonic())
        return look(cancel)

    server.look = counted
    return looks


def test_it_keeps_the_contract(garden, namespace):
    with Session(f'/{namespace}') as session:
        results = check_skill_server(session, may_move=True)
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


def test_dry_plants_are_watered_and_no_others(garden, namespace):
    garden.moisture.update({1: 12.0, 2: 55.0, 3: 40.0, 4: 10.0})
    ended, run = plan(namespace, 'water every dry plant in row 1')
    assert ended
    assert garden.moisture[1] > 30.0 and set(garden.watered) == {1}
    assert run.aims.ending.verified == ('all plant in row 1 is moist being dry',)


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
    waited = 'done wait 2 seconds: effect of `wait 2 seconds`, no sensor reports it'
    assert waited in run.aims.ending.assumed


# Conditional and standing tasks, corrections -------------------------------------------------


@pytest.mark.parametrize(('charge', 'place'), [(0.15, 'charger'), (0.6, 'shed')])
def test_if_the_battery_is_low_it_goes_to_the_charger(garden, namespace, charge, place):
    garden.x, garden.y = 0.0, 4.0
    garden.charge = charge
    ended, run = plan(namespace, 'If the battery is low, go to the charger.')
    assert ended and garden.place == place
    assert run.aims.ending.is_verified
    if place == 'shed':
        assert run.aims.ending.verified == ('not so: battery is low',)


def test_when_the_gate_is_opened_it_goes_to_the_yard(garden, namespace):
    """The bridge tells that something has changed; in between nobody asks it anything."""
    garden.gate_is_open = False
    fires = []

    def watch(event):
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            threading.Timer(3.0, lambda: setattr(garden, 'gate_is_open', True)).start()
        if isinstance(event, Decision) and event.kind is DecisionKind.FIRE:
            fires.append(event)

    began = time.monotonic()
    ended, run = plan(
        namespace, 'When gate 1 is open, go to the yard.', Waits(60.0, 0, 30.0), watch
    )
    assert ended and garden.place == 'yard'
    assert [one.text for one in fires] == ['gate 1 is open']
    assert time.monotonic() - began < 25.0, 'it was woken, and did not wait for its look'
    assert run.budget.usage.requests == 0


def test_go_to_the_charger_whenever_the_battery_is_under_20_percent(garden, namespace):
    garden.charge = 0.5
    fires = []

    def watch(event):
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            # Used up meanwhile; after the first time somebody charges it in between.
            if fires:
                threading.Timer(0.5, lambda: setattr(garden, 'charge', 0.6)).start()
            threading.Timer(3.0, lambda: setattr(garden, 'charge', 0.1)).start()
        if isinstance(event, Decision) and event.kind is DecisionKind.FIRE:
            fires.append(event.text)

    task = 'Whenever the battery is under 20 %, go to the charger.'
    ended, run = plan(namespace, task, Waits(60.0, 2, 30.0), watch)
    assert ended and garden.place == 'charger'
    assert fires == ['battery < 20 %'] * 2
    assert run.tree.snapshot().firings == 2


def test_every_few_seconds_a_picture_is_taken_anew(garden, namespace):
    task = 'Every two seconds photograph plant 5.'
    ended, run = plan(namespace, task, Waits(60.0, 2, 30.0))
    assert ended
    assert garden.photographed == [5, 5]
    assert run.tree.firings == 2


def test_no_the_other_plant(garden, namespace):
    mailbox = Mailbox()
    mailbox.open('a' * 32)
    said = []

    def watch(event):
        skill = getattr(event, 'skill', '')
        if skill == 'go to bed 5' and not said:
            said.append(skill)
            mailbox.say('', 'not plant 5 but plant 6')

    ended, run = plan(namespace, 'Photograph plant 5.', watch=watch, said=mailbox)
    assert ended and said
    (assumed,) = run.aims.ending.assumed
    assert assumed.startswith('plant 6 is photographed: effect of ')
    assert garden.photographed == [6]
