"""What is to be taken from a place is one that began the run there."""

from __future__ import annotations

import pytest

from support.told_run import Told
from support.watched_warehouse import warehouse


@pytest.mark.parametrize('task', ['Take a crate from the {} and put it on the rack.'])
@pytest.mark.parametrize('origin', ['dock', 'gate'])
def test_a_thing_from_elsewhere_is_not_taken_instead(task, origin):
    told = Told(task.format(origin), serve=warehouse(crate_1='dock', crate_2='gate'))
    assert told.go()
    crate = 'crate 1' if origin == 'dock' else 'crate 2'
    begun = {'crate 1': 'dock', 'crate 2': 'gate'}
    assert told.server.things == {**begun, crate: 'rack'}


def test_where_none_is_there_the_reason_says_so_and_nothing_is_moved():
    told = Told(
        'Take a crate from the gate and put it on the rack.', serve=warehouse(crate_1='dock')
    )
    assert not told.go()
    assert told.server.things == {'crate 1': 'dock'}
    assert 'no crate in gate was found' in told.run.tree.node(1).detail


def test_a_thing_from_elsewhere_that_is_there_already_does_not_meet_the_goal():
    serve = warehouse(crate_1='rack', crate_2='gate')
    told = Told('Take a crate from the gate and put it on the rack.', serve=serve)
    assert told.go()
    assert told.server.things == {'crate 1': 'rack', 'crate 2': 'rack'}


def test_what_the_task_itself_brings_to_a_place_may_be_taken_from_there():
    task = 'Put the crate on the dock. Then take the crate from the dock and put it on the rack.'
    told = Told(task, serve=warehouse(crate_1='gate'))
    assert told.go()
    assert told.server.things == {'crate 1': 'rack'}
