"""The stand-in for AI2-THOR's program, without a client: actions, records, launchers."""

from __future__ import annotations

import os
import subprocess
from argparse import ArgumentParser
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from sim_bridge.worlds.thor.stand_in.classes import classes
from sim_bridge.worlds.thor.stand_in.evidence import Sources
from sim_bridge.worlds.thor.stand_in.frames import Frames
from sim_bridge.worlds.thor.stand_in.launcher import executable
from sim_bridge.worlds.thor.stand_in.made_up import made_up_room
from sim_bridge.worlds.thor.stand_in.options import add_options, as_words
from sim_bridge.worlds.thor.stand_in.records import encode, ProtocolError, read_message
from sim_bridge.worlds.thor.stand_in.scene import FLOOR_PLANS, parent_for, thing_at
from sim_bridge.worlds.thor.stand_in.simulation import Simulation
from sim_bridge.worlds.thor.stand_in.sources import SceneSource

ACTIONS = (
    'Reset', 'Initialize', 'TeleportFull', 'MoveAhead', 'RotateLeft', 'LookUp', 'PickupObject',
    'PutObject', 'DropHandObject', 'OpenObject', 'CloseObject', 'ToggleObjectOn', 'SliceObject',
    'SetObjectPoses', 'SetObjectToggles', 'SetStateOfAllObjects', 'GetReachablePositions', 'Pass',
    'CleanObject', 'CreateHouse', 'ChangeResolution', 'Dance',
)  # fmt: skip
NAMES = (
    'sceneName', 'x', 'z', 'rotation', 'horizon', 'objectId', 'receptacleObjectId', 'openness',
    'moveMagnitude', 'objectPoses', 'objectToggles', 'StateChange', 'forceAction', 'house',
    'gridSize', 'visibilityDistance',
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8)
    | st.sampled_from(['FloorPlan1_physics', 'Mug|+00.00|+00.90|+00.00', 'CanOpen']),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(['x', 'z', 'objectName', 'position']), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def simulation():
    made = Simulation(SceneSource(Sources()), Frames(False), 300, 300, {})
    assert done(made, 'Reset', sceneName='FloorPlan1_physics')
    assert done(made, 'Initialize', gridSize=0.25)
    return made


def told(made, action, **fields):
    """The metadata that follow an action."""
    return made.answer({'action': action, 'sequenceId': 1, **fields}).metadata['agents'][0]


def done(made, action, **fields):
    return told(made, action, **fields)['lastActionSuccess']


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(ACTIONS), st.dictionaries(st.sampled_from(NAMES), VALUES)),
        max_size=6,
    )
)
def test_whatever_is_asked_is_answered(asked):
    made = simulation()
    for action, fields in asked:
        answer = told(made, action, **fields)
        assert isinstance(answer['lastActionSuccess'], bool)
        assert answer['lastActionSuccess'] or answer['errorMessage']


def test_a_thing_is_carried_from_place_to_place():
    made = simulation()
    things = {one['objectId']: one for one in told(made, 'Pass')['objects']}
    points = told(made, 'GetReachablePositions')['actionReturn']
    carried = None
    for point in points:
        for turn in (0, 90, 180, 270):
            told_now = told(made, 'TeleportFull', **point, rotation={'y': turn}, horizon=30)
            seen = [
                one for one in told_now['objects']
                if one['visible'] and one['objectType'] == 'Apple'
            ]  # fmt: skip
            if (
                seen
                and carried is None
                and done(made, 'PickupObject', objectId=seen[0]['objectId'])
            ):
                carried = seen[0]['objectId']
                assert told(made, 'Pass')['inventoryObjects'][0]['objectId'] == carried
            tables = [
                one for one in told_now['objects']
                if one['visible'] and one['objectType'] == 'DiningTable'
            ]  # fmt: skip
            if carried and tables and done(made, 'PutObject', objectId=tables[0]['objectId']):
                after = {one['objectId']: one for one in told(made, 'Pass')['objects']}
                assert after[carried]['parentReceptacles'] == [tables[0]['objectId']]
                assert carried in after[tables[0]['objectId']]['receptacleObjectIds']
                return
    pytest.fail(f'no apple was carried among {len(things)} things')


def test_what_is_open_is_not_opened_and_what_is_unknown_refused():
    made = simulation()
    fridge = next(one for one in told(made, 'Pass')['objects'] if one['objectType'] == 'Fridge')
    assert not fridge['isOpen']
    assert done(made, 'OpenObject', objectId=fridge['objectId'], openness=1.0, forceAction=True)
    assert not done(made, 'OpenObject', objectId=fridge['objectId'], forceAction=True)
    assert done(made, 'CloseObject', objectId=fridge['objectId'], forceAction=True)
    assert not done(made, 'OpenObject', objectId='Fridge|0')
    refused = told(made, 'Dance')
    assert refused['errorCode'] == 'InvalidAction' and 'Dance' in refused['errorMessage']


@pytest.mark.parametrize('name', FLOOR_PLANS[::9])
def test_made_up_rooms_can_be_walked_to_every_place(name):
    scene = made_up_room(name, 0)
    assert len(scene.reachable) > 10
    for thing in scene.things:
        if thing.of_class.most and 'pickupable' not in thing.of_class.flags:
            near = min(thing.box.aside((x, 0.0, z)) for x, z in scene.reachable)
            assert near < 1.3, thing.object_id
    again = made_up_room(name, 0)
    assert [one.object_id for one in again.things] == [one.object_id for one in scene.things]


