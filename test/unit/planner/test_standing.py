"""Tasks that wait or depend on something: in the household, without a model, by a clock of seconds."""

from __future__ import annotations

import threading

import pytest

from reactree_core.errors import CanceledError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal import decode_event, encode_event
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_planner.runs.standing import Waits
from support.moved_things import moved_to
from support.told_run import Told

WAITS = Waits(seconds=60.0, times=3, look=0.02)
WHENEVER = 'Whenever somebody puts an apple on the sofa, bring it to the coffee table.'


def _at(told, room='living room 1'):
    """The robot begins in a room, from where it sees what people do there."""
    told.world.step(f'go to {room}')
    return told


def _people(told, *moves):
    """At each wait, somebody moves a thing; each is (thing, place), or words for the run."""
    left = list(moves)
    hear = told._hear

    def hear_and_move(event):
        hear(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT and left:
            move = left.pop(0)
            if isinstance(move, str):
                threading.Timer(0.1, told.mailbox.say, ('', move)).start()
            else:
                threading.Timer(0.1, _move, (told, move)).start()

    told.run._events._sink = hear_and_move
    return told


def _move(told, move):
    told.world.reset_to(moved_to(told.world.graph(), *move))
    told.server.changed()


@pytest.mark.parametrize(
    ('task', 'done'),
    [
        ('If the fridge is closed, turn on the tv.', ['tv is on']),
        ('If the fridge is open, turn on the stove.', ['not so: fridge is open']),
        ('If there is an apple in the fridge, bring it to the sofa.', None),
    ],
)
def test_a_condition_is_decided_once_it_is_known(task, done):
    told = Told(task)
    assert told.go()
    if done is not None:
        assert list(told.run.ending.verified) == done
    assert told.run.ending.is_verified
    if done and done[0].startswith('not so'):
        assert not any(one.startswith('turn on') for one in told.server.executed)
    # It was not known where the robot began: it has looked.
    assert any(one.startswith('go to kitchen') for one in told.server.executed)


def test_every_so_often():
    told = Told('Every second check the fridge.', waits=WAITS)
    assert told.go()
    tree = told.run.tree.snapshot()
    assert (tree.firings, tree.firings_done) == (3, 3)
    assert tree.read_as.trigger == 'every 1 s' if hasattr(tree, 'read_as') else True
    waits = told.decisions(DecisionKind.WAIT)
    fires = told.decisions(DecisionKind.FIRE)
    assert len(waits) == len(fires) == 3
    for wait, fire in zip(waits, fires, strict=True):
        assert 0.9 < fire.stamp - wait.stamp < 2.0
    end = told.decisions(DecisionKind.FINISH)[-1]
    assert end.text == 'verified; happened 3 times, done 3 times'


def test_the_sentence_may_say_how_often():
    told = Told('Every second, at most twice, check the fridge.', waits=WAITS)
    assert told.go()
    assert told.run.tree.firings == 2


def test_what_is_waited_for_may_never_happen():
    told = Told('When the fridge is open, close it.', waits=Waits(0.3, 0, 0.05))
    assert told.go()
    assert told.run.tree.firings == 0
    assert told.server.executed == []
    assert told.run.notices == ('What the task waits for has not happened.',)


def test_a_run_that_waits_is_seen_and_canceled():
    told = Told('When the fridge is open, close it.', waits=WAITS)
    hear = told._hear

    def cancel(event):
        hear(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            assert told.run.tree.waiting_for == 'once fridge is open'
            threading.Timer(0.1, told.cancel.cancel).start()

    told.run._events._sink = cancel
    with pytest.raises(CanceledError):
        told.go()
    assert told.server.executed == []


def test_without_leave_to_wait_the_model_decides():
    told = Told('When the fridge is open, close it.', model='random:1')
    told.run.limits = told.run._events.limits = Limits(decisions=3)
    with pytest.raises(Exception, match='limit of decisions'):
        told.go()
    assert not told.decisions(DecisionKind.WAIT)
    goal = told.decisions(DecisionKind.GROUND)[0].goal
    assert not goal.acts and not goal.whole


def test_limits_are_of_each_time():
    told = Told('Every second check the fridge.', waits=WAITS, limits=Limits(decisions=8, steps=6))
    assert told.go()
    assert told.run.tree.firings == 3


def test_prohibitions_hold_each_time():
    told = Told('Every second check the fridge, but never go into the kitchen.', waits=WAITS)
    assert not told.go()
    assert not any('kitchen' in one or 'fridge' in one for one in told.server.executed)
    assert told.run.tree.snapshot().firings_done == 0


def test_what_is_said_while_it_waits_counts_from_then_on():
    told = _people(
        Told('Every second check the fridge.', waits=WAITS), 'never open the fridge', 'the tv instead'
    )
    assert told.go()
    assert told.run.tree.must_not == ('open fridge',)
    assert told.run.conditions[0].text == 'at tv'


@pytest.mark.parametrize('task', ['Every second check the fridge.', 'If the tv is on, open the door.'])
def test_a_record_tells_the_same_as_the_live_run(task):
    told = Told(task, {2: ['never open the fridge']}, waits=WAITS)
    told.go()
    live = told.run.tree.snapshot()
    assert reduce_events(told.events) == live
    tree = AgentTree()
    for number, event in enumerate(told.events):
        tree.apply(event)
        assert decode_event(encode_event(event)) == event
        if number == len(told.events) // 2:
            tree = AgentTree.from_snapshot(tree.snapshot())
    assert tree.snapshot() == live


def test_a_run_is_resumed_while_it_waits_and_behind_it():
    whole = Told('Every second check the fridge.', waits=WAITS)
    assert whole.go()
    kinds = [getattr(one, 'kind', None) for one in whole.records]
    fired = [n for n, kind in enumerate(kinds) if kind is DecisionKind.FIRE]
    waits = [n for n, kind in enumerate(kinds) if kind is DecisionKind.WAIT]
    for length in (waits[0] + 1, waits[1] + 1, waits[1] + 2, fired[1], fired[1] + 1, fired[2] + 3):
        past = tuple(whole.records[:length])
        again = Told('Every second check the fridge.', waits=WAITS, past=past)
        for one in past:
            if isinstance(one, Observation) and one.skill and one.skill != 'done':
                again.world.step(one.skill)
        assert again.go(), f'behind record {length}'
        assert again.run.tree.snapshot().firings_done == 3, f'behind record {length}'
