"""Bags that other tools have cut, joined, converted or restored: read, or refused truly."""

from __future__ import annotations

import shutil

import pytest
import yaml

from reactree_core.errors import RecordingError
from reactree_tools.command_line import main
from reactree_tools.recording.bags import find_bag
from reactree_tools.recording.ros.run_reading import runs_of
from reactree_tools.viewer.sources import open_runs
from support.recorded_bags import bag_of, FILE, torn, whole_variants
from support.repaired_run import repaired_run

RUN = 'a'


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    folder = tmp_path_factory.mktemp('bags')
    bag_of(folder / 'session', **{RUN: repaired_run()})
    return folder / 'session'


def test_a_bag_of_any_tool_has_all_events_of_its_run(bag, tmp_path):
    (wanted,) = runs_of(bag)
    assert len(wanted.events) == len(repaired_run())
    told, read = [], 0
    for name, path in whole_variants(bag, tmp_path / 'variants'):
        (run,) = runs_of(find_bag(str(path), tmp_path), warn=told.append)
        assert run.events == wanted.events, name
        (given,) = open_runs(str(path), tmp_path, warn=told.append)
        assert list(given.events(run.run_id)) == list(wanted.events), name
        read += 1
    assert read >= 25 and not told


@pytest.mark.parametrize('described', [True, False])
def test_a_torn_bag_is_read_up_to_its_end_and_that_is_said(bag, tmp_path, capsys, described):
    path = torn(bag, tmp_path / 'torn', 0.7, described)
    told = []
    (run,) = runs_of(path, warn=told.append)
    events = runs_of(bag)[0].events
    assert 3 < len(run.events) < len(events) and run.events == events[: len(run.events)]
    assert len(told) == 1 and 'what comes behind the damage is missing' in told[0]
    assert main(['replay', str(path), '--plain']) == 0
    assert f'{FILE} is damaged (' in ' '.join(capsys.readouterr().err.split())


def test_a_bag_that_is_torn_behind_its_messages_lacks_nothing(bag, tmp_path):
    told = []
    (run,) = runs_of(torn(bag, tmp_path / 'torn', 0.95, True), warn=told.append)
    assert run.events == runs_of(bag)[0].events and not told


def test_nothing_of_a_bag_that_begins_torn_is_read(bag, tmp_path):
    path = torn(bag, tmp_path / 'torn', 0.01, True)
    with pytest.raises(RecordingError, match=r'is damaged .* before its first message'):
        runs_of(path)


def test_a_missing_file_of_a_bag_is_named(bag, tmp_path):
    path = tmp_path / 'half'
    shutil.copytree(bag, path)
    file = path / 'metadata.yaml'
    content = yaml.safe_load(file.read_text())
    content['rosbag2_bagfile_information']['relative_file_paths'] += ['session_1.mcap']
    file.write_text(yaml.safe_dump(content))
    told = []
    assert runs_of(path, warn=told.append)[0].events == runs_of(bag)[0].events
    assert told == [f'Of the bag {path} session_1.mcap is missing: its messages are too.']


def test_a_torn_file_of_sqlite_says_the_way_out(bag, tmp_path):
    paths = dict(whole_variants(bag, tmp_path))
    file = paths['the path of a file of SQLite']
    file.write_bytes(file.read_bytes()[:9000])
    with pytest.raises(RecordingError, match=r'`sqlite3 FILE \.recover` may save'):
        runs_of(paths['SQLite'])
