"""Sentences about numbers, waits, repetition and things that are so."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

VOCABULARY = Vocabulary(
    object_classes=('plant',),
    place_classes=('bed', 'charger', 'shed', 'yard', 'gate'),
    rooms=('row 1', 'row 2'),
    skill_types=(
        SkillType('go to <place>', ('place',), SkillKind.MOVE, other_words=('drive', 'patrol')),
        SkillType(
            'water <plant> with <ml> ml',
            ('thing: plant', 'number: 10..300 step 10 ml'),
            SkillKind.CHANGE,
            effects=('raises moisture of <plant> by about <ml>/10', '<plant> is moist'),
        ),
        SkillType(
            'photograph <plant>',
            ('thing: plant',),
            SkillKind.CHANGE,
            effects=('<plant> is photographed',),
            other_words=('take a picture of',),
        ),
        SkillType(
            'charge to <percent> %',
            ('number: 10..100 step 5 %',),
            effects=('sets battery to <percent> %',),
            other_words=('charge',),
        ),
        SkillType('wait <time> seconds', ('number: 1..3600 s',), effects=('takes <time> s',)),
        SkillType('wait until <gate> is open', ('name',), effects=('takes 600 s',)),
    ),
    other_classes=('battery',),
    other_words=(
        ('dry', 'moisture < 30 %'), ('moist', 'moisture >= 30 %'), ('full', '> 95 %'),
    ),
    states=('dry', 'moist', 'ripe', 'unripe', 'full', 'open', 'closed'),
    numbers=('battery', 'moisture'),
)  # fmt: skip


def read(text):
    return read_alone(text, Names(VOCABULARY))


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('Water plant 2 until it is above 40 percent', 'moisture of plant 2 > 40 %'),
        ('water plant 2 till it is between 40 and 50 %',
         'moisture of plant 2 between 40 and 50 %'),
        ('The battery should be above 80 %.', 'battery > 80 %'),
        ('Make sure the battery is above 80 % before you drive to the shed.',
         'battery > 80 %; then at shed'),
        ('Water the dry plants.', 'all plant is moist being dry'),
        ('Take a picture of every ripe plant.', 'all plant is photographed being ripe'),
        ('Water all dry plants until they are above 35 %.',
         'moisture of all plant > 35 % being dry'),
        ('If plant 3 is dry, water it.', 'all plant 3 is moist being dry'),
        ('Water plant 3 if its moisture is below 20 %.',
         'all plant 3 is moist being moisture < 20 %'),
        ('If plant 3 is below 20 %, water it until it is above 40 %.',
         'moisture of all plant 3 > 40 % being moisture < 20 %'),
        ('Charge until the battery is full.', 'battery is full'),
        ('Wait 10 seconds.', 'done wait 10 seconds'),
        ('Wait 3 seconds, photograph plant 1, wait 3 seconds.',
         'done wait 3 seconds; then plant 1 is photographed; then done 2 times wait 3 seconds'),
        ('Photograph plant 3 three times.', 'done 3 times photograph plant 3'),
        ('Water plant 3 with 50 ml.', 'done water plant 3 with 50 ml'),
        ('Water plant 2 until it reaches 40 %.', 'moisture of plant 2 >= 40 %'),
        ('Water plant 2 until it is moist.', 'plant 2 is moist'),
        ('Make sure that plant 2 is above 40 %.', 'moisture of plant 2 > 40 %'),
        ('Charge to 80 %.', 'done charge to 80 %'),
        ('If plants 1 and 2 are dry, water them.',
         'if plant 1 is dry and plant 2 is dry: plant 1 is moist; plant 2 is moist'),
        ('If plant 3 is dry, water plant 2.', 'if plant 3 is dry: plant 2 is moist'),
        ('Water plant 3 with 50 ml twice.', 'done 2 times water plant 3 with 50 ml'),
        ('Water plant 3 with 0.05 l.', 'done water plant 3 with 50 ml'),
        ('Wait by the yard 5 seconds.', 'at yard; then done wait 5 seconds'),
        ('Photograph plant 3 once.', 'done photograph plant 3'),
        ('Patrol the shed and the yard.', 'at shed; then at yard'),
    ],
)  # fmt: skip
def test_it_is_read_as_a_whole(text, means):
    goal = read(text)
    assert (goal.means, goal.unread) == (means, ())
    assert goal.whole and goal.acts


@pytest.mark.parametrize(
    'text',
    [
        'Water plant 1 until it rains.',
        'Water plant 2 until plant 3 is above 40 %.',
        'Water plant 2 until it is below 40 %.',
        'Water plant 2 until it is between 50 and 40 %.',
        'Water plant 2 until it is ripe.',
        'Photograph plant 2 until its moisture is above 40 %.',
        'Its moisture should be above 40 %.',
        'The battery is above 80 %.',
        'The battery must not be below 20 %.',
        'Charge until it reaches 90 %.',
        'Charge to 5 %.',
        'Wait 2 hours.',
        'Wait 0 seconds.',
        'Photograph every plant twice.',
        'Photograph all ripe plants twice.',
        'Photograph plant 3 60 times.',
        'Patrol the shed twice.',
        'Drive to all sheds twice.',
        'Water plant 3 with 55 ml.',
        'Water plant 3 with 400 ml.',
        'Water every dry ripe plant.',
        'Water every dry plant next to the shed.',
        'Take a picture of all dry plants until they are ripe.',
        'Water plant 2 until the battery is above 80 %.',
        'Water every red plant.',
        'Is the battery above 20 %?',
        'The moisture of plant 1 is above 40 %.',
        'Wait until gate 1 is closed.',
        'Wait for half an hour.',
        'Wait.',
        'Wait 5000 seconds.',
        'Patrol the shed twice.',
        'Charge it.',
        'The moisture of the battery should be above 3 %.',
        'If it is dry, water plant 3 and plant 4.',
        'Water plant 1 twice.',
    ],
)
def test_what_cannot_be_done_as_told_is_not_read_as_a_whole(text):
    assert not read(text).whole


@pytest.mark.parametrize(
    ('text', 'other'),
    [
        ('Water plant 2 until it is above 40 %.', 'Water plant 2 until it is above 50 %.'),
        ('Water plant 2 until it is above 40 %.', 'Water plant 2 until it is at least 40 %.'),
        ('Water all dry plants in row 1.', 'Water all dry plants in row 2.'),
        ('Wait 10 seconds.', 'Wait 11 seconds.'),
        ('Patrol the shed and the yard twice.', 'Patrol the yard and the shed twice.'),
        ('Photograph plant 3 twice.', 'Photograph plant 4 twice.'),
        ('If plant 3 is dry, water it.', 'Water plant 3.'),
    ],
)
def test_each_word_counts(text, other):
    assert read(text).means != read(other).means


def test_a_limit_of_an_amount_is_still_a_rule():
    goal = read('Water all dry plants, but never more than 200 ml a plant at a time.')
    assert goal.means == 'all plant is moist being dry'
    assert len(goal.permission_rules) == 1
    assert 'water' in goal.permission_rules[0].wording


def test_a_limit_behind_until_is_no_case():
    goal = read(
        'Water all dry plants until they are above 35 %, but never more than 200 ml at once.'
    )
    assert goal.whole
    assert [rule.wording for rule in goal.permission_rules] == [
        'water <plant> with more than 200 ml'
    ]
    assert not read('Until noon, never give a plant more than 200 ml.').whole


def test_what_is_charged_may_be_used_up_in_a_later_step():
    goal = read('Charge until the battery is above 80 %, then drive to the shed.')
    assert [one.text for one in goal.conditions] == ['at shed']


CHARGER = Vocabulary(
    object_classes=('plant',),
    place_classes=('yard',),
    other_classes=('battery',),
    states=('low', 'full'),
    numbers=('battery',),
    other_words=(('low', '< 20 %'), ('full', '> 95 %')),
    skill_types=(
        SkillType('drive to <place>', ('place',), SkillKind.MOVE),
        SkillType('charge', (), effects=('battery > 95 %',)),
        SkillType('swap battery', (), effects=('battery is full',)),
    ),
)


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('Charge.', 'battery > 95 %'),
        ('Charge and drive to the yard.', 'battery > 95 %; then at yard'),
        ('Swap the battery.', 'battery is full'),
    ],
)
def test_what_a_skill_does_to_a_number_of_the_robot_is_meant_by_its_verb(text, means):
    goal = read_alone(text, Names(CHARGER))
    assert goal.whole and goal.means == means


@pytest.mark.parametrize(
    'text',
    [
        'Charge until the battery is above 97 %.',
        'Charge until the battery is below 50 %.',
        'Charge the plant.',
        'Charge it.',
    ],
)
def test_what_it_does_not_do_to_that_number_is_not(text):
    assert not read_alone(text, Names(CHARGER)).whole
