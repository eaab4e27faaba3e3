"""The signs of a stop: each is heard once it comes, and none twice for a later run."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from reactree_core.stop_log import stop_event, stop_log
from reactree_planner.ros.watched_stop import WatchedStop
from reactree_ros.msg import BridgeStatus

READY, STOPPED = BridgeStatus.STATE_READY, BridgeStatus.STATE_STOPPED


@pytest.fixture
def watched(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    node = SimpleNamespace(
        create_subscription=lambda *arguments, **named: None, get_namespace=lambda: '/yard'
    )
    stop = WatchedStop(node, '', None)
    stop.heard = []
    stop.on_press = stop.heard.append
    return stop


def status(state, at=0.0, message=''):
    found = BridgeStatus(state=state, message=message)
    found.stopped_at.sec = int(at)
    return found


def test_a_press_is_heard_by_the_state(watched):
    watched.take(status(READY))
    watched.take(status(STOPPED, 7.0, 'Pressed by ana.'))
    watched.take(status(STOPPED, 7.0, 'Pressed by ana.'))
    assert [one.why for one in watched.heard] == ['Pressed by ana.']
    watched.take(status(READY, 7.0))
    assert len(watched.heard) == 1


def test_a_press_that_was_released_between_two_looks_is_heard(watched):
    watched.take(status(READY, 3.0))
    began = time.time()
    watched.take(status(READY, 9.0))
    assert len(watched.heard) == 1 and watched.since(began) is not None


def test_an_old_press_is_known_and_ends_nothing(watched):
    watched.take(status(READY, 9.0))
    assert not watched.heard
    assert watched.since(8.0) is not None and watched.since(10.0) is None


def test_a_press_by_a_clock_that_was_ahead_ends_no_later_run(watched):
    log = stop_log('/yard/bridge')
    log.append(replace(stop_event(True, '/yard/bridge'), at=time.time() + 3600.0))
    before = time.time()
    watched.look()
    assert len(watched.heard) == 1 and watched.since(before) is not None
    log.append(stop_event(False, '/yard/bridge'))
    later = time.time()
    watched.look()
    assert len(watched.heard) == 1 and watched.since(later) is None
    log.append(stop_event(True, '/yard/bridge'))
    watched.look()
    assert len(watched.heard) == 2 and watched.since(later) is not None


def test_a_bridge_whose_clock_is_ahead_ends_no_later_run(watched):
    watched.take(status(READY, time.time() + 3600.0))
    assert watched.since(time.time()) is None


def test_a_robot_is_held_by_its_log_until_the_release_whoever_serves_its_skills(watched):
    log = stop_log('/yard/bridge')
    assert watched.held == ''
    log.append(stop_event(True, '/yard/bridge', by='ana'))
    assert 'by ana' in watched.held and 'reactree stop --release' in watched.held
    log.append(stop_event(False, '/yard/bridge'))
    assert watched.held == ''
    log.path.write_text('rubbish\n')
    assert watched.held, 'what cannot be read counts as pressed'


def test_a_press_in_the_log_is_heard_with_who_pressed(watched):
    log = stop_log('/yard/bridge')
    watched.look()
    began = time.time()
    log.append(stop_event(True, '/yard/bridge', by='ana', why='a child'))
    log.append(stop_event(False, '/yard/bridge'))
    watched.look()
    watched.look()
    assert len(watched.heard) == 1
    assert 'by ana' in watched.heard[0].why and 'a child' in watched.heard[0].why
    # By its own time: found late, it ends no run that began in between.
    assert watched.since(began) is not None and watched.since(time.time()) is None
