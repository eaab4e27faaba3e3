"""A checked form becomes a goal of the planner, and what it cannot hold is never dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.permission.acts import Act, Side
from reactree_planner.reading.check import check, Report
from reactree_planner.reading.form import (
    Circumstance,
    FormCondition,
    FormMilestone,
    GoalForm,
    Limit,
    Ordering,
    Prohibition,
)
from reactree_planner.reading.goal import confirmed, Goal, goal_of, ReadBy, When
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.vocabulary import ServerWords
from support.prohibited import HOUSE

_WORDS = ServerWords(HOUSE)


def goal(text: str) -> Goal:
    return goal_of(check(read(text, _WORDS), text, _WORDS), text, _WORDS, ReadBy.GRAMMAR)


@pytest.mark.parametrize(
    ('text', 'steps'),
    [
        (
            'First open the fridge, then put the apple on the sofa.',
            [['fridge is open'], ['fridge is open', 'apple in sofa']],
        ),
        (
            'First open the fridge, then close the fridge.',
            [['fridge is open'], ['fridge is closed']],
        ),
        ('Put two apples on the sofa.', [['2 apple in sofa']]),
        ('Swap the mug and the book.', [['mug where book was', 'book where mug was']]),
    ],
)
def test_milestones_hold_what_was_asked_before(text: str, steps: list[list[str]]) -> None:
    found = goal(text)
    assert [[one.text for one in step] for step in found.milestones] == steps
    assert found.whole and found.acts


def test_prohibitions_are_acts_and_limits_rules() -> None:
    found = goal("Put the mug on the sofa. Don't take anything out of the fridge.")
    assert found.never == (Act('take', '', 'fridge', Side.FROM),)
    limited = goal('Take at most two apples.')
    assert [rule.at_most for rule in limited.rules] == [2]
    ordered = goal("Don't open the fridge until the mug is on the sofa.")
    assert [rule.skill for rule in ordered.rules] == [Act('open', 'fridge')]
    first = [one.wording for rule in ordered.rules for one in rule.only_after]
    assert 'mug in sofa' in first and len(first) <= 2


@pytest.mark.parametrize(
    ('text', 'when'),
    [
        ('If the tv is on, put the mug on the sofa.', When.IF),
        ('Whenever the mug is on the sofa, turn off the tv.', When.WHENEVER),
        ('Every 10 minutes open the fridge.', When.EVERY),
    ],
)
def test_circumstances_are_triggers(text: str, when: When) -> None:
    trigger = goal(text).trigger
    assert trigger is not None and trigger.when is when


_MUG = FormCondition('in', 'mug', 'sofa', words='Put the mug on the sofa')
_WHEN = Circumstance('until', (_MUG,), words='until the mug is there')


@pytest.mark.parametrize(
    'form',
    [
        GoalForm(milestones=(FormMilestone((replace(_MUG, holds=False),)),)),
        GoalForm(
            milestones=(FormMilestone((_MUG,)),),
            limits=(Limit('take', 5, unit='ml', words='5 ml'),),
        ),
        GoalForm(milestones=(FormMilestone((_MUG,)), FormMilestone((_MUG,), _WHEN))),
        GoalForm(milestones=(FormMilestone((_MUG,)),), when=_WHEN),
        GoalForm(
            milestones=(FormMilestone((_MUG,)),),
            order=(Ordering(Prohibition('open', 'fridge'), replace(_MUG, holds=False)),),
        ),
    ],
)
def test_what_a_goal_cannot_hold_makes_it_not_whole(form: GoalForm) -> None:
    text = 'Put the mug on the sofa'
    plain = GoalForm(milestones=(FormMilestone((_MUG,)),))
    assert goal_of(Report(plain), text, _WORDS, ReadBy.MODEL).whole
    assert not goal_of(Report(form), text, _WORDS, ReadBy.MODEL).whole


def test_a_negation_that_was_not_read_is_left_to_the_model() -> None:
    found = goal('Put the mug on the sofa and never zork.')
    assert not found.whole and found.left_to_model


def test_a_goal_that_a_person_confirms_is_whole() -> None:
    found = goal('Put the mug on the sofa, zork blick.')
    assert not found.whole and not found.acts
    assert confirmed(found).whole and confirmed(found).by is ReadBy.PERSON
