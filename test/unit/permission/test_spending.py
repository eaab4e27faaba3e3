"""What runs spend: prices, amounts, and what the last hour leaves."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.permission.spending import (
    Amounts,
    distance,
    exceeded,
    FREE_OF_CHARGE,
    HOUR,
    Ledger,
    Limits,
    NOTHING,
    Price,
    read_price,
)
from reactree_core.usage import LlmUsage

AMOUNTS = ('skills', 'distance', 'seconds', 'tokens', 'cost')


@pytest.mark.parametrize('text', ['2.5 0.25 10', '2.5/0.25/10', ' 2.5  0.25 10 '])
def test_a_price_is_three_numbers(text):
    price = read_price(text)
    assert price == Price(2.5, 0.25, 10.0)
    assert price.of(LlmUsage('small', 3_000_000, 1_000_000, 0, 2_000_000)) == 5.0 + 0.25 + 20.0


@pytest.mark.parametrize('text', ['1 2', '1 2 3 4', '1 2 x', '-1 2 3', '1 2 inf', '1 nan 3'])
def test_what_is_no_price_is_told(text):
    with pytest.raises(ConfigurationError, match='is no price'):
        read_price(text)


def test_no_price_costs_nothing():
    assert read_price(' ') == FREE_OF_CHARGE == Price(0, 0, 0)
    assert read_price('0 0 0') == FREE_OF_CHARGE


@pytest.mark.parametrize('name', AMOUNTS)
@given(limit=st.integers(1, 100), spent=st.integers(0, 200), further=st.integers(0, 50))
def test_a_limit_is_reached_by_what_is_known_before_or_by_what_was_spent(
    name, limit, spent, further
):
    """Skills and their ways are known before; time, tokens and cost afterwards only."""
    next_one = Amounts(**{'skills': 1, name: further or 1})
    reached = exceeded(Amounts(**{name: limit}), Amounts(**{name: spent}), next_one)
    is_known = name in ('skills', 'distance')
    more = getattr(next_one, name)
    assert bool(reached) is (spent + more > limit if is_known else spent >= limit)
    assert not reached or str(limit) in reached
    assert exceeded(NOTHING, Amounts(**{name: spent}), next_one) == '', 'no limit'


@pytest.mark.parametrize('name', AMOUNTS)
def test_the_model_s_work_alone_reaches_no_limit_of_skills(name):
    full = Amounts(**{name: 10})
    assert bool(exceeded(full, full, NOTHING)) is (name in ('tokens', 'cost'))


def test_limits_are_none_where_neither_a_run_nor_an_hour_has_one():
    assert Limits().is_none and Limits(places={'dock': (0.0,)}).is_none
    assert not Limits(per_run=Amounts(skills=1)).is_none
    assert not Limits(per_hour=Amounts(cost=0.1)).is_none


def test_amounts_add_up_each_by_itself():
    one, two = Amounts(1, 2.0, 3.0, 4, 5.0), Amounts(10, 20.0, 30.0, 40, 50.0)
    assert one + two == Amounts(11, 22.0, 33.0, 44, 55.0)


@given(st.lists(st.tuples(st.sampled_from(['spend', 'count', 'add']), st.integers(0, 2000)),
                max_size=12))  # fmt: skip
def test_a_ledger_has_what_was_noted_within_the_last_hour(steps):
    now = 0.0
    ledger = Ledger(lambda: now)
    noted = []
    for kind, later in steps:
        now += later
        noted.append((now, kind))
        if kind == 'spend':
            ledger.spend(Amounts(skills=1, tokens=2))
        elif kind == 'count':
            ledger.count('rule')
        else:
            ledger.add('rule', {'plant 1': Decimal(3), 'plant 2': Decimal(4)})
        left = [one for when, one in noted if when > now - HOUR]
        times = {one: left.count(one) for one in ('spend', 'count', 'add')}
        assert ledger.spent() == Amounts(skills=times['spend'], tokens=2 * times['spend'])
        assert ledger.counted().get('rule', 0) == times['count']
        summed = {'plant 1': 3 * times['add'], 'plant 2': 4 * times['add']}
        assert ledger.summed() == ({'rule': summed} if times['add'] else {})


def test_a_way_is_measured_where_both_its_ends_are_known():
    assert distance((0.0, 0.0), (3.0, 4.0)) == 5.0
    assert distance(None, (3.0, 4.0)) == distance((3.0, 4.0), None) == 0.0


def test_an_hour_is_over_after_exactly_an_hour():
    now = 0.0
    ledger = Ledger(lambda: now)
    ledger.spend(Amounts(skills=1))
    ledger.count('rule')
    ledger.add('rule', {'': Decimal(1)})
    now = HOUR - 0.001
    assert (ledger.spent(), ledger.counted()) == (Amounts(skills=1), {'rule': 1})
    assert ledger.summed() == {'rule': {'': 1}}
    now = HOUR
    assert (ledger.spent(), ledger.counted(), ledger.summed()) == (NOTHING, {'rule': 0}, {})
