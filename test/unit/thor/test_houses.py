"""ProcTHOR houses: read by the stand-in, played by the world."""

from __future__ import annotations

import json

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.houses import house_scene
from sim_bridge.worlds.thor.world import ThorWorld
from support.thor_walk import STAND_IN


def vector(x, y, z):
    return {'x': x, 'y': y, 'z': z}


def room(name, kind, west, east):
    corners = ((west, 0.0), (west, 4.0), (east, 4.0), (east, 0.0))
    return {
        'id': name, 'roomType': kind, 'floorPolygon': [vector(x, 0.0, z) for x, z in corners],
    }  # fmt: skip


HOUSE = {
    'rooms': [room('room|1', 'Kitchen', 0.0, 4.0), room('room|2', 'Bedroom', 4.0, 8.0)],
    'doors': [
        {
            'wall0': 'wall|1|4.00|0.00|4.00|4.00',
            'holePolygon': [vector(1.5, 0, 0), vector(2.5, 2, 0)],
        }
    ],
    'objects': [
        {
            'id': 'DiningTable|1|0',
            'assetId': 'Dining_Table_1',
            'position': vector(1.2, 0.4, 1.5),
            'rotation': vector(0, 0, 0),
            'children': [{'id': 'Mug|1|1', 'position': vector(1.2, 0.85, 1.5)}],
        },
        {'id': 'Bed|2|0', 'position': vector(6.9, 0.3, 2.8), 'rotation': vector(0, 90, 0)},
    ],
    'metadata': {'agent': {'position': vector(3.0, 0.95, 3.0), 'rotation': vector(0, 90, 0),
                           'horizon': 30, 'standing': True}},
}  # fmt: skip


def test_rooms_things_and_doors_of_a_house_make_a_scene():
    scene = house_scene(HOUSE)
    assert [one.room_id for one in scene.rooms] == ['room|1', 'room|2']
    mug = next(one for one in scene.things if one.class_name == 'Mug')
    assert (mug.parent, mug.room) == ('DiningTable|1|0', 'room|1')
    assert next(one for one in scene.things if one.class_name == 'Bed').room == 'room|2'
    # Both rooms are reached, through the door.
    assert {x < 4.0 for x, _ in scene.reachable} == {True, False}
    assert (1.25, 1.5) not in scene.reachable
    assert scene.start.position[0] == 3.0 and scene.start.rotation == 90.0
    walled = house_scene({**HOUSE, 'doors': []})
    assert len({x < 4.0 for x, _ in walled.reachable}) == 1


@pytest.mark.parametrize(
    'changes',
    [
        {'rooms': []},
        {'rooms': [{'id': 'a', 'floorPolygon': []}]},
        {'objects': [{'id': 'Bed|1'}]},
        {'objects': 'none'},
        {'rooms': [room('room|1', 'Kitchen', 0.0, 0.1)]},
        {'rooms': [room('room|1', 'Kitchen', 0.0, 900.0)]},
    ],
)
def test_what_is_no_house_is_told(changes):
    with pytest.raises(ConfigurationError):
        house_scene({**HOUSE, **changes})


def test_a_house_is_played(tmp_path):
    file = tmp_path / 'house.json'
    file.write_text(json.dumps(HOUSE))
    world = ThorWorld(stand_in=STAND_IN)
    try:
        first = world.reset(str(file), '', 0)
        assert first.text == (
            'You are in the house, and you arrive at the house, Looking quickly around the room, '
            'you see DiningTable (1), Bed (1).'
        )
        seen = world.step('go to DiningTable (1)')
        assert seen.text == 'You arrive at DiningTable (1). You see Mug (1), DiningTable (1).'
        assert world.step('pick up Mug (1)').succeeded
        assert world.step('go to Bed (1)').text.startswith('You arrive at Bed (1). You see ')
        file.write_text(json.dumps({**HOUSE, 'rooms': []}))
        with pytest.raises(ConfigurationError):
            world.reset(str(file), '', 0)
    finally:
        world.close()
