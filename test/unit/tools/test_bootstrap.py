"""Bootstrapping with the rule-following teacher: what is kept of which round, how it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import SEED_RUN, shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Termination
from reactree_tools.bench import episodes
from reactree_tools.bench.episodes import EpisodeRunner, lesson_of, run_id_of, runs_of, TRAINED
from reactree_tools.bench.rows import read_rows, ROWS, STUDY
from reactree_tools.bench.running import run_study
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.bench.training_tasks import training_tasks
from reactree_tools.bench.workers import LocalProcesses, ThisProcess
from reactree_tools.bootstrap.bootstrapping import (
    begun,
    folder_of,
    FROZEN,
    keep_in,
    next_round,
    tries_of,
)
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.seed_memory.writing import teacher_for


def a_study(tasks='household:setup_table:9100-9102', **fields):
    """Training tasks of the teacher."""
    told = {'tasks': [tasks], 'models': ['teacher'], **fields}
    return make_study(StudyFile.model_validate(told))


def lessons_of(study):
    return [lesson_of(cell) for cell in study.cells()]


@pytest.fixture
def store(tmp_path):
    with closing(SqliteStore(tmp_path / 'm.sqlite')) as opened:
        yield opened


def kept(store):
    return [item for rows in store.rows_after(0) for item in store.load(rows.numbers)]


def carry_out(study, folder, store, tries=1, workers=None, stop_after=None, keep=None):
    """The rounds that were run, and the lessons that could not be."""
    memory = EpisodicMemory(store, HashingEmbedder())
    runner = EpisodeRunner(study.models, study.limits, keeps=True)
    crew = workers(runner) if workers else ThisProcess(runner, CancelToken())
    rounds, ended, left_out = [], [], []

    def stop():
        return stop_after is not None and len(ended) >= stop_after

    try:
        while not stop() and (part := next_round(study, folder, store, tries, left_out)):
            rounds.append(part)
            with begun(part, store):
                outcome = run_study(
                    part.study,
                    part.folder,
                    part.cells,
                    crew,
                    stop,
                    lambda: False,
                    end=ended.append,
                    keep=keep or keep_in(memory),
                )
            left_out += map(lesson_of, outcome.left_out)
    finally:
        crew.close()
    return rounds, left_out


def rows_of(part):
    return read_rows(part.folder / ROWS)


@pytest.fixture
def teachers(monkeypatch):
    """Changes the teachers that follow: a function of a teacher and its world."""
    changes = []

    def changed(world):
        teacher = teacher_for(world)
        for change in changes:
            change(teacher, world)
        return teacher

    monkeypatch.setattr(episodes, 'teacher_for', changed)
    return changes


@pytest.fixture
def too_short(teachers):
    """Tasks of which the teacher can read nothing, by their ids."""
    named = set()

    def shorten(teacher, world):
        if world.task().task_id in named:
            teacher.context_tokens = 20

    teachers.append(shorten)
    return named


def test_the_nodes_of_a_met_goal_are_kept_as_one_run_of_its_lesson(store, tmp_path):
    study = a_study('household:setup_table:9100', presets=['default,decides=model'])
    ((part,), _) = carry_out(study, tmp_path, store)
    (row,) = rows_of(part)
    assert row.success
    nodes = kept(store)
    (lesson,) = lessons_of(study)
    assert len(nodes) > 1
    assert {node.run_id for node in nodes} == {run_id_of(lesson)}
    assert {node.task_type for node in nodes} == {'setup_table'}
    assert {node.planner for node in nodes} == {'reactree'}
    assert nodes[0].termination is Termination.EXPAND
    assert {node.model for node in nodes} == {'teacher'}
    assert {node.domain for node in nodes} == {'household'}


def test_a_task_is_tried_in_so_many_rounds_and_no_more_once_it_is_solved(
    store, tmp_path, too_short
):
    study = a_study()
    too_short.add('setup_table:9101')
    ((first, second), left_out) = carry_out(study, tmp_path, store, tries=2)
    assert left_out == []
    assert [row.success for row in rows_of(first)] == [True, False, True]
    assert [row.cell.task for row in rows_of(second)] == ['setup_table:9101']
    assert [task.task for task in second.study.tasks] == ['setup_table:9101']
    lessons = lessons_of(study)
    assert runs_of(store) == [run_id_of(lessons[0]), run_id_of(lessons[2])]
    assert tries_of(tmp_path) == {lessons[0]: 1, lessons[1]: 2, lessons[2]: 1}
    assert next_round(study, tmp_path, store, 2) is None
    too_short.clear()
    ((third,), _) = carry_out(study, tmp_path, store, tries=3)
    assert (third.number, [row.success for row in rows_of(third)]) == (3, [True])
    assert next_round(study, tmp_path, store, 99) is None


def test_a_round_is_helped_by_what_was_there_at_its_beginning(store, tmp_path, teachers):
    """An experience of this round is not offered in the same round, and is in the next."""
    prompts = []

    def spy(teacher, world):
        begin = teacher.session
        begun_here = []
        prompts.append(begun_here)

        def session(cancel, shared_prefix=''):
            begun_here.append(begin(cancel, shared_prefix))
            return begun_here[-1]

        teacher.session = session

    teachers.append(spy)
    carry_out(a_study(), tmp_path, store)
    assert len(prompts) == 3
    for sessions in prompts:
        assert sessions[0].text.count('Your task is to: ') == 1
    more = a_study('household:setup_table:9100-9103')
    ((part,), _) = carry_out(more, tmp_path, store)
    assert part.number == 2
    assert [row.cell.task for row in rows_of(part)] == ['setup_table:9103']
    assert prompts[3][0].text.count('Your task is to: ') > 1


def test_what_was_interrupted_goes_on_in_its_round_and_comes_to_the_same(tmp_path):
    study = a_study()
    with closing(SqliteStore(tmp_path / 'whole.sqlite')) as store:
        carry_out(study, tmp_path / 'whole', store)
        whole = kept(store)
    for times in range(3):
        with closing(SqliteStore(tmp_path / 'parts.sqlite')) as store:
            ((part,), _) = carry_out(study, tmp_path / 'parts', store, stop_after=1)
            assert (part.number, len(part.cells)) == (1, 3 - times)
            parts = kept(store)
        with closing(SqliteStore(part.folder / FROZEN)) as frozen:
            assert kept(frozen) == []
    assert parts == whole
    assert len({row.cell for row in rows_of(part)}) == 3


def test_processes_come_to_the_same_as_one(tmp_path):
    study = a_study('household:setup_table:9100-9103')
    found = []
    for name, workers in (('one', None), ('two', lambda runner: LocalProcesses(runner, 2))):
        with closing(SqliteStore(tmp_path / f'{name}.sqlite')) as store:
            carry_out(study, tmp_path / name, store, workers=workers)
            found.append({item.experience_id: item for item in kept(store)})
    assert found[0] == found[1]
    assert len({item.run_id for item in found[0].values()}) == 4


def test_who_is_killed_between_the_store_and_the_row_plans_nothing_twice(store, tmp_path):
    study = a_study()
    ((part,), _) = carry_out(study, tmp_path, store, stop_after=1)
    (part.folder / ROWS).write_text('{"torn')
    count = store.count()
    again = next_round(study, tmp_path, store, 1)
    assert [cell.task for cell in again.cells] == ['setup_table:9101', 'setup_table:9102']
    carry_out(study, tmp_path, store)
    assert store.count() > count
    assert len(runs_of(store)) == 3


def test_who_is_killed_before_the_memory_is_copied_copies_it_then(store, tmp_path):
    memory = EpisodicMemory(store, HashingEmbedder())
    memory.store(shipped_experiences())
    study = a_study()
    part = next_round(study, tmp_path, store, 1)
    part.folder.mkdir()
    (part.folder / STUDY).write_text(part.study.text())
    (part.folder / 'memory.new').write_bytes(b'half of a copy')
    again = next_round(study, tmp_path, store, 1)
    assert (again.number, again.cells) == (1, part.cells)
    with (
        begun(again, store),
        pytest.raises(ConfigurationError, match='another process'),
        begun(again, store),
    ):
        pass
    with closing(SqliteStore(part.folder / FROZEN)) as copy:
        assert kept(copy) == kept(store)
        assert copy.encoder() == store.encoder()
        for ours, theirs in zip(copy.rows_after(0), store.rows_after(0), strict=True):
            assert (ours.vectors == theirs.vectors).all()
    assert sorted(path.name for path in part.folder.iterdir()) == sorted(
        ['.lock', FROZEN, 'runs', STUDY]
    )


def test_another_planner_model_or_memory_plans_the_same_tasks_anew(store, tmp_path):
    study = a_study('household:setup_table:9100')
    carry_out(study, tmp_path, store)
    for changes in (
        {'presets': ['default,repairs=0']},
        {'memories': ['episodic']},
        {'planners': ['react'], 'models': ['another']},
    ):
        part = next_round(a_study('household:setup_table:9100', **changes), tmp_path, store, 1)
        assert (part.number, len(part.cells)) == (2, 1)
    assert next_round(study, tmp_path, store, 1) is None


def test_a_round_does_not_go_on_under_other_limits(store, tmp_path):
    few = a_study(limits={'decisions': 3})
    ((part,), _) = carry_out(few, tmp_path, store, stop_after=1)
    assert [row.ended for row in rows_of(part)] == ['decision_limit']
    assert kept(store) == []
    part = next_round(a_study(), tmp_path, store, 1)
    assert (part.number, len(part.cells)) == (2, 2)
    part = next_round(a_study(), tmp_path, store, 2)
    assert (part.number, len(part.cells)) == (2, 3)


def test_a_run_that_was_taken_out_of_the_memory_may_be_learned_again(store, tmp_path):
    study = a_study('household:setup_table:9100')
    carry_out(study, tmp_path, store)
    store.forget([item.experience_id for item in kept(store)])
    assert next_round(study, tmp_path, store, 1) is None
    carry_out(study, tmp_path, store, tries=2)
    assert len(runs_of(store)) == 1


def test_a_task_that_cannot_be_set_is_left_out_and_the_others_go_on(store, tmp_path):
    tasks = [{'tasks': 'household:1@9100', 'scenes': 'no such home'}, 'household:1@9100']
    study = make_study(StudyFile.model_validate({'tasks': tasks, 'models': ['teacher']}))
    (parts, left_out) = carry_out(study, tmp_path, store, tries=3)
    assert len(parts) == 1
    assert [lesson.scene for lesson in left_out] == ['no such home']
    assert [row.success for row in rows_of(parts[0])] == [True]


def test_a_node_that_no_store_takes_is_left_out_and_the_rest_kept(store, tmp_path, monkeypatch):
    """A search through a whole home may be longer than any message can hold."""
    study = a_study('household:setup_table:9100', presets=['default,decides=model'])
    carry_out(study, tmp_path / 'whole', store)
    whole = kept(store)
    lengths = sorted(len(node.trajectory) for node in whole)
    assert lengths[-2] < lengths[-1]
    monkeypatch.setattr('memory_server.exchange.json_lines.LONGEST_TRAJECTORY', lengths[-1] - 1)
    store.forget([item.experience_id for item in whole])
    carry_out(study, tmp_path / 'short', store)
    assert len(kept(store)) == len(whole) - 1


def test_the_rounds_of_a_database_are_in_the_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    one, other = (folder_of(None, f'postgresql://host/{name}') for name in 'ab')
    assert one.parent == tmp_path / 'reactree'
    assert one != other
    assert folder_of(tmp_path / 'm.db', 'x') == tmp_path / 'm.db.bootstrap'


@given(st.integers(0, 10**17), st.integers(0, 50))
def test_a_range_holds_both_of_its_ends(first, more):
    tasks = training_tasks([f'generated:{first}-{first + more}', f'generated:{first}'])
    assert [task.seed for task in tasks] == list(range(first, first + more + 1))
    assert tasks[-1].scene == tasks[-1].task == f'generated:{first + more}'
    assert len(set(tasks)) == len(tasks)


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        ('generated:5-3', 'no range of tasks'),
        ('generated:1-100001', 'no range of tasks'),
        ('fly:3', "there are no tasks 'fly:3'"),
        ('generated', "there are no tasks 'generated'"),
        ('generated:-3', 'there are no tasks'),
        ('', "there are no tasks ''"),
        ('#1', 'there are no tasks'),
    ],
)
def test_what_names_no_tasks_is_told(text, says):
    with pytest.raises(ConfigurationError) as caught:
        training_tasks([text])
    assert says in str(caught.value)


def test_a_split_of_a_world_stands_for_a_family():
    found = training_tasks(['train:1-2', 'test:3'], world='webshop')
    assert [task.task for task in found] == ['train:1', 'train:2', 'test:3']
    (task,) = training_tasks(['train:1'], world='faulty,world=webshop')
    assert task.task == 'train:1'
    with pytest.raises(ConfigurationError, match="there are no tasks 'train:1'"):
        training_tasks(['train:1'])


def test_a_file_gives_all_its_tasks_or_one_by_its_id(tmp_path):
    path = tmp_path / 'tasks.json'
    tasks = [
        {'task_id': name, 'instruction': f'Do {name}.', 'goal': {'on_plate_kitchentable': 1}}
        for name in 'abc'
    ]
    path.write_text(json.dumps(tasks))
    found = training_tasks([str(path)], 'generated:3')
    assert [(task.task, task.seed) for task in found] == [(str(path), seed) for seed in range(3)]
    (only,) = training_tasks([f'{path}#b'], 'generated:3')
    assert only == found[1]
    with pytest.raises(ConfigurationError, match="no task 'd'"):
        training_tasks([f'{path}#d'], 'generated:3')
    with pytest.raises(ConfigurationError, match='give --scene where'):
        training_tasks([str(path)])


def test_a_second_signal_cancels_at_once():
    cancel = CancelToken()
    with Interrupts(cancel) as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.requested.wait(10.0)
        assert not cancel.canceled
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.again.wait(10.0)
        assert cancel.canceled


def command(path, *more, tasks=1):
    return [
        'memory',
        'bootstrap',
        '--tasks',
        f'setup_table:9100-{9100 + tasks - 1}',
        '--model',
        'teacher',
        '--encoder',
        'hashing',
        '--store',
        str(path),
        '--plain',
        *more,
    ]


def test_the_command_ends_after_a_task_on_ctrl_c_and_goes_on_later(tmp_path, capsys):
    path = tmp_path / 'm.sqlite'
    process = subprocess.Popen(
        [sys.executable, '-m', 'reactree_tools', *command(path, tasks=200)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {'PYTHONPATH': os.pathsep.join(sys.path), 'PYTHONUNBUFFERED': '1'},
    )
    assert process.stdout.readline() == f'Round 1, in {path}.bootstrap/round-1\n'
    first = process.stdout.readline()
    assert first.startswith('+   1/200  household setup_table:9100 reactree default teacher')
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert 'Traceback' not in errors
    done = 1 + sum(line.startswith('+ ') for line in rest.splitlines())
    assert done < 200
    assert process.returncode == ExitCode.INTERRUPTED
    assert f'{done} of 200 training tasks solved' in rest
    assert 'continues from here' in rest
    assert main(command(path, tasks=done + 1)) == ExitCode.OK
    said = capsys.readouterr().out
    assert f'+ 1/1  household setup_table:{9100 + done} ' in said
    assert f'{done + 1} of {done + 1} training tasks solved' in said
    assert main(command(path, tasks=done + 1)) == ExitCode.OK
    assert 'Round' not in capsys.readouterr().out


def test_again_tries_once_more_what_was_not_solved(tmp_path, capsys):
    path = tmp_path / 'm.sqlite'
    assert main(command(path, '--max-decisions', '3')) == ExitCode.OK
    assert '0 of 1 training task solved; 0 new' in capsys.readouterr().out
    assert main(command(path)) == ExitCode.OK
    assert 'Round' not in capsys.readouterr().out
    assert main(command(path, '--again')) == ExitCode.OK
    said = capsys.readouterr().out
    assert 'Round 2' in said and '1 of 1 training task solved' in said
    assert main(command(path, '--again')) == ExitCode.OK
    assert 'Round' not in capsys.readouterr().out


def test_a_memory_begins_with_the_shipped_examples_unless_told_otherwise(tmp_path, capsys):
    shipped = {item.experience_id for item in shipped_experiences()}
    for more, expected in (((), shipped), (('--no-examples',), set())):
        path = tmp_path / f'{len(more)}.sqlite'
        assert main(command(path, *more)) == ExitCode.OK
        with closing(SqliteStore(path)) as store:
            found = {item.experience_id for item in kept(store)}
        assert found & shipped == expected
        added = len(found - shipped)
        said = capsys.readouterr().out
        new = f'{added} new experience{"s" * (added > 1)}'
        assert f'{new} in {path}, {len(found)} in all' in said
        # The round begins with the same.
        with closing(
            SqliteStore(path.with_name(f'{path.name}.bootstrap') / 'round-1' / FROZEN)
        ) as one:
            assert {item.experience_id for item in kept(one)} == expected
            assert {item.run_id for item in kept(one)} <= {SEED_RUN}


def test_a_study_with_tasks_that_its_memory_was_trained_on_says_so(tmp_path, capsys):
    path, out = tmp_path / 'm.sqlite', tmp_path / 'study'
    trained = 'bench bootstrap --tasks household:2@9100 --model teacher --encoder hashing --plain'
    assert main([*trained.split(), '--store', str(path), '--workers', '2']) == ExitCode.OK
    capsys.readouterr()
    asked = 'bench run --tasks household:put_fridge:9101-9103 --model teacher --plain'
    asked += ' --memory working,both'
    assert main([*asked.split(), '--store', str(path), '--out', str(out)]) == ExitCode.OK
    said = capsys.readouterr().err
    assert f'the memory {path} holds runs of 1 of 3 tasks' in said
    noticed = {
        (row.cell.task, row.cell.memory): TRAINED in row.notices for row in read_rows(out / ROWS)
    }
    assert [key for key, told in noticed.items() if told] == [('put_fridge:9101', 'both')]


@pytest.mark.parametrize(
    ('more', 'says'),
    [
        (['--model', 'gpt-99'], 'qwen2.5-coder-1.5b'),
        (['--planner', 'none-such'], 'none-such'),
        (['--preset', 'none-such'], 'none-such'),
        (['--preset', 'published'], 'the model teacher needs the preset default'),
        (['--tasks', 'fly:1'], "there are no tasks 'fly:1'"),
        (['--store', 'none'], 'stores nothing'),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_made(tmp_path, capsys, more, says):
    path = tmp_path / 'm.sqlite'
    assert main(command(path, *more)) == ExitCode.UNUSABLE
    assert says in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_published_preset_takes_no_shipped_examples_unless_told(tmp_path, capsys):
    path, out = tmp_path / 'm.sqlite', str(tmp_path / 'study')
    asked = 'memory bootstrap --tasks generated:9100 --preset published --model none --plain'
    asked += f' --encoder hashing --store {path}'
    assert main(asked.split()) == ExitCode.UNUSABLE
    assert '--no-examples' in capsys.readouterr().err and not path.exists()
    assert main([*asked.split(), '--no-examples']) == ExitCode.OK
    with closing(SqliteStore(path)) as store:
        assert not store.ids_of_run(SEED_RUN)
    study = 'bench run --tasks household:1@9100 --preset published --model none --memory episodic'
    study += f' --plain --store {path} --out {out}'
    assert main([*study.split(), '--max-decisions', '1']) == ExitCode.OK
    assert main([*asked.split(), '--with-examples']) == ExitCode.OK
    with closing(SqliteStore(path)) as store:
        assert store.ids_of_run(SEED_RUN)
    capsys.readouterr()
    for refused in (study, f'{asked} --no-examples'):
        assert main(refused.split()) == ExitCode.UNUSABLE
        assert 'of the shipped examples, which no paper has' in capsys.readouterr().err
    assert main([*study.split(), '--max-decisions', '1', '--with-examples']) == ExitCode.OK
