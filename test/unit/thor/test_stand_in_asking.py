"""What programs ask the stand-in without moving: poses, ways; and things spread by a seed."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from sim_bridge.worlds.thor.stand_in.scene import thing_at

from .test_stand_in_rules import done, of_class, simulation, take, told


def returned(made, action, **fields):
    after = told(made, action, **fields)
    assert after['lastActionSuccess'], after['errorMessage']
    return after['actionReturn']


def sees(made, thing):
    after = told(made, 'Pass')
    return next(one['visible'] for one in after['objects'] if one['objectId'] == thing.object_id)


def go(made, pose):
    assert done(
        made, 'TeleportFull', x=pose['x'], y=pose['y'], z=pose['z'], horizon=pose['horizon'],
        rotation={'y': pose['rotation']}, standing=pose['standing'],
    )  # fmt: skip


@pytest.mark.parametrize('class_name', ['Fridge', 'Mug', 'StoveKnob', 'SinkBasin'])
def test_from_each_pose_that_is_told_the_thing_is_seen_and_from_others_it_is_not(class_name):
    made = simulation()
    if not of_class(made, class_name):
        made.state.add(thing_at(class_name, (made.state.scene.reachable[0][0], 1.0, 0.0)))
    thing = of_class(made, class_name)[0]
    before = told(made, 'Pass')
    poses = returned(made, 'GetInteractablePoses', objectId=thing.object_id)
    assert told(made, 'Pass')['agent'] == before['agent']
    for pose in poses[:: max(1, len(poses) // 25)]:
        go(made, pose)
        assert sees(made, thing)
    told_poses = {(p['x'], p['z'], p['rotation'], p['horizon'], p['standing']) for p in poses}
    others = [
        {'x': x, 'y': 0.9, 'z': z, 'rotation': turn, 'horizon': 0.0, 'standing': True}
        for x, z in made.state.scene.reachable
        for turn in (0.0, 90.0, 180.0, 270.0)
        if (x, z, turn, 0.0, True) not in told_poses
    ]
    for pose in others[:: max(1, len(others) // 25)]:
        go(made, pose)
        assert not sees(made, thing)


def test_poses_are_kept_to_what_is_asked_for():
    made = simulation()
    fridge = of_class(made, 'Fridge')[0].object_id
    x, z = made.state.scene.reachable[0]
    every = returned(made, 'GetInteractablePoses', objectId=fridge)
    some = returned(
        made, 'GetInteractablePoses', objectId=fridge, rotations=[0, 90], horizons=[30],
        standings=[True],
    )  # fmt: skip
    assert some == [
        pose for pose in every
        if pose['rotation'] in (0, 90) and pose['horizon'] == 30 and pose['standing']
    ]  # fmt: skip
    assert returned(made, 'GetInteractablePoses', objectId=fridge, maxPoses=2) == every[:2]
    far = returned(made, 'GetInteractablePoses', objectId=fridge, maxDistance=3.0)
    assert len(far) > len(every)
    here = [{'x': x, 'y': 0.9, 'z': z}]
    at = returned(made, 'GetInteractablePoses', objectId=fridge, positions=here)
    assert {(pose['x'], pose['z']) for pose in at} <= {(x, z)}


@pytest.mark.parametrize(
    'wrong',
    [
        {'horizons': [90]}, {'maxPoses': 0}, {'maxDistance': -1}, {'rotations': 'all'},
        {'positions': [{'x': 1}]}, {'standings': []}, {'rotations': [1] * 10_001},
        {'rotations': list(range(3000)), 'maxDistance': 50}, {'horizons': [float('nan')]},
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_told(wrong):
    made = simulation()
    fridge = of_class(made, 'Fridge')[0].object_id
    after = told(made, 'GetInteractablePoses', objectId=fridge, **wrong)
    assert not after['lastActionSuccess'] and after['errorMessage']
    assert after['errorCode'] in ('InvalidArgument', 'MissingArguments')
    assert not done(made, 'GetInteractablePoses', objectId='Nothing|0|0|0')


def length(corners):
    return sum(math.hypot(b['x'] - a['x'], b['z'] - a['z']) for a, b in pairwise(corners))


def test_a_path_ends_where_the_thing_is_seen_and_is_the_shortest():
    made = simulation()
    fridge = of_class(made, 'Fridge')[0]
    x, z = made.state.scene.reachable[-1]
    begin = {'x': x, 'y': 0.9, 'z': z}
    corners = returned(
        made, 'GetShortestPath', objectId=fridge.object_id, position=begin
    )['corners']  # fmt: skip
    assert (corners[0]['x'], corners[0]['z']) == (x, z)
    poses = returned(made, 'GetInteractablePoses', objectId=fridge.object_id)
    ends = {(pose['x'], pose['z']) for pose in poses if pose['standing']}
    assert (corners[-1]['x'], corners[-1]['z']) in ends
    for x, z in sorted(ends):
        to = returned(
            made, 'GetShortestPathToPoint', position=begin,
            target={'x': x, 'y': 0.9, 'z': z}, allowedError=0.01,
        )  # fmt: skip
        assert length(to['corners']) >= length(corners) - 1e-6
    # Straight on and at right angles, over points where the agent can stand.
    for a, b in pairwise(corners):
        assert abs(a['x'] - b['x']) < 1e-6 or abs(a['z'] - b['z']) < 1e-6
    by_class = returned(made, 'GetShortestPath', objectType='Fridge', position=begin)
    assert by_class['corners'] == corners


def test_a_path_that_is_none_is_told():
    made = simulation()
    far = {'x': 500.0, 'y': 0.9, 'z': 0.0}
    fridge = of_class(made, 'Fridge')[0].object_id
    assert (
        'cannot stand'
        in told(made, 'GetShortestPath', objectId=fridge, position=far)['errorMessage']
    )
    assert 'no path' in told(made, 'GetShortestPathToPoint', target=far)['errorMessage']
    assert 'no Spaceship' in told(made, 'GetShortestPath', objectType='Spaceship')['errorMessage']
    assert told(made, 'GetShortestPath')['errorCode'] == 'MissingArguments'


def places(made):
    return {
        key: (thing.parent, thing.position)
        for key, thing in made.state.things.items()
        if thing.is_a('pickupable')
    }


def test_things_are_spread_by_the_seed_each_where_its_class_may_lie():
    made = simulation()
    before = places(made)
    returned(made, 'InitialRandomSpawn', randomSeed=3)
    spread = places(made)
    assert spread != before and spread.keys() == before.keys()
    again = simulation()
    returned(again, 'InitialRandomSpawn', randomSeed=3)
    assert places(again) == spread
    other = simulation()
    returned(other, 'InitialRandomSpawn', randomSeed=4)
    assert places(other) != spread
    for key, (parent, position) in spread.items():
        if (parent, position) != before[key]:
            thing = made.state.things[key]
            receptacle = made.state.things[parent]
            assert receptacle.of_class.may_hold(thing.class_name)
            assert len(receptacle.contents) <= receptacle.of_class.most
            assert receptacle.contents.count(key) == 1


def test_what_is_spread_can_be_limited():
    made = simulation()
    mug = take(made, 'Mug')
    assert 'the hand holds' in told(made, 'InitialRandomSpawn')['errorMessage']
    assert done(made, 'DropHandObject')
    before = places(made)
    returned(
        made, 'InitialRandomSpawn', randomSeed=1, forceVisible=True,
        excludedObjectIds=[mug.object_id], excludedReceptacles=['CounterTop'],
    )  # fmt: skip
    after = places(made)
    assert after[mug.object_id] == before[mug.object_id]
    moved = [key for key in after if after[key] != before[key]]
    assert moved
    for key in moved:
        assert not made.state.is_hidden(made.state.things[key])
        assert made.state.things[after[key][0]].class_name != 'CounterTop'
    apples = {'objectType': 'Apple', 'count': 4}
    returned(made, 'InitialRandomSpawn', numDuplicatesOfType=[apples])
    assert len(of_class(made, 'Apple')) == 4
    returned(made, 'InitialRandomSpawn', numDuplicatesOfType=[{**apples, 'count': 1}])
    assert len(of_class(made, 'Apple')) == 1
    for wrong in (
        {'numDuplicatesOfType': [{**apples, 'count': 10_000}]},
        {'numDuplicatesOfType': [{'objectType': 'Spaceship', 'count': 2}]},
        {'numDuplicatesOfType': 3}, {'excludedObjectIds': 'all'}, {'numPlacementAttempts': 0},
    ):  # fmt: skip
        assert not done(made, 'InitialRandomSpawn', **wrong)
