"""The floor of a house as views draw it: rooms, doors, locations, what stands where.

It stands as 'floor' beside the nodes of a scene graph. Positions are (x, z) in metres.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import Any

from sim_bridge.worlds.procworld.house import House, Point
from sim_bridge.worlds.procworld.state import State

#: Word for how the door of a thing stands.
_DOOR: dict[bool | None, tuple[str, ...]] = {None: (), True: ('open',), False: ('closed',)}


def whole_floor(house: House) -> dict[str, Any]:
    """All of a house as it begins; its things tell their rooms, what they are in, their states."""
    start = house.location[house.start]
    rooms = {room.name for room in house.rooms}
    return {
        **_floor(house, rooms, house.location, start.at),
        'room': start.room,
        'things': [
            {
                'name': one.name,
                'at': list(one.at) if one.at else None,
                'fixed': one.fixed,
                'room': one.room,
                'in': one.container,
                'states': [*_DOOR[one.open], *one.states],
            }
            for one in house.things
        ],
    }


def known_floor(state: State) -> dict[str, Any]:
    """What the agent knows by now: rooms it was in, and what it was given there."""
    layout = state.layout
    house = layout.house
    if not layout.bounded:
        here = state.at if state.room else None
        return _floor(house, {room.name for room in house.rooms}, state.known, here)
    rooms = {*state.rooms, *(layout.spot(name)[1] for name in state.known)}
    known = state.known - state.carried_off
    return _floor(house, rooms, known, state.at, layout.reach, _doors(state))


def _doors(state: State) -> set[str]:
    """Doors by which one of their locations is known."""
    return {
        door.name
        for name, doors in state.layout.doors.items()
        if name in state.known
        for door, _ in doors
    }


def _floor(
    house: House,
    rooms: set[str],
    known: Collection[str],
    agent: Point | None,
    reach: float = inf,
    doors: Collection[str] | None = None,
) -> dict[str, Any]:
    """What of a house is given.

    :param known: locations and outermost things. :param doors: None for all.
    """
    return {
        'rooms': [
            {'name': room.name, 'polygon': [list(corner) for corner in room.polygon]}
            for room in house.rooms
            if room.name in rooms
        ],
        'openings': [list(pair) for pair in house.openings if rooms >= {*pair}],
        'doors': [
            {'name': door.name, 'at': list(door.at)}
            for door in house.doors
            if doors is None or door.name in doors
        ],
        'locations': [
            {'name': one.name, 'at': list(one.at)} for one in house.locations if one.name in known
        ],
        'things': [
            {'name': one.name, 'at': list(one.at)}
            for one in house.things
            if one.at and one.name in known
        ],
        'agent': list(agent) if agent else None,
        'reach': reach if reach < inf else None,
    }
