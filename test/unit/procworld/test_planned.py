"""Whole tasks in houses whose every step follows from what is seen: the model decides nothing."""

from __future__ import annotations

import pytest

from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import make_world


def only_orders(text, options):
    """Names the first sort of place where a thing may be; fails where anything is decided."""
    assert options is not None and all(option.endswith('.\n') for option in options), text[-300:]
    return 0


@pytest.mark.parametrize(
    ('seed', 'task'),
    [
        # The drawer is a part of what one stands before.
        (5101, 'put two book in drawer'),
        # The pot stands on a part of a counter that was looked at before.
        (5073, 'slice potato and put potato pot in stoveburner'),
        # One of those that were brought has to be sliced yet: it is gone back to.
        (5070, 'put two sliced bread in sidetable'),
    ],
)
def test_a_house_is_played_by_what_is_seen(seed, task):
    world = make_world('procworld', reach='inf')
    world.reset('', f'generated:{seed}', seed)
    assert world.task().instruction == task
    episode = plan_episode(
        world,
        PolicyModel(only_orders),
        InProcessMemory(),
        PlannerSettings(example_count=0),
        Limits(decisions=200, steps=60),
    )
    assert episode.goal_met
