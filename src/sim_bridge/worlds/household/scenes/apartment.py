"""Apartments made from a seed, in VirtualHome's graph format."""

from __future__ import annotations

from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.scenes.building import raise_building
from sim_bridge.worlds.household.scenes.catalogue import KINDS
from sim_bridge.worlds.household.scenes.floor_plan import plan_floor
from sim_bridge.worlds.household.scenes.furniture import (
    place_needed_furniture,
    place_usual_furniture,
)
from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.household import Household, Thing
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.household.scenes.stock import place_random_objects, place_task_objects

ROOM_LIMITS = (1, 10)
NODE_LIMITS = (100, 600)

_ROOM_WEIGHTS = (
    (1, 2.0),
    (2, 5.0),
    (3, 16.0),
    (4, 34.0),
    (5, 22.0),
    (6, 11.0),
    (7, 5.0),
    (8, 3.0),
    (9, 1.0),
    (10, 1.0),
)
_CHARACTER_ID = 1
_FIRST_ID = 11
#: Ids of what was brought in start here, as in Watch-And-Help's exports.
_FIRST_LOOSE_ID = 1001


def generate_apartment(
    seed: int, rooms: int | None = None, nodes: int | None = None
) -> dict[str, Any]:
    """Make a furnished and stocked apartment; the same seed gives the same one everywhere.

    :param seed: 0 or more.
    :param rooms: 1 to 10; None lets the seed choose, mostly 3 to 5.
    :param nodes: 100 to 600 nodes of the whole graph, walls and the character included; None
        lets the seed choose, mostly 200 to 400. A single room may end up with fewer when
        nothing more fits into its furniture.
    :return: {'nodes': [...], 'edges': [...]} as VirtualHome writes them. There are no CLOSE
        edges: those only exist in the running Unity program.
    :raises ConfigurationError: a number is outside its range.
    """
    _check('seed', seed, 0, None)
    _check('rooms', rooms, *ROOM_LIMITS)
    _check('nodes', nodes, *NODE_LIMITS)
    dice = SeededRandom(seed, 'apartment')
    if rooms is None:
        rooms = dice.weighted(_ROOM_WEIGHTS)
    if nodes is None:
        nodes = min(420, max(150, 45 * rooms + dice.integer(70, 190)))
    household = Household(plan_floor(dice, rooms), dice, nodes)
    raise_building(household)
    place_needed_furniture(household)
    place_task_objects(household)
    place_usual_furniture(household, household.left * 3 // 5)
    place_random_objects(household)
    return _as_graph(household)


def _check(name: str, value: int | None, low: int, high: int | None) -> None:
    if value is None:
        return
    if value < low or (high is not None and value > high):
        span = f'from {low} to {high}' if high is not None else f'of {low} or more'
        raise ConfigurationError(f'{name} of a generated apartment is {value}; give one {span}.')


def _as_graph(household: Household) -> dict[str, Any]:
    """Number everything and write it down: rooms with their furniture, then loose things."""
    rooms = household.plan.rooms
    room_ids: list[int] = []
    ids: dict[int, int] = {}
    numbered: list[tuple[int, Thing]] = []
    following = _FIRST_ID
    for index in range(len(rooms)):
        room_ids.append(following)
        following += 1
        for thing in household.things:
            if thing.fixed and thing.room == index:
                ids[id(thing)] = following
                numbered.append((following, thing))
                following += 1
    # Shuffled: otherwise a number would tell how likely the room is.
    loose = household.dice.shuffled([thing for thing in household.things if not thing.fixed])
    for offset, thing in enumerate(loose):
        ids[id(thing)] = _FIRST_LOOSE_ID + offset
        numbered.append((_FIRST_LOOSE_ID + offset, thing))

    start = household.dice.integer(0, len(rooms) - 1)
    nodes = [_character(household, start)]
    edges = [_edge(_CHARACTER_ID, room_ids[start], 'INSIDE')]
    for index, room in enumerate(rooms):
        nodes.append(_node(room_ids[index], room.kind, 'Rooms', (), (), room.box))
    for number, thing in numbered:
        kind = KINDS[thing.class_name]
        nodes.append(
            _node(number, kind.class_name, kind.category, kind.properties, thing.states, thing.box)
        )
        edges.append(_edge(number, room_ids[thing.room], 'INSIDE'))
        if thing.inside is not None:
            edges.append(_edge(number, ids[id(thing.inside)], 'INSIDE'))
        if thing.on is not None:
            edges.append(_edge(number, ids[id(thing.on)], 'ON'))
    edges += _door_edges(household, room_ids, ids)
    edges += _facing_edges(household, ids)
    nodes.sort(key=lambda node: int(node['id']))
    return {'nodes': nodes, 'edges': edges}


def _node(
    number: int,
    class_name: str,
    category: str,
    properties: tuple[str, ...],
    states: tuple[str, ...],
    box: Box,
) -> dict[str, Any]:
    bounds = box.as_graph()
    return {
        'id': number,
        'category': category,
        'class_name': class_name,
        'obj_transform': {
            'position': list(bounds['center']),
            'rotation': [0.0, 0.0, 0.0, 1.0],
            'scale': [1.0, 1.0, 1.0],
        },
        'bounding_box': bounds,
        'properties': list(properties),
        'states': list(states),
    }


def _edge(start: int, end: int, relation: str) -> dict[str, Any]:
    return {'from_id': start, 'to_id': end, 'relation_type': relation}


def _character(household: Household, room: int) -> dict[str, Any]:
    """The robot, in the middle of its room."""
    width, height, depth = KINDS['character'].size
    middle = household.plan.rooms[room].box
    box = Box(middle.x, height / 2, middle.z, width, height, depth)
    return _node(_CHARACTER_ID, 'character', 'Characters', (), (), box)


def _door_edges(
    household: Household, room_ids: list[int], ids: dict[int, int]
) -> list[dict[str, Any]]:
    """Each door and each door jamb is BETWEEN its two rooms."""
    ways = {id(way.box): way for way in household.plan.doorways}
    edges = []
    for thing in household.things:
        way = ways.get(id(thing.box))
        if way is not None:
            for room in (way.first, way.second):
                edges.append(_edge(ids[id(thing)], room_ids[room], 'BETWEEN'))
    return edges


def _facing_edges(household: Household, ids: dict[int, int]) -> list[dict[str, Any]]:
    """Seats face the screens of their room."""
    edges = []
    for thing in household.things:
        if thing.class_name in ('sofa', 'chair', 'bed'):
            for screen in ('tv', 'computer'):
                for target in household.of_class(screen, thing.room):
                    edges.append(_edge(ids[id(thing)], ids[id(target)], 'FACING'))
    return edges
