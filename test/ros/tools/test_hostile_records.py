"""A valid journal or bag of a stranger, hostile texts in every field, through every command."""

from __future__ import annotations

import json
from functools import cache

import httpx
import pytest
from rclpy.serialization import serialize_message

from memory_server.exchange.files import read_file as read_experiences
from reactree_core.experience import Experience
from reactree_core.observation import Observation
from reactree_core.record.events import NodeStatus
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.ros.conversions import observation_to_message
from reactree_planner.ros.run_messages import decision_to_message
from reactree_tools.command_line import main
from reactree_tools.recording.bag_writing import write_bag
from reactree_tools.recording.mcap_reading import RawMessage, Topic
from reactree_tools.recording.ros.definitions import definition_of, digest_of
from reactree_tools.recording.ros.run_reading import open_runs
from reactree_tools.viewer import sources
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.server import ViewerServer
from support.hostile_texts import faults_of_screen, hostile_texts, strangers_run

#: Letters of a text that a record has.
MOST = 4000
#: Commands that show a record.
SHOWING = ('replay', 'tree', 'export')


@cache
def one_of_each_kind():
    """The first text of every kind."""
    return tuple({one.kind: one for one in reversed(hostile_texts())}.values())


def events_of(one):
    """The stranger's run, without what no message can hold."""
    text = one.text[:MOST].encode('utf-8', 'replace').decode().replace('\0', '\N{SYMBOL FOR NULL}')
    return strangers_run(text, NodeStatus.SUCCESS)


def topic_of(kind):
    """As the recorder has it."""
    name = f'reactree_ros/msg/{kind}'
    return Topic(f'/planner/{kind.lower()}s', name, definition_of(name), digest_of(name))


def bag_of(folder, runs):
    """All runs in one bag, run n under its number."""
    topics = {kind: topic_of(kind) for kind in ('Decision', 'Observation')}
    messages = []
    for number, events in enumerate(runs):
        run_id = f'{number:032x}'
        for event in events:
            if isinstance(event, Observation):
                message, kind = observation_to_message(event, run_id), 'Observation'
            else:
                message, kind = decision_to_message(event, run_id, 0.0), 'Decision'
            data = bytes(serialize_message(message))
            messages.append(RawMessage(topics[kind], len(messages) + 1, data))
    write_bag(folder, messages)
    return str(folder)


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    """One text of each kind as a run of its own, in one bag."""
    return bag_of(tmp_path_factory.mktemp('bag') / 'session', map(events_of, one_of_each_kind()))


@pytest.fixture(scope='module')
def journals(tmp_path_factory):
    """One journal of each kind of text."""
    folder = tmp_path_factory.mktemp('journals')
    for number, one in enumerate(one_of_each_kind()):
        lines = ''.join(f'{encode_event(event)}\n' for event in events_of(one))
        (folder / f'{number:032x}.jsonl').write_text(lines, 'utf-8')
    return sorted(folder.iterdir())


def test_a_bag_of_hostile_messages_is_read_as_bounded_data(tmp_path):
    bag = bag_of(tmp_path / 'session', map(events_of, hostile_texts()))
    runs = open_runs(bag, tmp_path)
    assert len(runs) == len(hostile_texts())
    for run in runs:
        assert len(run.events) == len(strangers_run('x'))
        maker = FrameMaker()
        assert json.dumps([maker.frame(event) for event in run.events]).isascii()
        for event in run.events:
            assert decode_event(encode_event(event)) == event
            assert all('\r' not in text for text in (event.text, event.skill)), run.run_id


@pytest.mark.parametrize('command', SHOWING)
def test_a_command_shows_it_as_text_or_says_why_not(command, bag, journals, capsys):
    records = [(str(path),) for path in journals]
    records += [(bag, '--run', f'{number:032x}') for number in range(len(journals))]
    for record in records:
        status = main([command, *record, '--plain'])
        told = capsys.readouterr()
        assert status in (0, 2), record
        assert not faults_of_screen(told.out + told.err), record
        assert 'Traceback' not in told.err, record
        if command == 'export' and status == 0:
            assert all(decode_event(line) for line in told.out.splitlines()), record


def test_as_a_tree_it_is_a_file_without_its_words_or_a_sentence(journals, tmp_path, capsys):
    for number, path in enumerate(journals):
        for suffix in ('.xml', '.py'):
            file = tmp_path / f'{number}{suffix}'
            status = main(['export', str(path), str(file), '--behavior-tree', '--plain'])
            told = capsys.readouterr()
            assert status == 2 and not file.exists(), path
            assert told.err.strip() and not faults_of_screen(told.err), path


def test_as_experiences_it_is_what_memory_reads_and_nothing_more(bag, journals, tmp_path, capsys):
    for number, path in enumerate((*journals, bag)):
        file = tmp_path / f'{number}.jsonl'
        wanted = ('--run', '0' * 31 + '5') if str(path) == bag else ()
        assert main(['export', str(path), str(file), *wanted, '--experiences', '--plain']) == 0
        assert not faults_of_screen(capsys.readouterr().out)
        for entry in read_experiences(file):
            assert isinstance(entry, Experience), path


def test_the_viewer_tells_of_it_as_data(bag, tmp_path):
    runs = Runs(sources.open_runs(bag, tmp_path))
    with (
        ViewerServer(Viewer(runs), 0) as server,
        httpx.Client(base_url=server.url, timeout=20.0) as client,
    ):
        listed = client.get('api/runs').json()
        assert len(listed) == len(one_of_each_kind())
        for run in listed:
            for node in ('1', '3'):
                answer = client.get('api/prompt', params={'run': run['run'], 'node': node})
                assert answer.headers['content-type'] == 'application/json'
                assert answer.status_code == 200 and len(answer.json()['text']) <= 400_100
