"""What has to follow a skill within so many others: the formula, and how it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.permission.formulas import FALSE, holds_at_end, progress
from reactree_core.permission.matching import FactPattern, SkillPattern
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import can_be_kept, Done, Rule, Rules, Tried
from reactree_core.permission.rules_file import RuleEntry
from support.done_skills import does

OPENED, CLOSED = SkillPattern('open gate'), SkillPattern('close gate')
SHUT = FactPattern('gate is closed')
ATOMS = {
    'open': frozenset({Tried(OPENED), Done(OPENED)}),
    'close': frozenset({Tried(CLOSED), Done(CLOSED)}),
    'other': frozenset(),
    'shut': frozenset({SHUT}),
}


def within(skills, *then):
    return Rule('soon', OPENED, then=then or (CLOSED,), within=skills)


def rules(skills, *then):
    return Permission(Rules((within(skills, *then),)), simulated=True)


def is_kept(rule, trace):
    """The meaning, written out: behind each opening, a closing among the next skills."""
    follows = range(1, rule.within + 1)
    return all(
        any(trace[i + k : i + k + 1] == ['close'] for k in follows)
        for i, one in enumerate(trace)
        if one == 'open'
    )


@given(st.lists(st.sampled_from(['open', 'close', 'other']), max_size=9), st.integers(1, 4))
def test_the_formula_says_what_it_means(trace, skills):
    rule = within(skills)
    formula = rule.formula
    for one in trace:
        formula = progress(formula, ATOMS[one].__contains__)
    assert holds_at_end(formula) is is_kept(rule, trace)
    # What is lost is known at once, and what is not lost can be kept.
    lost = not any(is_kept(rule, trace + ['close'] * k) for k in range(2))
    assert (formula == FALSE) is lost
    assert can_be_kept((formula,)) is not lost


def test_a_fact_is_known_before_the_last_of_the_skills_is_sent():
    formula = within(2, CLOSED, SHUT).formula
    for one in ('open', 'other', 'shut'):
        formula = progress(formula, ATOMS[one].__contains__)
    assert holds_at_end(formula)
    formula = within(2, CLOSED, SHUT).formula
    for one in ('open', 'other', 'other', 'shut'):
        formula = progress(formula, ATOMS[one].__contains__)
    assert formula == FALSE


def test_at_once_leaves_nothing_else_to_do():
    kept = rules(1)
    skills = ('open gate', 'close gate', 'dock')
    assert kept.permitted(skills) == skills
    does(kept, 'open gate')
    assert kept.permitted(skills) == ('close gate',)
    assert kept.pending() and kept.due(skills) == ('close gate',)
    said = kept.objection('dock')
    assert 'must not: open gate without close gate in the next skill' in said
    does(kept, 'close gate')
    assert kept.permitted(skills) == skills


def test_within_two_skills_leaves_one_other():
    kept = rules(2)
    does(kept, 'open gate')
    assert not kept.objection('dock')
    does(kept, 'dock')
    assert kept.objection('dock') and not kept.objection('close gate')


def test_what_could_never_follow_is_not_begun():
    never = Rule('no', CLOSED, at_most=0)
    kept = Permission(Rules((within(1), never)), simulated=True)
    assert 'in the next skill' in kept.objection('open gate')
    assert not kept.objection('dock')


def test_one_that_fails_at_the_last_moment_ends_the_run():
    kept = rules(1)
    does(kept, 'open gate')
    does(kept, 'close gate', outcome=Outcome.EXECUTION_FAILED)
    assert 'cannot be kept any more' in kept.ended_by


def test_what_holds_by_itself_will_do():
    kept = rules(1, CLOSED, SHUT)
    does(kept, 'open gate', facts=(ObjectFact('gate', 1, state='open'),))
    assert kept.pending()
    kept.see(Observation('x', facts=(ObjectFact('gate', 1, state='closed'),)))
    assert not kept.pending()


def test_the_largest_number_is_looked_at_in_time():
    kept = rules(50)
    does(kept, 'open gate')
    for _ in range(49):
        assert not kept.objection('dock')
        does(kept, 'dock')
    assert kept.objection('dock') and not kept.objection('close gate')


@pytest.mark.parametrize('skills', [0, -1, 51])
def test_a_file_may_tell_one_to_fifty(skills):
    with pytest.raises(ValidationError):
        RuleEntry(name='soon', skills='open gate', then='close gate', within=skills)


def test_a_file_tells_it_with_what_follows():
    told = RuleEntry(name='soon', skills='open gate', then='close gate', within=2)
    assert told.rule.wording == 'open gate without close gate in the next 2 skills'
    with pytest.raises(ValidationError, match='within goes with then'):
        RuleEntry(name='soon', skills='open gate', only_after='close gate', within=2)
