"""What the stand-in lets happen: seeing, putting, opening, whatever the numbers are."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge.worlds.thor.stand_in.classes import classes, CLOSABLE, OPENING_FAILS
from sim_bridge.worlds.thor.stand_in.evidence import Sources
from sim_bridge.worlds.thor.stand_in.frames import Frames
from sim_bridge.worlds.thor.stand_in.scene import FLOOR_PLANS, settle, thing_at
from sim_bridge.worlds.thor.stand_in.simulation import Simulation
from sim_bridge.worlds.thor.stand_in.sources import SceneSource

SOURCE = SceneSource(Sources())


def simulation(scene='FloorPlan1', rates=None):
    made = Simulation(SOURCE, Frames(False), 300, 300, rates or {})
    assert done(made, 'Reset', sceneName=f'{scene}_physics')
    return made


def told(made, action, **fields):
    """The metadata that follow an action."""
    return made.answer({'action': action, 'sequenceId': 1, **fields}).metadata['agents'][0]


def done(made, action, **fields):
    return told(made, action, **fields)['lastActionSuccess']


def of_class(made, class_name):
    return [one for one in made.state.things.values() if one.class_name == class_name]


def take(made, class_name):
    """Pick up a thing of a class, a new one if there is none."""
    if not of_class(made, class_name):
        made.state.add(thing_at(class_name, (0.0, 1.0, 0.0)))
    thing = of_class(made, class_name)[0]
    assert done(made, 'PickupObject', objectId=thing.object_id, forceAction=True)
    return thing


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(FLOOR_PLANS), st.integers(0, 10**6), st.sampled_from(range(0, 360, 15)),
    st.sampled_from((-30, 0, 30, 60)),
)  # fmt: skip
def test_nothing_is_seen_in_what_is_shut_and_what_is_held_always_is(plan, number, turn, horizon):
    made = simulation(plan)
    random = Random(number)
    state = made.state
    movable = [one for one in state.things.values() if one.is_a('pickupable')]
    held = random.choice(movable)
    assert done(made, 'PickupObject', objectId=held.object_id, forceAction=True)
    for one in state.things.values():
        if one.is_a('openable'):
            one.openness = random.choice((0.0, 1.0))
    x, z = random.choice(state.scene.reachable)
    after = told(
        made, 'TeleportFull', x=x, y=0.9, z=z, rotation={'y': turn}, horizon=horizon, standing=True
    )
    assert after['lastActionSuccess']
    seen = {one['objectId']: one for one in after['objects'] if one['visible']}
    assert held.object_id in seen
    shut = {
        one['objectId']
        for one in after['objects']
        if one['objectType'] in CLOSABLE and not one['isOpen']
    }
    for key, one in seen.items():
        parents = set(one['parentReceptacles'] or ())
        assert not parents & shut, key
        if held.object_id not in (key, *parents):
            assert state.things[key].box.aside((x, 0.0, z)) <= 1.5 + 1e-6


def test_a_thing_is_put_only_where_its_class_may_lie_and_the_door_is_open():
    made = simulation()
    apple = take(made, 'Apple')
    names = ('Fridge', 'StoveBurner', 'LightSwitch')
    fridge, burner, switch = (of_class(made, name)[0] for name in names)

    def refusal(receptacle):
        # Near enough, so that what is refused is the place and not the reach.
        made.state.settings.visibility = 50.0
        after = next(
            one
            for turn in (0, 90, 180, 270)
            for one in [
                done(made, 'TeleportFull', x=0.0, z=0.0, rotation=turn, forceAction=True)
                and told(made, 'PutObject', objectId=receptacle.object_id)
            ]
            if 'not visible' not in one['errorMessage']
        )
        assert not after['lastActionSuccess'] and after['errorCode'] == ''
        assert after['inventoryObjects'][0]['objectId'] == apple.object_id
        return after['errorMessage']

    assert 'is closed' in refusal(fridge)
    assert 'cannot be put into StoveBurner' in refusal(burner)
    assert 'is no receptacle' in refusal(switch)
    assert 'into itself' in refusal(apple)
    assert done(made, 'OpenObject', objectId=fridge.object_id, forceAction=True)
    # The words of 2.1.0; nothing else may be named than what is held.
    both = {'receptacleObjectId': fridge.object_id, 'forceAction': True}
    assert not done(made, 'PutObject', objectId=fridge.object_id, **both)
    assert done(made, 'PutObject', objectId=apple.object_id, **both)
    assert apple.parent == fridge.object_id and not made.state.held


@pytest.mark.parametrize('class_name', ['GarbageCan', 'SinkBasin', 'CounterTop'])
def test_receptacles_get_full_and_nothing_lies_where_something_else_does(class_name):
    made = simulation()
    bin_ = thing_at(class_name, (20.0, 0.5, 20.0))
    made.state.add(bin_)
    most = classes()[class_name].most
    for number in range(most + 1):
        potato = thing_at('Potato', (30.0 + number, 1.0, 30.0))
        made.state.add(potato)
        assert done(made, 'PickupObject', objectId=potato.object_id, forceAction=True)
        after = told(made, 'PutObject', objectId=bin_.object_id, forceAction=True)
        assert after['lastActionSuccess'] == (number < most), after['errorMessage']
    assert 'is full' in after['errorMessage'] and len(bin_.contents) == most
    places = {made.state.things[key].position for key in bin_.contents}
    assert len(places) >= 4


def test_opening_fails_as_often_as_it_is_told_and_by_the_seed():
    def outcomes():
        made = simulation(rates=OPENING_FAILS)
        drawer = of_class(made, 'Drawer')[0].object_id
        found = []
        for _ in range(1000):
            found.append(done(made, 'OpenObject', objectId=drawer, forceAction=True))
            if found[-1]:
                assert done(made, 'CloseObject', objectId=drawer, forceAction=True)
        return found

    first = outcomes()
    assert 60 <= first.count(False) <= 140
    assert outcomes() == first
    made = simulation(rates=OPENING_FAILS)
    made.state.add(thing_at('Safe', (0.0, 0.0, 0.0)))
    safe = of_class(made, 'Safe')[0].object_id
    tries = [done(made, 'OpenObject', objectId=safe, forceAction=True) for _ in range(5)]
    assert tries.count(True) <= 1


@pytest.mark.parametrize('value', [1e308, -1e308, 10**400, float('nan'), float('inf'), '3', True])
def test_numbers_that_are_no_place_are_told(value):
    made = simulation()
    for fields in (
        {'action': 'TeleportFull', 'x': value, 'y': 0.9, 'z': 0.0},
        {'action': 'MoveAhead', 'moveMagnitude': value},
        {'action': 'ChangeResolution', 'x': value, 'y': 300},
        {
            'action': 'SetObjectPoses',
            'objectPoses': [{'objectName': 'Mug_1', 'position': {'x': value, 'y': 1, 'z': 0}}],
        },
    ):
        after = told(made, **fields)
        assert not after['lastActionSuccess']
        assert after['errorCode'] == 'InvalidArgument', fields


@pytest.mark.parametrize(('width', 'height'), [(0, 300), (300, 4097), (4096, 4096), (300.5, 300)])
def test_frames_that_cannot_be_drawn_are_refused(width, height):
    made = simulation()
    after = told(made, 'ChangeResolution', x=width, y=height)
    assert after['errorCode'] == 'InvalidArgument' and after['screenWidth'] == 300


def test_things_that_lie_in_each_other_do_so_no_more():
    one, other, third = (thing_at('Bowl', (float(n), 1.0, 0.0)) for n in range(3))
    one.parent, other.parent, third.parent = other.object_id, one.object_id, third.object_id
    settle([one, other, third])
    assert [one.parent, other.parent, third.parent].count('') == 2
    assert third.contents == []
