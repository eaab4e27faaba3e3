"""The demonstrator of ALFRED's tasks, under the real planners."""

from __future__ import annotations

import pytest

from reactree_core.record.run_settings import Limits
from reactree_planner.runs.settings import Guards, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.seed_memory.demonstrators import demonstrating, demonstrator_of
from sim_bridge.worlds.thor.goals import COOL, LIGHT, TWO
from sim_bridge.worlds.thor.world import ThorWorld
from support.thor_walk import STAND_IN


@pytest.fixture(scope='module')
def world():
    """One program for all tests."""
    made = ThorWorld(stand_in=STAND_IN)
    yield made
    made.close()


@pytest.mark.parametrize('planner', ['reactree', 'react'])
@pytest.mark.parametrize('task_type', [TWO, LIGHT, COOL])
def test_tasks_are_shown_with_their_parts(world, planner, task_type):
    solved = 0
    for seed in range(9000, 9006):
        world.reset('', f'{task_type}:{seed}', seed)
        episode = plan_episode(
            world,
            demonstrating(demonstrator_of(world)),
            InProcessMemory(),
            PlannerSettings(example_count=0, guards=Guards.none()),
            Limits(decisions=600, steps=600),
            planner,
        )
        solved += episode.worth_keeping
        if planner == 'reactree' and episode.worth_keeping:
            nodes = episode.experiences('x')
            assert {node.domain for node in nodes} == {'alfred'}
            assert any('- control flow: sequence' in node.trajectory for node in nodes)
    # What lies hidden where nobody looks is not found.
    assert solved >= 3
