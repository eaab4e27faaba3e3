"""What can be done at a place only by a robot that went to that place itself."""

from __future__ import annotations

import pytest

from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.household.world import HouseholdWorld

HOME = 'generated:9983'


@pytest.mark.parametrize('more', ['', ' Never touch a knife.'])
def test_a_robot_that_went_to_a_thing_goes_to_what_that_stands_on(more):
    world = HouseholdWorld()
    world.reset(HOME, HOME, 9983)
    episode = plan_episode(
        world,
        load_model('none', ModelOptions()),
        InProcessMemory(),
        PlannerSettings(),
        Limits(60, 60),
        sentence=f'Put the fork next to the plate.{more}',
    )
    assert episode.outcome.success
    *_, taken, there, down = episode.run.world.skills_chosen
    assert taken.startswith('pick up cutlery fork') and down.startswith('put down cutlery fork')
    # It stood beside the counter already, from which nothing was offered.
    assert there.startswith('go to kitchen counter')
    assert episode.run.world.skills_chosen.count(there) == 1
