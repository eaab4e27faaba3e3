"""What a task wants first, and what it wants afterwards, is planned by facts: nobody is asked."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world


def skills_of(task):
    """What is done in a home, and whether the run is a success."""
    world = make_world('household')
    world.reset('generated:3', '', 3)
    events = []
    ports = Ports(
        load_model('none', ModelOptions()), InProcessSkillServer(world), InProcessMemory()
    )
    run = PlanRun(task, ports, PlannerSettings(), Limits(60, 60), CancelToken(), events.append)
    success = carry_out(make_planner('reactree'), run)
    acts = [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.ACT]
    return success, [' '.join(w for w in e.skill.split() if not w.isdigit()) for e in acts]


@pytest.mark.parametrize(
    ('task', 'order'),
    [
        (
            'Open the fridge, but do not open the fridge before you have picked up an apple.',
            ('pick up apple', 'open fridge'),
        ),
        (
            'Put an apple in the fridge. Never open the fridge before you have opened the stove.',
            ('open stove', 'open fridge', 'put down apple'),
        ),
        (
            'Put an apple in the fridge. Whenever you open the fridge, close it again.',
            ('open fridge', 'put down apple', 'close fridge'),
        ),
        ('Open the stove only after opening the fridge.', ('open fridge', 'open stove')),
    ],
)
def test_it_is_done_in_that_order(task, order):
    success, done = skills_of(task)
    assert success
    places = [done.index(skill) for skill in order]
    assert places == sorted(places), done


def test_what_is_not_needed_is_not_waited_for():
    task = 'Put a plate on the kitchen table, but do not open the fridge before closing the stove.'
    success, done = skills_of(task)
    assert success
    assert not {'close stove', 'open fridge'} & set(done)
