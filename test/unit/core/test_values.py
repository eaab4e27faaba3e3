"""Small values shared by all nodes."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core import errors
from reactree_core.experience import Experience, Termination
from reactree_core.observation import ObjectFact, Observation, Outcome, Progress, Vocabulary
from reactree_core.usage import LlmUsage

#: The machine may be busy: how long an example takes says nothing.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
COUNTS = st.integers(0, 10**9)
USAGES = st.builds(
    LlmUsage, st.just('model'), COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS.map(float)
)


def test_an_object_is_named_by_class_and_number():
    assert ObjectFact('kitchen table', 2).name == 'kitchen table 2'


@pytest.mark.parametrize('outcome', Outcome)
def test_only_the_outcome_succeeded_is_a_success(outcome):
    assert Observation('', outcome).succeeded == (outcome is Outcome.SUCCEEDED)


@pytest.mark.parametrize(
    ('met', 'total', 'success', 'ratio'),
    [(0, 3, False, 0.0), (2, 4, False, 0.5), (3, 3, True, 1.0), (0, 0, True, 1.0)],
)
def test_progress_tells_success_and_ratio(met, total, success, ratio):
    progress = Progress(met, total)
    assert (progress.success, progress.ratio) == (success, ratio)


@given(USAGES, USAGES)
@patient
def test_usage_adds_and_subtracts_field_by_field(one, other):
    both = one + other
    assert both.prompt_tokens == one.prompt_tokens + other.prompt_tokens
    assert both - other == one
    assert one + LlmUsage() == one
    assert LlmUsage() + one == one


@pytest.mark.parametrize(
    'value',
    [
        Experience('1', 'goal', 'text', Termination.SUCCESS),
        LlmUsage(),
        ObjectFact('apple', 1),
        Observation(''),
        Progress(0, 1),
        Vocabulary(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_cannot_be_changed(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)


def test_every_error_is_a_reactree_error():
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert len(classes) > 5
    assert all(issubclass(value, errors.ReactreeError) for value in classes)


def test_a_limit_knows_its_name():
    error = errors.LimitReached('steps', 'raise max_steps')
    assert (error.limit, str(error)) == ('steps', 'raise max_steps')
