"""Homes for the protocol: stored without characters, played with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.graph_reading import check_graph, without_characters
from sim_bridge.worlds.household.nodes import Box, CHARACTER, is_room, Node, read_node
from sim_bridge.worlds.household.roles import assume_properties

Graph = dict[str, Any]

_MOST_NAMED = 10
#: Categories of things that people carry.
_CARRIED = frozenset({'Animals', 'Food', 'Props'})


def _checked(graph: Mapping[str, Any]) -> Graph:
    """A home as it is before `add_character`; what was held stays in its room.

    :raises ConfigurationError: it is malformed.
    """
    check_graph(dict(graph))
    return without_characters(graph)


def completed(graph: Mapping[str, Any]) -> Graph:
    """A home without characters, with the edges and states that its file lacks (`SceneGraph`).

    :raises ConfigurationError: it cannot be played.
    """
    return _checked(SceneGraph(_checked(graph)).to_dict())


def expanded(scene: Graph, graph: Mapping[str, Any]) -> tuple[Graph, dict[str, Any]]:
    """The scene that `expand_scene` makes: the given graph, completed from the present scene.

    Nodes that the present scene knows by their id keep what the given ones leave out, such as
    bounding boxes. Rooms that the given graph leaves out stay, as buildings cannot be changed,
    unless it brings its own.

    :return: the scene, and what to tell about it: the ids of things that are nowhere in it
        (`unplaced`), and of edges that were left out, as no node has one of their ids, how many
        (`edges_of_unknown_ids`) and the first ids (`unknown_ids`); each only where there are any.
    :raises ConfigurationError: the graph is malformed.
    """
    given = _checked(graph)
    known = {node['id']: node for node in scene['nodes']}
    nodes = []
    for node in given['nodes']:
        before = known.get(node['id'])
        same = before is not None and before['class_name'] == node['class_name']
        nodes.append({**before, **node} if same and before is not None else dict(node))
    if not any(is_room(read_node(node)) for node in nodes):
        there = {node['id'] for node in nodes}
        kept = [
            node for node in scene['nodes'] if is_room(read_node(node)) and node['id'] not in there
        ]
        nodes += kept
    ids = {node['id'] for node in nodes}
    edges: list[dict[str, Any]] = []
    dangling: list[dict[str, Any]] = []
    unknown: dict[int, None] = {}
    for edge in given['edges']:
        missing = [end for end in (edge['from_id'], edge['to_id']) if end not in ids]
        (dangling if missing else edges).append(edge)
        unknown.update(dict.fromkeys(missing))
    placed = {
        edge['from_id'] for edge in edges if edge['relation_type'].upper() in ('INSIDE', 'ON')
    }
    lost = [
        node['id']
        for node in nodes
        if node['id'] not in placed
        and not node.get('bounding_box')
        and not is_room(read_node(node))
    ]
    remarks: dict[str, Any] = {'unplaced': lost} if lost else {}
    if dangling:
        remarks['edges_of_unknown_ids'] = len(dangling)
        remarks['unknown_ids'] = list(unknown)[:_MOST_NAMED]
    return {'nodes': nodes, 'edges': edges}, remarks


def complete_properties(before: Mapping[str, Any], scene: Graph) -> None:
    """Give things that `expand_scene` added without properties what the simulator gives them.

    That is what others of their class have; else what the lists know of the class; else, for what
    people carry, that it can be carried.

    :param before: the scene before. :param scene: the one made of it; its new nodes are changed.
    """
    known = {node['id'] for node in before['nodes']}
    alike = {node['class_name']: node.get('properties') for node in before['nodes']}
    for node in scene['nodes']:
        if node['id'] in known or node.get('properties'):
            continue
        found = alike.get(node['class_name']) or assume_properties(read_node(node))
        if not found and node.get('category') in _CARRIED:
            found = ('GRABBABLE', 'MOVABLE')
        node['properties'] = sorted(found)


def room_at(scene: Graph, position: Mapping[str, Any]) -> int:
    """The room of a position, or the nearest one.

    :param position: x, y (up), z in metres.
    :raises ConfigurationError: it is no position, or rooms have no boxes.
    """
    numbers = [position.get(axis) for axis in 'xyz']
    if not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in numbers):
        raise ConfigurationError('character_position needs numbers x, y and z')
    x, y, z = (float(one) for one in numbers if one is not None)
    point = Box((x, y, z), (0.0, 0.0, 0.0))
    rooms = [node for node in rooms_of(scene) if node.box is not None]
    if not rooms:
        raise ConfigurationError('the rooms of this scene have no places: use initial_room')

    def distance(room: Node) -> tuple[float, int]:
        return (room.box.gap(point) if room.box else float('inf')), room.node_id

    return min(rooms, key=distance).node_id


def room_called(scene: Graph, class_name: str) -> int:
    """The first room of a class.

    :raises ConfigurationError: there is none.
    """
    rooms = rooms_of(scene)
    for room in rooms:
        if room.class_name == class_name:
            return room.node_id
    known = ', '.join(sorted({room.class_name for room in rooms}))
    raise ConfigurationError(
        f'there is no {class_name!r:.80} in this scene; its rooms are: {known}'
    )


def rooms_of(scene: Graph) -> list[Node]:
    """The rooms in the order of ids."""
    rooms = [node for node in map(read_node, scene['nodes']) if is_room(node)]
    return sorted(rooms, key=lambda room: room.node_id)


def with_character(scene: Graph, room: int) -> Graph:
    """The scene with a character in a room; its id is 1, as in Unity, or above all others."""
    ids = {node['id'] for node in scene['nodes']}
    me = 1 if 1 not in ids else max(ids) + 1
    character: dict[str, Any] = {
        'id': me,
        'class_name': CHARACTER,
        'category': 'Characters',
        'properties': [],
        'states': [],
    }
    inside = {'from_id': me, 'relation_type': 'INSIDE', 'to_id': room}
    return {'nodes': [*scene['nodes'], character], 'edges': [*scene['edges'], inside]}
