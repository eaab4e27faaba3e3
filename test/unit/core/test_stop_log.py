"""Stops and releases in a file that several processes append to."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from reactree_core.stop_log import stop_event, stop_log, stop_logs, StopLog, UNREADABLE


@pytest.fixture
def log(tmp_path):
    return StopLog(tmp_path / 'state' / 'stops.jsonl')


def test_a_robot_without_a_log_is_not_stopped(log):
    assert not log.is_pressed and log.last() is None and log.events() == []
    assert log.newest_press() is None


def test_the_last_line_is_the_state_and_who_when_and_why_are_kept(log):
    before = time.time()
    log.append(
        stop_event(True, '/r/bridge', 'hermes', 'ana', 'with `reactree stop`', 'a child is there')
    )
    assert log.is_pressed
    last = log.last()
    assert (last.node, last.robot, last.by) == ('/r/bridge', 'hermes', 'ana')
    assert before <= last.at <= time.time()
    said = str(last)
    assert '(with `reactree stop`, by ana) on 20' in said and '"a child is there"' in said
    log.append(stop_event(False, '/r/bridge'))
    assert not log.is_pressed
    assert log.newest_press() == last, 'a press that was released is still known'
    assert log.path.stat().st_mode & 0o077 == 0


def test_a_press_and_its_release_are_both_seen_by_whoever_looked_away(log):
    log.append(stop_event(False, '/r/bridge'))
    seen = {event.id for event in log.events()}
    log.append(stop_event(True, '/r/bridge'))
    log.append(stop_event(False, '/r/bridge'))
    missed = [event.pressed for event in log.events() if event.id not in seen]
    assert missed == [True, False]


@pytest.mark.parametrize(
    'line',
    ['{"pressed": fal', 'rubbish', '[]', '{}', '{"pressed": 0, "node": "/r"}',
     '{"pressed": false, "node": 3}', '{"pressed": false, "node": "/r", "at": "now"}', '\udcff'],
)  # fmt: skip
def test_a_line_that_cannot_be_read_counts_as_pressed(log, line):
    log.append(stop_event(False, '/r/bridge'))
    with log.path.open('ab') as file:
        file.write(line.encode('utf-8', 'surrogateescape'))
    assert log.is_pressed and log.last() is UNREADABLE
    log.append(stop_event(False, '/r/bridge'))
    assert not log.is_pressed, 'the next line begins anew'
    assert len(log.events()) == 3


def test_a_log_that_cannot_be_opened_counts_as_pressed(tmp_path):
    log = StopLog(tmp_path)  # a folder
    assert log.is_pressed
    with pytest.raises(OSError):
        log.append(stop_event(False, '/r/bridge'))


def test_a_long_log_is_read_from_its_end(log):
    for number in range(700):
        log.append(stop_event(number % 2 == 0, '/r/bridge', why='x' * 200), durable=False)
    assert log.path.stat().st_size > 200_000
    assert not log.is_pressed
    assert UNREADABLE not in log.events(), 'a line that is read in part is none'


def test_lines_of_processes_that_write_at_once_do_not_mix(log):
    code = (
        'import sys\nfrom pathlib import Path\n'
        'from reactree_core.stop_log import stop_event, StopLog\n'
        'log = StopLog(Path(sys.argv[1]))\n'
        'for number in range(50):\n'
        '    log.append(stop_event(True, sys.argv[2], why="y" * 300), durable=False)\n'
    )
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, '-c', code, str(log.path), name], env=environment)
        for name in ('/a/bridge', '/b/bridge')
    ]
    assert [writer.wait(30) for writer in writers] == [0, 0]
    nodes = [event.node for event in log.events()]
    assert UNREADABLE not in log.events() and {'/a/bridge', '/b/bridge'} == set(nodes)


def test_the_version_changes_with_each_event(log):
    versions = {log.version()}
    for pressed in (True, False, True):
        log.append(stop_event(pressed, '/r/bridge'))
        versions.add(log.version())
    assert len(versions) == 4


def test_logs_of_this_domain_are_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    stop_log('/r/bridge', tmp_path).append(stop_event(True, '/r/bridge'))
    assert [log.last().node for log in stop_logs(tmp_path)] == ['/r/bridge']
    monkeypatch.setenv('ROS_DOMAIN_ID', '77')
    assert list(stop_logs(tmp_path)) == []
