"""What people do to a household: a thing is somewhere else from one moment to the next."""

from __future__ import annotations

from copy import deepcopy


def moved_to(graph, name, place):
    """The scene graph with a thing on another place; all else is as it was.

    :param graph: VirtualHome's format. :param name: class of the thing, the first of its class.
    :param place: class of the place, the first of its class.
    """
    graph = deepcopy(dict(graph))
    ids = {}
    for node in graph['nodes']:
        ids.setdefault(node['class_name'].replace('_', ' '), node['id'])
    thing, target = _id(ids, name), _id(ids, place)
    by_id = {node['id']: node for node in graph['nodes']}
    edges = [edge for edge in graph['edges'] if thing not in (edge['from_id'], edge['to_id'])]
    rooms = {node['id'] for node in graph['nodes'] if node['category'] == 'Rooms'}
    room = next(
        edge['to_id']
        for edge in edges
        if edge['from_id'] == target
        and edge['to_id'] in rooms
        and edge['relation_type'] == 'INSIDE'
    )
    edges += [
        {'from_id': thing, 'relation_type': 'ON', 'to_id': target},
        {'from_id': thing, 'relation_type': 'INSIDE', 'to_id': room},
    ]
    for part in ('obj_transform', 'bounding_box'):
        key = 'position' if part == 'obj_transform' else 'center'
        if by_id[target].get(part) and by_id[thing].get(part):
            by_id[thing][part] = {**by_id[thing][part], key: list(by_id[target][part][key])}
    graph['edges'] = edges
    return graph


def _id(ids, name):
    squeezed = {known.replace(' ', ''): number for known, number in ids.items()}
    return squeezed[name.replace(' ', '')]