def test_what_stands_on_the_floor_beside_a_cabinet_is_not_in_it():
    cabinet = thing_at('Cabinet', (0.0, 0.41, 0.0))
    assert parent_for(thing_at('Plunger', (0.4, 0.0, 0.0)), [cabinet]) is None
    assert parent_for(thing_at('Plunger', (0.1, 0.3, 0.0)), [cabinet]) is cabinet
    assert classes()['Microwave'].most >= 3


@given(
    st.lists(st.tuples(st.integers(0, 254), st.binary(max_size=40)), max_size=4), st.integers(1, 9)
)
def test_records_are_read_as_they_were_written(records, piece):
    stream = BytesIO(encode(records))
    assert read_message(lambda count: stream.read(min(count, piece))) == records
    assert read_message(stream.read) is None


@pytest.mark.parametrize('data', [b'\x01', b'\x01\x00\x00\x00\x05ab', b'\x01\xff\xff\xff\xff'])
def test_records_that_end_too_soon_are_told(data):
    with pytest.raises(ProtocolError):
        read_message(BytesIO(data).read)


def test_options_come_through_a_launcher(tmp_path, capsys):
    words = ['--layouts', str(tmp_path), '--made-up', '--seed', '3', '--failures', '0.5',
             '--hang-after', '7']  # fmt: skip
    parser = ArgumentParser()
    add_options(parser)
    assert parser.parse_args(as_words(parser.parse_args(words))) == parser.parse_args(words)
    assert as_words(parser.parse_args([])) == []
    assert main(['thor-stand-in', str(tmp_path / 'bin' / 'thor'), *words]) == ExitCode.OK
    file = tmp_path / 'bin' / 'thor'
    assert f'Written: {file}' in capsys.readouterr().out and os.access(file, os.X_OK)
    assert '--seed 3 --failures 0.5 --hang-after 7 "$@"' in file.read_text()
    with pytest.raises(ConfigurationError, match='splits paths'):
        executable(tmp_path / 'two words')
    with pytest.raises(ConfigurationError, match='no option'):
        executable(tmp_path, ['--quickly'])


def test_a_program_without_a_client_says_so(tmp_path):
    file = executable(tmp_path, ['--failures', 'often'])
    ended = subprocess.run([str(file)], capture_output=True, text=True, timeout=20, check=False)
    assert ended.returncode == 1 and "not 'often'" in ended.stderr


def test_several_agents_have_bodies_hands_and_last_actions_of_their_own():
    made = simulation()
    first = told(made, 'Pass')['agent']
    assert done(made, 'Initialize', gridSize=0.25, agentCount=3)
    agents = made.answer({'action': 'Pass'}).metadata['agents']
    assert [one['agentId'] for one in agents] == [0, 1, 2] and agents[0]['agent'] == first
    places = [tuple(one['agent']['position'].values()) for one in agents]
    assert len(set(places)) == 3
    apple = next(one for one in agents[0]['objects'] if one['objectType'] == 'Apple')
    asked = {'action': 'PickupObject', 'objectId': apple['objectId'], 'forceAction': True}
    event = made.answer({**asked, 'agentId': 1}).metadata
    agents = event['agents']
    assert event['activeAgentId'] == 1 and agents[1]['lastActionSuccess']
    assert [one['lastAction'] for one in agents] == ['Pass', 'PickupObject', 'Initialize']
    held = [[one['objectId'] for one in told_one['inventoryObjects']] for told_one in agents]
    assert held == [[], [apple['objectId']], []]
    # Nobody takes or cuts what another one holds, or stands where another one stands.
    for action in ('PickupObject', 'SliceObject'):
        event = made.answer({**asked, 'action': action, 'agentId': 2}).metadata['agents'][2]
        assert not event['lastActionSuccess'] and 'another agent' in event['errorMessage']
    x, y, z = places[0]
    onto = {'action': 'TeleportFull', 'x': x, 'y': y, 'z': z, 'rotation': 0.0, 'horizon': 0.0}
    assert not made.answer({**onto, 'agentId': 2}).metadata['agents'][2]['lastActionSuccess']
    assert made.answer({**onto, 'agentId': 0}).metadata['agents'][0]['lastActionSuccess']


@pytest.mark.parametrize('number', [3, -1, 0.5, 'one', True, None])
def test_an_agent_that_is_not_there_does_nothing(number):
    made = simulation()
    assert done(made, 'Initialize', agentCount=3)
    before = made.answer({'action': 'Pass'}).metadata['agents']
    turns = [one['agent']['rotation']['y'] for one in before]
    event = made.answer({'action': 'RotateRight', 'agentId': number}).metadata
    after = [one['agent']['rotation']['y'] for one in event['agents']]
    acted = event['agents'][0]['lastActionSuccess']
    # None says nothing, as if it were not there: the first agent is meant.
    assert acted is (number is None) and (after == turns) is not acted


@pytest.mark.parametrize(('asked', 'there'), [(0, 1), (1, 1), (2, 2), (6, 6), (7, 6), (1e6, 6)])
def test_a_scene_has_one_to_six_agents_and_those_of_before_are_gone(asked, there):
    made = simulation()
    for count, agents in ((4, 4), (asked, there)):
        assert done(made, 'Initialize', agentCount=count)
        assert len(made.answer({'action': 'Pass'}).metadata['agents']) == agents
    assert done(made, 'Reset', sceneName='FloorPlan1_physics')
    assert len(made.answer({'action': 'Pass'}).metadata['agents']) == 1


def test_each_agent_has_frames_of_its_own():
    made = Simulation(SceneSource(Sources()), Frames(False), 32, 24, {})
    made.answer({'action': 'Reset', 'sceneName': 'FloorPlan1_physics'})
    event = made.answer({'action': 'Initialize', 'agentCount': 2, 'renderDepthImage': True})
    names = [name for name, _ in event.frames]
    assert names == ['image', 'image_depth'] * 2
