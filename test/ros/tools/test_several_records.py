"""Records of several runs: each can be looked at, and each is done again by `reactree rerun`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation
from reactree_core.record.events import DecisionKind
from reactree_core.record.journal import Journal
from reactree_core.record.run_settings import Limits
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.command_line import main
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.exit_codes import ExitCode
from reactree_tools.seed_memory.writing import teacher_for
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sources import open_runs
from sim_bridge.worlds.registry import make_world
from support.recorded_bags import bag_of

SCENE, TASK = 'generated:9003', 'put_fridge:9003'


@pytest.fixture(scope='module')
def events():
    """A run in a fresh world, as a planner's node writes it down."""
    world = make_world('household')
    world.reset(SCENE, TASK, 0)
    found = []
    settings = PlannerSettings(example_count=0)
    memory = InProcessMemory()
    plan_episode(world, teacher_for(world), memory, settings, Limits(), watch=found.append)
    assert found[0].kind is DecisionKind.START
    settings = replace(found[0].settings, scene=SCENE, world_task=TASK)
    found[0] = replace(found[0], settings=settings)
    return found


def changed(events):
    """The same run, as if the world had answered something else."""
    place = next(n for n, event in enumerate(events) if isinstance(event, Observation))
    return [*events[:place], replace(events[place], text='It is dark.'), *events[place + 1 :]]


def in_a_used_world(events):
    """The same run, as if it had been the second of its session."""
    settings = replace(events[0].settings, skills_before=9)
    return [replace(events[0], settings=settings), *events[1:]]


@pytest.fixture
def record(tmp_path):
    """Writes runs down; returns the name of each."""

    def record(run_id, events):
        journal = Journal(tmp_path, run_id)
        for event in events:
            journal.append(event)
        journal.close()
        return str(journal.path)

    return record


def test_every_record_is_tried_and_a_difference_is_not_hidden(events, record, capsys):
    same, used = record('a' * 32, events), record('b' * 32, in_a_used_world(events))
    other = record('c' * 32, changed(events))
    assert main(['rerun', used, 'no_such_bag', same, '--plain']) == 2
    told = capsys.readouterr()
    assert 'no difference' in told.out and 'aaaaaaaa' in told.out
    assert f'{used}: The run began after 9 other skills' in told.err
    assert 'no_such_bag: There is no bag' in told.err
    assert main(['rerun', used, other, same, used, '--plain']) == 1
    told = capsys.readouterr()
    assert 'It is dark.' in told.out and 'no difference' in told.out
    assert main(['rerun', same, '--plain']) == 0


def test_of_a_bag_with_several_runs_each_is_done_again(events, tmp_path, capsys):
    bag = bag_of(tmp_path / 'session', a=events, b=in_a_used_world(events), c=changed(events))
    assert main(['rerun', bag, '--plain']) == 1
    told = capsys.readouterr()
    assert 'aaaaaaaa' in told.out and 'no difference' in told.out and 'It is dark.' in told.out
    assert f'{bag}, run bbbbbbbb: The run began after 9' in told.err
    assert main(['rerun', bag, '--run', 'A', '--plain']) == 0
    assert main(['rerun', bag, '--run', 'dd', '--plain']) == 2
    assert 'holds no run dd, but aaaaaaaa, bbbbbbbb, cccccccc.' in capsys.readouterr().err


def test_of_a_bag_with_several_runs_the_viewer_lists_each(events, tmp_path):
    bag = bag_of(tmp_path / 'session', a=events, b=events)
    runs = Runs(open_runs(bag, tmp_path)[::-1])
    assert [entry.run_id for entry in runs.entries()] == ['b' * 32, 'a' * 32]
    assert all(runs.history(digit * 32).end == len(events) for digit in 'ab')


@pytest.mark.parametrize('command', ['tree', 'plot', 'replay', 'export'])
def test_what_shows_one_run_of_several_says_so_and_can_be_told_which(
    command, events, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    bag = bag_of(tmp_path / 'session', a=events, b=events, c=events)
    assert main([command, bag, '--plain']) == 0
    assert 'the bag has 2 other runs (bbbbbbbb, cccccccc)' in capsys.readouterr().err
    assert main([command, bag, '--plain', '--run', 'bb']) == 0
    assert not capsys.readouterr().err
    if command == 'plot':
        assert (tmp_path / f'{"b" * 32}.svg').exists()


@pytest.mark.parametrize('name', ['plan.foo', 'plan', 'plan.btproj'])
def test_a_behaviour_tree_is_written_to_no_file_of_another_kind(
    name, events, record, tmp_path, capsys
):
    file = tmp_path / name
    assert main(['export', record('a' * 32, events), str(file), '--behavior-tree', '--plain']) == 2
    told = ' '.join(capsys.readouterr().err.split())
    assert f'{name} is the name of no behaviour tree: end it in .xml' in told
    assert not file.exists()


def test_every_run_of_a_bag_is_audited(events, tmp_path, capsys):
    bag = bag_of(tmp_path / 'b', a=events, b=events)
    rules = tmp_path / 'rules.yaml'
    arguments = ('permission', 'audit', bag, '--permission', str(rules), '--plain')
    rules.write_text('rules:\n  - {name: seldom, kinds: take, at_most: 9}\n')
    assert main([*arguments]) == ExitCode.OK
    said = capsys.readouterr().out
    assert said.count('held: rule "seldom"') == 2
    rules.write_text('rules:\n  - {name: never, kinds: take, decide: deny}\n')
    assert main([*arguments, '--run', 'b']) == ExitCode.FAILED
    said = capsys.readouterr().out
    assert f'run {"b" * 32}' in said and 'pick up' in said and 'broke it' in said
