"""The benchmark of failures: the same tasks under each sort of failures and preset, once."""

from __future__ import annotations

import pytest

from benchmarks import failures
from memory_server.embedding.encoders import HashingEmbedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.sqlite_store import SqliteStore
from reactree_planner.llm.scripted import PolicyModel
from reactree_tools.evaluation.results import read_results
from sim_bridge.worlds import registry


def carpenter(text, options):
    """Makes the best that is offered, and gets logs where nothing can be made."""
    if options is None:
        return ' I make parts first.'
    names = [option.strip() for option in options]
    order = ['make ladder', 'make stick', 'make plank', 'get log', 'Act:', 'done', 'failure']
    return next(names.index(name) for name in order if name in names)


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Runs the benchmark on a world of few skills; what it prints."""
    bench = 'support.workbench:WorkbenchWorld'
    monkeypatch.setitem(registry.WORLDS, 'workbench', bench)
    monkeypatch.setattr(failures, 'load_model', lambda *_: PolicyModel(carpenter))
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder())
    monkeypatch.setattr(failures, 'shipped_memory', lambda: memory)
    output = tmp_path / 'results.jsonl'

    def play(*words):
        arguments = ['x', '--world', 'workbench', '--tasks', '1', '--output', str(output)]
        monkeypatch.setattr('sys.argv', [*arguments, '--max-decisions', '25', *words])
        failures.main()
        return capsys.readouterr().out, read_results(output)

    return play


def test_presets_are_compared_under_each_sort_of_failures_and_nothing_is_done_twice(run):
    words = (
        '--failures',
        'fail=0',
        'fail=1',
        'vanish=1',
        '--presets',
        'default',
        'default,repairs=0',
    )
    said, results = run(*words)
    assert 'left out: vanish=1: the world workbench cannot put things elsewhere' in said
    rows = [row for row in said.splitlines() if row.startswith('|')]
    assert rows[0].startswith('| failures | preset | solved | conditions | false | decisions |')
    assert [row.split(' | ')[:3] for row in rows[2:]] == [
        ['| fail=0', 'default', '1 of 1'],
        ['| fail=0', 'default,repairs=0', '1 of 1'],
        ['| fail=1', 'default', '0 of 1'],
        ['| fail=1', 'default,repairs=0', '0 of 1'],
    ]
    assert [result.world for result in results[::2]] == [
        'faulty,world=workbench,fail=0',
        'faulty,world=workbench,fail=1',
    ]
    again, same = run(*words)
    assert same == results and again.splitlines()[1:] == said.splitlines()[-6:]


def test_failures_that_no_world_can_have_are_refused(run):
    with pytest.raises(SystemExit):
        run('--failures', 'vanish=0.5', 'fail=2')
