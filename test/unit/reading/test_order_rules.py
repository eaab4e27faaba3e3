"""What a text tells of order and number becomes a rule that planner and permission keep."""

from __future__ import annotations

import pytest

from reactree_core.observation import Outcome
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.done_skills import does
from support.readings import unkept
from support.skill_kinds import HOME

STOVE_FIRST = 'open fridge before turn off stove or stove is off'
AT_ONCE = 'open <fridge> without close <fridge> or <fridge> is closed in the next skill'


def read(text):
    return read_alone(text, Names(HOME))


def assert_kept(goal, wording):
    """The rules of a wording are kept, or the steps stand in their order, or it is not whole."""
    assert not goal.whole or len(goal.milestones) > 1 or not unkept(goal, wording, HOME)


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
    assert_kept(read(text), '; '.join(rules))


FRIDGE_CLOSED = 'end without close <fridge> or <fridge> is closed after open <fridge>'
SAID = {
    # The one before the other.
    'Turn off the stove, before opening the fridge.': STOVE_FIRST,
    'Always turn off the stove before opening the fridge.': STOVE_FIRST,
    'You must always turn off the stove before you open the fridge.': STOVE_FIRST,
    'After turning off the stove, open the fridge.': STOVE_FIRST,
    'Open the fridge after you have turned off the stove.': STOVE_FIRST,
    'Can you turn off the stove before opening the fridge?': STOVE_FIRST,
    'Turn off the stove before opening the fridge or the sink.':
        f'{STOVE_FIRST}; {STOVE_FIRST.replace("fridge", "sink")}',
    # Not before.
    'Do not open the fridge before turning off the stove.': STOVE_FIRST,
    'Do not open the fridge until the stove is off.': STOVE_FIRST,
    'Do not open the fridge until the stove has been turned off.': STOVE_FIRST,
    'Do not open the fridge until you first turn off the stove.': STOVE_FIRST,
    'Do not open the fridge unless you have turned off the stove.': STOVE_FIRST,
    'Do not open the fridge unless the stove has been turned off.': STOVE_FIRST,
    'Never open the fridge without turning off the stove.': STOVE_FIRST,
    'Until the stove is off, do not open the fridge.': STOVE_FIRST,
    'Before you have turned off the stove, never open the fridge.': STOVE_FIRST,
    'Unless you have turned off the stove, do not open the fridge.': STOVE_FIRST,
    'No fridge may be opened before turning off the stove.': STOVE_FIRST,
    # Only after.
    'Only after turning off the stove may you open the fridge.': STOVE_FIRST,
    'Only once you have turned off the stove may you open the fridge.': STOVE_FIRST,
    'Only after turning off the stove, open the fridge.': STOVE_FIRST,
    'The fridge may only be opened after turning off the stove.': STOVE_FIRST,
    'You may only open the fridge after turning off the stove.': STOVE_FIRST,
    'Only open the fridge if the stove is off.': STOVE_FIRST,
    # Each time.
    'Whenever you open the fridge, close it.': FRIDGE_CLOSED,
    'If you open the fridge, close it again.': FRIDGE_CLOSED,
    'If you open the fridge, always close it.': FRIDGE_CLOSED,
    'Once you open the fridge, close it again.': FRIDGE_CLOSED,
    'After opening the fridge, always close it.': FRIDGE_CLOSED,
    'Close the fridge every time that you open it.': FRIDGE_CLOSED,
    'Always close the fridge after opening it.': FRIDGE_CLOSED,
    'Close every fridge that you open.': FRIDGE_CLOSED,
    'Close each fridge which you open.': FRIDGE_CLOSED,
    'Close any fridge you open.': FRIDGE_CLOSED,
    'Every time you open the fridge, turn off the stove afterwards.':
        'end without turn off stove or stove is off after open fridge',
    # Soon.
    'After opening the fridge, immediately close it.': AT_ONCE,
    'Whenever you open the fridge, then immediately close it again.': AT_ONCE,
    'When you open the fridge, always close it immediately.': AT_ONCE,
    'Whenever you open the fridge, close it again within two steps.':
        AT_ONCE.replace('the next skill', 'the next 2 skills'),
    'After opening the fridge, close it within two steps.':
        AT_ONCE.replace('the next skill', 'the next 2 skills'),
    'Close the fridge within three steps of opening it.':
        AT_ONCE.replace('the next skill', 'the next 3 skills'),
    # So often.
    'Take at most two plates.': 'pick up plate more than twice',
    'You should take at most two plates.': 'pick up plate more than twice',
    'Take no more than three plates.': 'pick up plate more than 3 times',
    'Take fewer than three plates.': 'pick up plate more than twice',
    'Take a maximum of 3 plates.': 'pick up plate more than 3 times',
    'Pick at most two plates up.': 'pick up plate more than twice',
    'Put at most two plates in the sink.': 'put down plate at sink more than twice',
    'Put up to three plates on the kitchen table.':
        'put down plate at kitchen table more than 3 times',
    'Open the fridge at most once.': 'open fridge more than once',
    'Open the fridge no more than three times.': 'open fridge more than 3 times',
    'Open the fridge only twice.': 'open fridge more than twice',
    'Never open the fridge more than three times.': 'open fridge more than 3 times',
    'Do not take more than two plates or open more than one fridge.':
        'pick up plate more than twice; open fridge more than once',
}  # fmt: skip


