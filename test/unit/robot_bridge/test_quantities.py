"""Numbers with units, and what is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_bridge.quantities import metres, number, radians, seconds


@pytest.mark.parametrize(
    ('read', 'written', 'value'),
    [
        (seconds, '2 min', 120),
        (seconds, '250ms', 0.25),
        (seconds, 3, 3),
        (metres, '-5 cm', -0.05),
        (metres, '1e3 mm', 1),
        (metres, '.5', 0.5),
        (radians, '180 deg', math.pi),
    ],
)
def test_a_quantity_is_read(read, written, value):
    assert read(written) == pytest.approx(value)


@pytest.mark.parametrize(
    'written', ['', 'two', '2 parsec', '1 2', True, None, [], math.inf, '1e999', 10**400]
)
def test_what_is_no_quantity_is_said(written):
    with pytest.raises(ValueError, match='is no time: write a number in s'):
        seconds(written)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_itself_also_as_text(value):
    assert number(value) == value
    assert number(repr(value)) == value


@given(st.text())
def test_any_text_is_a_number_or_an_error(text):
    try:
        assert math.isfinite(number(text))
    except ValueError as error:
        assert 'is no number' in str(error)
