"""The teacher that writes the shipped examples, and the examples themselves."""

from __future__ import annotations

import pytest

from memory_server.seed.loader import shipped_experiences
from reactree_core.experience import Termination
from reactree_tools.seed_memory.writing import demonstrate, demonstrate_flat, FIRST_SEED
from sim_bridge.worlds.household.tasks import FAMILIES


@pytest.mark.parametrize('family', FAMILIES)
def test_the_teacher_meets_the_goal_under_the_real_planner(family):
    for seed in (FIRST_SEED, FIRST_SEED + 1):
        nodes, met, _ = demonstrate(f'generated:{seed}', f'{family}:{seed}', seed)
        assert met
        assert nodes[0].termination is Termination.EXPAND
        for node in nodes:
            assert node.trajectory.startswith(f'Your task is to: {node.goal}\n')


def test_the_shipped_examples_show_every_ending_and_fit_a_small_prompt():
    shipped = shipped_experiences()
    assert {experience.termination for experience in shipped} == set(Termination)
    assert len({experience.experience_id for experience in shipped}) == len(shipped)
    longest = {'reactree': 2000, 'react': 2900}
    assert {experience.planner for experience in shipped} == set(longest)
    for experience in shipped:
        assert len(experience.trajectory) < longest[experience.planner]


@pytest.mark.parametrize('family', FAMILIES)
def test_the_flat_teacher_does_whole_tasks_unsplit(family):
    (whole,), met = demonstrate_flat(
        f'generated:{FIRST_SEED}', f'{family}:{FIRST_SEED}', FIRST_SEED
    )
    assert met
    assert (whole.termination, whole.planner) == (Termination.SUCCESS, 'react')
    assert 'Expand:' not in whole.trajectory
