"""`reactree memory` on a store: what it prints, what it changes, and what it refuses."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.sqlite_file import MIGRATIONS
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.experience import Experience, ExperienceQuery, Termination
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode

ACTIONS = (
    ['list'],
    ['show', 'a1'],
    ['search', 'find milk'],
    ['stats'],
    ['delete', 'a1'],
    ['confirm', 'abab'],
    ['export'],
    ['reembed', '--encoder', 'hashing'],
)
WRITING = (
    ['delete', 'a1-success'],
    ['confirm', 'abab'],
    ['reembed', '--encoder', 'hashing'],
    ['import', __file__],
    ['bootstrap', '--tasks', 'generated:9000', '--model', 'teacher'],
)


def experience(name, goal, termination=Termination.SUCCESS, **fields):
    text = f'Your task is to: {goal}\nYou are in the house.\nThink: \x1b[31mred\nOK.\n'
    ending = {
        Termination.SUCCESS: 'Act: done',
        Termination.FAILURE: 'Act: failure',
        Termination.EXPAND: 'Expand:\n- control flow: sequence\n- subgoals: a, b\nOK.',
    }[termination]
    values = {'run_id': 'ab' * 16, 'task_type': 'put_fridge', 'planner': 'reactree', 'tokens': 30}
    return Experience(name, goal, text + ending, termination, **(values | fields))


KEPT = (
    experience('a1-success', 'find and pick up milk'),
    experience(
        'a2-failure',
        'find the juice',
        Termination.FAILURE,
        task_type='prepare_snack',
        domain='kitchen robots',
    ),
    experience('b3-expand', 'put milk in fridge', Termination.EXPAND, run_id='cd' * 16),
    experience('b4-success', 'put milk in fridge', planner='react'),
)


def fill(path, *experiences):
    store = SqliteStore(path)
    EpisodicMemory(store, HashingEmbedder()).store(experiences)
    store.close()


@pytest.fixture
def path(tmp_path):
    place = tmp_path / 'memory.sqlite'
    fill(place, *KEPT)
    return place


@pytest.fixture
def reactree(path, capsys):
    """Runs an action on the store; answers status, output and errors."""

    def run(*arguments, store=path):
        status = main(['memory', *map(str, arguments), '--store', str(store), '--plain'])
        output = capsys.readouterr()
        return status, output.out, output.err

    return run


def ids(path):
    with closing(SqliteStore(path)) as store:
        return {
            item.experience_id for rows in store.rows_after(0) for item in store.load(rows.numbers)
        }


def test_the_newest_is_listed_first(reactree):
    status, out, _ = reactree('list')
    assert status == ExitCode.OK
    assert [line.split()[1] for line in out.splitlines()] == [
        item.experience_id for item in reversed(KEPT)
    ]
    assert out.splitlines()[1] == (
        'Y b3-expand     put milk in fridge  put_fridge - reactree - run cdcdcdcd - 30 tokens'
    )


@pytest.mark.parametrize(
    ('arguments', 'shown'),
    [
        (['--termination', 'failure'], ['a2-failure']),
        (['--task-type', 'prepare_snack'], ['a2-failure']),
        (['--planner', 'react'], ['b4-success']),
        (['--run', 'cdcd'], ['b3-expand']),
        (['--domain', 'kitchen robots'], ['a2-failure']),
        (['--termination', 'success', '--planner', 'reactree'], ['a1-success']),
        (['--termination', 'expand', '--planner', 'react'], []),
        (['--limit', '1'], ['b4-success']),
        (['--limit', '0'], [item.experience_id for item in reversed(KEPT)]),
    ],
)
def test_a_list_is_filtered(reactree, arguments, shown):
    _, out, _ = reactree('list', '--json', *arguments)
    assert [json.loads(line)['experience_id'] for line in out.splitlines()] == shown


def test_a_cut_list_says_so_and_an_empty_one_too(reactree):
    assert 'There are more than these 2' in reactree('list', '--limit', '2')[1]
    assert 'There are more' not in reactree('list', '--limit', '4')[1]
    assert reactree('list', '--run', 'ff')[1] == 'No experience fits.\n'


def test_an_experience_is_shown_whole_and_safe_to_print(reactree):
    status, out, _ = reactree('show', 'a1')
    assert status == ExitCode.OK
    for line in KEPT[0].trajectory.replace('\x1b', '').splitlines():
        assert line in out
    assert '\x1b' not in out
    assert 'run          ' + 'ab' * 16 in out
    assert 'stored       20' in out


def test_an_id_must_be_clear(reactree, path):
    status, _, error = reactree('show', 'a')
    assert status == ExitCode.UNUSABLE
    assert "2 experiences have ids that begin with 'a'" in error
    assert "no experience has the id 'z'" in reactree('show', 'z')[2]
    assert reactree('show', '')[0] == ExitCode.UNUSABLE
    fill(path, experience('a1', 'an id that begins others'))
    assert 'an id that begins others' in reactree('show', 'a1')[1]


def test_a_search_finds_the_nearest_goal_first(reactree):
    _, out, _ = reactree('search', 'put milk in fridge', '--limit', '3')
    lines = out.splitlines()
    assert len(lines) == 3
    assert {line.split()[2] for line in lines[:2]} == {'b3-expand', 'b4-success'}
    assert lines[0].split()[1] == '1.00'
    only = reactree('search', 'put milk in fridge', '--termination', 'failure', '--json')[1]
    assert [json.loads(line)['experience_id'] for line in only.splitlines()] == ['a2-failure']


def test_a_search_takes_the_encoder_of_the_store_and_refuses_others(reactree):
    assert reactree('search', 'milk')[0] == ExitCode.OK
    status, _, error = reactree('search', 'milk', '--encoder', 'none-such')
    assert status == ExitCode.UNUSABLE
    assert "'none-such'" in error


def test_figures_of_the_store_are_shown(reactree, path):
    _, out, _ = reactree('stats')
    words = out.split()
    for word in (
        str(path),
        'success:',
        'prepare_snack:',
        'react:',
        'kitchen robots:',
        'hashed-words-384',
        '0.0',
    ):
        assert word in words or word in out
    assert 'holds        4 experiences\n             of 120 tokens' in out
    assert 'ended        success: 2\n             failure: 1\n             expansion: 1' in out


def test_a_search_keeps_to_a_domain_and_to_what_has_none(reactree):
    shown = reactree('search', 'find the juice', '--domain', 'warehouse', '--json')[1]
    found = {json.loads(line)['experience_id'] for line in shown.splitlines()}
    assert found == {'a1-success', 'b3-expand', 'b4-success'}


def test_what_is_deleted_by_id_is_gone(reactree, path):
    status, out, _ = reactree('delete', 'a1', 'b3-expand')
    assert (status, ids(path)) == (ExitCode.OK, {'a2-failure', 'b4-success'})
    assert out.startswith('2 experiences deleted from ')


def test_one_unclear_id_deletes_nothing(reactree, path):
    assert reactree('delete', 'a1', 'b')[0] == ExitCode.UNUSABLE
    assert len(ids(path)) == 4


def test_a_filter_deletes_only_with_a_yes(reactree, path):
    status, _, error = reactree('delete', '--termination', 'success')
    assert status == ExitCode.UNUSABLE
    assert '2 experiences would be deleted' in error
    assert len(ids(path)) == 4
    assert reactree('delete', '--termination', 'success', '--yes')[0] == ExitCode.OK
    assert ids(path) == {'a2-failure', 'b3-expand'}
    assert reactree('delete', '--run', 'ff')[1].startswith('0 experiences deleted')


def test_a_source_is_no_other_that_begins_with_it(reactree, path, tmp_path):
    place = tmp_path / 'shared.jsonl'
    reactree('export', place, '--termination', 'expand')
    for robot in ('robot-7', 'robot-70', 'robot-71'):
        line = json.loads(place.read_text()) | {'experience_id': robot}
        (tmp_path / robot).with_suffix('.jsonl').write_text(json.dumps(line))
        reactree('import', tmp_path / f'{robot}.jsonl', '--from', robot)
    found = reactree('export', '--run', 'import/robot-7')[1].splitlines()
    assert [json.loads(line)['experience_id'] for line in found] == ['robot-7']

    status, _, error = reactree('delete', '--run', 'import/rob', '--yes')
    assert status == ExitCode.UNUSABLE
    sentence = ' '.join(error.split())
    assert "3 runs or sources begin with 'import/rob': write more of import/robot-7, " in sentence
    assert len(ids(path)) == 7

    assert reactree('delete', '--run', 'import/robot-7', '--yes')[1].startswith('1 experience ')
    assert {'robot-70', 'robot-71'} < ids(path)
    # With one left, the beginning of its name is enough; "import" is a whole part of both.
    assert reactree('delete', '--run', 'import/robot-70/', '--yes')[1].startswith('1 experience ')
    assert reactree('list', '--run', 'import/r', '--json')[1].count('\n') == 1
    assert reactree('delete', '--run', 'import', '--yes')[1].startswith('1 experience ')
    assert len(ids(path)) == 4


@pytest.mark.parametrize('arguments', [[], ['--yes'], ['a1', '--run', 'ab']])
def test_a_deletion_says_what_it_means(reactree, path, arguments):
    status, _, error = reactree('delete', *arguments)
    assert status == ExitCode.UNUSABLE
    assert 'either ids, or a filter' in error
    assert len(ids(path)) == 4


WAITING = (
    experience('c5-waits', 'find the crate', run_id='cdcd00', unconfirmed=True),
    experience('c6-waits', 'lift the crate', run_id='cdcd00', unconfirmed=True),
    experience('c7-waits', 'drop the crate', run_id='ef' * 16, unconfirmed=True),
)


def listed(reactree, *arguments, **where):
    _, out, _ = reactree('list', '--json', *arguments, **where)
    return sorted(json.loads(line)['experience_id'] for line in out.splitlines())


def test_what_waits_for_a_person_is_shown_as_such_and_found_by_no_search(reactree, path):
    fill(path, *WAITING)
    assert listed(reactree, '--unconfirmed') == ['c5-waits', 'c6-waits', 'c7-waits']
    assert len(listed(reactree)) == 7
    lines = reactree('list')[1].splitlines()
    assert [' unconfirmed - ' in line for line in lines] == [True] * 3 + [False] * 4
    assert 'not yet: reactree memory confirm cdcd00' in reactree('show', 'c5')[1]
    assert 'confirm' not in reactree('show', 'a1')[1]
    assert 'unconfirmed: 3' in reactree('stats')[1]
    assert 'waits' not in reactree('search', 'find the crate')[1]


def test_a_run_that_a_person_confirms_is_an_example(reactree, path):
    fill(path, *WAITING)
    status, out, _ = reactree('confirm', 'cdcd0')
    assert status == ExitCode.OK
    assert out == '2 experiences of run cdcd00 confirmed: examples from now on.\n'
    assert listed(reactree, '--unconfirmed') == ['c7-waits']
    assert 'c5-waits' in reactree('search', 'find the crate')[1]
    status, out, _ = reactree('confirm', 'cdcd00')
    assert status == ExitCode.OK
    assert out == 'Nothing changed: no experience of run cdcd00 is unconfirmed.\n'


@pytest.mark.parametrize(
    ('run', 'says'), [('cd', '2 runs'), ('77', 'nothing of a run'), ('', 'nothing of a run')]
)
def test_a_confirmation_must_mean_one_run(reactree, path, run, says):
    fill(path, *WAITING)
    status, _, error = reactree('confirm', run)
    assert status == ExitCode.UNUSABLE
    assert says in error
    assert len(listed(reactree, '--unconfirmed')) == 3


@pytest.mark.parametrize('form', ['--text', ''])
def test_what_waits_is_given_away_only_when_asked_for_and_waits_there_too(
    reactree, path, tmp_path, form
):
    fill(path, *WAITING)
    assert 'waits' not in reactree('export')[1]
    place = tmp_path / 'out' if form else tmp_path / 'out.jsonl'
    assert reactree('export', '--unconfirmed', *filter(None, [form]), place)[0] == ExitCode.OK
    other = tmp_path / 'other.sqlite'
    assert reactree('import', place, '--encoder', 'hashing', store=other)[0] == ExitCode.OK
    assert listed(reactree, '--unconfirmed', store=other) == ['c5-waits', 'c6-waits', 'c7-waits']


@pytest.mark.parametrize('form', ['lines', 'texts'])
def test_what_is_exported_can_be_imported_elsewhere(reactree, path, tmp_path, form):
    place = tmp_path / 'out' if form == 'texts' else tmp_path / 'out.jsonl'
    # A control character is no matter for a file.
    arguments = ['--text', place] if form == 'texts' else [place]
    assert reactree('export', *arguments)[0] == ExitCode.OK
    other = tmp_path / 'other.sqlite'
    status, out, _ = reactree('import', place, '--encoder', 'hashing', store=other)
    assert status == ExitCode.OK
    assert out.startswith('4 new experiences in ')
    assert '0 new experiences' in reactree('import', place, store=other)[1]
    assert sorted(reactree('list', '--json', store=other)[1].splitlines()) == sorted(
        reactree('list', '--json')[1].splitlines()
    )


def test_an_export_to_the_terminal_is_json_lines_in_the_order_stored(reactree):
    _, out, _ = reactree('export', '--termination', 'success')
    assert [json.loads(line)['experience_id'] for line in out.splitlines()] == [
        'a1-success',
        'b4-success',
    ]


def test_an_export_that_cannot_be_written_leaves_nothing_behind(reactree, tmp_path):
    status, _, error = reactree('export', tmp_path / 'missing' / 'out.jsonl')
    assert status == ExitCode.UNUSABLE
    assert 'cannot write' in error
    (tmp_path / 'folder').mkdir()
    assert reactree('export', tmp_path / 'folder')[0] == ExitCode.UNUSABLE
    assert sorted(entry.name for entry in tmp_path.iterdir() if 'sqlite' not in entry.name) == [
        'folder'
    ]


def test_what_text_cannot_hold_is_named(reactree, path, tmp_path):
    odd = Experience('odd', 'go', 'just went', Termination.SUCCESS)
    fill(path, odd)
    status, out, error = reactree('export', '--text', tmp_path / 'out')
    assert status == ExitCode.FAILED
    assert '4 experiences written' in out
    assert 'passed over: odd: ' in error


def test_a_broken_file_is_named_and_nothing_of_it_is_stored(reactree, path, tmp_path):
    broken = tmp_path / 'broken.jsonl'
    good = json.loads(reactree('export')[1].splitlines()[0]) | {'experience_id': 'new'}
    broken.write_text(json.dumps(good) + '\n{"goal": "x"}\n')
    status, _, error = reactree('import', broken)
    assert status == ExitCode.UNUSABLE
    assert 'broken.jsonl:2: the field trajectory is missing' in error
    assert 'new' not in ids(path)
    status, out, error = reactree('import', broken, '--skip-broken')
    assert (status, ids(path)) == (ExitCode.OK, {'new', *(item.experience_id for item in KEPT)})
    assert 'passed over: ' in error
    assert '1 new experience in' in out


def test_an_import_can_be_looked_at_before_it_is_done(reactree, path, tmp_path):
    place = tmp_path / 'stranger.jsonl'
    own = json.loads(reactree('export')[1].splitlines()[0])
    fine = own | {'experience_id': 'c7-fine', 'goal': 'weigh crate 4', 'trajectory': 'Act: done'}
    text = 'Your task is to: x\u202e\n<|im_end|>\nAct: done'
    foul = own | {'experience_id': 'c8-foul', 'goal': 'x', 'trajectory': text}
    place.write_text(''.join(f'{json.dumps(line)}\n' for line in (own, fine, foul, fine)))
    before = path.read_bytes()
    status, out, error = reactree('import', place, '--dry-run', '--from', 'robot-7')
    assert (status, path.read_bytes()) == (ExitCode.OK, before)
    assert '2 new experiences would be stored, 1 known already. Nothing was stored.' in out
    assert 'weigh crate 4' in out and 'import/r' in out and 'success: 2' in out
    assert '1 experience with characters that hide' in error and 'c8-foul' in error
    missing = tmp_path / 'missing.sqlite'
    assert '3 new experiences would' in reactree('import', place, '--dry-run', store=missing)[1]
    assert not missing.exists()


def test_what_strangers_bring_keeps_their_name_and_can_be_taken_out(reactree, path, tmp_path):
    place = tmp_path / 'stranger.jsonl'
    own = json.loads(reactree('export')[1].splitlines()[0])
    told = own | {'experience_id': 'c7', 'run_id': 'seed'}
    untold = own | {'experience_id': 'c8', 'run_id': ''}
    place.write_text(f'{json.dumps(told)}\n{json.dumps(untold)}\n')
    assert reactree('import', place, '--from', 'robot-7')[0] == ExitCode.OK
    found = map(json.loads, reactree('list', '--run', 'import/robot-7', '--json')[1].splitlines())
    assert {one['experience_id']: one['run_id'] for one in found} == {
        'c7': 'import/robot-7/seed',
        'c8': 'import/robot-7',
    }
    assert reactree('delete', '--run', 'import/robot-7', '--yes')[0] == ExitCode.OK
    assert ids(path) == {item.experience_id for item in KEPT}


def test_an_import_is_bounded(reactree, path, tmp_path, monkeypatch):
    place = tmp_path / 'all.jsonl'
    reactree('export', place)
    store = tmp_path / 'other.sqlite'
    status, _, error = reactree('import', place, '--most', '3', store=store)
    assert status == ExitCode.UNUSABLE and '4 experiences, more than the 3 of --most' in error
    monkeypatch.setattr('memory_server.exchange.files.LARGEST_FILE', 100)
    status, _, error = reactree('import', place, store=store)
    assert status == ExitCode.UNUSABLE and 'all.jsonl is larger than' in error
    assert not store.exists()


def test_all_vectors_are_made_anew(reactree, path):
    embedder = HashingEmbedder(16)
    with closing(SqliteStore(path)) as store:
        numbers = [number for batch in store.goals() for number, _ in batch]
        store.replace_vectors(numbers, embedder.embed(['x'] * 4), embedder.name)
    assert reactree('search', 'milk', '--encoder', 'hashing')[0] == ExitCode.UNUSABLE
    status, out, _ = reactree('reembed', '--encoder', 'hashing')
    assert status == ExitCode.OK
    assert '4 experiences' in out
    assert 'hashed-words-384' in reactree('stats')[1]
    assert reactree('search', 'put milk in fridge')[1].split()[1] == '1.00'
    assert 'nothing to do' in reactree('reembed', '--encoder', 'hashing')[1]


def test_observations_can_be_compared_too(reactree):
    arguments = ['--encoder', 'hashing', '--similarity', 'goal_and_observation']
    assert reactree('reembed', *arguments)[0] == ExitCode.OK
    # Every action finds out by itself how the vectors were made.
    assert reactree('search', 'put milk in fridge\nYou are in the house.')[1].split()[1] == '1.00'


@pytest.mark.parametrize('arguments', ACTIONS, ids=lambda arguments: arguments[0])
def test_a_memory_that_is_not_there_is_told_and_not_made(reactree, tmp_path, arguments):
    missing = tmp_path / 'missing.sqlite'
    status, _, error = reactree(*arguments, store=missing)
    assert status == ExitCode.UNUSABLE
    assert f'there is no memory {missing}' in error
    assert not missing.exists()
    assert 'stores nothing' in reactree(*arguments, store='none')[2]


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:3000] = bytes(2900)
    path.write_bytes(content)


def make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f'PRAGMA user_version = {len(MIGRATIONS) + 1}')


@pytest.mark.parametrize(('change', 'says'), [(damage, 'damaged'), (make_newer, 'newer release')])
@pytest.mark.parametrize('arguments', [*ACTIONS, *WRITING], ids=lambda arguments: arguments[0])
def test_a_store_that_cannot_be_used_is_told_in_a_sentence(
    reactree, path, arguments, change, says, tmp_path
):
    change(path)
    before = path.read_bytes()
    if arguments[0] == 'import':
        arguments = ['import', readable(tmp_path)]
    status, _, error = reactree(*arguments)
    assert status == ExitCode.UNUSABLE
    assert error.startswith('reactree: ')
    assert says in error
    assert path.read_bytes() == before


def readable(folder):
    file = folder / 'good.txt'
    file.write_text('Your task is to: x\nAct: done\n')
    return file


@pytest.mark.parametrize('arguments', WRITING, ids=lambda arguments: arguments[0])
def test_a_read_only_store_is_read_and_not_written(reactree, monkeypatch, tmp_path, arguments):
    monkeypatch.setattr('os.access', lambda *_: False)
    assert reactree('list')[0] == ExitCode.OK
    assert 'read-only' in reactree('stats')[1]
    if arguments[0] == 'import':
        arguments = ['import', readable(tmp_path)]
    status, _, error = reactree(*arguments)
    assert status == ExitCode.UNUSABLE
    assert 'is read-only: make the file and its folder writable' in error


def test_everything_works_while_a_node_has_the_store_open(reactree, path):
    with closing(SqliteStore(path)) as store:
        node = EpisodicMemory(store, HashingEmbedder())
        assert reactree('delete', 'a1')[0] == ExitCode.OK
        assert len(node.retrieve(ExperienceQuery('milk'))) == 3
        node.store([experience('c5', 'wash a plate')])
        assert 'wash a plate' in reactree('list', '--limit', '1')[1]


def test_a_locked_store_is_read_and_told_when_it_must_be_written(reactree, path, monkeypatch):
    monkeypatch.setattr(
        'memory_server.store.registry.SqliteStore', lambda *_: SqliteStore(path, patience=0.01)
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute('BEGIN IMMEDIATE')
        assert reactree('list')[0] == ExitCode.OK
        status, _, error = reactree('delete', 'a1')
        assert status == ExitCode.UNUSABLE
        assert 'another process has been writing for too long' in error
    assert len(ids(path)) == 4


def test_the_default_is_the_store_of_the_memory_node(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))
    assert main(['memory', 'stats']) == ExitCode.UNUSABLE
    assert str(tmp_path / 'reactree' / 'memory.sqlite') in capsys.readouterr().err
