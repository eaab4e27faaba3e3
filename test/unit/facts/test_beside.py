"""Goals on places where another thing is, and on things by what they were next to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import (
    Condition,
    is_place_now,
    place_of,
    read_condition,
    sort_of_place,
    where_is,
    where_was,
)
from unit.facts.test_sets import reach, START, Table


def test_a_thing_goes_to_where_another_is_which_stays_there():
    table = Table()
    assert reach(table, 'vial where pad is')[0]
    assert table.things == START | {'vial 1': 'scale'} and len(table.done) == 2


def test_of_two_at_different_places_either_will_do():
    table = Table(**{'pad 2': 'bin'})
    assert reach(table, 'vial where pad is')[0]
    assert table.things['vial 1'] in ('scale', 'bin')
    assert {'pad 1': 'scale', 'pad 2': 'bin'}.items() <= table.things.items()


def test_it_holds_already_where_they_are_together():
    table = Table(**{'vial 1': 'scale'})
    assert reach(table, 'vial where pad is')[0] and not table.done


def test_one_of_a_sort_goes_to_another():
    table = Table(**{'cog 2': 'bin'})
    assert reach(table, 'cog 1 where cog 2 is')[0]
    assert table.things == {**START, 'cog 1': 'bin', 'cog 2': 'bin'}


def test_a_thing_is_not_beside_itself():
    _, reasoner = reach(Table(), 'vial where pad is')
    assert reasoner.goal.holds(read_condition('pad where pad is')) is False


def test_the_place_is_of_its_sort():
    table = Table(**{'pad 2': 'bin'})
    assert reach(table, 'vial in bin where pad is')[0]
    assert table.things == {**START, 'pad 2': 'bin', 'vial 1': 'bin'}
    done, _ = reach(Table(), 'vial in bin where pad is')
    assert not done


def test_a_thing_that_is_held_is_beside_nothing():
    table = Table()
    table.held = 'pad 1'
    done, reasoner = reach(table, 'vial where pad is')
    assert not reasoner.belief.places_with('where pad is') or done


def test_what_it_shall_be_beside_is_looked_for():
    table = Table(drives=True)
    assert reach(table, 'vial where pad is')[0]
    assert table.things == START | {'vial 1': 'scale'}


def test_the_one_is_meant_that_was_next_to_another_thing():
    table = Table(**{'pad 2': 'tray', 'pad 1': 'scale'})
    assert reach(table, 'pad in bin being where cog was')[0]
    assert table.things == {**START, 'pad 2': 'bin'}


def test_what_is_next_to_it_now_was_not_there_before():
    table = Table()
    done, _ = reach(table, 'vial in tray', 'vial in bin being where cog was')
    assert not done and table.things['vial 1'] == 'tray'


def test_which_one_is_meant_is_found_out():
    table = Table(drives=True, **{'pad 2': 'tray'})
    assert reach(table, 'pad in bin being where cog was')[0]
    assert table.things == {**START, 'pad 2': 'bin'}


def test_what_senses_have_to_tell_is_both():
    table = Table()
    _, reasoner = reach(table, 'vial where pad is')
    meant = reasoner.goal.things_meant(read_condition('vial where pad is'))
    assert [one.text for one in meant] == ['vial 1 in scale', 'pad 1 in scale']


PLACES = st.sampled_from(('tray', 'rack', 'scale', 'bin'))


@settings(max_examples=40, deadline=None)
@given(vial=PLACES, pads=st.lists(PLACES, min_size=1, max_size=3), drives=st.booleans())
def test_wherever_things_are_they_come_together_and_nothing_else_moves(vial, pads, drives):
    there = {f'pad {number}': place for number, place in enumerate(pads, 1)}
    table = Table(drives=drives, **{'vial 1': vial, **there})
    before = dict(table.things)
    assert reach(table, 'vial where pad is', most=60)[0]
    assert table.things['vial 1'] in pads
    assert {n: p for n, p in table.things.items() if n != 'vial 1'} == {
        n: p for n, p in before.items() if n != 'vial 1'
    }


NAMES = st.text(alphabet='abcXYZé', min_size=1, max_size=6)


@given(thing=NAMES, other=NAMES, sort=st.one_of(st.just(''), NAMES), was=st.booleans())
def test_a_condition_is_read_as_it_is_written(thing, other, sort, was):
    value = where_was(other) if was else where_is(other, sort)
    condition = Condition(Relation.IN, thing, value)
    assert read_condition(condition.text) == condition
    assert condition.names == (thing, other) and condition.is_of_sight
    assert is_place_now(value) is not was and place_of(value) == other
    assert sort_of_place(value) == ('' if was else sort)


@pytest.mark.parametrize('value', ['rack', 'where', 'where pad', 'pad is', 'is', ''])
def test_other_places_are_told_by_no_thing(value):
    assert place_of(value) == sort_of_place(value) == '' and not is_place_now(value)
