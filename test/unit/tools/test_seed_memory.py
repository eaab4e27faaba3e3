"""The teacher that writes the shipped examples, and the examples themselves."""

from __future__ import annotations

import pytest

from memory_server.seed.loader import shipped_experiences
from reactree_core.experience import Termination
from reactree_tools.seed_memory.writing import demonstrate
from reactree_tools.seed_memory.writing import FIRST_SEED
from sim_bridge.tasks import FAMILIES


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
    assert max(len(experience.trajectory) for experience in shipped) < 2000
