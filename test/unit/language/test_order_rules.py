"""What a text tells of order and number becomes a rule that planner and permission keep."""

from __future__ import annotations

import pytest

from reactree_core.observation import Outcome
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from support.done_skills import does
from support.skill_kinds import HOME

STOVE_FIRST = 'open fridge before turn off stove or stove is off'
AT_ONCE = 'open <fridge> without close <fridge> or <fridge> is closed in the next skill'


def read(text):
    return read_with_grammar(text, Names(HOME))


def permission(text):
    return Permission(Rules(), True, HOME.skills, read(text).permission_rules)


@pytest.mark.parametrize(
    ('text', 'rules'),
    [
        ('Turn off the stove before opening the fridge.', [STOVE_FIRST]),
        ('Before you open the fridge, turn off the stove.', [STOVE_FIRST]),
        ('Open the fridge only after turning off the stove.', [STOVE_FIRST]),
        ('Immediately after opening the fridge, close it.', [AT_ONCE]),
        ('Close the fridge immediately after opening it.', [AT_ONCE]),
        (
            'Close the fridge within 2 steps after opening it.',
            [AT_ONCE.replace('the next skill', 'the next 2 skills')],
        ),
        (
            'Open the fridge immediately after turning off the stove.',
            [
                STOVE_FIRST,
                'turn off stove without open fridge or fridge is open in the next skill',
            ],
        ),
        ('Turn on the stove, but never more than twice.', []),
    ],
)
def test_what_is_told_of_order_is_a_rule(text, rules):
    assert [one.wording for one in read(text).rules] == rules


def test_an_order_asks_for_both_and_is_read_whole():
    goal = read('Turn off the stove before opening the fridge.')
    assert goal.whole and goal.means == 'stove is off; then fridge is open'
    goal = read('Close the fridge within two steps after opening it.')
    assert goal.whole and goal.means == 'fridge is open; then fridge is closed'
    assert any('in the next 2 skills' in one.account for one in goal.words) or goal.rules


def test_the_second_waits_for_the_first():
    rules = permission('Turn off the stove before opening the fridge.')
    assert rules.objection('open fridge 1')
    does(rules, 'turn off stove 1')
    assert not rules.objection('open fridge 1')


def test_at_once_is_at_once_and_of_the_same_thing():
    rules = permission('Whenever you open a fridge, close it within two steps.')
    does(rules, 'open fridge 1')
    assert rules.permitted(('go to sink 1', 'open fridge 2')) == ('go to sink 1', 'open fridge 2')
    does(rules, 'go to sink 1')
    offered = ('close fridge 1', 'close fridge 2', 'go to sink 1')
    assert rules.permitted(offered) == ('close fridge 1',)
    does(rules, 'close fridge 1', outcome=Outcome.EXECUTION_FAILED)
    assert rules.ended_by


@pytest.mark.parametrize(
    'text',
    [
        'Open the fridge within 10 seconds after turning off the stove.',
        'Turn off the stove within two minutes.',
        'Immediately after the guests have come, open the fridge.',
        'Only open the fridge if the stove is off.',
    ],
)
def test_what_cannot_be_kept_is_told(text):
    goal = read(text)
    assert not goal.rules and not goal.whole
    assert goal.left_to_model == (text.rstrip('.'),)


def test_a_count_at_the_end_leaves_the_wish_readable():
    goal = read('Open the fridge at most twice.')
    assert goal.whole and goal.means == 'fridge is open'
    assert [one.wording for one in goal.rules] == ['open fridge more than twice']


def test_without_rules_in_time_they_are_told():
    task = 'Do not open the fridge until the stove is off.'
    goal = read_with_grammar(task, Names(HOME), in_time=False)
    assert not goal.rules and not goal.never
    assert goal.left_to_model == ('Do not open the fridge until the stove is off',)
