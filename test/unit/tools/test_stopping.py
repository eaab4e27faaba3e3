"""Which robots a stop is for, what its log keeps, and what is said of each."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest

from reactree_core.robot_record import KEPT, read_record, RobotRecord, this_process, write_record
from reactree_core.stop_log import stop_event, stop_log
from reactree_tools.commands.stop import without
from reactree_tools.exit_codes import ExitCode
from reactree_tools.stopping.orders import (
    choose,
    ended_sentence,
    interrupted_sentence,
    is_stopped_below,
    name_mistakes,
    Order,
    RobotReport,
    StopResult,
)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """The user's state, with three robots."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    for node, robot in (
        ('/team/h1/bridge', 'hermes'), ('/team/h2/bridge', 'hermes'), ('/other/bridge', 'flora')
    ):  # fmt: skip
        write_record(RobotRecord(node, robot, **this_process()))
    return tmp_path / 'reactree'


def test_a_stop_without_arguments_is_for_every_robot_and_is_in_its_log_at_once():
    chosen = choose(Order(True, why='a child', by='ana'))
    assert set(chosen.records) == {'/team/h1/bridge', '/team/h2/bridge', '/other/bridge'}
    for node in chosen.records:
        last = stop_log(node).last()
        assert last.pressed and (last.by, last.why) == ('ana', 'a child')
    assert stop_log('/other/bridge').last().robot == 'flora'


def test_a_namespace_or_a_name_leaves_the_others_alone():
    assert set(choose(Order(True, '/team')).records) == {'/team/h1/bridge', '/team/h2/bridge'}
    assert set(choose(Order(True, '/tea')).records) == set(), 'no part of a name'
    assert not stop_log('/other/bridge').is_pressed
    for name in ('flora', '/other', 'other'):
        assert set(choose(Order(True, robot=name)).records) == {'/other/bridge'}
    assert choose(Order(True, robot='team/h1')).records.keys() == {'/team/h1/bridge'}


def test_two_robots_of_one_name_are_both_stopped_and_that_is_said():
    order = Order(True, robot='hermes')
    chosen = choose(order)
    assert len(chosen.records) == 2
    names = [(node, 'hermes') for node in chosen.records]
    (said,) = name_mistakes(order, names, chosen.known)
    assert '2 robots are called "hermes" (/team/h1, /team/h2), and all were stopped' in said


def test_a_name_of_no_robot_lists_those_that_are_here():
    order = Order(True, '/', 'hermse')
    chosen = choose(order)
    assert not chosen.records and chosen.others
    (said,) = name_mistakes(order, [], chosen.known)
    assert 'There is no robot "hermse" in /.' in said and 'flora (/other)' in said
    assert not any(stop_log(node).is_pressed for node in chosen.others)


def test_a_release_needs_no_record_and_is_for_what_is_pressed():
    stop_log('/gone/bridge').append(stop_event(True, '/gone/bridge', 'rusty'))
    stop_log('/other/bridge').append(stop_event(True, '/other/bridge', 'flora'))
    chosen = choose(Order(False))
    assert chosen.logged == {'/gone/bridge': 'rusty'}
    assert not stop_log('/gone/bridge').is_pressed and not stop_log('/other/bridge').is_pressed
    assert stop_log('/team/h1/bridge').events() == [], 'what was not pressed is not released'


def end(node, ago=0.0):
    """Its skill server has ended, as it should."""
    write_record(replace(read_record(node), ended=time.time() - ago))


def test_a_stop_is_kept_for_a_robot_whose_nodes_have_ended():
    end('/other/bridge')
    chosen = choose(Order(True))
    assert '/other/bridge' in chosen.ended and '/other/bridge' not in chosen.records
    assert stop_log('/other/bridge').is_pressed
    said = ended_sentence(chosen.ended)
    assert 'flora (/other) is not there' in said and 'stays stopped until' in said
    assert 'remove' not in said
    released = choose(Order(False))
    assert '/other/bridge' in released.pressed and not stop_log('/other/bridge').is_pressed
    assert not choose(Order(False)).pressed


def test_a_robot_whose_nodes_ended_long_ago_is_forgotten_and_its_stop_is_not():
    end('/other/bridge')
    choose(Order(True, robot='flora'))
    end('/other/bridge', ago=KEPT + 60.0)
    chosen = choose(Order(True))
    assert not chosen.ended and read_record('/other/bridge') is None
    assert stop_log('/other/bridge').is_pressed
    assert choose(Order(False)).logged == {'/other/bridge': 'flora'}


def test_who_interrupts_a_stop_is_told_whether_anything_was_pressed():
    order = Order(True)
    assert 'nothing was pressed' in interrupted_sentence(order, None)
    assert 'nothing was pressed' in interrupted_sentence(order, choose(Order(True, '/nowhere')))
    assert 'the stop is pressed and stays so' in interrupted_sentence(order, choose(order))
    assert 'nothing was released' in interrupted_sentence(Order(False), None)


def test_lines_of_libraries_are_kept_off_the_terminal_and_others_are_not(capfd):
    with without(b'NOISE'):
        os.write(2, b'a NOISE of a library\nan error\n')
    assert capfd.readouterr().err == 'an error\n'


def test_a_log_that_cannot_be_written_is_said_and_the_others_are(state):
    stop_log('/other/bridge').path.mkdir()
    chosen = choose(Order(True))
    assert 'cannot be written' in chosen.trouble['/other/bridge']
    assert stop_log('/team/h1/bridge').is_pressed


def test_other_domains_are_named_with_what_stops_them(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '9')
    chosen = choose(Order(True))
    assert not chosen.records
    (note,) = chosen.notes
    assert 'are in ROS domain 7 and were left alone: ROS_DOMAIN_ID=7 reactree stop' in note
    assert '(/other)' in note and '(/team/h1)' in note


def test_a_broken_record_is_named(state):
    (state / 'robot.domain_7.bad.bridge.json').write_text('{')
    (note,) = choose(Order(True)).broken
    assert 'robot.domain_7.bad.bridge.json is no record of a robot' in note


def test_the_viewer_shows_a_stop_below_its_namespace():
    assert not is_stopped_below('/team')
    choose(Order(True, robot='h2'))
    assert is_stopped_below('/team') and is_stopped_below('/') and not is_stopped_below('/other')


def test_the_exit_status_is_good_only_where_every_robot_has_stopped():
    good, gone = RobotReport('a', '/a/bridge'), RobotReport('b', '/b/bridge', gone=True)
    bad = RobotReport('c', '/c/bridge', doubts=['The action drive goes on.'])
    assert StopResult([good]).exit_code is ExitCode.OK
    assert StopResult([good, gone]).exit_code is ExitCode.UNUSABLE
    assert StopResult([good], mistakes=['There is no robot.']).exit_code is ExitCode.UNUSABLE
    assert StopResult([good, gone, bad]).exit_code is ExitCode.FAILED
    assert StopResult([good], unkept=['a is not kept stopped.']).exit_code is ExitCode.FAILED
    assert str(bad) == 'c IS NOT KNOWN TO HAVE STOPPED: The action drive goes on.'
