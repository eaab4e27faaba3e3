"""Houses as files: JSON that people can edit and compare, one thing a line.

A ProcTHOR house is read as well, and becomes the same values.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import check, read_file, Written
from sim_bridge.worlds.procworld.classes import MOST_LEVELS
from sim_bridge.worlds.procworld.ground import (
    is_too_large,
    MOST_FLOOR,
    squares_of,
    STEPS_A_METRE,
    steps_of,
)
from sim_bridge.worlds.procworld.house import Door, House, Location, Room, Thing

_FORM = 'must be a house: {"format": 1, "rooms": [...], ...}, or a ProcTHOR house'
_LARGEST = 64 * 1024**2
_NAME = r'[a-z]{1,40} [1-9][0-9]{0,3}'
_NUMBERED = re.compile(r'([a-z]+) ([0-9]+)')
#: Metres from the origin at most.
_FARTHEST = 1000.0

_Name = Annotated[str, Field(pattern=_NAME)]
_Coordinate = Annotated[float, Field(ge=-_FARTHEST, le=_FARTHEST, allow_inf_nan=False)]
_Position = Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]
_Pair = Annotated[list[_Name], Field(min_length=2, max_length=2)]


class _Room(Written):
    name: _Name
    polygon: Annotated[list[_Position], Field(min_length=4, max_length=200)]


class _Door(Written):
    name: Annotated[str, Field(pattern=r'door [1-9][0-9]{0,3}')]
    at: _Position
    rooms: _Pair


class _Thing(Written):
    name: _Name
    thing_class: str = Field(alias='class')
    at: _Position | None = None
    container: _Name | None = Field(default=None, alias='in')
    room: _Name
    fixed: bool = False
    open: bool | None = None
    states: Annotated[
        list[Literal['clean', 'cool', 'dirty', 'hot', 'on', 'sliced']], Field(max_length=6)
    ] = Field(default_factory=list)


class _Location(Written):
    name: Annotated[str, Field(pattern=r'loc [1-9][0-9]{0,3}')]
    at: _Position
    room: _Name


class _House(Written):
    format: Literal[1]
    seed: int = 0
    rooms: Annotated[list[_Room], Field(min_length=1, max_length=200)]
    openings: Annotated[list[_Pair], Field(max_length=200)] = Field(default_factory=list)
    doors: Annotated[list[_Door], Field(max_length=400)] = Field(default_factory=list)
    things: Annotated[list[_Thing], Field(max_length=5000)] = Field(default_factory=list)
    locations: Annotated[list[_Location], Field(min_length=1, max_length=2000)]
    start: str


def read_house(path: Path) -> House:
    """The house of a file.

    :param path: our form, or a ProcTHOR house.
    :raises ConfigurationError: it cannot be read; says what to correct.
    """
    content = _content(path)
    if _is_procthor(content):
        from sim_bridge.worlds.procworld.procthor_house import procthor_house

        return procthor_house(content, str(path))
    return house_of(content, str(path))


def procthor_record(path: Path) -> dict[str, Any] | None:
    """What the file of a ProcTHOR house says; None for a house of our form.

    :raises ConfigurationError: it cannot be read.
    """
    content = _content(path)
    return content if _is_procthor(content) else None


def _content(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = read_file(path, dict[str, Any], form=_FORM, largest=_LARGEST)
    return content


def _is_procthor(content: Mapping[str, Any]) -> bool:
    return 'format' not in content and 'rooms' in content and 'objects' in content


def house_of(content: Mapping[str, Any], where: str) -> House:
    """The house of a record in our form.

    :param where: begins the sentence about a mistake.
    :raises ConfigurationError: it is none.
    """
    written: _House = check(dict(content), _House, where, _FORM)
    faults = list(_faults(written))
    if faults:
        more = f'; and {len(faults) - 8} more' if len(faults) > 8 else ''
        raise ConfigurationError(f'{where}: {"; ".join(faults[:8])}{more}.')
    return House(
        written.seed,
        tuple(Room(room.name, tuple((x, z) for x, z in room.polygon)) for room in written.rooms),
        tuple(
            Door(door.name, (door.at[0], door.at[1]), (door.rooms[0], door.rooms[1]))
            for door in written.doors
        ),
        tuple(
            Thing(
                thing.name,
                thing.thing_class,
                thing.room,
                (thing.at[0], thing.at[1]) if thing.at else None,
                thing.container or '',
                thing.fixed,
                thing.open,
                tuple(sorted(set(thing.states))),
            )
            for thing in written.things
        ),
        tuple(
            Location(location.name, (location.at[0], location.at[1]), location.room)
            for location in written.locations
        ),
        written.start,
        tuple((one, other) for one, other in written.openings),
    )


def write_house(house: House) -> str:
    """A house as text of a file; the same house is always the same text."""
    record = record_of(house)
    parts = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            lines = ',\n    '.join(json.dumps(entry) for entry in value)
            parts.append(f'  {json.dumps(key)}: [\n    {lines}\n  ]')
        else:
            parts.append(f'  {json.dumps(key)}: {json.dumps(value)}')
    return '{\n' + ',\n'.join(parts) + '\n}\n'


def record_of(house: House) -> dict[str, Any]:
    """A house in the form of its file."""
    return {
        'format': 1,
        'seed': house.seed,
        'rooms': [
            {'name': room.name, 'polygon': [list(corner) for corner in room.polygon]}
            for room in house.rooms
        ],
        'openings': [list(pair) for pair in house.openings],
        'doors': [
            {'name': door.name, 'at': list(door.at), 'rooms': list(door.rooms)}
            for door in house.doors
        ],
        'things': [
            {
                'name': thing.name,
                'class': thing.thing_class,
                'at': list(thing.at) if thing.at else None,
                'in': thing.container or None,
                'room': thing.room,
                'fixed': thing.fixed,
                'open': thing.open,
                'states': list(thing.states),
            }
            for thing in house.things
        ],
        'locations': [
            {'name': location.name, 'at': list(location.at), 'room': location.room}
            for location in house.locations
        ],
        'start': house.start,
    }


# What is wrong with a house


def _faults(house: _House) -> Iterable[str]:
    named: tuple[_Room | _Door | _Thing | _Location, ...] = (
        *house.rooms,
        *house.doors,
        *house.things,
        *house.locations,
    )
    count = Counter(entry.name for entry in named)
    for name in sorted(name for name, times in count.items() if times > 1):
        yield f'{name!r} stands there {count[name]} times: give each its own number'
    rooms = {room.name for room in house.rooms}
    yield from _off_the_grid(house)
    for room in house.rooms:
        corners = list(zip(room.polygon, [*room.polygon[1:], room.polygon[0]], strict=True))
        if any((a[0] == b[0]) == (a[1] == b[1]) for a, b in corners):
            yield (
                f'the polygon of {room.name!r} has a wall that is askew or without length: write '
                'its corners in order, with one coordinate changing from each to the next'
            )
    for door in house.doors:
        yield from _unknown_rooms(door.name, door.rooms, rooms)
    for pair in house.openings:
        yield from _unknown_rooms('an opening', pair, rooms)
    for thing in house.things:
        yield from _unknown_rooms(thing.name, [thing.room], rooms)
    for location in house.locations:
        yield from _unknown_rooms(location.name, [location.room], rooms)
    if house.start not in {location.name for location in house.locations}:
        yield f'"start" is {house.start!r:.60}, which is no location: write one of "locations"'
    yield from _faults_of_things(house)
    yield from _misplaced(house)


def _off_the_grid(house: _House) -> Iterable[str]:
    places = [(room.name, corner) for room in house.rooms for corner in room.polygon]
    places += [(door.name, door.at) for door in house.doors]
    places += [(thing.name, thing.at) for thing in house.things if thing.at]
    places += [(location.name, location.at) for location in house.locations]
    for name, at in places:
        if any((side * STEPS_A_METRE) % 1 for side in at):
            yield f'{name!r} has the position {at}: write multiples of 0.25 (metres)'


def _unknown_rooms(what: str, named: Iterable[str], rooms: set[str]) -> Iterable[str]:
    for name in named:
        if name not in rooms:
            yield f'{what!r} names the room {name!r}, which is not under "rooms"'


def _misplaced(house: _House) -> Iterable[str]:
    """What is not in its room, and doors at which nobody can stand on one side."""
    outlines = {room.name: [steps_of((x, z)) for x, z in room.polygon] for room in house.rooms}
    if is_too_large(outlines.values()):
        yield f'its rooms take more than {MOST_FLOOR} square metres: leave some out'
        return
    inside = {name: squares_of(outline) for name, outline in outlines.items()}
    standing = [(one.name, one.at, one.room) for one in house.locations]
    standing += [(one.name, one.at, one.room) for one in house.things if one.at]
    for name, at, room in standing:
        x, z = steps_of((at[0], at[1]))
        around = {(x, z), (x - 1, z), (x, z - 1), (x - 1, z - 1)}
        if room in inside and not around & inside[room]:
            yield f'{name!r} is not in {room!r}: correct "at" or "room"'
    entered = {location.room for location in house.locations}
    entered |= {one for pair in house.openings if entered & {*pair} for one in pair}
    for door in house.doors:
        for room in door.rooms:
            if room in inside and room not in entered:
                yield f'{door.name!r} leads to {room!r}, which has no location: add one to it'


def _faults_of_things(house: _House) -> Iterable[str]:
    things = {thing.name: thing for thing in house.things}
    for thing in house.things:
        found = _NUMBERED.fullmatch(thing.name)
        if found is None or found[1] != thing.thing_class:
            yield (
                f'{thing.name!r} has the class {thing.thing_class!r:.60}: its name must be the '
                'class and a number'
            )
        if (thing.at is None) == (thing.container is None):
            yield f'{thing.name!r} must have either "at" or "in"; write null for the other'
            continue
        if thing.container is None:
            continue
        if thing.container not in things:
            yield f'{thing.name!r} is in {thing.container!r}, which is not under "things"'
        elif things[thing.container].room != thing.room:
            yield f'{thing.name!r} is in {thing.container!r}: write the same room for both'
        elif thing.fixed and not things[thing.container].fixed:
            yield f'{thing.name!r} is fixed: what it is part of must be too'
        levels, above = 1, thing
        while above.container in things and levels <= MOST_LEVELS:
            levels, above = levels + 1, things[above.container]
        if levels > MOST_LEVELS:
            yield (
                f'{thing.name!r} is within more than {MOST_LEVELS - 1} things, or in itself: '
                'correct "in"'
            )
