"""What people say while a task runs, read beside the task: what follows from it."""

from __future__ import annotations

import pytest

from reactree_planner.facts.conditions import read_condition
from reactree_planner.language.corrections import Context, Kind, read_correction
from reactree_planner.language.names import Names
from reactree_planner.language.reader import GrammarTaskReader

TASK = 'Put the rope in the chest and the net on the raft.'


@pytest.fixture
def told(vocabulary):
    names, reader = Names(vocabulary), GrammarTaskReader()

    def read(said, task=TASK, met=0, last='', known=()):
        goal = reader.read(task, names)
        assert goal.acts
        context = Context(
            goal,
            met,
            names,
            vocabulary,
            (last,) if last else (),
            lambda name: dict(known).get(name, ()),
            lambda text: reader.read(text, names),
        )
        return read_correction(said, context)

    return read


@pytest.mark.parametrize(
    'said',
    ['wait', 'Wait!', 'stop', 'no', 'No!', 'hold on', 'wait a moment, please', 'not that one'],
)
def test_what_may_mean_stop_holds_the_robot(told, said):
    found = told(said)
    assert found.kind is Kind.HOLD and found.holds and found.goal is None


@pytest.mark.parametrize('said', ['go on', 'ok, go on', 'Continue.', 'please carry on'])
def test_going_on(told, said):
    assert told(said).kind is Kind.GO_ON


@pytest.mark.parametrize(
    ('said', 'means'),
    [
        ('leave the net', 'rope in chest'),
        ('forget about the rope, please', 'net in raft'),
        ('not the rope but the oar', 'oar in chest; net in raft'),
        ('not the rope, the oar', 'oar in chest; net in raft'),
        ('the oar instead of the net', 'rope in chest; oar in raft'),
        ('the net on the jetty instead', 'rope in chest; net in jetty'),
        ('put the net on the jetty', 'rope in chest; net in jetty'),
        ('and put an oar on the jetty', 'rope in chest; net in raft; oar in jetty'),
        ('then close the chest', 'rope in chest; net in raft; then chest is closed'),
        ('coil the rope', 'rope in chest; net in raft; rope is coiled'),
    ],
)
def test_the_goal_changes(told, said, means):
    found = told(said)
    assert found.kind is Kind.CHANGE and not found.holds
    assert found.goal.means == means
    assert found.follows == (means,)


@pytest.mark.parametrize(
    ('said', 'means'),
    [
        ('and an oar too', 'rope in chest; oar in chest'),
        ('also two oars, please', 'rope in chest; 2 oar in chest'),
        ('no, the oar', 'oar in chest'),
        ('no, on the raft', 'rope in raft'),
        ('put it on the raft instead', 'rope in raft'),
        ('no, the other one', 'rope 2 in chest'),
        ('the other rope', 'rope 2 in chest'),
    ],
)
def test_of_one_thing_less_has_to_be_said(told, said, means):
    known = {'rope': ['rope 1', 'rope 2']}
    found = told(said, task='Put a rope in the chest.', last='rope 1', known=known)
    assert found.goal is not None and found.goal.means == means, found.follows


@pytest.mark.parametrize('known', [[], ['rope 1'], ['rope 1', 'rope 2', 'rope 3']])
def test_another_one_may_be_any_but_this_one(told, known):
    task = 'Put a rope in the chest.'
    found = told('no, the other one', task=task, last='rope 1', known={'rope': known})
    assert found.goal is not None and found.goal.means == 'rope in chest but for rope 1'
    assert read_condition(found.goal.conditions[0].text) == found.goal.conditions[0]


def test_what_was_met_stays_met(told):
    task = 'Put the rope in the chest, then put the net on the raft.'
    found = told('leave the rope', task=task, met=1)
    assert [[one.text for one in each] for each in found.goal.milestones] == [
        ['rope in chest'], ['net in raft']
    ]  # fmt: skip
    found = told('the oar instead of the rope', task=task, met=0)
    assert found.goal.milestones[0][0].text == 'oar in chest'


@pytest.mark.parametrize(
    ('said', 'wording', 'means'),
    [
        ('and never open the chest', 'open chest', ''),
        ("don't touch the net", 'touch net', 'rope in chest'),
        ('leave the net where it is', 'pick up net', 'rope in chest'),
    ],
)
def test_prohibitions_are_kept_and_what_they_bar_is_not_wanted(told, said, wording, means):
    found = told(said)
    assert found.kind is Kind.CHANGE
    assert wording.split()[-1] in found.rules[0].wording
    if means:
        assert found.goal.means == means


@pytest.mark.parametrize(
    ('said', 'holds'),
    [
        ('mind the kraken', False),
        ('and an anchor too', False),
        ('an oar', False),
        ('no, not so fast', True),
        ('wait, mind the kraken', True),
        ('not there', True),
        ('no, the oar', True),
        ('no, the other one', True),
        ('Stopp!', True),
        ('Nein, das Netz nicht', True),
        ('Konro ni sawaranaide', True),
        ('待って', True),
    ],
)
def test_what_is_not_read_whole_changes_nothing_and_may_hold(told, said, holds):
    found = told(said)
    assert found.kind is Kind.UNREAD and found.goal is None
    assert found.holds is holds
    assert found.follows[0].startswith('not read, so nothing changes')


def test_a_prohibition_in_what_is_not_read_is_kept(told):
    found = told('mind the kraken. Never open the chest.')
    assert found.kind is Kind.UNREAD and found.goal is None
    assert [rule.wording for rule in found.rules] == ['touch chest']
