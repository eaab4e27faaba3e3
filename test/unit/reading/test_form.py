"""The form is written and read as JSON without loss, and says what is wrong with a bad one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ModelOutputError
from reactree_planner.reading.form import (
    Circumstance,
    FormCondition,
    FormMilestone,
    from_json,
    GoalForm,
    Inquiry,
    Interpretation,
    Limit,
    Ordering,
    Prohibition,
    Remainder,
    render,
    schema,
    Sequel,
    to_json,
)

_TEXT = st.text(max_size=8)
_MAYBE = st.none() | _TEXT
_NAMES = st.lists(_TEXT, max_size=2).map(tuple)
_COUNT = st.integers(1, 999) | st.just('all')
_CONDITION = st.builds(
    FormCondition,
    st.sampled_from(['in', 'near', 'is', 'holding', 'at', 'done']),
    _MAYBE,
    _MAYBE,
    _COUNT,
    _MAYBE,
    _MAYBE,
    _NAMES,
    st.booleans(),
    _TEXT,
)
_CONDITIONS = st.lists(_CONDITION, max_size=2).map(tuple)
_SECONDS = st.none() | st.floats(0.5, 1e6)
_CIRCUMSTANCE = st.builds(
    Circumstance,
    st.sampled_from(['if', 'unless', 'once', 'until', 'whenever', 'every', 'after']),
    _CONDITIONS,
    _SECONDS,
    st.none() | st.integers(1, 9),
    _TEXT,
)
_BAN = st.builds(
    Prohibition,
    _TEXT,
    _MAYBE,
    _MAYBE,
    st.sampled_from(['from', 'to', 'at']),
    _NAMES,
    st.none() | _CIRCUMSTANCE,
    _TEXT,
)
_FORM = st.builds(
    GoalForm,
    st.sampled_from(['en', 'de']),
    st.lists(st.builds(FormMilestone, _CONDITIONS, st.none() | _CIRCUMSTANCE), max_size=2).map(
        tuple
    ),
    st.lists(_BAN, max_size=2).map(tuple),
    st.lists(
        st.builds(
            Limit,
            _TEXT,
            st.floats(0, 99),
            _MAYBE,
            _MAYBE,
            _TEXT,
            st.sampled_from(['all', 'thing', 'time']),
            st.booleans(),
            _TEXT,
        ),
        max_size=1,
    ).map(tuple),
    st.lists(st.builds(Ordering, _BAN, _CONDITION, _TEXT), max_size=1).map(tuple),
    st.lists(
        st.builds(Sequel, _BAN, _CONDITION, st.none() | st.integers(1, 50), _TEXT), max_size=1
    ).map(tuple),
    st.none() | _CIRCUMSTANCE,
    st.none()
    | st.builds(Inquiry, st.sampled_from(['whether', 'where']), _CONDITION, st.booleans()),
    st.lists(st.builds(Interpretation, _TEXT, _TEXT, _NAMES), max_size=1).map(tuple),
    st.lists(st.builds(Remainder, _TEXT, _TEXT, st.booleans()), max_size=1).map(tuple),
)


@given(_FORM)
def test_a_form_comes_back_from_json_as_it_was(form: GoalForm) -> None:
    assert from_json(json.loads(json.dumps(to_json(form))), GoalForm) == form


@given(_FORM)
def test_every_form_can_be_said_in_plain_english(form: GoalForm) -> None:
    assert isinstance(render(form), str)


@pytest.mark.parametrize(
    ('value', 'told'),
    [
        ([], '"goal" must be an object'),
        ({'colour': 1}, '"goal" has no field "colour"'),
        ({'milestones': 3}, '"goal.milestones" must be a list'),
        ({'milestones': [{}]}, '"goal.milestones[0]" lacks the field "conditions"'),
        ({'never': [{'doing': 7}]}, '"goal.never[0].doing" must be str'),
        ({'never': [{'doing': 'open', 'side': 'up'}]}, 'must be one of from, to, at'),
        ({'language': 'x' * 3000}, 'more than 2000 letters'),
        (
            {'milestones': [{'conditions': [{'relation': 'in', 'thing': 'a', 'count': True}]}]},
            'count" must be',
        ),
    ],
)
def test_a_bad_form_is_refused_with_the_field(value: object, told: str) -> None:
    with pytest.raises(ModelOutputError) as caught:
        from_json(value, GoalForm)
    assert told in str(caught.value)


def test_the_schema_lists_names_and_acts_and_forbids_more() -> None:
    made = schema(names=('mug', 'sofa'), doings=('open',))
    ban = made['properties']['never']['items']
    assert made['additionalProperties'] is False
    assert ban['properties']['doing'] == {'enum': ['open']}
    assert {'enum': ['mug', 'sofa']} in ban['properties']['thing']['anyOf']
    assert set(made['required']) == set(made['properties'])
