"""Lists, notes and counts as people jot them down: read whole, as what they mean."""

from __future__ import annotations

import pytest

from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.skill_kinds import HOME


def read(text):
    return read_alone(text, Names(HOME))


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('fridge: apple, pudding', 'apple in fridge; pudding in fridge'),
        ('In the fridge: apple, pudding', 'apple in fridge; pudding in fridge'),
        ('Sink:\n\napple', 'apple in sink'),
        ('Take the apple in the fridge.', 'holding apple'),
        ('Take the apple onto the table.', 'apple in kitchen table'),
        ('Bring the apple in the fridge.', 'apple in fridge'),
        (
            'Put the apple,\nthe pudding, and also the plate in the fridge.',
            'apple in fridge; pudding in fridge; plate in fridge',
        ),
        ('Take an apple and an apple and put the apple in the fridge.',
         'holding 2 apple; apple in fridge'),
        ('Put both apples in the fridge. They should be in there.', '2 apple in fridge'),
        ('Close the fridge, then open it again.', 'fridge is closed; then fridge is open'),
        ('Put all plates but the plate 1 in the sink.', 'all plate in sink but for plate 1'),
        ('Put the apple in the fridge, not in the sink.', 'apple in fridge'),
    ],
)  # fmt: skip
def test_what_is_jotted_down_is_read_whole(text, means):
    goal = read(text)
    assert goal.whole and goal.means == means


@pytest.mark.parametrize(
    ('text', 'rule'),
    [
        ('Open the fridge only once.', 'open fridge more than once'),
        ('Open the fridge only twice.', 'open fridge more than twice'),
        ('Open the fridge at most twice.', 'open fridge more than twice'),
        ('Never open the fridge more than twice.', 'open fridge more than twice'),
    ],
)
def test_how_often_at_most_is_a_rule(text, rule):
    goal = read(text)
    assert goal.whole and [one.wording for one in goal.rules] == [rule]


@pytest.mark.parametrize(
    ('text', 'skills'),
    [
        ('Do not open or close the fridge.', {('open', 'fridge'), ('close', 'fridge')}),
        ('Neither open the fridge nor turn on the stove.',
         {('open', 'fridge'), ('switch on', 'stove')}),
        ('Put the apple in the fridge, not in the sink.', {('put', 'apple')}),
    ],
)  # fmt: skip
def test_all_that_is_denied_is_forbidden(text, skills):
    goal = read(text)
    assert {(one.doing, one.thing) for one in goal.never} == skills


@pytest.mark.parametrize(
    'text',
    [
        'He said "open the fridge".',
        'Put two apples in the fridge and the others in the sink.',
        'Open the fridge, do not close it, and "open the stove" is only a quote.',
    ],
)
def test_what_somebody_else_said_or_nobody_can_count_is_not_read_whole(text):
    assert not read(text).whole
