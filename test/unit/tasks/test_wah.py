"""WAH-NL task sets: files, gold plans, homes that lack things, and the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.tasks import load_task
from sim_bridge.worlds.household.tasks.expert import solve
from sim_bridge.worlds.household.tasks.gold_plans import read_plan
from sim_bridge.worlds.household.tasks.home import Home
from sim_bridge.worlds.household.tasks.scene_completion import add_missing_objects
from sim_bridge.worlds.household.tasks.wah import DECISIONS
from support.needs import need_data

PLAN = [
    'find a fridge',
    'open the fridge',
    'find a juice',
    'pick up the juice',
    'find a coffee table',
    'put down the juice',
    'find an apple',
    'pick up the apple',
    'find a coffee table',
    'put down the apple',
]

Write = Callable[[Any], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def save(data: Any) -> str:
        (tmp_path / 'set.json').write_text(json.dumps(data), encoding='utf-8')
        return f'wah:{tmp_path}/set.json'

    return save


def entry(**changes: Any) -> dict[str, Any]:
    return {
        'task_id': 114,
        'task_name': 'prepare_snack',
        'env_id': 3,
        'nl_instructions': ['Bring an apple.', 'I want an apple.'],
        'task_goal': {'on_apple_coffeetable': 1},
        **changes,
    }


def test_a_task_is_found_by_its_id(write: Write, small_home: dict[str, Any]) -> None:
    path = write([entry(task_id=5), entry()])
    task = load_task(f'{path}#114', small_home, 0)
    assert task is not None
    assert (task.task_id, task.task_type, task.decisions) == ('114', 'prepare_snack', DECISIONS)
    assert task.goal == {'on_apple_coffeetable': 1}
    assert task.instruction == 'Bring an apple.'
    assert task.instructions == ('Bring an apple.', 'I want an apple.')


def test_an_id_goes_before_an_index(write: Write, small_home: dict[str, Any]) -> None:
    path = write([entry(task_id=1), entry(task_id=0), entry(task_id=7)])
    ids = {
        which: load_task(f'{path}#{which}', small_home, 0).task_id  # type: ignore[union-attr]
        for which in ('0', '1', '2', 'index:0', 'index:1')
    }
    assert ids == {'0': '0', '1': '1', '2': '7', 'index:0': '1', 'index:1': '0'}


def test_the_seed_chooses_where_the_text_does_not(
    write: Write, small_home: dict[str, Any]
) -> None:
    path = write([entry(task_id=number) for number in range(3)])
    assert [load_task(path, small_home, seed).task_id for seed in range(4)] == [  # type: ignore
        '0',
        '1',
        '2',
        '0',
    ]


def test_a_wording_can_be_chosen(write: Write, small_home: dict[str, Any]) -> None:
    path = write([entry()])
    task = load_task(f'{path}#114/2', small_home, 0)
    assert task is not None and task.instruction == 'I want an apple.'
    for wrong in ('0', '3', '-1', 'x', '9' * 5000):
        with pytest.raises(ConfigurationError, match='choose 1 to 2'):
            load_task(f'{path}#114/{wrong}', small_home, 0)


def test_a_mapping_of_ids_and_a_single_task_are_read(
    write: Write, small_home: dict[str, Any]
) -> None:
    one = entry()
    del one['task_id']
    task = load_task(f'{write({"20": one})}#20', small_home, 0)
    assert task is not None and task.task_id == '20'
    task = load_task(write(one), small_home, 0)
    assert task is not None and task.task_id == '0'


def test_goals_per_agent_and_counts_in_lists_are_read(
    write: Write, small_home: dict[str, Any]
) -> None:
    nested = {'0': {'on_apple_coffeetable': [2, True, 2], 'on_plate_coffeetable': 0}, '1': {}}
    task = load_task(write([entry(task_goal=nested)]), small_home, 0)
    assert task is not None and task.goal == {'on_apple_coffeetable': 2}


def test_a_changed_file_is_read_again(write: Write, small_home: dict[str, Any]) -> None:
    load_task(write([entry()]), small_home, 0)
    task = load_task(write([entry(nl_instructions=['Another sentence.'])]), small_home, 0)
    assert task is not None and task.instruction == 'Another sentence.'


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ([], 'no tasks'),
        (3, 'no tasks'),
        ([3], 'expected a mapping'),
        ([entry(nl_instructions=[])], 'nl_instructions'),
        ([entry(nl_instructions=['fine', ' '])], 'nl_instructions'),
        ([entry(task_goal=[1])], 'task_goal must map'),
        ([entry(task_goal={'on_apple_sofa': 'two'})], 'whole number'),
        ([entry(task_goal={'on_apple_sofa': -1})], 'whole number'),
        ([entry(task_goal={'near_apple_sofa': 1})], 'near_apple_sofa'),
        ([entry(task_goal={'on_dragon_sofa': 1})], 'dragon'),
        ([entry(task_goal={'on_apple_dragon': 1})], 'dragon'),
        ([entry(task_goal={'on_apple_sofa': 100000})], 'at most'),
        ([entry(task_goal={})], 'task_plan'),
        ([entry(init_graph={'nodes': 1, 'edges': []})], 'init_graph'),
        ([entry(init_graph='missing.json')], 'missing.json'),
        ([entry(init_room='garage')], 'its rooms are: kitchen, livingroom'),
        ([entry(init_room=4)], 'init_room'),
    ],
)
def test_what_is_wrong_is_said(
    write: Write, small_home: dict[str, Any], data: Any, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_task(write(data), small_home, 0)


def test_files_that_cannot_be_read_are_told(tmp_path: Path, small_home: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match='cannot be read'):
        load_task(f'wah:{tmp_path}/none.json#1', small_home, 0)
    with pytest.raises(ConfigurationError, match='pickle'):
        load_task(f'wah:{tmp_path}/env_task_set.pik#1', small_home, 0)
    (tmp_path / 'bad.json').write_text('{')
    with pytest.raises(ConfigurationError, match='not JSON'):
        load_task(f'wah:{tmp_path}/bad.json#1', small_home, 0)
    with pytest.raises(ConfigurationError, match='index from 0 to 0'):
        (tmp_path / 'one.json').write_text(json.dumps([entry()]))
        load_task(f'wah:{tmp_path}/one.json#9', small_home, 0)


def test_a_task_with_a_home_of_its_own_starts_there(
    write: Write, small_home: dict[str, Any]
) -> None:
    text = write([entry(init_graph=small_home, init_room='kitchen')]) + '#114'
    world = HouseholdWorld()
    assert world.reset('generated:1', text, 0).room == 'kitchen 1'
    assert world.scene.startswith('wah:')
    assert len(world.graph()['nodes']) == len(small_home['nodes'])
    assert world.task().notes == ()
    # The home stays when the next task is set in it, and can be loaded by its name.
    assert world.reset('', '', 0).room == 'kitchen 1'
    other = HouseholdWorld()
    other.reset(world.scene, '', 0)
    assert len(other.graph()['nodes']) == len(small_home['nodes'])


def test_a_published_home_is_not_added_to(write: Write, small_home: dict[str, Any]) -> None:
    short = entry(init_graph=small_home, task_goal={'on_apple_coffeetable': 9})
    world = HouseholdWorld()
    world.reset('', write([short]), 0)
    assert len(world.graph()['nodes']) == len(small_home['nodes'])


def test_a_home_may_be_in_a_file_beside_the_tasks(
    write: Write, small_home: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / 'home_3.json').write_text(json.dumps(small_home))
    world = HouseholdWorld()
    world.reset('', write([entry(init_graph='home_3.json')]), 0)
    assert len(world.graph()['nodes']) == len(small_home['nodes'])


def test_a_task_without_a_home_has_no_scene_to_load(write: Write) -> None:
    with pytest.raises(ConfigurationError, match='name a scene'):
        HouseholdWorld().reset(write([entry()]) + '#114', '', 0)


def test_a_gold_plan_tells_goal_and_sources() -> None:
    goal, sources = read_plan([*PLAN, 'switch on the dishwasher'], 'here')
    assert goal == {'on_juice_coffeetable': 1, 'on_apple_coffeetable': 1, 'turnOn_dishwasher': 1}
    assert sources == {'juice': 'fridge'}


@pytest.mark.parametrize(
    'plan',
    [None, [], 'find', [3], ['dance'], ['find a dragon'], ['put down the apple'], PLAN[:3]],
)
def test_other_plans_are_refused(plan: Any) -> None:
    with pytest.raises(ConfigurationError, match='here'):
        read_plan(plan, 'here')


@given(st.lists(st.text(max_size=30) | st.sampled_from(PLAN), max_size=30))
def test_any_list_is_a_plan_or_is_refused(plan: list[str]) -> None:
    try:
        goal, _ = read_plan(plan, 'here')
    except ConfigurationError:
        return
    assert goal and all(need >= 1 for need in goal.values())


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(changes=st.dictionaries(st.sampled_from(sorted(entry())), _VALUES), which=st.text())
def test_any_file_is_a_task_or_is_refused(
    write: Write, small_home: dict[str, Any], changes: dict[str, Any], which: str
) -> None:
    try:
        load_task(f'{write([entry(**changes)])}#{which}', small_home, 0)
    except ConfigurationError as error:
        assert str(error)


def test_what_is_missing_is_added_where_the_plan_finds_it(small_home: dict[str, Any]) -> None:
    before = deepcopy(small_home)
    provision = add_missing_objects(small_home, {'on_juice_sofa': 2}, {'juice': 'fridge'}, 0)
    assert small_home == before
    assert provision.notes == ('Added 2 juice in fridge 1.',)
    world = HouseholdWorld()
    world.reset_to(provision.graph)
    for skill in ('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up juice 2'):
        assert world.step(skill).succeeded


def test_nothing_is_added_to_a_home_that_has_enough(small_home: dict[str, Any]) -> None:
    provision = add_missing_objects(small_home, {'on_apple_coffeetable': 2}, {}, 0)
    assert provision.graph is small_home and not provision.notes


@pytest.mark.parametrize('seed', range(8))
def test_things_are_not_added_at_the_target(small_home: dict[str, Any], seed: int) -> None:
    goal = {'inside_pudding_fridge': 3, 'inside_apple_fridge': 3}
    provision = add_missing_objects(small_home, goal, {'pudding': 'fridge'}, seed)
    home = Home(provision.graph)
    assert home.stored('pudding', 'fridge') == 0
    assert home.supply('pudding', 'fridge') == home.supply('apple', 'fridge') == 3


def test_the_same_seed_adds_alike_and_others_differ(small_home: dict[str, Any]) -> None:
    goal = {'on_pudding_sofa': 3}
    notes = {add_missing_objects(small_home, goal, {}, seed).notes for seed in range(12)}
    assert add_missing_objects(small_home, goal, {}, 4) == add_missing_objects(
        small_home, goal, {}, 4
    )
    assert len(notes) > 1


def test_a_missing_dishwasher_is_added_to_the_kitchen(small_home: dict[str, Any]) -> None:
    small_home['nodes'] = [
        node for node in small_home['nodes'] if node['class_name'] != 'dishwasher'
    ]
    goal = {'inside_plate_dishwasher': 1, 'turnOn_dishwasher': 1}
    provision = add_missing_objects(small_home, goal, {}, 0)
    assert provision.notes == ('Added 1 dishwasher in kitchen 1.',)
    world = HouseholdWorld()
    world.reset_to(provision.graph)
    for skill in ('go to kitchen 1', 'go to dishwasher 1', 'open dishwasher 1'):
        assert world.step(skill).succeeded
    assert world.step('turn on dishwasher 1').succeeded


def _published(shared_data: Path) -> tuple[str, list[Path]]:
    tasks = shared_data / 'wah_nl_train' / 'wah_examples_for_prompt_default.json'
    homes = sorted((shared_data / 'wah_graphs').glob('graph_env_setup_*.json'))
    homes += [shared_data / 'wah_graphs' / 'unity_graph_tests.json']
    need_data(tasks, *homes)
    return f'wah:{tasks}', homes


def test_every_published_training_task_can_be_set_and_some_are_solved(shared_data: Path) -> None:
    text, homes = _published(shared_data)
    world = HouseholdWorld()
    for index in range(len(json.loads(Path(text[4:]).read_text()))):
        world.reset(str(homes[index % len(homes)]), f'{text}#index:{index}', index)
        progress = world.progress()
        assert progress is not None
        assert progress.total == sum(world.task().goal.values())
        if index % 25 == 0:
            try:
                solve(world)
            except SkillError as error:
                pytest.fail(f'task {index} in {homes[index % len(homes)].name}: {error}')
            progress = world.progress()
            assert progress is not None and progress.success
