"""How scenes are named, and restored for a task: the published calls, in their order."""

from __future__ import annotations

import json

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.dialects import dialect_of
from sim_bridge.worlds.thor.loading import restored, scene_of, size_of
from sim_bridge.worlds.thor.tasks import alfred_task
from support.alfred_data import write_task
from support.small_kitchen import metadata, SmallClient

POINTS = [{'x': 0.0, 'y': 0.9, 'z': 0.25}]


def client_with_points(version='2.1'):
    client = SmallClient(metadata(), version)
    client.then('GetReachablePositions', actionReturn=POINTS)
    return client


def test_a_task_is_restored_by_the_published_calls(tmp_path):
    task = alfred_task(str(write_task(tmp_path)), 0)
    client = client_with_points()
    told, points = restored(client, 'FloorPlan10', task)
    assert points == POINTS and told['lastActionSuccess']
    assert client.sent == [
        {'action': 'Reset', 'scene': 'FloorPlan10'},
        {'action': 'SetObjectToggles', 'objectToggles': [*task.toggles]},
        {'action': 'SetStateOfAllObjects', 'StateChange': 'CanBeDirty', 'forceAction': True},
        {'action': 'SetStateOfAllObjects', 'StateChange': 'CanBeFilled', 'forceAction': False},
        {'action': 'SetObjectPoses', 'objectPoses': [*task.poses]},
        {'action': 'GetReachablePositions'},
        dict(task.begin),
    ]


def test_the_new_client_is_sent_the_first_action_in_its_own_words(tmp_path):
    task = alfred_task(str(write_task(tmp_path)), 0)
    client = client_with_points('5')
    restored(client, 'FloorPlan10', task)
    assert client.sent[-1] == {
        'action': 'TeleportFull',
        'x': 0.25,
        'y': 0.9,
        'z': 0.25,
        'rotation': {'x': 0.0, 'y': 90.0, 'z': 0.0},
        'horizon': 30.0,
        'standing': True,
    }


def test_a_task_without_toggles_dirt_and_first_action_needs_less(tmp_path):
    scene = {'floor_plan': 'FloorPlan10', 'object_poses': []}
    task = alfred_task(str(write_task(tmp_path, scene=scene)), 0)
    client = client_with_points()
    restored(client, 'FloorPlan10', task)
    assert client.actions == ['Reset', 'GetReachablePositions']
    client = client_with_points()
    restored(client, 'FloorPlan10', None)
    assert client.actions == ['Reset', 'GetReachablePositions']


def test_poses_that_do_not_fit_the_program_are_told(tmp_path):
    task = alfred_task(str(write_task(tmp_path)), 0)
    client = client_with_points('5')
    client.then('SetObjectPoses', False, errorMessage='no such\nobject')
    with pytest.raises(ConfigurationError, match=r'no such object.*version=2\.1'):
        restored(client, 'FloorPlan10', task)
    with pytest.raises(ConfigurationError, match='no point'):
        restored(SmallClient(metadata()), 'FloorPlan10', None)


def test_scenes_are_floor_plans_and_houses(tmp_path):
    assert scene_of('FloorPlan10') == 'FloorPlan10'
    house = tmp_path / 'house.json'
    house.write_text(json.dumps({'rooms': []}))
    assert scene_of(str(house)) == {'rooms': []}
    house.write_text('[1]')
    for scene in ('FloorPlan', 'FloorPlan10; rm', str(house), str(tmp_path)):
        with pytest.raises(ConfigurationError):
            scene_of(scene)


def test_sizes_are_one_or_two_sides():
    assert size_of('300') == (300, 300) and size_of('640x480') == (640, 480)
    for text in ('', '299', '300x', 'x300', '300x5000', '3e2', '٣٠٠'):
        with pytest.raises(ConfigurationError, match='size must be'):
            size_of(text)


def test_dialects_follow_from_the_version():
    assert dialect_of('2.1.0').version == '2.1' and dialect_of('5.0.0').version == '5'
    old = dialect_of('2.1.0').initialization()
    assert old == {
        'gridSize': 0.25,
        'cameraY': 0.75,
        'renderImage': True,
        'renderDepthImage': True,
        'renderClassImage': True,
        'renderObjectImage': True,
        'visibility_distance': 1.5,
        'makeAgentsVisible': False,
    }
    assert dialect_of('5.0.0').initialization()['visibilityDistance'] == 1.5
