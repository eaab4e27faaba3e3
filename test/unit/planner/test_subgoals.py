"""What a model lists becomes 1 to 16 usable subgoals, or none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.agents.subgoals import LONGEST_SUBGOAL, same_goal, split_subgoals


def test_a_list_is_split_at_commas():
    assert split_subgoals(' find apple, put it down. ,, open fridge') == (
        'find apple',
        'put it down',
        'open fridge',
    )


def test_as_written_only_a_comma_before_a_space_parts_and_full_stops_stay():
    written = ' load 1,000 kg; drive off, come back.'
    assert split_subgoals(written, as_written=True) == ('load 1,000 kg; drive off', 'come back.')


def test_goals_are_the_same_whatever_their_articles_and_case():
    assert same_goal('Bring the apple.', 'bring apple')
    assert same_goal('bring AN apple', 'bring the apple')
    assert not same_goal('bring two apples', 'bring apple')


@given(st.text(max_size=2000))
def test_whatever_is_written_at_most_sixteen_non_empty_subgoals_come_out(text):
    subgoals = split_subgoals(text)
    assert len(subgoals) <= 16
    assert all(subgoal.strip() and len(subgoal) <= LONGEST_SUBGOAL for subgoal in subgoals)
