"""The world on the published client, with the stand-in for the Unity program."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError, SkillError, WorldGoneError
from reactree_core.observation import Outcome
from reactree_core.world import ExpertWorld, TaskWorld
from sim_bridge.pictures import Cameras
from sim_bridge.worlds.thor import client
from sim_bridge.worlds.thor.goals import TASK_TYPES
from sim_bridge.worlds.thor.offers import SKILL_TYPES
from sim_bridge.worlds.thor.stand_in.launcher import executable
from sim_bridge.worlds.thor.world import ThorWorld
from support.alfred_data import alfred_folder, stand_in_options, write_task, written_task
from support.needs import needs
from support.thor_walk import STAND_IN, walk

ROOT = Path(__file__).resolve().parents[3]
#: Seconds within which a skill ends whatever the program does.
ENDS = 2.0


@pytest.fixture(scope='module')
def world():
    """One program for all tests that leave it alive."""
    made = ThorWorld(stand_in=STAND_IN)
    yield made
    made.close()


@pytest.fixture
def own_world():
    """A world of this test alone, by its options."""
    made = []

    def make(**options):
        made.append(ThorWorld(**{'stand_in': STAND_IN, **options}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_published_client_is_what_runs(world, record_property, capsys):
    record_property('ai2thor', client.installed_version())
    with capsys.disabled():
        sys.stdout.write(f'[ai2thor {client.installed_version()}]')
    first = world.reset('FloorPlan10', '', 0)
    assert isinstance(world, TaskWorld)
    assert isinstance(world, ExpertWorld)
    assert isinstance(world, Cameras)
    assert first.text.startswith('You are in the house, and you arrive at the kitchen, Looking ')
    assert first.room == 'kitchen 1' and first.held == ()
    assert world.observe() == first and world.scene == 'FloorPlan10'
    assert world.task() is None and world.progress() is None
    vocabulary = world.vocabulary()
    assert vocabulary.domain == 'alfred'
    both = list(zip(vocabulary.skill_types, SKILL_TYPES, strict=True))
    assert all(replace(told, slot_types=one.slot_types) == one for told, one in both)
    # What opens and switches is told; nothing else differs.
    assert {told.template for told, one in both if told != one} == {
        'open <name>', 'close <name>', 'turn on <name>', 'turn off <name>',
    }  # fmt: skip
    assert 'Fridge' in vocabulary.place_classes and 'Mug' in vocabulary.object_classes
    assert next(words[:2] for words in vocabulary.other_words if words[0] == 'CounterTop') == (
        'CounterTop',
        'counter top',
    )


def test_a_fridge_is_gone_to_opened_and_looked_into(world):
    world.reset('FloorPlan10', '', 0)
    seen = world.step('go to Fridge (1)')
    assert seen.outcome is Outcome.SUCCEEDED and seen.place == 'Fridge (1)'
    assert seen.text.startswith('You arrive at Fridge (1). You see ')
    assert seen.text.endswith('Fridge (1) is closed.') and seen.looked_at == ()
    assert 'open Fridge (1)' in seen.admissible_skills
    seen = world.step('open Fridge (1)')
    assert seen.looked_at == ('Fridge (1)',)
    fridge = next(fact for fact in seen.facts if fact.name == 'Fridge 1')
    assert fact_words(fridge) == ['open']
    inside = [fact for fact in seen.facts if fact.receptacle == 'Fridge 1']
    assert inside and f'pick up {inside[0].object_class} ({inside[0].instance})' in (
        seen.admissible_skills
    )
    held = world.step(f'pick up {inside[0].object_class} ({inside[0].instance})')
    assert held.text.endswith(f'I am holding {held.held[0]} now.')
    assert next(fact for fact in held.facts if fact.receptacle == 'agent 1')


def fact_words(fact):
    return fact.state.split(', ')


def test_candidates_are_the_published_set(world):
    world.reset('FloorPlan10', '', 0)
    first = world.candidate_skills()
    assert first and all(skill.startswith('go to ') for skill in first)
    world.step('go to Fridge (1)')
    after = world.candidate_skills()
    assert {'open Fridge (1)', 'close Fridge (1)'} <= set(after) and set(first) < set(after)
    # A text without anything to be seen leaves only what there was first.
    world.step('close Fridge (1)')
    assert set(world.candidate_skills()) == set(first)
    assert len(set(after)) == len(after)


def test_what_is_no_skill_changes_nothing(world):
    world.reset('FloorPlan10', '', 0)
    before = world.robot.metadata
    for skill in ('dance', 'go to ', 'go to Unicorn (1)', 'open Unicorn (1)', 'pick up'):
        assert world.step(skill).outcome is Outcome.INVALID_SKILL
    assert world.robot.metadata is before
    assert world.step('recall location of Mug').text == 'You have not seen Mug before.'


def test_http_and_pipes_give_the_same_texts(own_world):
    told = []
    for transport in ('fifo', 'http'):
        world = own_world(transport=transport, texts='published', names='published')
        told.append(walk(world))
    assert told[0] == told[1] and len(told[0]) > 20


@needs('old ai2thor')
@pytest.mark.timeout(120)
def test_the_old_client_gives_the_same_texts(own_world):
    python = os.environ['REACTREE_THOR21_PYTHON']
    options = {'texts': 'published', 'names': 'published'}
    paths = [str(folder) for folder in (ROOT / 'src', ROOT / 'test')]
    old = subprocess.run(
        [python, '-m', 'support.thor_walk', json.dumps({**options, 'version': '2.1'})],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)},
        capture_output=True,
        check=True,
        timeout=60.0,
    )
    assert json.loads(old.stdout.splitlines()[-1]) == walk(own_world(**options))


@pytest.mark.parametrize('task_type', TASK_TYPES)
def test_tasks_of_every_sort_are_drawn_and_follow_from_their_seed(world, task_type):
    world.reset('', f'{task_type}:3', 0)
    task, scene = world.task(), world.scene
    assert task.task_id == f'{task_type}:3' and task.task_type == task_type
    assert task.instruction.endswith('.') and task.plan and not world.progress().success
    world.reset('', f'{task_type}:4', 0)
    world.reset('', task_type, 3)
    assert (world.task(), world.scene) == (task, scene)


def test_generated_tasks_are_solved_by_their_plans(shared_data, own_world):
    world = own_world(stand_in=f'{stand_in_options(shared_data)} --frames plain')
    for task_type in TASK_TYPES:
        for seed in (1, 2):
            world.reset('', f'{task_type}:{seed}', 0)
            assert world.expert() and world.progress().success


def test_gold_plans_reach_their_goals(shared_data, own_world):
    folder = alfred_folder(shared_data)
    world = own_world(stand_in=f'{stand_in_options(shared_data)} --frames plain')
    failed = []
    for file in sorted(folder.glob('*/*.json')):
        first = world.reset('', f'alfred:{file}#0', 0)
        assert first.text.startswith('You are in the house') and not world.progress().success
        try:
            world.expert()
        except SkillError as error:
            failed.append(f'{file.name}: {error}')
    assert failed == []


def test_a_task_of_an_index_without_poses_is_played_as_the_floor_plan_is(shared_data, own_world):
    index = alfred_folder(shared_data) / 'valid_index.json'
    world = own_world()
    world.reset('', f'alfred:{index}#look_at_obj_in_light-AlarmClock-None-DeskLamp-323/0', 0)
    assert world.scene == 'FloorPlan323' and world.task().notes


def test_a_task_in_a_room_that_the_stand_in_does_not_know_is_refused(own_world, tmp_path):
    plan = written_task()['plan']
    plan['high_pddl'][2]['planner_action']['receptacleObjectId'] = 'Fridge|-02.10|+00.00|+01.09'
    file = write_task(tmp_path, plan=plan)
    world = own_world(stand_in='--made-up')
    with pytest.raises(ConfigurationError, match=r'Fridge.* is missing.*--layouts'):
        world.reset('', f'alfred:{file}#0', 0)


def test_the_task_brings_its_scene_along(world, tmp_path):
    file = write_task(tmp_path)
    with pytest.raises(ConfigurationError, match='is set in FloorPlan10, not in FloorPlan1'):
        world.reset('FloorPlan1', f'alfred:{file}', 0)
    world.reset('FloorPlan10', f'alfred:{file}#1', 0)
    assert world.task().instruction == 'Heat an apple, put it in the fridge.'
    assert world.tasks_of_file(tmp_path)[1] == world.task()
    # What has no pose is gone.
    pickable = [one for one in world.robot.metadata['objects'] if one['pickupable']]
    assert [one['objectType'] for one in pickable] == ['Apple']


@pytest.mark.parametrize(
    ('scene', 'task', 'words'),
    [
        ('FloorPlan999', '', 'FloorPlan999'),
        ('Mansion', '', 'there is no scene'),
        ('', 'heat:3', 'there is no task'),
        ('', 'alfred:nowhere.json#0', 'there is no nowhere.json'),
        ('FloorPlan401', 'pick_heat_then_place_in_recep:1', 'has not what a task'),
    ],
)
def test_what_cannot_be_loaded_is_told(world, scene, task, words):
    with pytest.raises(ConfigurationError, match=words):
        world.reset(scene, task, 0)
    world.reset('FloorPlan10', '', 0)


# The program -----------------------------------------------------------------------------------


@pytest.mark.parametrize('transport', ['fifo', 'http'])
@pytest.mark.parametrize('how', [signal.SIGKILL, signal.SIGSTOP])
def test_a_program_that_ends_or_hangs_in_a_skill_ends_it_and_is_started_again(
    own_world, transport, how
):
    world = own_world(transport=transport)
    world.reset('FloorPlan10', '', 0)
    places = [text for text in world.admissible_skills() if text.startswith('go to ')]
    pid = world.pid
    threading.Timer(0.3, os.kill, (pid, how)).start()
    until = time.monotonic() + 10.0
    with pytest.raises(WorldGoneError, match='reset the world'):
        while time.monotonic() < until:
            for skill in places:
                begun = time.monotonic()
                world.step(skill)
    assert time.monotonic() - begun < ENDS
    # Told at once from now on; looking needs no program.
    begun = time.monotonic()
    with pytest.raises(WorldGoneError):
        world.step(places[0])
    assert time.monotonic() - begun < 0.2 and world.observe().text
    assert world.reset('', '', 0).room == 'kitchen 1'
    assert world.pid not in (0, pid) and world.step(places[0]).succeeded


@pytest.mark.parametrize(
    ('options', 'how'), [('--die-after 9', 'has ended'), ('--hang-after 9', 'did not answer')]
)
def test_a_program_that_is_gone_while_it_loads_is_told(own_world, options, how):
    world = own_world(stand_in=f'{STAND_IN} {options}', start=3.0)
    with pytest.raises((ConfigurationError, SkillError), match=how):
        for _ in range(5):
            world.reset('FloorPlan10', '', 0)


def program(tmp_path, text):
    file = tmp_path / 'program'
    file.write_text(f'#!/bin/sh\n{text}\n')
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('echo sad story >&2; exit 3', r'exit code 3.*sad story.*docs/thor.md'),
        ('echo "Vulkan: no device" >&2; exit 1', 'finds no GPU'),
        ('echo "cannot open display" >&2; exit 1', 'finds no X display'),
        ('sleep 20', 'did not answer to start within 1 s'),
    ],
)
def test_a_program_that_does_not_start_is_told_in_a_sentence(own_world, tmp_path, text, words):
    world = own_world(executable=program(tmp_path, text), start=1.0)
    with pytest.raises(ConfigurationError, match=words):
        world.reset('FloorPlan10', '', 0)


def test_a_program_may_stand_in_a_folder_with_spaces(own_world, tmp_path):
    folder = tmp_path / 'of mine'
    folder.mkdir()
    there = executable(tmp_path, STAND_IN.split())
    (folder / 'thor').symlink_to(there)
    world = own_world(executable=str(folder / 'thor'))
    assert world.reset('FloorPlan10', '', 0).room == 'kitchen 1'


def test_programs_that_are_none_are_told(own_world, tmp_path):
    for named, words in (
        (str(tmp_path / 'gone'), 'is not there'),
        (str(tmp_path), 'is a folder'),
        ('"', 'is no command'),
    ):
        with pytest.raises(ConfigurationError, match=words):
            own_world(executable=named).reset('FloorPlan10', '', 0)
    file = tmp_path / 'plain'
    file.write_text('')
    with pytest.raises(ConfigurationError, match='chmod'):
        own_world(executable=str(file)).reset('FloorPlan10', '', 0)


def test_a_client_that_is_not_installed_or_is_another_one_is_told(own_world, monkeypatch):
    with pytest.raises(ConfigurationError, match=r'version 2\.1 is asked for, and ai2thor 5'):
        own_world(version='2.1').reset('FloorPlan10', '', 0)
    monkeypatch.setattr(client.importlib.util, 'find_spec', lambda name: None)
    with pytest.raises(ConfigurationError, match=r'requirements/thor\.txt'):
        own_world().reset('FloorPlan10', '', 0)


@pytest.mark.parametrize(
    'options',
    [
        {'names': 'long'}, {'texts': 'long'}, {'transport': 'pigeon'}, {'size': 20},
        {'size': '300x'}, {'answer': 0}, {'start': True}, {'answer': 'soon'},
    ],
)  # fmt: skip
def test_options_are_checked(options):
    with pytest.raises(ConfigurationError):
        ThorWorld(**options)
    with pytest.raises(ConfigurationError, match='version'):
        client.check_version('7')


def test_events_are_recorded(own_world, tmp_path):
    file = tmp_path / 'events.jsonl'
    world = own_world(record=str(file))
    world.reset('FloorPlan10', '', 0)
    world.step('go to Fridge (1)')
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line['action']['action'] for line in lines][:2] == ['Reset', 'GetReachablePositions']
    assert lines[-1]['action']['action'] == 'TeleportFull'
    assert lines[-1]['metadata']['agent']['position'] and lines[-1]['metadata']['objects']


def test_the_robots_camera_is_a_picture(own_world):
    world = own_world(stand_in='--made-up', size='400x300')
    world.reset('FloorPlan10', '', 0)
    picture = world.picture(-1, 400, 300)
    assert (picture.width, picture.height, len(picture.data)) == (400, 300, 360_000)
    assert world.picture(0, 200, 100).width == 200
    assert len(set(picture.data)) > 1
    with pytest.raises(ConfigurationError, match='camera 3'):
        world.picture(3, 400, 300)
