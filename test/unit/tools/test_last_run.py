"""`last` is one run for every command: the newest, whatever it left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reactree_core.record.journal import Journal
from reactree_tools.command_line import main
from reactree_tools.recording.bag_names import UNFINISHED
from reactree_tools.viewer.sources import bag_name, named_path, newest_run, NewestRun
from support.made_up_runs import MadeUpRun

OLD, NEW, SOLE = 'a' * 32, 'b' * 32, 'c' * 32


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    folder = tmp_path / 'journals'
    folder.mkdir()
    return folder


@pytest.fixture
def bags(tmp_path: Path) -> Path:
    folder = tmp_path / 'bags'
    folder.mkdir()
    return folder


def journal(folder: Path, run_id: str, at: float) -> Path:
    written = Journal(folder, run_id)
    for event in MadeUpRun(3):
        written.append(event)
    written.close()
    os.utime(written.path, (at, at))
    return written.path


def bag(folder: Path, name: str, at: float) -> Path:
    path = folder / name
    path.mkdir()
    if not name.endswith(UNFINISHED):
        (path / 'metadata.yaml').touch()
    os.utime(path, (at, at))
    return path


def test_where_nothing_was_written_there_is_none(journals: Path, bags: Path) -> None:
    assert newest_run(journals, bags) is None
    (bags / 'notes').mkdir()
    assert newest_run(journals / 'nowhere', bags / 'nowhere') is None
    assert named_path('last', journals, bags) == Path('last')


def test_a_newer_journal_beats_an_older_bag_and_the_other_way_round(
    journals: Path, bags: Path
) -> None:
    old = bag(bags, OLD, 100.0)
    new = journal(journals, NEW, 200.0)
    assert newest_run(journals, bags) == NewestRun(NEW, new, None)
    copied = bag(bags, SOLE, 300.0)
    assert newest_run(journals, bags) == NewestRun(SOLE, None, copied)
    assert named_path('last', journals, bags) == copied
    assert bag_name('last', journals, bags) == str(copied)
    assert named_path('last', journals, None) == new
    assert named_path(str(old), journals, bags) == old


def test_journal_and_bag_of_a_run_are_one_by_the_time_of_its_journal(
    journals: Path, bags: Path
) -> None:
    # A recorder finishes its bag after the next run has begun.
    bag(bags, OLD, 400.0)
    journal(journals, OLD, 100.0)
    new, twice = journal(journals, NEW, 200.0), bag(bags, f'{NEW}_2{UNFINISHED}', 150.0)
    bag(bags, NEW, 120.0)
    found = newest_run(journals, bags)
    assert found == NewestRun(NEW, new, twice) and found.path == new
    assert bag_name('last', journals, bags) == str(twice)
    newest = journal(journals, SOLE, 300.0)
    assert bag_name('last', journals, bags) == str(newest), 'which has no bag'
    assert bag_name(OLD, journals, bags) == OLD


def test_a_journal_that_cannot_be_read_is_passed_over_but_where_it_is_verified(
    journals: Path, bags: Path
) -> None:
    readable, damaged = journal(journals, OLD, 100.0), journals / f'{NEW}.jsonl'
    damaged.write_text('not a record\n')
    os.utime(damaged, (200.0, 200.0))
    said: list[str] = []
    assert named_path('last', journals, bags, said.append) == readable
    assert len(said) == 1 and NEW in said[0]
    assert named_path('last', journals, bags, said.append, readable=False) == damaged
    recorded = bag(bags, NEW, 150.0)
    assert newest_run(journals, bags, said.append) == NewestRun(NEW, None, recorded)
    assert len(said) == 1


def test_verify_and_plot_name_the_same_run_though_an_older_one_has_a_bag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    runs, bags = tmp_path / 'reactree' / 'runs', tmp_path / 'reactree' / 'bags'
    runs.mkdir(parents=True)
    bags.mkdir()
    bag(bags, OLD, 100.0)
    journal(runs, OLD, 100.0)
    journal(runs, NEW, 200.0)
    main(['verify', 'last', '--plain'])
    assert NEW in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert main(['plot', 'last', '--plain']) == 0
    assert capsys.readouterr().out.strip() == f'{NEW}.svg'
    # Its bag is newer, and of an earlier run.
    os.utime(bags / OLD, (300.0, 300.0))
    main(['verify', 'last', '--plain'])
    assert NEW in capsys.readouterr().out
