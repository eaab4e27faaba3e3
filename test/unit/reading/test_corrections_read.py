"""What people say while a task runs, read beside the task: what follows from it."""

from __future__ import annotations

import pytest

from reactree_planner.facts.conditions import read_condition
from reactree_planner.reading.corrections import Context, Kind, read_correction
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import AloneReader

TASK = 'Put the rope in the chest and the net on the raft.'


@pytest.fixture
def told(vocabulary):
    names, reader = Names(vocabulary), AloneReader()

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
    [
        'wait',
        'Wait!',
        'stop',
        'no',
        'No!',
        'hold on',
        'wait a moment, please',
        'not that one',
        'wait wait',
        'Stop! Stop! Stop!',
        'STOP now please',
        'no, stop',
        'hey robot, halt',
        'Stopp!',
        '待って',
        'No te muevas',
        'cancel that',
        'Can you stop?',
    ],
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
        ('Nein, das Netz nicht', True),
        ('Konro ni sawaranaide', True),
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
    assert [rule.wording for rule in found.rules] == ['open chest']


OTHER_TASKS = {
    'Put the rope in the chest and the net on the raft.': {
        'No, the oar.': 'oar in chest; net in raft',
        'not the net, but the oar': 'rope in chest; oar in raft',
        'the chest, not the raft': 'rope in chest; net in chest',
        'not the raft but the jetty': 'rope in chest; net in jetty',
        'two oars instead of the net': 'rope in chest; 2 oar in raft',
        'leave the net and the rope': '',
        'leave the net there, please': 'rope in chest',
        'do not bother with the net': 'rope in chest',
        'oh, sorry, never mind the net, thank you': 'rope in chest',
        'without the net': 'rope in chest',
        'take an oar': 'rope in chest; net in raft; holding oar',
        'and then take an oar': 'rope in chest; net in raft; then holding oar',
        'go to the jetty': 'rope in chest; net in raft; then at jetty',
        'put the rope on the raft and the net in the chest': 'rope in raft; net in chest',
        'coil the rope, then go to the raft':
            'rope in chest; net in raft; rope is coiled; then at raft',
        'put the net on the jetty instead': 'rope in chest; net in jetty',
    },
    'Put a rope in the chest.': {
        'another one': 'rope 2 in chest',
        'a different one please': 'rope 2 in chest',
        'two ropes instead': '2 rope in chest',
        'and net 2 as well': 'rope in chest; net 2 in chest',
        'no, the raft': 'rope in raft',
        'the jetty instead of the chest': 'rope in jetty',
        'no, rope 3': 'rope 3 in chest',
        'take an oar instead': 'oar in chest',
        'open the raft instead': 'raft is open',
        'no, open the chest': 'chest is open',
    },
    'Go to the jetty.': {
        'no, to the raft': 'at raft',
        'the raft instead': 'at raft',
        'go to the raft instead': 'at raft',
        'No, go to the raft!': 'at raft',
        'go to the raft': 'at jetty; then at raft',
        'and the raft too': 'at jetty; then at raft',
        'not the jetty but the raft': 'at raft',
        'leave the jetty': '',
    },
    'Open the chest.': {
        'no, the raft': 'raft is open',
        'not the chest but the raft': 'raft is open',
        'and the raft too': 'chest is open; raft is open',
        # What excludes it takes its place.
        'close the chest': 'chest is closed',
        'then close the chest': 'chest is closed',
        'close the raft': 'chest is open; raft is closed',
    },
    'Take the rope.': {
        'no, the net': 'holding net',
        'and the net too': 'holding rope; holding net',
        'put the rope on the raft': 'rope in raft',
    },
    'Coil the rope.': {'no, the net': 'net is coiled', 'the other one': 'rope 2 is coiled'},
    'Put two ropes in the chest.': {'no, the net': '2 net in chest'},
    'Put rope 2 in the chest and rope 1 on the raft.': {
        'leave rope 2': 'rope 1 in raft',
        'no, rope 3': 'rope 2 in chest; rope 3 in raft',
    },
    'Put the rope in the chest. Then go to the jetty.': {
        'leave the rope': 'at jetty',
        'and then open the raft': 'rope in chest; then at jetty; then raft is open',
        'go to the raft instead': 'rope in chest; then at raft',
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ('task', 'said', 'means'),
    [(task, said, means) for task, saids in OTHER_TASKS.items() for said, means in saids.items()],
)
def test_what_is_wanted_after_what_was_said(told, task, said, means):
    known = {'rope': ['rope 1', 'rope 2'], 'net': ['net 1']}
    for written in (said, f'  {said.upper()} '):
        found = told(written, task=task, last='rope 1', known=known)
        assert found.kind is Kind.CHANGE and not found.holds, found.follows
        assert found.goal is not None and found.goal.means == means
        assert found.follows == (means or 'nothing of the task is left',)


@pytest.mark.parametrize('said', ['stop. leave the net', 'Wait, never mind the net!'])
def test_what_changes_may_hold_as_well(told, said):
    found = told(said)
    assert found.kind is Kind.CHANGE and found.holds and found.goal.means == 'rope in chest'


@pytest.mark.parametrize(
    ('task', 'said', 'holds'),
    [
        # Nobody can tell which of two it is instead of.
        (TASK, 'open the raft instead', False),
        (TASK, 'no, open the raft', True),
        (TASK, 'and an oar too', False),
        (TASK, 'on the jetty instead', False),
        (TASK, 'leave every net', False),
        (TASK, 'leave the coiled net', False),
        (TASK, 'the wet oar instead of the net', False),
        (TASK, 'all the oars instead of the net', False),
        (TASK, 'no, next to the oar', True),
        (TASK, 'no, to the oar', True),
        (TASK, 'if the chest is open, take an oar', False),
        (TASK, 'on the jetty', False),
        (TASK, 'ok', False),
        ('Put a rope in the chest.', 'the other rope 2', False),
        ('Put a rope in the chest.', 'the other net', False),
        ('Put a rope in the chest.', 'leave the chest', False),
        ('Put two ropes in the chest.', 'the other one', False),
        ('Go to the jetty.', 'and an oar too', False),
        # It may mean "stop".
        (TASK, 'leave it', True),
        (TASK, 'forget it', True),
        (TASK, 'stop the raft', True),
        (TASK, 'I said you should wait for my aunt', True),
        (TASK, 'waiting is fine', False),
    ],
)
def test_what_is_not_clear_changes_nothing(told, task, said, holds):
    found = told(said, task=task, last='rope 1', known={'rope': ['rope 1', 'rope 2']})
    assert found.kind is Kind.UNREAD and found.goal is None and found.holds is holds


def test_what_holds_already_is_no_change(told):
    found = told('put the rope in the chest')
    assert found.kind is Kind.CHANGE and not found.follows and not found.holds
    assert found.goal.means == 'rope in chest; net in raft'
