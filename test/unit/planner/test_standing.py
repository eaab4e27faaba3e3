"""Tasks that wait for something, or depend on it, without a model."""

from __future__ import annotations

import threading
import time

import pytest

from reactree_core.errors import CanceledError, LimitReached, SkillError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_planner.runs.standing import Waits
from support.told_run import Told
from support.watched_warehouse import warehouse

WAITS = Waits(seconds=60.0, times=3, look=0.02)
WHENEVER = 'Whenever somebody puts a crate on the dock, bring it to the rack.'


def _at_waits(told, *acts):
    """Do something at each wait: a call, or words that somebody says."""
    left = list(acts)
    hear = told._hear

    def hear_and_act(event):
        hear(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT and left:
            act = left.pop(0)
            if isinstance(act, str):
                threading.Timer(0.1, told.mailbox.say, ('', act)).start()
            elif act is not None:
                threading.Timer(0.1, act).start()

    told.run.events._sink = hear_and_act
    return told


def test_each_time_that_something_is_put_there_it_is_brought_away():
    told = Told(WHENEVER, serve=warehouse(crate_1='gate'), waits=Waits(60.0, 2, 600.0))
    bring = told.server.bring
    _at_waits(told, lambda: bring('crate 7', 'dock'), lambda: bring('crate 1', 'dock'))
    assert told.go()
    fires = told.decisions(DecisionKind.FIRE)
    assert [(one.text, one.subgoals) for one in fires] == [
        ('crate 7 in dock', ('crate 7 in rack',)),
        ('crate 1 in dock', ('crate 1 in rack',)),
    ]
    assert told.server.things == {'crate 7': 'rack', 'crate 1': 'rack'}
    assert told.run.tree.snapshot().firings_done == 2


def test_of_several_each_is_brought_and_none_twice():
    serve = warehouse(crate_1='dock', crate_2='dock', crate_3='rack')
    told = Told(WHENEVER, serve=serve, waits=Waits(1.0, 0, 0.05))
    assert told.go()
    assert [one.text for one in told.decisions(DecisionKind.FIRE)] == [
        'crate 1 in dock', 'crate 2 in dock'
    ]  # fmt: skip
    assert set(told.server.things.values()) == {'rack'}


def test_what_cannot_be_done_is_not_tried_again_and_again():
    """A crate that cannot be gripped stays where it is: the run goes on waiting."""
    told = Told(WHENEVER, serve=warehouse(crate_1='dock'), waits=Waits(1.0, 0, 0.02))
    told.server.holds = 0
    assert not told.go()
    assert len(told.decisions(DecisionKind.FIRE)) == 1
    end = told.decisions(DecisionKind.FINISH)[-1]
    assert end.text.endswith('happened 1 time, done 0 times')
    assert told.server.things == {'crate 1': 'dock'}
    assert not any(one.startswith('grip') for one in told.server.executed)


def test_a_limit_ends_one_time_alone():
    told = Told(
        'Every second go to the fridge, then go to the tv.', waits=WAITS, limits=Limits(steps=4)
    )
    assert not told.go()
    tree = told.run.tree.snapshot()
    assert tree.firings == 3 and tree.firings_done >= 1
    assert any('limit of skills' in one for one in told.run.notices)
    assert reduce_events(told.events) == tree


def test_a_wait_looks_only_when_it_is_told_to_and_costs_nothing():
    told = Told(WHENEVER, serve=warehouse(), waits=Waits(2.0, 0, 600.0))
    began = time.thread_time()
    assert told.go()
    spent = time.thread_time() - began
    # One look at the run's beginning, one as the wait began.
    assert told.server.looks <= 3
    assert told.run.budget.usage.requests == 0
    assert spent < 1.0, f'{spent:.2f} s of CPU for a wait of 2 s and a beginning'


def test_where_nothing_is_told_it_looks_now_and_then():
    told = Told(WHENEVER, serve=warehouse(), waits=Waits(1.0, 0, 0.1))
    told.server.tells = False
    assert told.go()
    assert 5 <= told.server.looks <= 14


def test_a_skill_server_that_is_silent_for_a_while_ends_no_wait():
    told = Told(WHENEVER, serve=warehouse(), waits=Waits(60.0, 1, 0.05))
    server, look = told.server, told.server.look

    def fail(cancel):
        if server.looks > 1 and server.looks < 6:
            server.looks += 1
            raise SkillError('no answer')
        if server.looks == 6:
            server.things['crate 1'] = 'dock'
        return look(cancel)

    server.look, server.tells = fail, False
    assert told.go()
    assert any('does not answer while the run waits' in one for one in told.run.notices)
    assert server.things == {'crate 1': 'rack'}


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
        assert list(told.run.aims.ending.verified) == done
    assert told.run.aims.ending.is_verified
    if done and done[0].startswith('not so'):
        assert not any(one.startswith('turn on') for one in told.server.executed)
    # It was not known where the robot began: it has looked.
    assert any(one.startswith('go to kitchen') for one in told.server.executed)


def test_every_so_often():
    told = Told('Every second go to the fridge.', waits=WAITS)
    assert told.go()
    tree = told.run.tree.snapshot()
    assert (tree.firings, tree.firings_done) == (3, 3)
    assert tree.goal.trigger == 'every 1 s'
    waits = told.decisions(DecisionKind.WAIT)
    fires = told.decisions(DecisionKind.FIRE)
    assert len(waits) == len(fires) == 3
    for wait, fire in zip(waits, fires, strict=True):
        assert 0.9 < fire.stamp - wait.stamp < 2.0
    end = told.decisions(DecisionKind.FINISH)[-1]
    assert end.text == 'verified; happened 3 times, done 3 times'


def test_the_sentence_may_say_how_often():
    told = Told('Every second, at most twice, go to the fridge.', waits=WAITS)
    assert told.go()
    assert told.run.tree.firings == 2


def test_what_is_waited_for_may_never_happen():
    told = Told('When the fridge is open, close it.', waits=Waits(0.3, 0, 0.05))
    assert told.go()
    assert told.run.tree.firings == 0
    assert told.server.executed == []
    assert told.run.notices == ('What the task waits for has not happened.',)
    assert told.run.aims.ending.verified == ('not so: once fridge is open',)


def test_a_run_that_waits_is_seen_and_canceled():
    told = Told('When the fridge is open, close it.', waits=WAITS)
    hear = told._hear

    def cancel(event):
        hear(event)
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            assert told.run.tree.waiting_for == 'once fridge is open'
            threading.Timer(0.1, told.cancel.cancel).start()

    told.run.events._sink = cancel
    with pytest.raises(CanceledError):
        told.go()
    assert told.server.executed == []


def test_without_leave_to_wait_the_model_decides():
    told = Told('When the fridge is open, close it.', model='random:1')
    told.run.events.limits = Limits(decisions=3)
    with pytest.raises(LimitReached):
        told.go()
    assert not told.decisions(DecisionKind.WAIT)
    goal = told.decisions(DecisionKind.GROUND)[0].goal
    assert not goal.acts and not goal.whole


def test_limits_are_of_each_time():
    told = Told('Every second go to the fridge.', waits=WAITS, limits=Limits(decisions=8, steps=6))
    assert told.go()
    assert told.run.tree.firings == 3


def test_prohibitions_hold_each_time():
    told = Told('Every second go to the fridge, but never go into the kitchen.', waits=WAITS)
    assert not told.go()
    assert not any('kitchen' in one or 'fridge' in one for one in told.server.executed)
    assert told.run.tree.snapshot().firings_done == 0


def test_what_is_said_while_it_waits_counts_from_then_on():
    told = _at_waits(
        Told('Every second go to the fridge.', waits=WAITS),
        'never open the fridge',
        'the tv instead',
    )
    assert told.go()
    assert told.run.tree.must_not == ('open fridge',)
    assert told.run.aims.conditions[0].text == 'at tv'


@pytest.mark.parametrize(
    'task', ['Every second go to the fridge.', 'If the tv is on, open the door.']
)
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
    whole = Told('Every second go to the fridge.', waits=WAITS)
    assert whole.go()
    kinds = [getattr(one, 'kind', None) for one in whole.records]
    fired = [n for n, kind in enumerate(kinds) if kind is DecisionKind.FIRE]
    waits = [n for n, kind in enumerate(kinds) if kind is DecisionKind.WAIT]
    for length in (waits[0] + 1, waits[1] + 1, waits[1] + 2, fired[1], fired[1] + 1, fired[2] + 3):
        past = tuple(whole.records[:length])
        again = Told('Every second go to the fridge.', waits=WAITS, past=past)
        for one in past:
            if isinstance(one, Observation) and one.skill and one.skill != 'done':
                again.world.step(one.skill)
        assert again.go(), f'behind record {length}'
        assert again.run.tree.snapshot().firings_done == 3, f'behind record {length}'
