"""A house of ProcWorld as a ProcTHOR record, for the stand-in of AI2-THOR's program.

The program itself needs assets, of which a generated house has none; the stand-in takes sizes
that are typical of a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from sim_bridge.worlds.procworld.classes import spelling
from sim_bridge.worlds.procworld.ground import metres_of, shared_wall, squares_of, steps_of
from sim_bridge.worlds.procworld.house import House, Point, Thing
from sim_bridge.worlds.thor.stand_in.classes import object_class

_TYPES = {
    'kitchen': 'Kitchen',
    'livingroom': 'LivingRoom',
    'bedroom': 'Bedroom',
    'bathroom': 'Bathroom',
}
#: Metres of the wall that a door is told to be in the middle of.
_WALL = 0.5
_STANDS = 0.9


def passages_of(house: House) -> tuple[tuple[Point, tuple[str, str]], ...]:
    """Where one gets from room to room: doors, and the middles of walls that are not there."""
    floors = {one.name: squares_of([*map(steps_of, one.polygon)]) for one in house.rooms}
    found = [(door.at, door.rooms) for door in house.doors]
    for one, other in house.openings:
        wall = shared_wall(floors[one], floors[other])
        if wall is not None:
            (x, z), (x_end, z_end) = wall
            found.append((metres_of(((x + x_end) // 2, (z + z_end) // 2)), (one, other)))
    return tuple(found)


def procthor_of(house: House) -> tuple[dict[str, Any], dict[str, str]]:
    """The record of a house, and the ids in it of things, by their names."""
    rooms = {one.name: f'room|{number}' for number, one in enumerate(house.rooms, start=1)}
    ids: dict[str, str] = {}
    numbers = count()
    inside: dict[str, list[Thing]] = {}
    for one in house.things:
        inside.setdefault(one.container, []).append(one)

    def record(thing: Thing, at: Point, below: float) -> dict[str, Any]:
        kind = spelling(thing.thing_class)
        size = object_class(kind).size
        ids[thing.name] = f'{kind}|{rooms[thing.room].partition("|")[2]}|{next(numbers)}'
        children = [record(one, at, below + size[1]) for one in inside.get(thing.name, ())]
        return {
            'id': ids[thing.name],
            'position': _vector(at, below + size[1] / 2),
            'openness': None if thing.open is None else float(thing.open),
            'children': children,
        }

    start = house.location[house.start].at
    return {
        'rooms': [
            {
                'id': rooms[one.name],
                'roomType': _TYPES.get(one.name.partition(' ')[0], 'LivingRoom'),
                'floorPolygon': [_vector(corner) for corner in one.polygon],
            }
            for one in house.rooms
        ],
        'doors': [
            {
                'room0': rooms[pair[0]],
                'room1': rooms[pair[1]],
                'wall0': f'wall|{number}|{at[0] - _WALL}|{at[1]}|{at[0] + _WALL}|{at[1]}',
            }
            for number, (at, pair) in enumerate(passages_of(house))
        ],
        'objects': [record(one, one.at, 0.0) for one in house.things if one.at is not None],
        'metadata': {'agent': {'position': _vector(start, _STANDS), 'rotation': _vector((0, 0))}},
    }, ids


def _vector(at: Point, height: float = 0.0) -> Mapping[str, float]:
    return {'x': float(at[0]), 'y': height, 'z': float(at[1])}
