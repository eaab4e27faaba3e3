"""Tasks in the form of SMART-LLM's files; the lines here are made up."""

from __future__ import annotations

import json

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_tools.bench.task_sources import tasks_of
from sim_bridge.worlds.registry import given_back, make_task_world
from sim_bridge.worlds.thor.goals import StatesGoal, Wanted
from sim_bridge.worlds.thor.smart_llm import check_scene, smart_task
from support.small_kitchen import metadata, thing
from support.thor_walk import STAND_IN

LINES = (
    '{"task": "Put the  egg on the table", "robot list" : [3, 4], "object_states" : '
    '[{"name": "DiningTable, ", "contains": ["Egg"], "state": None}], "trans":0, "max_trans":1} ',
    '{"task": "Open the drawer", "robot list": [1], '
    '"object_states": [{"name": "Drawer", "contains": [], "state": "OPENED"}]}',
    '',
    '{"task": "Sing", "robot list": [1, 2, 3]}',
    '{"task": "Dance", "robot list": [1, 2], "object_states": [{"name": "Egg", "state": "GONE"}]}',
    '{"task": "Broken", "robot list": [1], "object_states": [{"name": "Egg", "state": "ON"}, ',
    '{"task": "Rest", "robot list": [1], "object_states": [{"name": "Egg", "state": "None"}]}',
    '{"task": "Hide", "robot list": [], "object_states": [{"name": "Egg", "state": "ON"}]}',
    '["no", "task"]',
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'FloorPlan7.json').write_text('\n'.join(LINES))
    (tmp_path / 'FloorPlan30.json').write_text(LINES[1] + '\n')
    (tmp_path / 'notes.json').write_text(json.dumps({}))
    return tmp_path


def test_every_line_is_a_task_for_as_many_robots_as_it_tells(folder):
    tasks = tasks_of(f'smart_llm:{folder}')
    assert [one.task.rpartition('#')[2] for one in tasks] == [
        'FloorPlan30/0', *(f'FloorPlan7/{number}' for number in range(8)),
    ]  # fmt: skip
    assert [one.world.rpartition('=')[2] for one in tasks[:4]] == ['1', '2', '1', '3']
    assert [one.task for one in tasks_of(f'smart_llm:{folder}[0:2]')] == [
        one.task for one in tasks[:2]
    ]
    # Options of the world are kept, and who says how many robots has said it.
    assert tasks_of(f'thor_team,size=320:smart_llm:{folder}')[1].world == (
        'thor_team,size=320,robots=2'
    )
    assert tasks_of(f'thor_team,robots=4:smart_llm:{folder}')[1].world == 'thor_team,robots=4'
    assert tasks_of(f'thor:smart_llm:{folder}')[1].world == 'thor'


def test_what_is_told_is_the_goal(folder):
    task = smart_task(f'smart_llm:{folder}#FloorPlan7/0')
    assert (task.task_id, task.floor_plan) == ('FloorPlan7/0', 'FloorPlan7')
    assert task.instruction == 'Put the egg on the table'
    assert task.goal == StatesGoal((Wanted('DiningTable', ('Egg',)),))
    assert smart_task(f'smart_llm:{folder}#FloorPlan7/1').goal == StatesGoal(
        (Wanted('Drawer', (), 'OPENED'),)
    )


@pytest.mark.parametrize(
    ('number', 'why'),
    [
        (2, 'has no object_states'),
        (3, "has the state 'GONE'"),
        (4, 'is no JSON'),
        (5, 'says nothing of Egg'),
        (6, 'robot list'),
        (7, 'is no task of SMART-LLM'),
        (8, 'has 8 tasks'),
    ],
)
def test_a_task_without_a_goal_that_can_be_read_is_named(folder, number, why):
    with pytest.raises(ConfigurationError, match=f'(?s)FloorPlan7.*{why}'):
        smart_task(f'smart_llm:{folder}#FloorPlan7/{number}')


def test_a_folder_without_tasks_is_refused(tmp_path):
    for name in (f'{tmp_path}', f'{tmp_path}/none'):
        with pytest.raises(ConfigurationError, match=r'FloorPlan\*|there is no folder'):
            tasks_of(f'smart_llm:{name}')


def kitchen(**table):
    return metadata(
        thing('DiningTable_1', objectId='DiningTable|1', receptacle=True, **table),
        thing('Egg_1', objectId='Egg|1', pickupable=True, temperature='RoomTemp'),
    )


def test_conditions_are_judged_on_the_last_event(folder):
    goal = StatesGoal((Wanted('DiningTable', ('Egg',)), Wanted('Egg', (), 'HOT')))
    before, after = kitchen(), kitchen(receptacleObjectIds=['Egg|1'])
    assert (goal.progress(before).met, goal.progress(before).total) == (0, 2)
    assert goal.progress(after).met == 1 and not goal.progress(after).success
    assert goal.missing(before) == ''
    assert StatesGoal((Wanted('egg', (), 'HOT'),)).missing(before) == 'egg'


def test_what_holds_at_the_start_or_is_not_there_is_left_out(folder):
    task = smart_task(f'smart_llm:{folder}#FloorPlan7/0')
    check_scene(task, kitchen())
    with pytest.raises(ConfigurationError, match='FloorPlan7/0 is left out: its goal holds'):
        check_scene(task, kitchen(receptacleObjectIds=['Egg|1']))
    with pytest.raises(ConfigurationError, match="nothing there is named 'Drawer'"):
        check_scene(smart_task(f'smart_llm:{folder}#FloorPlan7/1'), kitchen())


def test_the_world_sets_such_a_task(folder):
    task = tasks_of(f'thor_team,answer=20,stand_in={STAND_IN}:smart_llm:{folder}')[2]
    with given_back(make_task_world(task.world)) as world:
        world.reset(task.scene, task.task, task.seed)
        assert isinstance(world.task(), WorldTask) and world.scene == 'FloorPlan7'
        progress = world.progress()
        assert (progress.met, progress.total) == (0, 1)
        for skill in world.admissible_skills():
            if skill.startswith('go to Drawer'):
                world.step(skill)
                world.step(skill.replace('go to', 'open'))
                break
        assert world.progress().success
