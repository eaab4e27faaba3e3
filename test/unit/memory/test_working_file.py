"""Working memories in a file: what a new process finds, and files that cannot be used."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given, strategies

from memory_server.store.registry import working_file
from memory_server.working.run_memories import RunMemories, shared
from memory_server.working.working_file import WorkingFile
from reactree_core.errors import MemoryStoreError
from reactree_core.observation import ObjectFact, Observation

PLACES = ('', 'fridge 1', 'sofa 1', 'agent 1')
facts = strategies.builds(
    ObjectFact,
    strategies.sampled_from(('juice', 'apple')),
    strategies.integers(1, 3),
    strategies.sampled_from(('kitchen 1', 'hall 1')),
    strategies.sampled_from(PLACES),
    strategies.sampled_from(('', 'open')),
    strategies.floats(0.0, 9.0),
)
observations = strategies.builds(
    Observation,
    strategies.just(''),
    place=strategies.sampled_from(PLACES),
    room=strategies.sampled_from(('kitchen 1', 'hall 1')),
    looked_at=strategies.lists(strategies.sampled_from(PLACES[1:]), max_size=3).map(tuple),
    facts=strategies.lists(facts, max_size=4).map(tuple),
)
updates = strategies.lists(
    strategies.tuples(
        strategies.sampled_from(('a', 'b', 'c')), observations, strategies.sampled_from(('', 'r2'))
    ),
    max_size=12,
)


def seen(name, place='fridge 1'):
    return Observation('', room='kitchen 1', facts=(ObjectFact(name, 1, 'kitchen 1', place),))


def contents(memories):
    return {
        name: (set(memories.snapshot(name).facts), memories.snapshot(name).looked_at)
        for name in memories.run_ids
    }


@given(updates, strategies.sampled_from((1, 2, 100)))
def test_a_new_process_knows_what_the_old_one_knew(tmp_path_factory, changes, facts_kept):
    path = tmp_path_factory.mktemp('file') / 'working.sqlite'
    memories = RunMemories(2, facts_kept, WorkingFile(path))
    for name, observation, robot in changes:
        memories.update(name, observation, robot)
    expected = contents(memories)
    order = memories.run_ids
    memories.close()
    again = RunMemories(2, facts_kept, WorkingFile(path))
    assert contents(again) == expected
    assert again.run_ids == order
    again.close()


def test_what_was_forgotten_stays_forgotten(tmp_path):
    path = tmp_path / 'working.sqlite'
    memories = RunMemories(file=WorkingFile(path))
    for name in ('a', 'b', shared('fleet')):
        memories.update(name, seen('juice'))
    memories.clear('a')
    memories.close()
    assert RunMemories(file=WorkingFile(path)).run_ids == ('b', shared('fleet'))


def test_only_what_is_new_is_written(tmp_path):
    file = WorkingFile(tmp_path / 'working.sqlite')
    memories = RunMemories(file=file)
    places = tuple(f'shelf {number}' for number in range(500))
    memories.update('a', Observation('', room='kitchen 1', looked_at=places))
    before = file._connection.total_changes
    memories.update('a', Observation('', room='kitchen 1', looked_at=(*places[:3], 'sofa 1')))
    assert file._connection.total_changes - before == 2  # when it was used, and the sofa
    memories.close()


def test_robots_that_share_a_memory_are_told_who_saw_what():
    memories = RunMemories()
    memories.update(shared('fleet'), seen('juice'), 'left')
    memories.update(shared('fleet'), seen('apple', 'agent 1'), 'right')
    told = [
        memories.recall(shared('fleet'), name, robot).text
        for robot in ('left', 'right')
        for name in ('juice', 'apple')
    ]
    assert told == [
        'You saw juice 1 near fridge 1 in kitchen 1.',
        'right is holding apple 1.',
        'left saw juice 1 near fridge 1 in kitchen 1.',
        'You are holding apple 1.',
    ]


def test_a_killed_process_loses_nothing_it_has_answered(tmp_path):
    path = tmp_path / 'working.sqlite'
    program = (
        'import sys\n'
        'from pathlib import Path\n'
        'from memory_server.working.run_memories import RunMemories\n'
        'from memory_server.working.working_file import WorkingFile\n'
        'from reactree_core.observation import ObjectFact, Observation\n'
        f'memories = RunMemories(file=WorkingFile(Path({str(path)!r})))\n'
        'number = 0\n'
        'while True:\n'
        '    number += 1\n'
        "    facts = (ObjectFact('cup', number, 'kitchen 1', 'shelf 1'),)\n"
        "    memories.update('run', Observation('', facts=facts))\n"
        '    print(number, flush=True)\n'
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    with subprocess.Popen(
        [sys.executable, '-c', program], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(40)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout if line.endswith('\n')]
    again = RunMemories(file=WorkingFile(path)).snapshot('run')
    assert {fact.instance for fact in again.facts} >= set(told)


@pytest.mark.parametrize('damage', ['text', 'foreign', 'newer'])
def test_a_file_that_cannot_be_used_is_left_as_it_is(tmp_path, damage):
    path = tmp_path / 'working.sqlite'
    if damage == 'text':
        path.write_text('not a database, but long enough to look at it twice' * 4)
    else:
        WorkingFile(path).close()
        with sqlite3.connect(path) as connection:
            pragma = 'application_id = 7' if damage == 'foreign' else 'user_version = 99'
            connection.execute(f'PRAGMA {pragma}')
        connection.close()
    before = path.read_bytes()
    with pytest.raises(MemoryStoreError, match='working_memory_path'):
        WorkingFile(path)
    assert path.read_bytes() == before


def test_memory_goes_on_without_a_file_that_fails(tmp_path):
    path = tmp_path / 'working.sqlite'
    told = []
    file = WorkingFile(path)
    memories = RunMemories(file=file, on_fault=told.append)
    memories.update('a', seen('juice'))
    with sqlite3.connect(path) as connection:
        connection.execute('DROP TABLE facts')
    connection.close()
    memories.update('a', seen('apple'))
    memories.update('a', seen('pear'))
    assert len(memories.snapshot('a').facts) == 3
    assert len(told) == 1 and 'will not outlive' in told[0]


def test_the_file_stands_beside_that_of_the_experiences(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))
    assert working_file('default', str(tmp_path / 'a.sqlite')) == tmp_path / 'working.sqlite'
    assert working_file('default', 'none') is None
    assert working_file('none', 'default') is None
    assert working_file('default', 'postgresql://u@h/d') == tmp_path / 'reactree/working.sqlite'
