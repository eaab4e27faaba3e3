"""What a model lists becomes 1 to 16 usable subgoals, or none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_planner.agents.subgoals import completed_search
from reactree_planner.agents.subgoals import LONGEST_SUBGOAL
from reactree_planner.agents.subgoals import same_goal
from reactree_planner.agents.subgoals import split_subgoals
from reactree_planner.instructions.names import Names

NAMES = Names(Vocabulary((), ('apple',), ('fridge',), ('kitchen 1', 'bedroom 1')))
KNOWN = frozenset(('kitchen 1', 'bedroom 1', 'fridge 1'))


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


def test_a_search_over_rooms_is_completed_in_its_own_words():
    names = Names(
        Vocabulary((), ('apple', 'basket'), ('fridge',), ('kitchen 1', 'bedroom 1', 'bedroom 2'))
    )
    listed = ('find apple in bedroom 2', 'find apple in kitchen 1')
    rooms = ('bedroom 1', 'kitchen 1')
    assert completed_search(listed, names, rooms) == (*listed, 'find apple in bedroom 1')
    places = ('find apple in fridge 1', 'find apple in basket 2')
    assert completed_search(places, names, rooms) == (
        *places,
        'find apple in bedroom 1',
        'find apple in kitchen 1',
    )
    unnumbered = ('find apple in fridge', 'find apple in basket')
    assert completed_search(unnumbered, names, rooms) == unnumbered
    alone = ('find apple in kitchen 1', 'ask for an apple')
    assert completed_search(alone, names, rooms) == alone


def test_a_long_list_of_places_leaves_room_for_the_rooms():
    names = Names(Vocabulary((), ('apple',), ('cabinet',), ('kitchen 1', 'bedroom 1')))
    listed = tuple(f'find apple in cabinet {number}' for number in range(1, 16))
    listed = ('find apple in bedroom 1', *listed)
    rooms = ('bedroom 1', 'kitchen 1')
    assert completed_search(listed, names, rooms) == (*listed[:-1], 'find apple in kitchen 1')


def test_a_way_of_a_search_that_is_only_a_name_is_written_out():
    names = Names(Vocabulary((), ('apple',), ('sink', 'stove'), ('kitchen 1',)))
    listed = ('find apple in sink 1', 'find apple in stove 1', 'stove 2', 'stove', 'apple 1')
    assert completed_search(listed, names, ('kitchen 1',)) == (
        'find apple in sink 1',
        'find apple in stove 1',
        'find apple in stove 2',
        'stove',
        'apple 1',
        'find apple in kitchen 1',
    )
    assert completed_search(('go to sink 1', 'stove 2'), names, ()) == ('go to sink 1', 'stove 2')
