"""The record of a robot, and what is known of the process that wrote it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_core.robot_record import (
    Command,
    Life,
    read_record,
    read_records,
    record_file,
    remove_record,
    RobotRecord,
    skills_of_actions,
    this_process,
    write_record,
)
from support.waiting import wait_for

RECORD = RobotRecord(
    '/h1/bridge',
    'hermes',
    actions={'/h1/drive': ('go to <place>',)},
    services=('/h1/uv',),
    topics=('/h1/cmd_vel',),
    heard=('/h1/pose',),
    asked=('/h1/doors',),
    patience=3.5,
    press=Command('service', '/h1/halt', 'std_srvs/srv/SetBool', {'data': True}),
    pressed={'topic': '/h1/halted', 'type': 'std_msgs/msg/Bool', 'field': 'data'},
    ends=(Command('publish', '/h1/cmd_vel', 'geometry_msgs/msg/Twist', {}, True),),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    return tmp_path


def test_a_record_is_read_as_it_was_written(folder):
    record = replace(RECORD, **this_process())
    write_record(record, folder)
    (read,) = read_records(folder).here
    assert read == record and read.namespace == '/h1' and read.life is Life.ALIVE
    assert record_file('/h1/bridge', folder).stat().st_mode & 0o077 == 0
    remove_record('/h1/bridge', folder)
    assert not read_records(folder).here
    remove_record('/h1/bridge', folder)


def test_robots_of_other_domains_are_told_apart(folder, monkeypatch):
    write_record(RECORD, folder)
    monkeypatch.setenv('ROS_DOMAIN_ID', '8')
    found = read_records(folder)
    assert not found.here and [(d, r.node) for d, r in found.elsewhere] == [(7, '/h1/bridge')]


@pytest.mark.parametrize(
    'text',
    ['', '[]', '{', '{"node": "h1"}', '{"node": "/h1/bridge", "pid": "x"}',
     '{"node": "/h1/bridge", "press": {"type": 1}}', '{"node": "/h1/bridge", "actions": 3}'],
)  # fmt: skip
def test_a_file_that_is_no_record_is_named(folder, text):
    write_record(RECORD, folder)
    broken = record_file('/h2/bridge', folder)
    broken.write_text(text)
    found = read_records(folder)
    assert [record.node for record in found.here] == ['/h1/bridge']
    assert list(found.broken) == [broken]


def test_a_skill_server_that_has_ended_is_gone_though_its_process_lives(folder):
    record = replace(RECORD, **this_process())
    assert record.life is Life.ALIVE
    write_record(replace(record, ended=12.5), folder)
    read = read_record(RECORD.node, folder)
    assert read.life is Life.GONE and read.ended == 12.5
    assert read_record('/h2/bridge', folder) is None


def test_what_a_later_release_writes_besides_is_no_hindrance(folder):
    write_record(RECORD, folder)
    path = record_file(RECORD.node, folder)
    path.write_text(json.dumps({**json.loads(path.read_text()), 'colour': 'red'}))
    assert [record.node for record in read_records(folder).here] == ['/h1/bridge']


def test_a_process_that_is_suspended_or_gone_is_known_as_such():
    child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)
    born = int(Path(f'/proc/{child.pid}/stat').read_text().rpartition(')')[2].split()[19])
    record = replace(RECORD, **{**this_process(), 'pid': child.pid, 'born': born})
    assert record.life is Life.ALIVE
    os.kill(child.pid, signal.SIGSTOP)
    wait_for(lambda: record.life is Life.SUSPENDED, 'the stop', 10.0)
    assert replace(record, born=born + 1).life is Life.GONE, 'another process has its number'
    assert replace(record, boot='before').life is Life.GONE
    assert replace(record, host='elsewhere').life is Life.UNKNOWN
    child.kill()
    wait_for(lambda: record.life is Life.GONE, 'the end, before anybody waits for it', 10.0)
    child.wait(10)
    assert record.life is Life.GONE


def test_an_action_keeps_its_first_skills():
    uses = [('/drive', f'go {number}') for number in range(5000)]
    assert skills_of_actions([*uses, ('/grip', 'take')]) == {
        '/drive': ['go 0', 'go 1', 'go 2'],
        '/grip': ['take'],
    }
