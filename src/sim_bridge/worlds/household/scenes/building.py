"""Floors, ceilings, walls and doors."""

from __future__ import annotations

from math import ceil

from sim_bridge.worlds.household.scenes.floor_plan import ROOM_HEIGHT, WALL
from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.household import Household

#: Sides of floor tiles, ceiling tiles and wall panels in metres, the usual one first.
_PANELS = (2.5, 4.0, 6.0, 20.0)
#: How much of the graph the building may take.
_SHARE = 0.32


def raise_building(household: Household) -> None:
    """Add floors, walls, ceilings and doors, coarser where few nodes are to be spent."""
    for panel in _PANELS:
        if _count(household, panel) <= _SHARE * household.budget:
            break
    else:
        panel = 0.0
    for index in range(len(household.plan.rooms)):
        _raise_room(household, index, panel)
    for way in household.plan.doorways:
        household.build('door', way.first, way.box)
        if panel:
            household.build('doorjamb', way.first, way.box)


def _count(household: Household, panel: float) -> int:
    boxes = [room.box for room in household.plan.rooms]
    nodes = 2 * len(household.plan.doorways)
    for box in boxes:
        across, along = ceil(box.width / panel), ceil(box.depth / panel)
        nodes += 2 * across * along + 2 * across + 2 * along
    return nodes


def _raise_room(household: Household, index: int, panel: float) -> None:
    """One room; a panel of 0 means one floor, and the two walls no neighbour has."""
    box = household.plan.rooms[index].box
    across = ceil(box.width / panel) if panel else 1
    along = ceil(box.depth / panel) if panel else 1
    width, depth = box.width / across, box.depth / along
    for row in range(along):
        for column in range(across):
            x = box.west + (column + 0.5) * width
            z = box.south + (row + 0.5) * depth
            household.build('floor', index, Box(x, 0.0, z, width, 0.0, depth))
            if panel:
                household.build('ceiling', index, Box(x, ROOM_HEIGHT, z, width, 0.0, depth))
    middle = ROOM_HEIGHT / 2
    for column in range(across):
        x = box.west + (column + 0.5) * width
        for z in (box.north, box.south)[: 2 if panel else 1]:
            household.build('wall', index, Box(x, middle, z, width, ROOM_HEIGHT, WALL))
    for row in range(along):
        z = box.south + (row + 0.5) * depth
        for x in (box.west, box.east)[: 2 if panel else 1]:
            household.build('wall', index, Box(x, middle, z, WALL, ROOM_HEIGHT, depth))
