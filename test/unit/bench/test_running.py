"""A study is run to its end whatever happens, and nothing is counted twice."""

from __future__ import annotations

import errno
from dataclasses import replace

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.record.events import DecisionKind
from reactree_core.record.journal import read_journal
from reactree_tools.bench import running
from reactree_tools.bench.episodes import EpisodeRunner
from reactree_tools.bench.rows import append_row, read_rows
from reactree_tools.bench.running import pending_cells, run_study, study_folder, StudyStopped
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.bench.workers import LocalProcesses, ThisProcess
from support.study_models import load


def a_study(**fields):
    told = {
        'tasks': ['household:2@9000'],
        'models': ['guesses'],
        'memories': ['none'],
        'limits': {'decisions': 12},
    }
    return make_study(StudyFile.model_validate({**told, **fields}))


def carry_out(study, folder, workers=None, stop_after=None, **options):
    """What is still to be done; the rows of the folder afterwards."""
    ended = []
    runner = EpisodeRunner(study.models, study.limits, load=load)
    with study_folder(folder, study):
        cells, _ = pending_cells(study, folder)
        crew = workers(runner) if workers else ThisProcess(runner, CancelToken())
        try:
            outcome = run_study(
                study,
                folder,
                cells,
                crew,
                lambda: stop_after is not None and len(ended) >= stop_after,
                lambda: False,
                end=ended.append,
                **options,
            )
        finally:
            crew.close()
    return outcome, read_rows(folder / running.ROWS)


def timeless(rows):
    """Rows without what depends on the clock and on what the model still had in its cache."""
    kept = {'seconds': 0.0, 'model_seconds': 0.0, 'cached_tokens': 0, 'evaluated_tokens': 0}
    return [replace(row, **kept) for row in rows]


def test_rows_tell_what_happened_and_each_has_its_journal(tmp_path):
    outcome, rows = carry_out(a_study(), tmp_path)
    assert outcome.done == len(rows) == 2
    for row in rows:
        events = list(read_journal(tmp_path / running.RUNS / f'{row.run}.jsonl'))
        assert len(events) >= row.decisions > 0
        assert (events[-1].kind, events[-1].node_id) == (DecisionKind.FINISH, 0)
        assert row.total > 0 and row.expert_steps > 0
        assert 0 <= row.met <= row.best_met <= row.total
    assert carry_out(a_study(), tmp_path)[0].done == 0


def test_a_study_that_was_stopped_goes_on_and_comes_to_the_same(tmp_path):
    study = a_study(planners=['reactree', 'react'], seeds=2)
    _, whole = carry_out(study, tmp_path / 'whole')
    for _ in range(8):
        outcome, parts = carry_out(study, tmp_path / 'parts', stop_after=1)
        assert outcome.done == 1
    assert timeless(parts) == timeless(whole)


def test_processes_come_to_the_same_as_one(tmp_path):
    study = a_study(seeds=2)
    _, whole = carry_out(study, tmp_path / 'whole')
    _, parts = carry_out(study, tmp_path / 'parts', lambda runner: LocalProcesses(runner, 2))
    order = {row.cell: row for row in parts}
    assert timeless(order[row.cell] for row in whole) == timeless(whole)


def test_an_episode_whose_worker_dies_is_run_again(tmp_path):
    model = f'dies:{tmp_path}/died'
    study = a_study(models=[model], presets=['default,decides=model'])
    outcome, rows = carry_out(study, tmp_path / 's', lambda runner: LocalProcesses(runner, 1))
    assert (tmp_path / 'died').exists()
    assert (outcome.done, len(rows), outcome.left_out) == (2, 2, {})


def test_a_server_that_is_gone_is_passed_over_and_the_last_one_ends_the_study(tmp_path):
    two = a_study(models=[{'label': 'm', 'servers': ['gone', 'guesses']}])
    outcome, rows = carry_out(two, tmp_path / 'two')
    assert (outcome.done, len(rows)) == (2, 2)
    one = a_study(models=[{'label': 'm', 'servers': ['gone']}], presets=['default,decides=model'])
    with pytest.raises(StudyStopped, match='The server gone does not answer'):
        carry_out(one, tmp_path / 'one')
    assert read_rows(tmp_path / 'one' / running.ROWS) == []


def test_at_most_so_many_episodes_are_at_one_server(tmp_path):
    study = a_study(models=[{'label': 'm', 'servers': ['a', 'b'], 'requests': 1}], seeds=3)
    places = running._Places(study)
    cells = list(study.cells())
    waiting = list(reversed(cells))
    begun = {cell: place for place, cell in places.next_of(waiting, {}, 5)}
    assert sorted(begun.values()) == ['a', 'b']
    assert list(begun) == cells[:2] and waiting == list(reversed(cells[2:]))
    del begun[cells[0]]
    assert [place for place, _ in places.next_of(waiting, begun, 4)] == ['a']


def test_a_task_that_cannot_be_set_is_left_out_and_the_others_are_run(tmp_path):
    study = a_study(tasks=['household:1@9000'])
    bad = replace(study.tasks[0], scene='/nowhere.json')
    outcome, rows = carry_out(replace(study, tasks=(bad, *study.tasks)), tmp_path)
    assert (len(rows), len(outcome.left_out)) == (1, 1)
    assert 'nowhere.json' in next(iter(outcome.left_out.values()))


def test_a_full_disk_ends_the_study_and_finished_episodes_are_kept(tmp_path, monkeypatch):
    written = []

    def append(path, row):
        if written:
            raise OSError(errno.ENOSPC, 'No space left on device')
        written.append(row)
        append_row(path, row)

    monkeypatch.setattr(running, 'append_row', append)
    with pytest.raises(StudyStopped, match=r'No space left on device.*free disk space'):
        carry_out(a_study(), tmp_path)
    monkeypatch.undo()
    assert timeless(read_rows(tmp_path / running.ROWS)) == timeless(written)
    assert len(carry_out(a_study(), tmp_path)[1]) == 2


def test_a_torn_line_costs_itself_alone(tmp_path):
    _, rows = carry_out(a_study(), tmp_path)
    path = tmp_path / running.ROWS
    path.write_bytes(path.read_bytes()[:-20])
    assert timeless(read_rows(path)) == timeless(rows[:1])
    outcome, again = carry_out(a_study(), tmp_path)
    assert outcome.done == 1
    assert timeless(again) == timeless(rows)


def test_two_processes_do_not_run_one_study_and_limits_stay_the_same(tmp_path):
    with (
        study_folder(tmp_path, a_study()),
        pytest.raises(ConfigurationError, match='another process runs the study'),
        study_folder(tmp_path, a_study()),
    ):
        pass
    carry_out(a_study(), tmp_path)
    with (
        pytest.raises(ConfigurationError, match='under other limits'),
        study_folder(tmp_path, a_study(limits={'decisions': 13})),
    ):
        pass
