"""ProcTHOR houses as houses of ProcWorld."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.procworld import procthor_house as reading
from sim_bridge.worlds.procworld.house_file import house_of, read_house, record_of
from sim_bridge.worlds.procworld.layout import distances, Layout
from sim_bridge.worlds.procworld.procthor_house import procthor_house


def vector(x, y, z):
    return {'x': x, 'y': y, 'z': z}


def room(name, kind, west, east):
    corners = ((west, 0.0), (west, 4.0), (east, 4.0), (east, 0.0))
    return {
        'id': name, 'roomType': kind, 'floorPolygon': [vector(x, 0.0, z) for x, z in corners],
    }  # fmt: skip


HOUSE = {
    'rooms': [room('room|2', 'LivingRoom', 0.0, 4.1), room('room|3', 'Bedroom', 4.1, 8.2)],
    'doors': [
        {
            'room0': 'room|2', 'room1': 'room|3', 'wall0': 'wall|2|4.10|0.00|4.10|4.00',
            'holePolygon': [vector(1.5, 0, 0), vector(2.5, 2, 0)],
        },
        {'room0': 'room|2', 'room1': 'room|2', 'wall0': 'wall|2|0.00|0.00|4.10|0.00'},
    ],
    'objects': [
        {
            'id': 'DiningTable|1|0',
            'assetId': 'Dining_Table_1',
            'position': vector(1.2, 0.4, 1.5),
            'children': [
                {'id': 'Plate|surface|1|1', 'position': vector(1.2, 0.85, 1.5),
                 'children': [{'id': 'Apple|1|2', 'position': vector(1.2, 0.85, 1.5)}]},
            ],
        },
        {'id': 'Fridge|2|0', 'position': vector(6.9, 0.9, 2.8), 'openness': 1},
        {'id': 'Fridge|2|1', 'position': vector(7.9, 0.9, 0.4)},
        {'id': 'big|one', 'assetId': 'Sofa_9', 'position': vector(5.0, 0.3, 0.5)},
        {'id': 'Mug|out', 'position': vector(20, 0.3, 0.5)},
    ],
    'metadata': {'agent': {'position': vector(6.0, 0.95, 1.5)}},
}  # fmt: skip


def test_rooms_doors_and_things_are_read():
    house = procthor_house(HOUSE)
    assert [one.name for one in house.rooms] == ['livingroom 1', 'bedroom 1']
    assert house.rooms[0].polygon == ((0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0))
    assert [(door.at, door.rooms) for door in house.doors] == [
        ((4.0, 2.0), ('livingroom 1', 'bedroom 1'))
    ]
    assert [(one.name, one.at, one.container, one.fixed, one.open) for one in house.things] == [
        ('diningtable 1', (1.25, 1.5), '', True, None),
        ('plate 1', None, 'diningtable 1', False, None),
        ('apple 1', None, 'plate 1', False, None),
        ('fridge 1', (7.0, 2.75), '', True, True),
        ('fridge 2', (8.0, 0.5), '', True, False),
        ('big 1', (5.0, 0.5), '', False, None),
    ]
    assert house.location[house.start].room == 'bedroom 1'
    # All of it holds to the rules of our own files.
    assert house_of(record_of(house), 'the house') == house


def test_an_asset_says_its_class_and_its_size(monkeypatch):
    monkeypatch.setattr(reading, '_assets', lambda: {'Sofa_9': ('Sofa', (2.0, 0.8, 0.9))})
    assert 'sofa 1' in procthor_house(HOUSE).thing


def test_a_door_without_a_hole_is_where_its_asset_is():
    house = deepcopy(HOUSE)
    door = house['doors'][0]
    del door['holePolygon']
    for along, at in ((1.0, (4.0, 1.0)), (3.25, (4.0, 3.25))):
        door['assetPosition'] = vector(along, 1.0, 0.0)
        assert procthor_house(house).doors[0].at == at


def test_walls_that_are_empty_join_rooms():
    house = {**HOUSE, 'walls': [
        {'id': f'wall|{room}|4.10|0.00|4.10|4.00', 'roomId': f'room|{room}', 'empty': True}
        for room in (2, 3)
    ]}  # fmt: skip
    assert procthor_house(house).openings == (('bedroom 1', 'livingroom 1'),)
    one_side = {**house, 'walls': house['walls'][:1]}
    assert procthor_house(one_side).openings == ()


def rectangle(name, kind, west, south, east, north):
    corners = ((west, south), (west, north), (east, north), (east, south))
    return {
        'id': name, 'roomType': kind, 'floorPolygon': [vector(x, 0.0, z) for x, z in corners],
    }  # fmt: skip


def empty_wall(west, south, east, north, *rooms):
    return [
        {
            'id': f'wall|{room}|{west:.2f}|{south:.2f}|{east:.2f}|{north:.2f}',
            'roomId': f'room|{room}',
            'empty': True,
        }
        for room in rooms
    ]


def out_of_reach(house):
    layout = Layout(house, 1.5)
    found = distances([house.start], layout.steps_from)
    return {*house.location, *layout.outermost} - {*found}


@given(
    wide=st.integers(6, 14).map(lambda steps: steps / 4),
    deep=st.integers(5, 14).map(lambda steps: steps / 4),
    low=st.integers(5, 12).map(lambda steps: steps / 4),
)
def test_rooms_that_are_open_to_a_third_keep_the_wall_between_them(wide, deep, low):
    """A living room in front, a kitchen and a bedroom side by side behind it, open to it."""
    side, back = 2 * wide, low + deep
    house = procthor_house({
        'rooms': [
            rectangle('room|2', 'Kitchen', 0.0, low, wide, back),
            rectangle('room|3', 'LivingRoom', 0.0, 0.0, side, low),
            rectangle('room|4', 'Bedroom', wide, low, side, back),
        ],
        'walls': [
            *empty_wall(0.0, low, wide, low, 2, 3),
            *empty_wall(wide, low, side, low, 3, 4),
        ],
        'doors': [],
        'objects': [
            {'id': 'Fridge|1', 'position': vector(0.5, 0.9, back - 0.5)},
            {'id': 'Bed|1', 'position': vector(side - 0.5, 0.3, back - 0.5)},
        ],
        'metadata': {'agent': {'position': vector(wide, 0.9, low / 2)}},
    })  # fmt: skip
    assert len(house.openings) == 2
    assert not any(one.at[0] == wide and one.at[1] >= low for one in house.locations)
    assert out_of_reach(house) == set()
    assert house_of(record_of(house), 'the house') == house


def test_a_door_of_a_narrow_room_is_used_from_the_one_that_is_open_to_it():
    """A bedroom behind a kitchen that is a strip of the living room, and a closet."""
    house = procthor_house({
        'rooms': [
            rectangle('room|2', 'LivingRoom', 0.0, 0.0, 4.0, 2.0),
            rectangle('room|3', 'Kitchen', 4.0, 0.0, 4.5, 2.0),
            rectangle('room|4', 'Bedroom', 4.5, 0.0, 8.5, 2.0),
            rectangle('room|5', 'Closet', 0.0, 2.0, 4.0, 2.25),
        ],
        'walls': empty_wall(4.0, 0.0, 4.0, 2.0, 2, 3),
        'doors': [
            {'room0': 'room|5', 'room1': 'room|2', 'wall0': 'wall|2|0.00|2.00|4.00|2.00',
             'holePolygon': [vector(0.5, 0, 0), vector(1.5, 2, 0)]},
            {'room0': 'room|3', 'room1': 'room|4', 'wall0': 'wall|3|4.50|0.00|4.50|2.00',
             'holePolygon': [vector(0.5, 0, 0), vector(1.5, 2, 0)]},
        ],
        'objects': [{'id': 'Fridge|2|0', 'position': vector(7.5, 0.9, 1.0)}],
        'metadata': {'agent': {'position': vector(1, 0.9, 1)}},
    })  # fmt: skip
    assert 'kitchen 1' not in {one.room for one in house.locations}
    # Nobody can stand in the closet: its door leads nowhere.
    assert [one.rooms for one in house.doors] == [('kitchen 1', 'bedroom 1')]
    assert out_of_reach(house) == set()
    assert house_of(record_of(house), 'the house') == house


def test_a_file_is_told_apart_by_what_it_holds(tmp_path):
    file = tmp_path / 'house.json'
    file.write_text(json.dumps(HOUSE))
    assert read_house(file) == procthor_house(HOUSE)


def test_things_nested_deeper_than_they_may_be_lie_with_what_they_are_in():
    nested = deepcopy(HOUSE)
    inner = nested['objects'][0]['children'][0]['children'][0]
    for name in ('Pen|1', 'Pen|2', 'Pen|3'):
        inner['children'] = [{'id': name, 'position': vector(1.2, 0.85, 1.5)}]
        inner = inner['children'][0]
    house = procthor_house(nested)
    assert [house.thing[f'pen {number}'].container for number in (1, 2, 3)] == ['apple 1'] * 3


def test_what_is_on_something_that_can_be_moved_is_no_furniture():
    loose = deepcopy(HOUSE)
    loose['objects'][3]['children'] = [
        {'id': 'Shelf|1', 'position': vector(5.0, 0.8, 0.5),
         'children': [{'id': 'Drawer|1', 'position': vector(5.0, 0.8, 0.5)}]},
    ]  # fmt: skip
    house = procthor_house(loose)
    assert [house.thing[name].fixed for name in ('big 1', 'shelf 1', 'drawer 1')] == [False] * 3
    assert house_of(record_of(house), 'the house') == house


@pytest.mark.parametrize(
    'changes',
    [
        {'rooms': []},
        {'rooms': [{'id': 'a', 'floorPolygon': [vector(0, 0, 0)] * 4}]},
        {'rooms': [room('a', 'Kitchen', 0.0, 900.0)]},
        {'rooms': [room('a', 'Kitchen', 0.0, 0.25)]},
        {'rooms': [room('a', 'Kitchen', 0.0, 4.0), room('a', 'Bedroom', 4.0, 8.0)]},
        {
            'rooms': [
                {'id': 'a', 'floorPolygon': [vector(0, 0, 0), vector(4, 0, 2), vector(0, 0, 4)]}
            ]
        },
        {'objects': [{'id': 'Mug|1', 'position': vector('a', 0, 0)}]},
        {'objects': [{'id': f'Mug|{n}', 'position': vector(1, 1, 1)} for n in range(3001)]},
    ],
)
def test_what_is_no_procthor_house_is_told(changes):
    with pytest.raises(ConfigurationError):
        procthor_house({**HOUSE, **changes})
