"""ProcTHOR houses (Deitke et al., 2022) as houses of ProcWorld.

Positions go to the nearest point of the grid. Classes are given by the ids of things, or by the
asset database of the package `procthor`, where it is installed. Parts that only the program knows,
such as the drawers of a dresser, are missing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file
from sim_bridge.worlds.procworld.classes import CARRIED, is_known, MOST_LEVELS, OPENABLE, spelling
from sim_bridge.worlds.procworld.ground import (
    inner_points,
    is_too_large,
    largest_part,
    metres_of,
    MOST_FLOOR,
    squared,
    squares_of,
    Step,
    steps_of,
)
from sim_bridge.worlds.procworld.house import Door, House, Point, Room, Thing
from sim_bridge.worlds.procworld.locations import joined, numbered_locations, REACH, Zone
from sim_bridge.worlds.thor.stand_in.classes import object_class
from sim_bridge.worlds.thor.stand_in.houses import (
    house_record,
    HouseRecord,
    middle_of_hole,
    ObjectRecord,
)

#: A point of the grid and the room that it is in.
Place = tuple[int, int, str]

#: Things of a house at most.
_MOST = 3000
#: Heights between which things are in the way, in metres.
_STEPPED_OVER, _WALKED_UNDER = 0.1, 1.6
_ASSETS = 'databases/asset-database.json'
_LARGEST_FILE = 256 * 1024**2
#: Classes under other names here: only the program divides a sink.
_OTHER_NAMES = {'sink': 'sinkbasin'}


def procthor_house(content: Mapping[str, Any], where: str = 'the house') -> House:
    """The house of a ProcTHOR record.

    :param where: begins the sentence about a mistake.
    :raises ConfigurationError: it is none, or too large.
    """
    record = house_record(content, where)
    rooms = _named_rooms(record)
    names = [*rooms.values()]
    outlines = _outlines(record, where)
    floor_of = {rooms[key]: frozenset(squares_of(each)) for key, each in outlines.items()}
    openings = _openings(record, rooms)
    reading = _Reading(floor_of)
    reading.add_all(record)
    if len(reading.things) > _MOST:
        raise ConfigurationError(f'{where} has more than {_MOST} things')
    walls = _Walls(floor_of, openings)
    zones = []
    for zone in joined(names, openings):
        things = {
            (*steps_of(thing.at), thing.room)
            for thing in reading.things
            if thing.at and thing.room in zone
        }
        free = walls.free(zone, reading.taken, things)
        if free:
            zones.append(Zone({name: floor_of[name] for name in zone}, free, things, walls.apart))
    locations = numbered_locations(zones, names)
    if not locations:
        raise ConfigurationError(f'{where} has no room in which somebody could stand')
    # Doors to a room in which nobody can stand, as to the outside, lead nowhere.
    stood_in = {one.room for one in locations}
    entered = {key: name for key, name in rooms.items() if walls.is_open(name, stood_in)}
    agent = record.metadata.agent
    begin = steps_of((agent.position.x, agent.position.z)) if agent else None
    start = min(locations, key=lambda one: squared(steps_of(one.at), begin) if begin else 0)
    return House(
        0,
        tuple(
            Room(rooms[key], tuple(map(metres_of, outline))) for key, outline in outlines.items()
        ),
        tuple(_doors(record, entered)),
        tuple(reading.things),
        locations,
        start.name,
        tuple(openings),
    )


def program_ids(content: Mapping[str, Any], where: str = 'the house') -> dict[str, str]:
    """The ids that the things of a ProcTHOR record have in AI2-THOR, by their names here.

    :param where: begins the sentence about a mistake.
    :raises ConfigurationError: it is no house.
    """
    record = house_record(content, where)
    rooms = _named_rooms(record)
    reading = _Reading(
        {rooms[key]: frozenset(squares_of(each)) for key, each in _outlines(record, where).items()}
    )
    reading.add_all(record)
    return reading.ids


# Rooms


def _outlines(record: HouseRecord, where: str) -> dict[str, list[Step]]:
    """The corners of each room on the grid."""
    found = {}
    for one in record.rooms:
        corners = [steps_of((corner.x, corner.z)) for corner in one.floorPolygon]
        # Without those that lie on others on the grid.
        outline = [
            here
            for here, after in zip(corners, [*corners[1:], corners[0]], strict=True)
            if here != after
        ]
        askew = any(
            (a[0] == b[0]) == (a[1] == b[1])
            for a, b in zip(outline, [*outline[1:], *outline[:1]], strict=True)
        )
        if not outline or askew or one.id in found:
            raise ConfigurationError(
                f'{where}: the room {one.id!r:.80} appears twice, or its floor has no walls '
                'parallel to the axes'
            )
        found[one.id] = outline
    if is_too_large(found.values()):
        raise ConfigurationError(f'{where}: its rooms take more than {MOST_FLOOR} square metres')
    return found


def _named_rooms(record: HouseRecord) -> dict[str, str]:
    count: Counter[str] = Counter()
    names = {}
    for one in record.rooms:
        kind = re.sub('[^a-z]', '', one.roomType.lower())[:40] or 'room'
        count[kind] += 1
        names[one.id] = f'{kind} {count[kind]}'
    return names


def _doors(record: HouseRecord, rooms: Mapping[str, str]) -> Iterator[Door]:
    number = 0
    for door in record.doors:
        middle = door.middle
        pair = rooms.get(door.room0), rooms.get(door.room1)
        # Doors to the outside have no second room.
        if middle is None or pair[0] is None or pair[1] is None or pair[0] == pair[1]:
            continue
        number += 1
        yield Door(f'door {number}', metres_of(steps_of(middle)), (pair[0], pair[1]))


def _openings(record: HouseRecord, rooms: Mapping[str, str]) -> list[tuple[str, str]]:
    """Rooms whose walls at one place are both empty."""
    at: dict[Step, list[str]] = {}
    for wall in record.walls:
        middle = middle_of_hole(wall.id, [])
        if wall.empty and middle is not None and wall.roomId in rooms:
            at.setdefault(steps_of(middle), []).append(rooms[wall.roomId])
    pairs = {tuple(sorted(set(names))) for names in at.values()}
    return sorted((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


class _Walls:
    """Rooms with the walls between them, also between two that are open to the same third.

    :param floors: squares of each room. :param openings: pairs of rooms without a wall.
    """

    def __init__(
        self, floors: Mapping[str, frozenset[Step]], openings: Iterable[tuple[str, str]]
    ) -> None:
        self._floors = floors
        self._open = {(name, name) for name in floors}
        self._open |= {pair for one, other in openings for pair in ((one, other), (other, one))}

    def is_open(self, room: str, others: Iterable[str]) -> bool:
        """Whether a room is one of some, or no wall is between it and one of them."""
        return any((room, other) in self._open for other in others)

    def apart(self, one: Place, other: Place) -> int:
        """The distance of two points, squared; out of reach where a wall is between them."""
        away = squared(one[:2], other[:2])
        return away if (one[2], other[2]) in self._open else away + REACH + 1

    def free(
        self, rooms: Collection[str], taken: Collection[Step], things: Collection[Place]
    ) -> set[Place]:
        """Where one can stand in rooms, such that all things are within reach of somewhere.

        :param taken: squares on which something stands.
        """
        room_at = {square: name for name in rooms for square in self._floors[name]}
        free = self._inner(room_at, taken)
        if all(any(self.apart(point, thing) <= REACH for point in free) for thing in things):
            return free
        # Too narrow between furniture of these sizes: one walks through it, as ProcWorld lets one.
        return self._inner(room_at, ())

    def _inner(self, room_at: Mapping[Step, str], taken: Collection[Step]) -> set[Place]:
        """Points with floor on all four sides, and no wall between these."""
        inner = [
            (x, z)
            for x, z in inner_points(room_at.keys() - taken)
            if all(
                pair in self._open
                for pair in combinations(
                    (room_at[x - i, z - j] for i in (0, 1) for j in (0, 1)), 2
                )
            )
        ]
        return {(*point, room_at[point]) for point in largest_part(inner)}


# Things


class _Reading:
    """Things as they are found.

    :param floors: squares of each room.
    """

    def __init__(self, floors: Mapping[str, frozenset[Step]]) -> None:
        self._room_at = {square: name for name, floor in floors.items() for square in floor}
        self._count: Counter[str] = Counter()
        self.things: list[Thing] = []
        self.taken: set[Step] = set()
        #: Name -> id in the record.
        self.ids: dict[str, str] = {}

    def add_all(self, record: HouseRecord) -> None:
        """All things of a house."""
        for one in record.objects:
            self.add(one)

    def add(self, one: ObjectRecord) -> None:
        """An outermost thing and all within it; nothing where it is in no room."""
        position = one.position.x, one.position.z
        at = steps_of(position)
        square = (math.floor(position[0] * 4), math.floor(position[1] * 4))
        room = self._room_at.get(square) or self._room_at.get(at)
        if room is not None:
            self._stand(one)
            self._add(one, room, None, metres_of(at), 1)

    def _add(
        self, one: ObjectRecord, room: str, holder: Thing | None, at: Point | None, level: int
    ) -> None:
        name = _class_of(one)
        self._count[name] += 1
        openable = name in OPENABLE
        thing = Thing(
            f'{name} {self._count[name]}',
            name,
            room,
            at,
            holder.name if holder else '',
            # What is in or on something that can be moved is no furniture.
            (holder is None or holder.fixed)
            and name not in CARRIED
            and 'receptacle' in object_class(spelling(name)).flags,
            bool(one.openness) if openable else None,
        )
        self.things.append(thing)
        self.ids[thing.name] = one.id
        for child in one.children:
            # What is nested deeper than things go here, lies with what it is in.
            inner = thing if level < MOST_LEVELS else holder
            self._add(child, room, inner, None, min(level + 1, MOST_LEVELS))

    def _stand(self, one: ObjectRecord) -> None:
        """Take the floor on which a thing stands."""
        wide, high, deep = _size(one)
        if round(one.rotation.y / 90.0) % 2:
            wide, deep = deep, wide
        below, above = one.position.y - high / 2, one.position.y + high / 2
        if above <= _STEPPED_OVER or below >= _WALKED_UNDER:
            return
        low = steps_of((one.position.x - wide / 2, one.position.z - deep / 2))
        far = steps_of((one.position.x + wide / 2, one.position.z + deep / 2))
        self.taken.update((x, z) for x in range(low[0], far[0]) for z in range(low[1], far[1]))


def _class_of(one: ObjectRecord) -> str:
    """A class as in names."""
    letters = re.sub('[^a-z]', '', one.id.partition('|')[0].lower())[:40]
    if not is_known(letters) and one.assetId in _assets():
        letters = re.sub('[^a-z]', '', _assets()[one.assetId][0].lower())[:40]
    return _OTHER_NAMES.get(letters, letters) or 'thing'


def _size(one: ObjectRecord) -> tuple[float, float, float]:
    if one.assetId in _assets():
        return _assets()[one.assetId][1]
    return object_class(spelling(_class_of(one))).size


@lru_cache(maxsize=1)
def _assets() -> Mapping[str, tuple[str, tuple[float, float, float]]]:
    """Class and size of each asset; {} where the package `procthor` is not installed."""
    found = find_spec('procthor')
    folders = (found.submodule_search_locations if found else None) or []
    file = next(
        (path for path in (Path(one) / _ASSETS for one in folders) if path.is_file()), None
    )
    if file is None:
        return {}
    classes: dict[str, list[dict[str, Any]]] = read_file(
        file,
        dict[str, list[dict[str, Any]]],
        form='must be an asset database',
        largest=_LARGEST_FILE,
    )
    assets = {}
    for name, entries in classes.items():
        for entry in entries:
            box = entry.get('boundingBox') or {}
            try:
                size = (float(box['x']), float(box['y']), float(box['z']))
            except (KeyError, TypeError, ValueError):
                size = object_class(name).size
            assets[str(entry.get('assetId'))] = (name, size)
    return assets
