"""ProcTHOR houses as scenes: rooms by their floors, things by their places, doors to walk through.

Sizes are those of the classes. Where walls are, is read from the floors: the agent keeps away from
their edges, but for doors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import check, Written
from sim_bridge.worlds.thor.stand_in.made_up import connected
from sim_bridge.worlds.thor.stand_in.scene import (
    AGENT_HEIGHT,
    box_at,
    GRID,
    name_of,
    Room,
    Scene,
    settle,
    Start,
    Thing,
)

#: Metres around furniture and within walls where nobody can stand.
_AROUND = 0.22
#: Metres around the middle of a door where one can.
_DOOR = 0.6
#: Longest side of a house in metres, and things in it at most.
_LARGEST, _MOST = 100.0, 3000
#: Heights between which things are in the way, in metres.
_STEPPED_OVER, _WALKED_UNDER = 0.1, 1.6


class _Loose(Written):
    model_config = ConfigDict(extra='ignore', strict=False, frozen=True)


class _Vector(_Loose):
    x: Annotated[float, Field(ge=-1000.0, le=1000.0)] = 0.0
    y: Annotated[float, Field(ge=-1000.0, le=1000.0)] = 0.0
    z: Annotated[float, Field(ge=-1000.0, le=1000.0)] = 0.0


class ObjectRecord(_Loose):
    """A thing of a house."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    assetId: str = ''
    position: _Vector
    rotation: _Vector = _Vector()
    openness: float | None = None
    children: list[ObjectRecord] = Field(default_factory=list)


class _RoomOf(_Loose):
    id: str
    roomType: str = ''
    floorPolygon: Annotated[list[_Vector], Field(min_length=3)]


class _Door(_Loose):
    wall0: str = ''
    room0: str = ''
    room1: str = ''
    holePolygon: list[_Vector] = Field(default_factory=list)
    assetPosition: _Vector | None = None

    @property
    def middle(self) -> tuple[float, float] | None:
        """Where it is by its hole, else by its asset; both are given along its wall."""
        points = self.holePolygon or ([self.assetPosition] if self.assetPosition else [])
        return middle_of_hole(self.wall0, [corner.x for corner in points])


class _Wall(_Loose):
    id: str = ''
    roomId: str = ''
    empty: bool = False


class _Agent(_Loose):
    position: _Vector
    rotation: _Vector = _Vector()
    horizon: float = 30.0


class _About(_Loose):
    agent: _Agent | None = None


class HouseRecord(_Loose):
    """What a house's file says, as far as it is read."""

    rooms: Annotated[list[_RoomOf], Field(min_length=1)]
    objects: list[ObjectRecord] = Field(default_factory=list)
    doors: list[_Door] = Field(default_factory=list)
    walls: list[_Wall] = Field(default_factory=list)
    metadata: _About = _About()


def house_record(description: Mapping[str, Any], where: str = 'the house') -> HouseRecord:
    """A ProcTHOR house, checked.

    :param where: begins the sentence about a mistake.
    :raises ConfigurationError: it is none.
    """
    found: HouseRecord = check(dict(description), HouseRecord, where, 'must be a ProcTHOR house')
    return found


def house_scene(description: Mapping[str, Any]) -> Scene:
    """A scene of a ProcTHOR house.

    :raises ConfigurationError: it is none, or nobody can stand in it.
    """
    house = house_record(description)
    rooms = [
        Room(one.id, one.roomType, tuple((corner.x, corner.z) for corner in one.floorPolygon))
        for one in house.rooms
    ]
    things = [thing for one in house.objects for thing in _things(one, '', rooms)]
    if len(things) > _MOST:
        raise ConfigurationError(f'the house has more than {_MOST} things')
    points = connected(_free_points(rooms, things, [*_doors(house.doors)]))
    if not points:
        raise ConfigurationError('nobody can stand anywhere in the house')
    settle(things)
    return Scene('Procedural', things, points, _start(house.metadata.agent, points), True, rooms)


def _things(one: ObjectRecord, parent: str, rooms: Sequence[Room]) -> Iterator[Thing]:
    """A thing and what lies in it."""
    class_name = one.id.partition('|')[0]
    place = (one.position.x, one.position.y, one.position.z)
    turned = round(one.rotation.y / 90.0) % 2 == 1
    box = box_at(class_name, place, turned)
    thing = Thing(one.id, name_of(class_name, one.id), class_name, place, box)
    thing.rotation = (one.rotation.x, one.rotation.y, one.rotation.z)
    thing.parent, thing.asset = parent, one.assetId
    thing.room = next((room.room_id for room in rooms if room.has(place[0], place[2])), '')
    yield thing
    for child in one.children:
        yield from _things(child, one.id, rooms)


def middle_of_hole(wall: str, hole: Sequence[float]) -> tuple[float, float] | None:
    """Where the middle of a door is; None where its wall does not say.

    :param wall: its id, which ends with where it begins and ends.
    :param hole: metres along the wall, e.g. of the corners of its hole; the wall's middle without.
    """
    try:
        a, b, c, d = map(float, wall.split('|')[-4:])
    except ValueError:
        return None
    length = math.hypot(c - a, d - b)
    if not length or not math.isfinite(length):
        return None
    along = sum(hole) / len(hole) / length if hole else 0.5
    return a + (c - a) * along, b + (d - b) * along


def _doors(doors: Sequence[_Door]) -> Iterator[tuple[float, float]]:
    for door in doors:
        if door.middle is not None:
            yield door.middle


def _free_points(
    rooms: Sequence[Room], things: Sequence[Thing], doors: Sequence[tuple[float, float]]
) -> Iterator[tuple[float, float]]:
    corners = [corner for room in rooms for corner in room.corners]
    low = [min(corner[axis] for corner in corners) for axis in (0, 1)]
    high = [max(corner[axis] for corner in corners) for axis in (0, 1)]
    if max(high[0] - low[0], high[1] - low[1]) > _LARGEST:
        raise ConfigurationError(f'the house is larger than {_LARGEST:g} m')
    boxes = [
        thing.box
        for thing in things
        if not thing.parent
        and thing.box.high[1] > _STEPPED_OVER
        and thing.box.low[1] < _WALKED_UNDER
    ]
    for column in range(math.ceil(low[0] / GRID), int(high[0] / GRID) + 1):
        for row in range(math.ceil(low[1] / GRID), int(high[1] / GRID) + 1):
            x, z = column * GRID, row * GRID
            if any(box.aside((x, 0.0, z)) < _AROUND for box in boxes):
                continue
            near_door = any(math.hypot(x - a, z - b) <= _DOOR for a, b in doors)
            if near_door or any(_well_inside(room, x, z) for room in rooms):
                yield x, z


def _well_inside(room: Room, x: float, z: float) -> bool:
    sides = ((_AROUND, 0.0), (-_AROUND, 0.0), (0.0, _AROUND), (0.0, -_AROUND))
    return all(room.has(x + a, z + b) for a, b in sides)


def _start(agent: _Agent | None, points: Sequence[tuple[float, float]]) -> Start:
    if agent is None:
        x, z = points[0]
        return Start((x, AGENT_HEIGHT, z), 0.0, 30.0)
    wanted = agent.position.x, agent.position.z
    x, z = min(points, key=lambda point: math.dist(point, wanted))
    return Start((x, AGENT_HEIGHT, z), agent.rotation.y % 360.0, agent.horizon)
