"""When something is wanted: "if", "when", "whenever", "every ten minutes", "in an hour"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.goal import When
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.reading.record import record_of

#: A boat with a battery, in a harbour.
BOAT = Vocabulary(
    object_classes=('rope', 'net', 'buoy'),
    place_classes=('dock', 'pier', 'shed', 'lock'),
    other_classes=('battery',),
    states=('low', 'full', 'open', 'closed', 'wet'),
    numbers=('battery', 'depth'),
    other_words=(('low', '< 20 %'), ('full', '> 95 %')),
    skill_types=(
        SkillType('sail to <place>', kind=SkillKind.MOVE),
        SkillType('take <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
        SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
        SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
        SkillType('mend <thing>', ('thing',), SkillKind.CHANGE, effects=('<thing> is mended',)),
    ),
)


def read(text, vocabulary=BOAT):
    return read_alone(text, Names(vocabulary))


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('If the lock is open, sail to the dock.', 'if lock is open: at dock'),
        ('Sail to the dock if the lock is open.', 'if lock is open: at dock'),
        ('If the battery is low, sail to the dock.', 'if battery is low: at dock'),
        ('Sail to the dock when the battery is under 20 %.', 'once battery < 20 %: at dock'),
        ('When the battery gets low, sail to the dock.', 'once battery is low: at dock'),
        ('Once the battery falls below 20 %, sail to the dock.', 'once battery < 20 %: at dock'),
        ('As soon as the lock is open, sail to the pier.', 'once lock is open: at pier'),
        (
            'Whenever somebody puts a net on the pier, bring it to the shed.',
            'whenever net in pier: net in shed',
        ),
        (
            'Each time someone has put a rope in the shed, bring the rope to the dock.',
            'whenever rope in shed: rope in dock',
        ),
        (
            'Whenever there is a buoy on the dock, put it in the shed, then close the shed.',
            'whenever buoy in dock: buoy in shed; then shed is closed',
        ),
        (
            'Whenever the lock is open and a net is on the pier, close the lock.',
            'whenever lock is open and net in pier: lock is closed',
        ),
        (
            'Every 90 seconds, at most three times, sail to the pier.',
            'every 90 s at most 3 times: at pier',
        ),
        ('In ten minutes sail to the dock.', 'in 10 min: at dock'),
        ('If the net is wet, mend the net.', 'if net is wet: net is mended'),
        ('Unless the lock is open, sail to the dock.', 'if lock is closed: at dock'),
        ('If the lock is not open, sail to the dock.', 'if lock is closed: at dock'),
        ('If the net is in your hand, sail to the dock.', 'if holding net: at dock'),
        ('Every half hour sail to the dock.', 'every 30 min: at dock'),
        (
            'Whenever a person puts a net on the pier, take it.',
            'whenever net in pier: holding net',
        ),
        (
            'Whenever somebody opens the lock, close it.',
            'whenever lock is open: lock is closed',
        ),
        (
            'Whenever anybody puts a net next to the buoy, take the net.',
            'whenever net where buoy is: holding net',
        ),
        (
            'If the lock and the shed are open, sail to the dock.',
            'if lock is open and shed is open: at dock',
        ),
        ('When the net is wet, sail to the dock.', 'once net is wet: at dock'),
        (
            'Whenever the net is on the pier and the battery is low, sail to the dock.',
            'whenever net in pier and battery is low: at dock',
        ),
        (
            'Whenever someone opens the lock and the shed, close them.',
            'whenever lock is open and shed is open: lock is closed; shed is closed',
        ),
        (
            'Whenever the net and the rope are on the pier, take them.',
            'whenever net in pier and rope in pier: holding net; holding rope',
        ),
        ('If two nets are on the pier, sail to the dock.', 'if 2 net in pier: at dock'),
        (
            'Whenever a rope is next to the net, put the net in the shed.',
            'whenever rope where net is: net in shed',
        ),
        ('Every hour, sail to the dock.', 'every 1 h: at dock'),
        (
            'Sail to the dock every ten minutes, at most twice.',
            'every 10 min at most 2 times: at dock',
        ),
        (
            'Every ten minutes, up to 3 times, sail to the dock.',
            'every 10 min at most 3 times: at dock',
        ),
        ('Every 1 minute, sail to the dock.', 'every 1 min: at dock'),
        ('In an hour, sail to the dock.', 'in 1 h: at dock'),
        ('In half an hour sail to the dock.', 'in 30 min: at dock'),
        ('Sail to the dock after ten minutes.', 'in 10 min: at dock'),
        ('Provided that the battery is full, sail to the dock.', 'if battery is full: at dock'),
        ('In case the battery is low, then sail to the dock.', 'if battery is low: at dock'),
        ('The moment the battery is low, sail to the dock.', 'once battery is low: at dock'),
        ('Any time the battery is low, sail to the dock.', 'whenever battery is low: at dock'),
    ],
)
def test_when_it_is_wanted_is_read_with_what(text, means):
    goal = read(text)
    assert goal.means == means
    assert goal.whole and goal.acts, goal.unread
    assert all(word.account for word in goal.words if word.text.isalnum())
    assert record_of(goal).trigger == (goal.trigger.text if goal.trigger else '')


def test_prohibitions_stand_beside_it():
    goal = read('Every ten minutes sail to the lock, but never open the shed.')
    assert goal.whole and goal.trigger.when is When.EVERY
    assert [one.wording.split()[-1] for one in goal.never] == ['shed']


@pytest.mark.parametrize(
    'text',
    [
        'Put a net in the shed. Every ten minutes check the lock.',
        'Every ten minutes, when the lock is open, sail to the dock.',
        'If the kraken is awake, sail to the dock.',
        'Whenever somebody frobnicates a net, put it in the shed.',
        'Sail to the dock in ten minutes.',
        'If the battery is low or the lock is open, sail to the dock.',
        'If the battery is low and sail to the dock.',
        'If the battery is low, sail to the dock. Take the rope.',
        'If a net on the pier is next to the buoy, take it.',
        'Whenever a net is next to a buoy, take the buoy.',
        'Whenever a net is next to the dock, take it.',
        'Whenever the net is from the dock, take it.',
        'Every ten minutes check two locks.',
        'Every ten minutes check the lock in the shed.',
        'Whenever somebody takes a net, sail to the dock.',
        'If the net is next to the lock, sail to the dock.',
        'Every 0 minutes sail to the dock.',
        'Every ten minutes look at the net.',
        'Every ten minutes take a crate.',
        'In ten nets, sail to the dock.',
        'At six sail to the dock.',
        'If the lock is open',
        'If there is no net on the pier, put a net on the pier.',
        'If the net is not on the pier, put it there.',
        'Put the net in the shed unless it is on the pier.',
    ],
)
def test_what_is_not_read_is_not_acted_on(text):
    goal = read(text)
    assert not goal.whole and not goal.acts


@pytest.mark.parametrize(
    'text',
    [
        'Put the net in the shed.',
        'Put every net in the shed after you have opened it.',
        'In the shed put a rope.',
        'Put a rope in the shed, close it, and mend the net.',
        'Open the lock before you sail to the dock.',
    ],
)
def test_what_waits_for_nothing_has_no_trigger(text):
    goal = read(text)
    assert goal.trigger is None and record_of(goal).trigger == ''


def test_another_condition_is_another_goal():
    one = read('If the lock is open, sail to the dock.')
    other = read('If the shed is open, sail to the dock.')
    assert one.whole and other.whole
    assert replace(one, words=(), text='') != replace(other, words=(), text='')
    assert one.milestones == other.milestones and one.trigger != other.trigger
