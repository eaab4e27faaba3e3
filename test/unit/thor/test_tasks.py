"""ALFRED's tasks from its files, by file, folder, index and split file."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.goals import Goal, HEAT, TASK_TYPES
from sim_bridge.worlds.thor.tasks import alfred_task, path_of, PlanStep, tasks_of_file
from support.alfred_data import alfred_folder, write_task, written_task


def test_a_file_is_a_task_in_the_words_of_one_person(tmp_path):
    file = write_task(tmp_path)
    task = alfred_task(f'alfred:{file}#1', 0)
    assert task.task_id == 'pick-10/trial_1/1' and task.task_type == HEAT
    assert task.instruction == 'Heat an apple, put it in the fridge.'
    assert task.instructions == ('Put a hot apple in the fridge.', task.instruction)
    assert task.goal == Goal(HEAT, 'Apple', 'Fridge') and task.floor_plan == 'FloorPlan10'
    assert task.decisions == 100 and task.dirty_and_empty
    assert task.poses[0]['objectName'] == 'Apple_1' and task.toggles[0]['isOn'] is False
    assert task.begin is not None and task.begin['rotation'] == 90
    assert task.plan == (
        PlanStep('PickupObject', ('apple',), 'Apple|1'),
        PlanStep('HeatObject', ('apple',), '', 'Microwave|1'),
        PlanStep('PutObject', ('apple', 'fridge'), 'Apple|1', 'Fridge|1'),
        PlanStep('NoOp'),
    )


def test_tasks_of_a_folder_are_named_with_their_annotation(tmp_path):
    write_task(tmp_path / 'valid_seen')
    write_task(tmp_path / 'valid_seen', 'look-308/trial_2')
    name = f'alfred:{tmp_path}#look-308/trial_2'
    assert alfred_task(f'{name}/1', 0).task_id == 'look-308/trial_2/1'
    assert alfred_task(name, 1).task_id == 'look-308/trial_2/1'
    assert alfred_task(f'alfred:{tmp_path}#trial_2/0', 7).task_id == 'look-308/trial_2/0'
    found = tasks_of_file(tmp_path)
    assert [task.task_id for task in found] == [
        'look-308/trial_2/0', 'look-308/trial_2/1', 'pick-10/trial_1/0', 'pick-10/trial_1/1',
    ]  # fmt: skip
    for index, task in enumerate(found):
        assert alfred_task(str(tmp_path), index) == task


def test_flat_files_are_named_as_their_folders_were(tmp_path):
    (tmp_path / 'pick-10__trial_9.json').write_text(json.dumps(written_task()))
    assert alfred_task(f'{tmp_path}#pick-10/trial_9/0', 0).task_id == 'pick-10/trial_9/0'


def test_an_index_finds_whole_files_beside_it_and_else_has_no_poses(tmp_path):
    write_task(tmp_path / 'valid_seen')
    entry = {
        'split': 'valid_seen',
        'task': 'pick-10/trial_1',
        'task_type': HEAT,
        'pddl_params': written_task()['pddl_params'],
        'floor_plan': 'FloorPlan10',
        'task_descs': ['one', 'two'],
        'high_pddl': [['PickupObject', ['apple']], ['NoOp', []]],
    }
    index = tmp_path / 'index.json'
    index.write_text(json.dumps([entry, {**entry, 'task': 'pick-10/trial_2', 'split': 'other'}]))
    whole, bare = alfred_task(f'{index}#pick-10/trial_1/0', 0), alfred_task(f'{index}#other', 1)
    assert whole.poses and not whole.notes
    assert bare.task_id == 'pick-10/trial_2/1' and bare.instruction == 'two'
    assert not bare.poses and 'no file with poses' in bare.notes[0]
    assert bare.plan == (PlanStep('PickupObject', ('apple',)), PlanStep('NoOp'))
    assert len(tasks_of_file(index)) == 4


def test_alfreds_own_split_file_names_instructions(tmp_path):
    write_task(tmp_path / 'valid_seen')
    told = {
        'valid_seen': [{'task': 'pick-10/trial_1', 'repeat_idx': 1}],
        'train': [{'task': 'gone/trial_3', 'repeat_idx': 0}],
    }
    splits = tmp_path / 'oct21.json'
    splits.write_text(json.dumps(told))
    assert [task.task_id for task in tasks_of_file(splits)] == ['pick-10/trial_1/1']
    assert alfred_task(f'alfred:{splits}#valid_seen', 0).task_id == 'pick-10/trial_1/1'
    with pytest.raises(ConfigurationError, match='has no task'):
        alfred_task(f'alfred:{splits}#train', 0)


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'task_type': 'pick_flowers'}, 'is none of pick_and_place_simple'),
        ({'scene': {'floor_plan': '../house'}}, 'floor_plan'),
        ({'turk_annotations': {'anns': []}}, 'anns'),
        ({'pddl_params': {}}, 'object_target'),
        ({'plan': 3}, 'plan'),
    ],
)
def test_a_file_that_is_none_is_told_in_a_sentence(tmp_path, changes, words):
    file = write_task(tmp_path, **changes)
    with pytest.raises(ConfigurationError, match=words):
        alfred_task(str(file), 0)


@given(st.text(max_size=60).filter(lambda text: path_of(text.partition('#')[0]) is None))
def test_a_text_that_names_no_file_is_told_so(text):
    with pytest.raises(ConfigurationError, match='there is no'):
        alfred_task(f'alfred:{text}', 0)


@pytest.mark.parametrize('text', ['', '~nobody_of_this_name/x', 'x' * 5000, '\0'])
def test_names_that_no_file_can_have_are_told(text):
    with pytest.raises(ConfigurationError):
        alfred_task(f'alfred:{text}', 0)


def test_what_is_not_there_is_told(tmp_path):
    for text, words in (
        (f'alfred:{tmp_path}/none', 'write a traj_data.json'),
        (f'alfred:{tmp_path}', 'has no traj_data.json'),
    ):
        with pytest.raises(ConfigurationError, match=words):
            alfred_task(text, 0)
    file = write_task(tmp_path)
    for text, words in (
        (f'{file}#5', 'has no annotation 5'),
        (f'{tmp_path}#other', "has no task 'other'"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            alfred_task(text, 0)
    (tmp_path / 'list.json').write_text('[3]')
    with pytest.raises(ConfigurationError):
        alfred_task(f'{tmp_path}/list.json', 0)


def test_all_tasks_of_the_index_load(shared_data):
    index = alfred_folder(shared_data) / 'valid_index.json'
    found = tasks_of_file(index)
    names = {task.task_id.rpartition('/')[0] for task in found}
    assert len(names) == len(json.loads(index.read_text())) == 506
    assert {task.task_type for task in found} == set(TASK_TYPES)
    sliced = {task.task_id.rpartition('/')[0] for task in found if task.goal.sliced}
    assert len(sliced) == 70
    assert all(task.instruction and task.plan for task in found)
    unseen = alfred_task(f'alfred:{index}#valid_unseen', 0)
    assert unseen.floor_plan in ('FloorPlan10', 'FloorPlan219', 'FloorPlan308', 'FloorPlan424')


def test_the_whole_files_restore_their_scenes(shared_data):
    folder = alfred_folder(shared_data)
    files = sorted(folder.glob('*/*.json'))
    found = [alfred_task(str(file), 0) for file in files]
    assert all(task.poses and task.begin for task in found)
    steps = Counter(step.action for task in found for step in task.plan)
    assert set(steps) == {
        'GotoLocation', 'PickupObject', 'PutObject', 'SliceObject', 'ToggleObject', 'CleanObject',
        'HeatObject', 'CoolObject', 'NoOp',
    }  # fmt: skip
    assert len(tasks_of_file(folder)) >= 3 * len(files)
