"""Places and things that are told by their relation to another thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.reading.record import record_of, why_not_whole
from unit.reading.conftest import YARD


def read(names, text):
    """What a whole reading means; None for one that is not whole."""
    goal = read_alone(text, names)
    return goal.means if goal.whole else None


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('Put the oar next to the net.', 'oar where net is'),
        ('Lay the oar beside a net!', 'oar where net is'),
        ('Put the oar right next to the NET', 'oar where net is'),
        ('Put the oar near net 2.', 'oar where net 2 is'),
        ('Place two ropes close to the net.', '2 rope where net is'),
        ('The oar should be next to the net.', 'oar where net is'),
        ('Bring the oar next to the net.', 'oar where net is'),
        ('Put the oar from the raft next to the net.', 'oar where net is'),
        ('Put the oar next to the net, then put the net in the chest.',
         'oar where net is; then net in chest'),
        ('Take the oar next to the net.', 'holding oar being where net was'),
        ("Put the oar next to the net. Don't touch the rope.", 'oar where net is'),
    ],
)  # fmt: skip
def test_next_to_a_thing_is_where_that_is(names, text, wanted):
    assert read(names, text) == wanted


@pytest.mark.parametrize(
    'text',
    [
        'Put the oar between the net and the rope.',
        'Put the oar on the raft left of the jetty.',
    ],
)
def test_on_which_side_a_thing_is_nobody_guesses(names, text):
    goal = read_alone(text, names)
    assert not goal.whole and not goal.acts
    assert 'on which side' in why_not_whole(record_of(goal))
    assert 'in net' not in goal.means


@pytest.mark.parametrize(
    'text',
    [
        # Beside what stays is no place.
        'Put the oar next to the chest.',
        'Put the oar near the boathouse.',
        # Which of them stays?
        'Put the oar next to the net and the net in the chest.',
        'Take the net. Put the oar next to the net.',
        # Whose light, or whose tool?
        'Bring the oar to the raft with the net.',
        'Put the oar next to the other oar.',
        'Put the oar next to the oar.',
    ],
)
def test_what_is_not_clear_is_not_read_whole(names, text):
    assert read(names, text) is None


THINGS = st.sampled_from(('rope', 'net', 'oar'))
BESIDE = st.sampled_from(('next to', 'beside', 'near', 'by', 'close to', 'alongside'))


@given(thing=THINGS, other=THINGS, beside=BESIDE, article=st.sampled_from(('the', 'a', 'THE')))
def test_all_words_for_beside_mean_the_same(thing, other, beside, article):
    told = read(Names(YARD), f'Put the {thing} {beside} {article} {other}.')
    assert told == (None if thing == other else f'{thing} where {other} is')


@pytest.mark.parametrize(
    'text',
    [
        'Never put the oar next to the net.',
        'Put the rope in the chest. Do NOT leave it near the net.',
        "Put the oar in the chest but don't put it beside the net.",
        'Never put the oar behind the net.',
    ],
)
def test_what_must_not_be_next_to_a_thing_is_never_said_to_be_kept(names, text):
    # No skill says beside what it puts something down.
    goal = read_alone(text, names)
    assert not goal.whole and not goal.acts
    assert goal.unread or goal.questions


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('If the oar is next to the net, open the chest.', 'if oar where net is: chest is open'),
        ('If the oar is where the net is, open the chest.', 'if oar where net was: chest is open'),
        ('Whenever a rope is near the net, put it in the chest.',
         'whenever rope where net is: rope in chest'),
        ('If the oar is left of the net, open the chest.', None),
        ('If the oar is next to the chest, open the chest.', None),
    ],
)  # fmt: skip
def test_conditions_over_what_is_next_to_what(names, text, wanted):
    assert read(names, text) == wanted


@pytest.mark.parametrize(
    'text',
    [
        'Put everything next to the net in the chest.',
        'Put the oar next to a net on each raft.',
        'Put the oar next to the net and the rope.',
        'Put the oar next to the net or the rope.',
        'Put the ropes next to the nets.',
        'Put the oar next to it.',
        # On the raft, or the one that is on it?
        'Put the oar on the raft with the net.',
        'Put the oar on the raft where the nets are.',
        'Put the oar on the raft where the net was.',
        'Put all oars on the raft next to the net.',
        'Put everything in the chest except the oar next to the net.',
        'Put the oar on the raft with the net and the rope on it.',
        # A chest that stands beside it, or one that it is in?
        'Put the oar in the chest next to the net.',
        # Before or after that was moved?
        'Put the net in the chest, then take the oar next to the net.',
        'Take the oar next to the net after putting the net in the chest.',
        # Of which one is it true, and which one is meant?
        'If an oar on the raft is next to the net, put the rope in the chest.',
        'Whenever an oar is next to a net, put the net in the chest.',
        'If an oar is on the raft and a net is on the jetty, put the net in the chest.',
        # The net may be in the chest.
        'Put the oar not in the chest but next to the net.',
        'If the oar is not in the chest but next to the net, put the rope on the jetty.',
        # Conditions are no wishes.
        'If an oar is on the raft, and a net is on the jetty, put the net in the chest.',
        'If the oar is on the raft and the chest should be open, put the rope on the jetty.',
        'If the oar is next to the net and the rope next to the oar, open the chest.',
    ],
)
def test_of_several_readings_none_is_taken(names, text):
    assert read(names, text) is None
