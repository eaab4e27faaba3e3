"""Conditions, and what stands of earlier milestones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.conditions import standing

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


def excludes(state, other):
    return {state, other} == {'on', 'off'}


@pytest.mark.parametrize(
    ('earlier', 'later', 'stands'),
    [
        ('crate in dock', 'drum in dock', 'crate in dock; drum in dock'),
        ('crate in dock', 'crate in truck', 'crate in truck'),
        ('crate in dock', 'crate in dock', 'crate in dock'),
        ('crate in dock', 'holding crate', 'holding crate'),
        ('holding crate', 'crate in dock', 'crate in dock'),
        ('lamp is on', 'lamp is off', 'lamp is off'),
        ('lamp is on', 'lamp is clean', 'lamp is on; lamp is clean'),
        ('lamp is on', 'drum is off', 'lamp is on; drum is off'),
        ('at dock', 'at truck', 'at truck'),
        ('at dock', 'crate in truck', 'at dock; crate in truck'),
        ('crate is clean', 'crate in dock', 'crate is clean; crate in dock'),
        ('crate in dock is clean', 'crate in truck', 'crate in truck'),
        # What it was moved out of need not stay as it was.
        ('crate in dock; dock is on', 'crate in truck', 'crate in truck'),
        ('crate in dock; dock is on', 'drum in truck', 'crate in dock; dock is on; drum in truck'),
        ('crate in dock; dock is on', 'crate in truck; dock is on', 'crate in truck; dock is on'),
    ],
)
def test_what_stands_of_an_earlier_milestone(earlier, later, stands):
    goal = tuple(conditions_of(tuple(told.split('; '))) for told in (earlier, later))
    assert '; '.join(one.text for one in standing(goal, 1, excludes)) == stands
    assert standing(goal, 0, excludes) == goal[0]


def test_without_knowledge_of_states_none_excludes_another():
    goal = (conditions_of(('lamp is on',)), conditions_of(('lamp is off',)))
    assert [one.value for one in standing(goal, 1)] == ['on', 'off']


@given(st.lists(st.lists(conditions, max_size=4).map(tuple), min_size=1, max_size=4).map(tuple))
def test_the_last_milestone_stands_whole(goal):
    found = standing(goal, len(goal) - 1)
    assert set(goal[-1]) <= set(found) <= {one for milestone in goal for one in milestone}
    assert len(set(found)) == len(found)
