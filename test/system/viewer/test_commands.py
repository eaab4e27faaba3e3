"""`reactree viewer`, `tree` and `plot` as a user starts them."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from reactree_core.record.journal import Journal
from support.made_up_runs import MadeUpRun
from support.made_up_studies import begin_study, end_episode

RUN = 'ab' * 16
TASK = 'tidy up the whole house'


@pytest.fixture
def recorded(environment):
    """A run in the user's journals."""
    folder = Path(environment['XDG_STATE_HOME']) / 'reactree' / 'runs'
    journal = Journal(folder, RUN)
    for event in MadeUpRun(20):
        journal.append(event)
    journal.close()
    return folder


@pytest.mark.parametrize('words', [('last',), ('--control',)])
def test_a_viewer_serves_until_ctrl_c(start, recorded, words):
    viewer = start('viewer', *words, '--port', '0', '--plain')
    text = viewer.wait_for('Ctrl-C ends the viewer')
    address = re.search(r'http://127\.0\.0\.1:\d+/', text)[0]
    assert ('#token=' in text) == ('--control' in words)
    runs = httpx.get(f'{address}api/runs', timeout=20.0).json()
    assert [run['run'] for run in runs] == [RUN]
    viewer.interrupt()
    assert viewer.end() == 0
    assert 'Traceback' not in viewer.text


def test_a_study_is_served_with_its_runs_while_a_bench_may_run_it(start, tmp_path):
    cell, *_ = begin_study(tmp_path).cells()
    row = end_episode(tmp_path, cell)
    viewer = start('viewer', '--study', str(tmp_path), '--port', '0', '--plain')
    text = viewer.wait_for('Ctrl-C ends the viewer')
    address = re.search(r'(http://127\.0\.0\.1:\d+/)study', text)[1]
    study = httpx.get(f'{address}api/study', timeout=20.0).json()
    assert (study['done'], study['total']) == (1, 6)
    runs = httpx.get(f'{address}api/runs', timeout=20.0).json()
    assert [run['run'] for run in runs] == [row.run]
    viewer.interrupt()
    assert viewer.end() == 0
    assert 'Traceback' not in viewer.text


def test_a_recorded_run_is_drawn_in_the_terminal_and_as_a_picture(start, recorded, tmp_path):
    tree = start('tree', 'ab', '--plain')
    assert tree.end() == 0
    assert TASK in tree.text
    picture = tmp_path / 'tree.svg'
    plot = start('plot', 'last', '--output', str(picture))
    assert plot.end() == 0
    assert picture.read_text(encoding='utf-8').startswith('<svg')


def test_what_cannot_be_shown_is_told_in_a_sentence(start, recorded, tmp_path):
    for words in (
        ('viewer', 'nonsense'),
        ('viewer', '--study', str(tmp_path / 'nowhere')),
        ('viewer', '--study', str(tmp_path)),
        ('viewer', 'last', '--study', str(tmp_path)),
        ('tree', 'nonsense'),
        ('plot', 'last', '--output', 'tree.jpeg'),
        ('plot', 'last', '--output', str(tmp_path / 'nowhere' / 'tree.svg')),
        ('viewer', '--port', '99999'),
    ):
        program = start(*words)
        assert program.end() == 2
        assert 'Traceback' not in program.text
        assert 'reactree' in program.text
