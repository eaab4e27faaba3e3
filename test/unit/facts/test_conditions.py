"""Conditions, and their texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import (
    ALL,
    being_in,
    Condition,
    conditions_of,
    EVERYTHING,
    read_condition,
    where_was,
)

names = st.sampled_from(('crate', 'crate 2', 'blue drum', 'dock'))
conditions = st.one_of(
    st.builds(Condition, st.just(Relation.AT), st.just(''), names),
    st.builds(Condition, st.just(Relation.HOLDING), names, st.just(''), st.integers(0, 999)),
    st.builds(Condition, st.just(Relation.IN), names, names, st.integers(0, 999)),
    st.builds(
        Condition,
        st.just(Relation.IS),
        names,
        st.sampled_from(('clean', 'on')),
        st.integers(0, 999),
        st.sampled_from(('', 'dock')),
    ),
    st.builds(Condition, st.just(Relation.IN), names, names.map(where_was), st.integers(0, 999)),
    st.builds(
        Condition,
        st.sampled_from((Relation.IN, Relation.IS)),
        st.one_of(names, st.just(EVERYTHING)),
        st.sampled_from(('clean', 'dock')),
        st.just(ALL),
        being=st.one_of(st.just(''), names.map(being_in), st.just('dry')),
        but=st.lists(names, max_size=2).map(tuple),
    ),
)


@given(conditions)
def test_a_condition_is_read_as_it_is_written(one):
    assert read_condition(one.text) == one


def test_all_is_written_as_a_word():
    assert read_condition('all crate in dock') == Condition(Relation.IN, 'crate', 'dock', ALL)


def test_texts_of_another_form_are_left_out():
    assert [one.text for one in conditions_of(('crate in dock', 'hm', 'at dock'))] == [
        'crate in dock',
        'at dock',
    ]
