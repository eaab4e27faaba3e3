"""Studies that are killed and gone on with, on processes and on Ray; the command line of it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_tools.bench.rows import read_rows, ROWS, RUNS
from reactree_tools.bench.study import make_study, StudyFile
from support.waiting import wait_for

PROGRAM = Path(__file__).with_name('bench_rounds.py')
#: Tasks of the study that is killed: 20 make it one of 320 episodes, ten minutes and more.
TASKS = int(os.environ.get('REACTREE_KILLED_STUDY_TASKS', '3'))
FIELDS = {
    'tasks': [f'household:{TASKS}@9000'],
    'planners': ['reactree', 'react', 'adapt', 'tree_planner'],
    'presets': ['default', 'published'],
    'memories': ['none', 'working'],
    'models': ['guesses'],
    'limits': {'decisions': 12},
}
CELLS = TASKS * 4 * 2 * 2


def begin(folder, workers, **fields):
    path = os.pathsep.join([str(PROGRAM.parent.parent), *sys.path])
    words = [sys.executable, str(PROGRAM), str(folder), str(workers), json.dumps(FIELDS | fields)]
    return subprocess.Popen(words, env={**os.environ, 'PYTHONPATH': path})


def comparable(folder):
    """Rows by cell, without what depends on the clock and the caches of a process."""
    kept = {'seconds': 0.0, 'model_seconds': 0.0, 'cached_tokens': 0, 'evaluated_tokens': 0}
    return {row.cell: replace(row, **kept) for row in read_rows(folder / ROWS)}


@pytest.mark.timeout(140 * TASKS)
def test_a_study_killed_three_times_comes_to_the_same_as_one_that_was_not(tmp_path):
    whole, parts = tmp_path / 'whole', tmp_path / 'parts'
    assert begin(whole, 2).wait(65 * TASKS) == 0
    chance = random.Random(18)
    done = 0
    for _ in range(3):
        process = begin(parts, 2)
        wanted = done + chance.randint(1, 4 * TASKS)
        rows = parts / ROWS
        wait_for(
            lambda wanted=wanted, rows=rows: len(read_rows(rows)) >= wanted,
            'so many episodes are on file',
            patience=20 * TASKS,
        )
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        done = len(read_rows(rows))
    assert 3 <= done < CELLS
    assert begin(parts, 2).wait(65 * TASKS) == 0
    assert len((parts / ROWS).read_text().splitlines()) == CELLS
    assert comparable(parts) == comparable(whole)
    assert len(comparable(whole)) == CELLS == len(list((parts / RUNS).glob('*.jsonl')))


@pytest.mark.timeout(240)
def test_two_workers_of_a_local_ray_come_to_the_same_and_one_that_dies_is_replaced(tmp_path):
    fields = {
        'tasks': ['household:2@9000'],
        'planners': ['reactree'],
        'models': [f'dies:{tmp_path / "died"}'],
    }
    assert begin(tmp_path / 'ray', 'ray2', **fields).wait(200) == 0
    assert (tmp_path / 'died').exists()
    assert begin(tmp_path / 'local', 1, **fields).wait(100) == 0
    rows = comparable(tmp_path / 'ray')
    assert (
        len(rows) == 8 == len(list(make_study(StudyFile.model_validate(FIELDS | fields)).cells()))
    )
    assert rows == comparable(tmp_path / 'local')


def reactree(*words, **options):
    program = [sys.executable, '-m', 'reactree_tools', *words]
    return subprocess.run(program, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.timeout(300)
def test_the_command_line_runs_a_study_goes_on_and_tells_how_far_it_is(tmp_path):
    words = ['bench', 'run', '--tasks', 'household:2@9000', '--model', 'teacher']
    words += ['--memory', 'none,working', '--out', str(tmp_path / 's')]
    first = reactree(*words)
    assert first.returncode == 0, first.stderr
    assert 'none: 2 of 2 solved' in first.stdout and 'working: 2 of 2 solved' in first.stdout
    again = reactree(*words)
    assert '4 episodes done before' in again.stdout
    file = tmp_path / 's' / 'study.yaml'
    more = reactree('bench', 'run', str(file), '--seeds', '2', '--out', str(tmp_path / 's'))
    assert more.returncode == 0, more.stderr
    assert '4/4' in more.stdout
    told = reactree('bench', 'status', str(tmp_path / 's'))
    assert told.stdout.startswith('8 of 8 episodes done')


def test_what_cannot_be_run_is_said_in_a_sentence(tmp_path):
    (tmp_path / 'study.yaml').write_text('tasks: [household:1]\nplaners: [react]\n')
    for words, said in (
        ([str(tmp_path / 'study.yaml')], 'line 2: there is no "planers"'),
        (
            ['--tasks', 'wah:/nowhere.json', '--scenes', 'generated:1'],
            '/nowhere.json cannot be read',
        ),
        (
            ['--tasks', 'household:1', '--model', 'none', '--out', '/proc/study'],
            '/proc/study cannot be made',
        ),
        ([], 'name tasks: in the study file, or --tasks'),
    ):
        found = reactree('bench', 'run', *words, cwd=tmp_path)
        assert found.returncode == 2
        assert said in ' '.join(found.stderr.split())