@pytest.mark.parametrize('text', SAID)
def test_an_order_or_a_number_is_a_rule_in_many_words(text):
    assert_kept(read(text), SAID[text])
    # What is asked before it, capitals and spaces change nothing of it.
    assert_kept(read(f'Put an apple in the bowl.  {text.upper().replace(" ", "  ")}'), SAID[text])


@pytest.mark.parametrize(
    'text',
    [
        'Take at most two plates per trip.',
        'Open the fridge at most two or three times.',
        'Take at most two plates, unless they are dirty.',
        'Scan at most two plates.',
        'If you open the fridge, close it.',
        'When I open the fridge, close it again.',
        'Whenever you open the fridge, close it now.',
        'Close all fridges that you open.',
        'Turn off the stove before opening the fridge now.',
        'Turn off the stove before opening the fridge, if it is dark.',
        'If it is dark, turn off the stove before opening the fridge.',
        'Do you turn off the stove before opening the fridge?',
        'Do not open the fridge unless the stove is off.',
        'Do not open the fridge again until you have turned off the stove.',
        'The kitchen table is set before opening the fridge.',
        'Turn off the stove before touching the fridge.',
        'Turn off the stove before opening the gizmo.',
        'Turn off the stove and immediately open the fridge.',
    ],
)
def test_what_is_not_certain_is_no_rule(text):
    goal = read(text)
    assert not goal.milestones or not goal.whole or goal.trigger is not None or 'now' in text


def test_an_order_asks_for_both_and_is_read_whole():
    goal = read('Turn off the stove before opening the fridge.')
    assert goal.whole and goal.means == 'stove is off; then fridge is open'


def test_steps_within_which_something_follows_are_read_whole():
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


def test_a_count_at_the_end_leaves_the_wish_readable():
    goal = read('Open the fridge at most twice.')
    assert goal.whole and goal.means == 'fridge is open'
    assert [one.wording for one in goal.rules] == ['open fridge more than twice']


def test_what_is_asked_only_when_something_holds_waits_for_it():
    goal = read('Open the fridge only when the stove is off.')
    assert goal.whole and goal.means == 'once stove is off: fridge is open'


def test_a_limit_for_a_day_is_one_for_the_task():
    goal = read('Open the fridge at most two times a day.')
    assert goal.means == 'fridge is open'
    assert [one.wording for one in goal.rules] == ['open fridge more than twice']
