"""Finding known things in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_planner.language.names import NameKind, Names
from support.skill_kinds import declared

VOCABULARY = declared(
    Vocabulary(
        ('go to <object>', 'pick up <object>'),
        ('glass', 'water glass', 'apple', 'cutlery knife', 'cherry', 'slice of bread'),
        ('kitchen table', 'table', 'fridge'),
        ('kitchen 1', 'bedroom 1', 'bedroom 2', 'living room 1'),
    )
)
NAMES = Names(VOCABULARY)


def found(text):
    return [(mention.name, mention.instance) for mention in NAMES.find_all(text)]


def test_the_longest_name_wins():
    assert found('put the water glass on the kitchen table') == [
        ('water glass', None),
        ('kitchen table', None),
    ]


def test_a_number_after_a_name_is_its_instance():
    assert found('find apple 3 in bedroom 2') == [('apple', 3), ('bedroom', 2)]


@pytest.mark.parametrize(
    ('plural', 'name'),
    [
        ('Water glasses', 'water glass'),
        ('apples', 'apple'),
        ('cutlery knives', 'cutlery knife'),
        ('cherries', 'cherry'),
    ],
)
def test_plurals_are_understood(plural, name):
    assert found(f'two {plural}, please') == [(name, None)]


def test_masked_goals_of_one_kind_are_equal():
    assert NAMES.masked('find the apple in bedroom 2') == NAMES.masked(
        'Find the water glass in living room 1'
    )


def test_a_thing_that_only_tells_where_counts_as_a_place():
    assert NAMES.masked('find the apple in glass 2') == NAMES.masked('find cherry in fridge 1')
    assert NAMES.masked('find apple and glass') != NAMES.masked('find apple in glass')


def test_rooms_win_over_objects_of_the_same_name():
    names = Names(Vocabulary((), ('kitchen',), (), ('kitchen 1',)))
    assert names.kind('kitchen') is NameKind.REGION


@given(st.text(max_size=200))
def test_any_text_can_be_searched(text):
    mentions = NAMES.find_all(text)
    ends = [0]
    for mention in mentions:
        assert ends[-1] <= mention.start < mention.end
        ends.append(mention.end)
    NAMES.masked(text)
