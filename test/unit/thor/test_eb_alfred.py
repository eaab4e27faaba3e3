"""EB-ALFRED: its splits as tasks, its limits, and the furniture that its gold plans tell."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from reactree_tools.bench.report.paper_layouts import eb_alfred as layout
from reactree_tools.bench.task_sources import part_of, tasks_of
from sim_bridge.worlds.thor import eb_alfred
from sim_bridge.worlds.thor.stand_in.evidence import Sources
from sim_bridge.worlds.thor.starting import command_of
from sim_bridge.worlds.thor.world import ThorWorld
from support.alfred_data import write_task, written_task
from support.episode_rows import episode_row
from support.needs import need_data

TASK = 'pick-10/trial_1'


@pytest.fixture
def folder(tmp_path):
    """A folder with one task in two splits, in words of their own."""
    write_task(tmp_path / 'tasks', TASK)
    told = {
        'base': [
            {'task': TASK, 'repeat_idx': 1, 'instruction': ' Heat an\n apple. '},
            {'task': 'gone-1/trial_2', 'repeat_idx': 0, 'instruction': 'Look.'},
        ],
        'common_sense': [{'task': TASK, 'repeat_idx': 0, 'instruction': 'Warm a fruit.'}],
    }
    (tmp_path / 'splits.json').write_text(json.dumps(told))
    return tmp_path


def test_a_task_has_the_words_of_its_split_and_the_published_limits(folder):
    task = eb_alfred.eb_task(f'eb_alfred:{folder}#base/0')
    assert task.instruction == 'Heat an apple.' and task.instructions == ('Heat an apple.',)
    assert (task.ends.steps, task.ends.failed) == (30, 10)
    assert task.task_id == f'base/0 {TASK}' and task.goal.place == 'Fridge' and task.poses
    other = eb_alfred.eb_task(f'eb_alfred:{folder}#common_sense/0')
    assert other.instruction == 'Warm a fruit.' and other.goal == task.goal


def test_the_published_folder_is_read_as_it_is(tmp_path):
    place = tmp_path / 'data'
    annotation = place / 'json_2.1.0' / TASK / 'pp' / 'ann_2.json'
    annotation.parent.mkdir(parents=True)
    annotation.write_text(json.dumps(written_task()))
    (place / 'splits').mkdir()
    entry = {'task': TASK, 'repeat_idx': 2, 'instruction': 'Do it.'}
    (place / 'splits' / 'splits.json').write_text(json.dumps({'spatial': [entry]}))
    (tmp_path / 'gen' / 'layouts').mkdir(parents=True)
    np.save(tmp_path / 'gen' / 'layouts' / 'FloorPlan10-layout.npy', np.zeros((1, 2)))
    name = f'eb_alfred:{tmp_path}#spatial/0'
    assert eb_alfred.eb_task(name).instruction == 'Do it.'
    assert eb_alfred.trajectories_of(name) == place / 'json_2.1.0'
    assert eb_alfred.layouts_of(name) == tmp_path / 'gen' / 'layouts'


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('base/2', 'base of .* has 2 tasks'),
        ('base/1', 'has no traj_data.json of the task gone-1/trial_2'),
        ('hard/0', 'write eb_alfred:FOLDER#SPLIT/NUMBER'),
        ('spatial/0', 'has 0 tasks'),
    ],
)
def test_a_task_that_is_not_there_is_told(folder, name, words):
    with pytest.raises(ConfigurationError, match=words):
        eb_alfred.eb_task(f'eb_alfred:{folder}#{name}')


def test_studies_name_splits_and_parts_of_them(folder):
    base = tasks_of(f'eb_alfred:{folder}[base]')
    assert [one.task.rpartition('#')[2] for one in base] == ['base/0', 'base/1']
    assert {one.world for one in base} == {'thor'}
    every = tasks_of(f'eb_alfred:{folder}[all]')
    assert [one.tasks.rpartition('[')[2] for one in every] == ['base]', 'base]', 'common_sense]']
    assert tasks_of(f'thor,size=400:eb_alfred:{folder}[common_sense]')[0].world == 'thor,size=400'
    assert tasks_of(f'eb_alfred:{folder}[base][1:]') == base[1:]
    text = part_of(f'eb_alfred:{folder}[all]', '', '', lambda one: one == every[2])
    assert tasks_of(text) == every[2:]
    for wrong in (
        f'eb_alfred:{folder}',
        f'eb_alfred:{folder}[easy]',
        f'eb_alfred:{folder}/x[base]',
    ):
        with pytest.raises(ConfigurationError):
            tasks_of(wrong)


def test_the_tables_have_a_column_for_each_split():
    rows = [
        episode_row(0, task='eb_alfred:x#base/0'),
        episode_row(1, task='eb_alfred:x#base/1', success=False, met=1),
        episode_row(2, task='eb_alfred:x#long_horizon/0', success=False),
        episode_row(3),
    ]
    success, subgoals = layout(rows)
    assert [column.head for column in success.columns] == ['Method', 'base', 'long horizon', 'all']
    assert [round(cell.mean) for cell in success.rows[0][1:]] == [50, 0, 33]
    assert [round(cell.mean) for cell in subgoals.rows[0][1:]] == [75, 0, 50]
    assert 'another simulator, observed in texts' in success.title
    assert not list(layout(rows[3:]))


def _layout(folder: Path) -> Path:
    folder.mkdir()
    points = np.array([(x / 4, z / 4) for x in range(-8, 9) for z in range(-8, 9)])
    np.save(folder / 'FloorPlan10-layout.npy', points)
    return folder


def test_furniture_that_only_a_gold_plan_tells_stands_where_it_says(tmp_path):
    plan = written_task()['plan']
    plan['high_pddl'][0]['planner_action'] = {
        'action': 'PickupObject',
        'objectId': 'Apple|+01.00|+00.75|+00.50',
        'coordinateReceptacleObjectId': ['SideTable', [4.1, 4.1, 2.0, 2.0, 0.008, 0.008]],
    }
    file = write_task(tmp_path / 'tasks', TASK, plan=plan)
    found = Sources([_layout(tmp_path / 'layouts')], [tmp_path / 'tasks']).read('FloorPlan10')
    assert 'SideTable|+01.02|+00.00|+00.50' in found.fixed
    assert found.contents['SideTable|+01.02|+00.00|+00.50'] == [('Apple', (1.0, 0.75, 0.5))]
    # One task alone has the folder that tells its floor plan.
    assert str(file.parents[1]) in command_of('', '', str(file)).split()
    alone = Sources([tmp_path / 'layouts'], [file.parents[1]]).read('FloorPlan10')
    assert alone.fixed == found.fixed


@pytest.fixture
def world():
    made = ThorWorld(stand_in='--failures none')
    yield made
    made.close()


def _room(folder: Path, put: str) -> str:
    """A task about an apple, to be put on a table or where it lies already."""
    table, counter = 'SideTable|+01.50|+00.00|+00.50', 'CounterTop|-01.50|+00.90|+00.50'
    apple = 'Apple|-01.50|+01.00|+00.50'
    pose = {
        'objectName': 'Apple_1',
        'position': {'x': -1.5, 'y': 1.0, 'z': 0.5},
        'rotation': {'x': 0, 'y': 0, 'z': 0},
    }
    steps = [('PickupObject', apple, counter), ('PutObject', apple, table)]
    write_task(
        folder / 'tasks',
        TASK,
        task_type='pick_and_place_simple',
        pddl_params={'object_target': 'Apple', 'parent_target': put},
        scene={**written_task()['scene'], 'object_poses': [pose]},
        plan={
            'high_pddl': [
                {
                    'discrete_action': {'action': action, 'args': ['apple']},
                    'planner_action': {
                        'action': action, 'objectId': thing, 'receptacleObjectId': place,
                    },
                }
                for action, thing, place in steps
            ]
        },
    )  # fmt: skip
    _layout(folder / 'layouts')
    (folder / 'splits.json').write_text(
        json.dumps({'base': [{'task': TASK, 'repeat_idx': 0, 'instruction': 'Move the apple.'}]})
    )
    return f'eb_alfred:{folder}#base/0'


def test_an_episode_ends_when_the_goal_is_met_or_too_much_has_failed(world, tmp_path):
    name = _room(tmp_path, 'SideTable')
    world.reset('', name, 0)
    assert world.expert() and world.progress().success
    last = world.step('go to CounterTop (1)')
    assert last.over and last.outcome is Outcome.PRECONDITION_FAILED
    world.reset('', name, 0)
    told = [world.step('open Apple (1)').over for _ in range(10)]
    assert told == [False] * 9 + [True] and not world.progress().success
    world.reset('', name, 0)
    told = [world.step(f'go to {place} (1)') for place in ('SideTable', 'CounterTop') * 15]
    assert [one.over for one in told] == [False] * 29 + [True]
    assert all(one.succeeded for one in told)


def test_a_task_that_is_met_where_it_begins_is_named(world, tmp_path):
    name = _room(tmp_path, 'CounterTop')
    with pytest.raises(ConfigurationError, match=r'#base/0 holds at its start'):
        world.reset('', name, 0)


def test_every_task_of_the_shared_data_loads_and_few_gold_plans_fail(shared_data):
    folder = shared_data / 'eb_alfred'
    need_data(folder / 'splits.json', shared_data / 'alfred_layouts')
    seen = set()
    failed = []
    world = ThorWorld(stand_in='--failures none', answer=30.0)
    try:
        for one in tasks_of(f'eb_alfred:{folder}[all]'):
            task = eb_alfred.eb_task(one.task).task_id.partition(' ')[2]
            if task in seen or (seen.add(task) or len(seen) % 6):
                continue
            try:
                world.reset('', one.task, 0)
                world.expert()
            except ConfigurationError as error:
                assert 'holds at its start' in str(error)
            except SkillError as error:
                failed.append((one.task, str(error)))
    finally:
        world.close()
    assert len(failed) <= 1, failed
