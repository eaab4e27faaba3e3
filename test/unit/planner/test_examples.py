"""What is read of an experience before it becomes an example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.experience import Experience, Termination
from reactree_planner.agents.examples import first_observation_of

RELATIVES = 'Your primary goal is to: stock aisle 2\nTo achieve this, find crate 7 and crate 8.\n'
LINES = st.lists(st.text('abc 17.', min_size=1), min_size=1, max_size=3).map('\n'.join)


@pytest.mark.parametrize('relatives', ['', RELATIVES])
@given(goal=LINES, seen=LINES)
def test_the_first_observation_stands_between_the_goal_and_the_first_decision(
    relatives, goal, seen
):
    text = f'{relatives}Your task is to: {goal}\n{seen}\nThink: x\nOK.\nAct: done'
    experience = Experience('id', goal, text, Termination.SUCCESS)
    assert first_observation_of(experience) == seen
