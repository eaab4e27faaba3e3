"""With which number a skill is done, and how often, so that a number comes to be as wanted."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.measures import Comparison, MARGIN, Measure, read_change, read_comparison
from reactree_core.skill_types import SkillType
from reactree_planner.facts.amounts import Amount, amounts, leads_towards


def slot(bounds):
    """A slot that takes numbers."""
    return SkillType('water it with <ml> ml', (bounds,)).slots[0]


def change(text):
    return read_change(text)


def found(text, where, now, wanted):
    measure = Measure('moisture', Decimal(now), '%')
    return list(amounts(change(text), where, measure, read_comparison(f'moisture {wanted}')))


POUR = 'raises moisture of <plant> by about <ml>/10'


@pytest.mark.parametrize(
    ('text', 'wanted', 'leads'),
    [
        (POUR, 'moisture > 30 %', True),
        (POUR, 'moisture >= 30 %', True),
        (POUR, 'moisture < 30 %', False),
        (POUR, 'moisture between 10 and 20 %', True),
        (POUR, 'battery > 30 %', False),
        (POUR, 'weight > 30 %', False),
        ('lowers moisture of <plant> by 3', 'moisture > 30 %', False),
        ('lowers moisture of <plant> by 3', 'moisture <= 30 %', True),
        ('sets moisture of <plant> to <ml>', 'moisture < 30 %', True),
    ],
)
def test_a_change_leads_one_way(text, wanted, leads):
    assert leads_towards(change(text), read_comparison(wanted)) is leads


@given(
    now=st.integers(0, 90),
    limit=st.integers(1, 100),
    sign=st.sampled_from(['>', '>=', '<', '<=']),
    verb=st.sampled_from(['raises', 'lowers']),
    part=st.sampled_from([1, 2, 10]),
    least=st.sampled_from([0, 10, 20]),
    step=st.sampled_from([5, 10]),
)
def test_so_much_is_done_that_the_number_is_as_wanted_and_no_more(
    now, limit, sign, verb, part, least, step
):
    where = slot(f'number: {least}..100 step {step} ml')
    text = f'{verb} moisture of <plant> by <ml>/{part}'
    ways = found(text, where, now, f'{sign} {limit} %')
    wanted = Comparison('moisture', ((sign, Decimal(limit)),), '%')
    is_so = wanted.holds(Measure('moisture', Decimal(now), '%'))
    towards = (verb == 'raises') == (sign[0] == '>')
    if is_so or not towards:
        assert not ways
        return
    assert ways
    margin = Decimal(limit) * MARGIN
    aim = abs(Decimal(limit) - now) + margin
    for way in ways:
        value = Decimal(way.value)
        assert value > 0 and where.bounds.takes(value) and way.times <= 200
        does = value / part * way.times
        then = now + does if verb == 'raises' else now - does
        assert wanted.holds(Measure('moisture', then, '%')), way
        assert does >= aim > does - value / part, 'once less is not enough'
    best, *_ = ways
    fits = [one for one in range(least or step, 101, step) if Decimal(one) / part >= aim]
    assert Decimal(best.value) == (min(fits) if fits else where.bounds.most)
    values = [Decimal(one.value) for one in ways]
    assert values == sorted(values, reverse=True)


def test_without_a_slot_it_is_done_so_often():
    assert found('raises moisture of <plant> by 5', None, 10, '> 29 %') == [Amount('', 5)]
    assert found('lowers moisture of <plant> by 5', None, 30, '< 20 %') == [Amount('', 3)]
    assert not found('raises moisture of <plant> by 0.1', None, 0, '> 90 %'), 'too often'
    assert not found('raises moisture of <plant> by 5', None, 30, '> 29 %')
    assert found('raises moisture of <plant> by 0.525', None, 0, '>= 100 %') == [Amount('', 200)]
    assert not found('raises moisture of <plant> by 0.524', None, 0, '>= 100 %')


def test_without_bounds_a_small_amount_is_a_fine_one():
    free = slot('number')
    (first, *_) = found('raises moisture of <plant> by <ml>/10', free, 10, '>= 20 %')
    assert first == Amount('110', 1)
    (small, *_) = found('raises moisture of <plant> by <ml>*100', free, 10, '>= 20 %')
    assert small == Amount('0.11', 1)
    assert len(found('raises moisture of <plant> by <ml>/10', free, 10, '>= 20 %')) == 60


def test_between_two_limits_one_stays_between_them():
    (first, *_) = found(POUR, slot('number: 0..300 step 5 ml'), 10, 'between 20 and 21 %')
    assert 20 <= 10 + Decimal(first.value) / 10 * first.times <= 21
    (down, *_) = found(
        'lowers moisture of <plant> by <ml>/10', slot('number: 0..300 step 5 ml'), 30,
        'between 20 and 21 %',
    )  # fmt: skip
    assert 20 <= 30 - Decimal(down.value) / 10 * down.times <= 21


@pytest.mark.parametrize(
    ('bounds', 'wanted', 'first'),
    [
        ('number: 10..100 step 5 %', '> 80 %', '85'),
        ('number: 10..100 step 5 %', '>= 80 %', '80'),
        ('number: 10..100 step 5 %', '< 80 %', '75'),
        ('number: 10..100 step 5 %', '<= 82 %', '80'),
        ('number: 3..103 step 10 %', '>= 30 %', '33'),
        ('number', '> 80 %', '81'),
        ('number', 'between 10 and 20 %', '10'),
    ],
)
def test_a_number_that_is_set_is_set_just_so(bounds, wanted, first):
    now = 50 if '80' not in wanted or '<' not in wanted else 90
    now = 90 if wanted == '<= 82 %' else now
    now = 1 if wanted.startswith('>= 30') or 'between' in wanted else now
    ways = found('sets moisture to <ml>', slot(bounds), now, wanted)
    assert ways[0] == Amount(first, 1)
    told = read_comparison(f'moisture {wanted}')
    assert all(told.holds(Measure('moisture', Decimal(one.value), '%')) for one in ways)


def test_what_is_set_to_one_number_is_done_where_that_is_wanted():
    assert found('sets moisture to 40', None, 10, '> 30 %') == [Amount('', 1)]
    assert not found('sets moisture to 40', None, 10, '> 40 %')
    assert not found('sets moisture to <ml>', slot('number: 10..20 %'), 10, '> 30 %')


@given(
    limit=st.integers(0, 60),
    width=st.integers(0, 30),
    sign=st.sampled_from(['>', '>=', '<', '<=', 'between']),
    part=st.sampled_from([1, 2, 10]),
    least=st.sampled_from([0, 10, 30]),
    step=st.sampled_from([5, 10]),
)
def test_a_number_is_set_wherever_some_number_would_do(limit, width, sign, part, least, step):
    where = slot(f'number: {least}..100 step {step} ml')
    told = f'{sign} {limit} %' if sign != 'between' else f'between {limit} and {limit + width} %'
    wanted = read_comparison(f'moisture {told}')
    fits = [
        one
        for one in range(least, 101, step)
        if wanted.holds(Measure('moisture', Decimal(one) / part, '%'))
    ]
    now = next(n for n in (-500, 500) if not wanted.holds(Measure('moisture', Decimal(n), '%')))
    ways = found(f'sets moisture to <ml>/{part}', where, now, told)
    assert all(one.times == 1 and Decimal(one.value) in fits for one in ways)
    assert bool(ways) == bool(fits)
    if fits:
        # The nearest to a limit comes first.
        limits = [value * part for _, value in wanted.tests]
        assert int(ways[0].value) in [min(fits, key=lambda one: abs(one - v)) for v in limits]
