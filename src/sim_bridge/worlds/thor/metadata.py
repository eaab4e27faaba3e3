"""What the program reports with every event, read alike for both generations of the client.

Metadata are dictionaries as the client gives them; nothing here changes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sim_bridge.worlds.thor.classes import SHUTTABLE

#: One thing of the scene.
Thing = Mapping[str, Any]
#: All that one event says.
Metadata = Mapping[str, Any]
#: Names of pieces of sliced things have one of these.
_PIECES = ('_Slice_', '_Sliced')


def things_of(metadata: Metadata) -> Sequence[Thing]:
    """All things of the scene."""
    found: Sequence[Thing] = metadata.get('objects') or ()
    return found


def thing_by_id(metadata: Metadata, object_id: str) -> Thing | None:
    """A thing; None for one that is not there any more."""
    return next((one for one in things_of(metadata) if one['objectId'] == object_id), None)


def succeeded(metadata: Metadata) -> bool:
    """Whether the last action did what it was to do."""
    return bool(metadata.get('lastActionSuccess'))


def held_id(metadata: Metadata) -> str:
    """What the agent holds; '' for nothing."""
    held = metadata.get('inventoryObjects') or ()
    return str(held[0]['objectId']) if held else ''


def in_sight(metadata: Metadata) -> list[Thing]:
    """What the agent sees, but for what another one has in its hand."""
    own = {one['objectId'] for one in metadata.get('inventoryObjects') or ()}
    taken = {one['objectId'] for one in things_of(metadata) if one.get('isPickedUp')} - own
    return [
        one
        for one in things_of(metadata)
        if one.get('visible') and taken.isdisjoint((one['objectId'], *parents(one)))
    ]


def inside(thing: Thing) -> Sequence[str]:
    """Ids of what lies in or on a receptacle."""
    return thing.get('receptacleObjectIds') or ()


def parents(thing: Thing) -> Sequence[str]:
    """Ids of the receptacles that a thing lies in or on."""
    return thing.get('parentReceptacles') or ()


def is_closed(thing: Thing) -> bool:
    """Whether nothing can be put in or taken out before it is opened."""
    shuts = thing['objectType'] in SHUTTABLE and thing.get('openable')
    return bool(shuts) and not thing.get('isOpen')


def is_piece(thing: Thing) -> bool:
    """Whether it is a piece of something sliced."""
    return any(part in thing['name'] for part in _PIECES)


def distance(one: Thing, other: Thing) -> float:
    """Metres between the positions of two things."""
    return math.dist(place_of(one), place_of(other))


def place_of(thing: Thing) -> tuple[float, float, float]:
    """Its position: x, y and z in metres."""
    position = thing['position']
    return float(position['x']), float(position['y']), float(position['z'])


def nearest(things: Sequence[Thing], to: Thing) -> Thing | None:
    """The nearest of some things to another."""
    return min(things, key=lambda one: distance(one, to), default=None)


def basin_of(metadata: Metadata, faucet: Thing) -> Thing | None:
    """The sink basin under a faucet: the nearest that is visible."""
    basins = [
        one
        for one in things_of(metadata)
        if one['objectType'] == 'SinkBasin' and one.get('visible')
    ]
    return nearest(basins, faucet)


def first_of_class(metadata: Metadata, class_name: str) -> Thing | None:
    """The first thing of a class in the program's order."""
    return next((one for one in things_of(metadata) if one['objectType'] == class_name), None)
