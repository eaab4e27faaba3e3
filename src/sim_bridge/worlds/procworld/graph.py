"""A house as a scene graph in VirtualHome's format, for views of its rooms and things."""

from __future__ import annotations

from typing import Any

from reactree_core.skill_types import class_and_number
from sim_bridge.worlds.procworld.classes import CONTAINERS, LAMPS, spelling
from sim_bridge.worlds.procworld.house import Point
from sim_bridge.worlds.procworld.state import State
from sim_bridge.worlds.thor.stand_in.classes import object_class

#: Height of rooms, in metres, and of the character.
_HEIGHT, _CHARACTER = 2.5, 1.7
#: What has an inside rather than a top.
_INSIDES = frozenset({
    'bathtubbasin', 'bowl', 'box', 'cabinet', 'cup', 'drawer', 'fridge', 'garbagecan',
    'laundryhamper', 'microwave', 'mug', 'pan', 'pot', 'safe', 'sinkbasin',
})  # fmt: skip


def graph_of(state: State) -> dict[str, Any]:
    """The house as it is now."""
    house = state.layout.house
    ids = {room.name: number for number, room in enumerate(house.rooms, 1)}
    nodes = []
    for room in house.rooms:
        xs, zs = zip(*room.polygon, strict=True)
        at = (min(xs) + max(xs)) / 2, (min(zs) + max(zs)) / 2
        size = max(xs) - min(xs), _HEIGHT, max(zs) - min(zs)
        kind = class_and_number(room.name)[0]
        nodes.append(_node(ids[room.name], kind, 'Rooms', at, size))
    agent = len(nodes) + 1
    nodes.append(_node(agent, 'character', 'Characters', state.at, (0.5, _CHARACTER, 0.5)))
    # Things are numbered within their class in the order of their ids.
    for one in sorted(house.things, key=lambda thing: class_and_number(thing.name)):
        ids[one.name] = len(nodes) + 1
        size = object_class(spelling(one.thing_class)).size
        category = 'Furniture' if one.fixed else 'Props'
        node = _node(ids[one.name], one.thing_class, category, _spot(state, one.name)[0], size)
        node['properties'] = _properties(state, one.name)
        node['states'] = _states(state, one.name)
        nodes.append(node)
    edges = []
    for one in house.things:
        if one.name == state.held:
            edges.append((agent, 'HOLDS_RH', ids[one.name]))
            edges.append((ids[one.name], 'INSIDE', ids.get(state.room, 1)))
            continue
        container = state.container_of(one.name)
        if container:
            inside = state.class_of(container) in _INSIDES
            edges.append((ids[one.name], 'INSIDE' if inside else 'ON', ids[container]))
        edges.append((ids[one.name], 'INSIDE', ids[_spot(state, one.name)[1]]))
    edges.append((agent, 'INSIDE', ids.get(state.room, 1)))
    if state.faced:
        edges.append((agent, 'CLOSE', ids[state.faced]))
    return {
        'nodes': nodes,
        'edges': [
            {'from_id': one, 'relation_type': relation, 'to_id': other}
            for one, relation, other in edges
        ],
    }


def _spot(state: State, name: str) -> tuple[Point, str]:
    """Where a thing is now, and in which room."""
    outermost = state.outermost(name)
    if state.is_outermost(outermost):
        return state.layout.spot(outermost)
    return state.at, state.room or state.layout.house.rooms[0].name


def _node(
    number: int, kind: str, category: str, at: Point, size: tuple[float, float, float]
) -> dict[str, Any]:
    return {
        'id': number,
        'class_name': kind,
        'category': category,
        'properties': [],
        'states': [],
        'bounding_box': {'center': [at[0], size[1] / 2, at[1]], 'size': list(size)},
    }


def _properties(state: State, name: str) -> list[str]:
    thing = state.layout.house.thing[name]
    known = {
        'GRABBABLE': not thing.fixed,
        'CAN_OPEN': thing.open is not None,
        'HAS_SWITCH': thing.thing_class in LAMPS,
        'CONTAINERS': thing.thing_class in _INSIDES | CONTAINERS,
        'SURFACES': thing.fixed and thing.thing_class not in _INSIDES,
    }
    return [word for word, holds in known.items() if holds]


def _states(state: State, name: str) -> list[str]:
    found = []
    if state.can_open(name):
        found.append('CLOSED' if state.is_closed(name) else 'OPEN')
    if state.class_of(name) in LAMPS:
        found.append('ON' if 'on' in state.states.get(name, ()) else 'OFF')
    return found
