"""Progression says of every trace what the definition of LTLf says."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.permission import formulas as f
from support.textbook_ltlf import holds, random_formula, random_trace

ATOMS = 'ab'
LITERALS = st.builds(f.Literal, st.sampled_from(ATOMS), st.booleans())
COUNTS = st.builds(f.AtMost, st.integers(0, 3), st.sampled_from(ATOMS))
POSITIONS = st.frozensets(st.sampled_from(ATOMS))
TRACES = st.lists(POSITIONS, min_size=1, max_size=6)
LETTERS = (frozenset(), frozenset('a'), frozenset('b'), frozenset('ab'))
FORMULAS = st.recursive(
    st.sampled_from([f.TRUE, f.FALSE]) | LITERALS | COUNTS,
    lambda inner: (
        st.builds(f.Next, inner)
        | st.builds(f.WeakNext, inner)
        | st.builds(f.Until, inner, inner)
        | st.builds(f.Release, inner, inner)
        | st.lists(inner, max_size=3).map(f.conjunction)
        | st.lists(inner, max_size=3).map(f.disjunction)
    ),
    max_leaves=6,
)


def progressed(formula, trace):
    for position in trace:
        formula = f.progress(formula, position.__contains__)
    return formula


@given(FORMULAS, TRACES)
@settings(max_examples=300)
def test_progression_agrees_with_the_definition(formula, trace):
    assert f.holds_at_end(progressed(formula, trace)) is holds(formula, trace)


def test_ten_thousand_random_formulas_hold_on_random_traces_as_defined():
    random = Random(47)
    held = 0
    for _ in range(10_000):
        formula, trace = random_formula(random, 'abc'), random_trace(random, 'abc')
        wanted = holds(formula, trace)
        assert f.holds_at_end(progressed(formula, trace)) is wanted, (formula, trace)
        held += wanted
    # Neither says the same of all.
    assert 3_000 < held < 7_000


@given(FORMULAS, TRACES, TRACES)
def test_after_any_beginning_the_rest_decides(formula, first, then):
    rest = progressed(formula, first)
    assert holds(formula, first + then) is holds(rest, then)


@given(FORMULAS)
def test_what_no_short_trace_fulfils_is_not_called_satisfiable_by_one(formula):
    def some(length):
        return [[]] if not length else [[x, *rest] for x in LETTERS for rest in some(length - 1)]

    # The empty rest counts, too: nothing more may happen.
    short = f.holds_at_end(formula) or any(
        holds(formula, trace) for n in (1, 2, 3) for trace in some(n)
    )
    if short:
        assert f.is_satisfiable(formula, LETTERS)
    elif f.is_satisfiable(formula, LETTERS):
        # Only a longer one does: there is a way to it that breaks nothing.
        assert any(progressed(formula, trace) != f.FALSE for trace in some(3))


@given(FORMULAS)
def test_atoms_that_are_only_wanted_false_need_not_be_true_at_any_position(formula):
    wanted = {one.atom for one in f.literals_of(formula) if one.positive}
    few = [letter for letter in LETTERS if letter <= wanted]
    assert f.is_satisfiable(formula, few) is f.is_satisfiable(formula, LETTERS)


@pytest.mark.parametrize('times', [0, 1, 100])
def test_a_count_breaks_at_once_and_its_formula_does_not_grow(times):
    formula = f.AtMost(times, 'a')
    for _ in range(times):
        formula = progressed(formula, [frozenset(), frozenset('a')])
        assert len(list(f.literals_of(formula))) == 1
    assert formula == f.AtMost(0, 'a') and f.holds_at_end(formula)
    assert progressed(formula, [frozenset('a')]) == f.FALSE


def test_what_contradicts_itself_cannot_be_fulfilled():
    always_a = f.always(f.Literal('a'))
    not_a = f.eventually(f.Literal('a', False))
    assert not f.is_satisfiable(f.conjunction((always_a, not_a)), LETTERS)
    assert f.is_satisfiable(always_a, LETTERS)


def test_a_search_without_end_counts_as_satisfiable():
    formula = f.Next(f.Next(f.Next(f.FALSE)))
    assert f.is_satisfiable(formula, LETTERS, most=1)
    assert not f.is_satisfiable(formula, LETTERS)
