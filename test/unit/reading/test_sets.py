"""All but some, what lies there, another thing's place, exchanges: read whole, or not at all."""

from __future__ import annotations

import pytest

from reactree_planner.reading.reader import read_alone


def read(names, text):
    """The milestones of a whole reading; None for one that is not whole."""
    goal = read_alone(text, names)
    steps = [[one.text for one in milestone] for milestone in goal.milestones]
    return steps if goal.whole else None


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('Put everything in the chest.', 'everything in chest'),
        ('Put everything except the net in the chest.', 'everything in chest but for net'),
        ('Everything but the net goes in the chest.', 'everything in chest but for net'),
        ('Put everything in the chest, except for the net and rope 2.',
         'everything in chest but for net, rope 2'),
        ('Put all ropes but rope 2 in the chest.', 'all rope in chest but for rope 2'),
        ('Put every rope on the raft in the chest.', 'all rope in chest being in raft'),
        ('Put all the ropes that are on the raft in the chest.',
         'all rope in chest being in raft'),
        ('Take all ropes from the raft to the jetty.', 'all rope in jetty being in raft'),
        ('Empty the raft into the chest.', 'everything in chest being in raft'),
        ('Take everything on the raft and put it in the chest.',
         'everything in chest being in raft'),
        ('Put the oar where the net is.', 'oar where net was'),
        ('Bring the oar to the place where the net is.', 'oar where net was'),
        ('Swap the oar and the net.', 'oar where net was; net where oar was'),
        ('Exchange the oar with the net.', 'oar where net was; net where oar was'),
        ('Put the oar where the net is and the net where the oar is.',
         'oar where net was; net where oar was'),
    ],
)  # fmt: skip
def test_goals_over_what_is_seen(names, text, wanted):
    assert read(names, text) == [wanted.split('; ')]


@pytest.mark.parametrize(
    'text',
    [
        # Where to?
        'Clear the raft.',
        'Empty the raft and put the oar in the chest.',
        # Which one?
        'Put everything except one rope in the chest.',
        'Put everything except a net in the chest.',
        'Put all ropes but the rope in the chest.',
        'Put everything else in the chest.',
        'Put rope 1 in the chest, either one will do.',
        'Put the oar, either one will do.',
        # Both hold things of which more than one is told.
        'Put everything on the raft in the chest and the net on the jetty.',
        'Put the net on the raft, then put everything on it in the chest.',
        'Put the net in the chest, then put the oar where the net is.',
        'Swap the ropes and the net.',
        'Swap the chest and the raft.',
        'Swap the oar, the net and the rope.',
        'Put the oar where the oar is.',
        'Put the oar where the anchor is.',
        # What is meant is not what can be carried.
        'Close everything.',
        'Take everything.',
        # What is told in another way.
        'Put everything that is not on the raft in the chest.',
        'Put everything not on the raft in the chest.',
        'Put almost everything in the chest.',
        'Put everything heavy in the chest.',
        'Put everything except the wet ropes in the chest.',
    ],
)
def test_what_leaves_open_what_is_meant_is_not_read_whole(names, text):
    assert read(names, text) is None


@pytest.mark.parametrize(
    ('text', 'other'),
    [
        ('Put everything on the raft in the chest.', 'Put everything on the jetty in the chest.'),
        ('Put everything but the net in the chest.', 'Put everything but the oar in the chest.'),
        ('Put the oar where the net is.', 'Put the net where the oar is.'),
        ('Swap the oar and the net.', 'Swap the oar and the rope.'),
        ('Empty the raft into the chest.', 'Empty the chest into the raft.'),
    ],
)
def test_another_name_is_another_goal(names, text, other):
    assert read(names, text) != read(names, other) and None not in (read(names, other),)
