"""Comparisons of two groups on common tasks."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_tools.bench.report.statistics import (
    bootstrap,
    compare,
    comparison_table,
    comparisons,
    mcnemar,
)
from support.episode_rows import episode_row

COUNTS = st.integers(0, 9)
DIFFERENCES = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_share_of_tosses_that_are_as_uneven(first, second):
    count = first + second
    as_uneven = (
        sum(
            abs(2 * sum(tosses) - count) >= abs(first - second)
            for tosses in product((0, 1), repeat=count)
        )
        if count <= 12
        else sum(
            comb(count, heads)
            for heads in range(count + 1)
            if abs(2 * heads - count) >= abs(first - second)
        )
    )
    assert mcnemar(first, second) == pytest.approx(as_uneven / 2**count)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_a_probability_and_symmetric(first, second):
    assert 0 < mcnemar(first, second) <= 1
    assert mcnemar(first, second) == mcnemar(second, first)


@settings(max_examples=30, deadline=None)
@given(DIFFERENCES)
def test_an_interval_holds_its_estimate_and_turns_with_its_sign(differences):
    found = bootstrap(differences)
    assert found.estimate == pytest.approx(sum(differences) / len(differences))
    assert found.low <= found.estimate <= found.high
    assert min(differences) - 1e-9 <= found.low and found.high <= max(differences) + 1e-9
    turned = bootstrap([-one for one in differences])
    assert turned.low == pytest.approx(-found.high, abs=1e-9)
    assert turned.high == pytest.approx(-found.low, abs=1e-9)
    assert bootstrap(differences) == found


def test_an_interval_is_that_of_all_samples_of_a_few():
    differences = [0.0, 0.0, 1.0]
    means = sorted(sum(drawn) / 3 for drawn in product(differences, repeat=3))
    found = bootstrap(differences)
    assert found.low == means[int(0.025 * 27)]
    assert found.high == means[int(0.975 * 27)]


def test_an_interval_without_spread_has_no_width():
    found = bootstrap([0.1] * 7)
    assert found.low == found.high == pytest.approx(0.1)


def test_memories_are_compared_with_every_store_that_one_of_them_reads():
    rows = [
        episode_row(number, memory=memory, store=store, success=number < solved)
        for number in range(4)
        for memory, store, solved in (
            ('none', '', 1),
            ('working', '', 2),
            ('both', 'a', 3),
            ('both', 'b', 4),
        )
    ]
    found = {
        (one.first, one.second, one.context): one.gsr.estimate
        for one in comparisons(rows, 'memory')
    }
    assert found == {
        ('none', 'working', ''): 0.25,
        ('none', 'both', 'store a[all]'): 0.5,
        ('working', 'both', 'store a[all]'): 0.25,
        ('none', 'both', 'store b[all]'): 0.75,
        ('working', 'both', 'store b[all]'): 0.5,
    }
    one_store = [row for row in rows if row.cell.store != 'b']
    assert {one.context for one in comparisons(one_store, 'memory')} == {''}


@st.composite
def some_pairs(draw):
    pairs = []
    for number in range(draw(st.integers(1, 6))):
        for seed in range(draw(st.integers(1, 2))):
            told = [
                {'success': met == 2, 'met': met, 'decisions': decisions, 'seed': seed}
                for met, decisions in (
                    (draw(st.integers(0, 2)), draw(st.integers(1, 50))) for _ in range(2)
                )
            ]
            pairs.append(
                (
                    episode_row(number, planner='react', **told[0]),
                    episode_row(number, planner='reactree', **told[1]),
                )
            )
    return pairs


@settings(max_examples=30, deadline=None)
@given(some_pairs())
def test_a_comparison_turned_round_is_the_same_turned_round(pairs):
    found = compare(pairs)
    turned = compare([(second, first) for first, second in pairs])
    assert turned.gsr.estimate == pytest.approx(-found.gsr.estimate)
    assert turned.ssr.low == pytest.approx(-found.ssr.high, abs=1e-9)
    assert (turned.only_first, turned.only_second) == (found.only_second, found.only_first)
    assert turned.p == found.p
    assert turned.costs == {name: cost[::-1] for name, cost in found.costs.items()}
    solved = [pair for pair in pairs if pair[0].success and pair[1].success]
    assert found.both == len(solved)
    assert found.both + found.only_first + found.only_second <= len(pairs)
    if solved:
        decisions = [sum(pair[one].decisions for pair in solved) / len(solved) for one in (0, 1)]
        assert found.costs['decisions'] == pytest.approx(decisions)


def test_seeds_of_a_task_are_one_in_the_difference_and_several_pairs():
    pairs = [
        (episode_row(0, seed=seed, success=False), episode_row(0, seed=seed)) for seed in range(3)
    ]
    pairs.append((episode_row(1), episode_row(1, success=False)))
    found = compare(pairs)
    assert (found.tasks, found.pairs) == (2, 4)
    assert found.gsr.estimate == pytest.approx(0)
    assert (found.only_first, found.only_second) == (1, 3)


def test_only_what_is_equal_otherwise_is_compared_and_only_on_common_tasks():
    rows = [
        episode_row(number, planner=planner, preset=preset)
        for planner, numbers in (('react', (0, 1, 2)), ('reactree', (1, 2, 3)))
        for preset in ('default', 'published')
        for number in numbers
    ]
    found = list(comparisons(rows, 'planner'))
    assert [(one.context, one.tasks) for one in found] == [
        ('preset default', 2),
        ('preset published', 2),
    ]
    assert {(one.first, one.second) for one in found} == {('react', 'reactree')}
    assert not list(comparisons(rows, 'model'))


def test_the_table_has_a_row_a_comparison():
    rows = [
        episode_row(number, planner=planner, success=planner == 'reactree', seconds=2000.0)
        for planner in ('react', 'reactree')
        for number in range(6)
    ]
    table = comparison_table(rows, 'planner')
    heads = [column.head for column in table.columns]
    told = dict(zip(heads, table.rows[0], strict=True))
    assert 'with' not in heads
    assert told['planner'] == 'react → reactree'
    assert told['GSR [95 %]'] == '+100.0 [+100.0, +100.0]'
    assert told['p'] == '0.0312'
    assert told['decisions'] == ''
