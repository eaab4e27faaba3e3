"""A small home with everything the checks need, and what must hold of any home at any time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sim_bridge.worlds.household import HouseholdWorld

Graph = dict[str, Any]

_PROPERTIES = {
    'apple': 'GRABBABLE MOVABLE',
    'bathroomcabinet': 'CAN_OPEN CONTAINERS SURFACES',
    'bed': 'SURFACES',
    'bookshelf': 'CONTAINERS SURFACES',
    'box': 'CAN_OPEN CONTAINERS GRABBABLE',
    'breadslice': 'GRABBABLE',
    'chair': 'GRABBABLE SURFACES',
    'coffeetable': 'SURFACES',
    'computer': 'HAS_SWITCH',
    'cutleryfork': 'GRABBABLE',
    'desk': 'CAN_OPEN SURFACES',
    'dishwasher': 'CAN_OPEN CONTAINERS HAS_SWITCH',
    'fridge': 'CAN_OPEN CONTAINERS HAS_SWITCH',
    'juice': 'GRABBABLE',
    'kitchencounter': 'SURFACES',
    'kitchentable': 'SURFACES',
    'lightswitch': 'HAS_SWITCH',
    'microwave': 'CAN_OPEN CONTAINERS HAS_SWITCH',
    'pillow': 'GRABBABLE',
    'plate': 'GRABBABLE SURFACES',
    'sink': 'CONTAINERS',
    'sofa': 'SURFACES',
    'towelrack': 'SURFACES',
}
_ROOMS = ('kitchen', 'livingroom', 'bathroom', 'bedroom')


@pytest.fixture
def make_home() -> Callable[..., Graph]:
    """Builder of graphs: rows of (id, class, place, room, x) with states after a slash.

    A place is 'in <id>', 'on <id>' or ''. Without x there is no bounding box.
    """

    def make(*rows: tuple[Any, ...], character: int | None = None) -> Graph:
        nodes: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []

        def edge(start: int, relation: str, end: int) -> None:
            edges.append({'from_id': start, 'to_id': end, 'relation_type': relation})

        for node_id, name, place, room, *x in rows:
            class_name, _, states = name.partition('/')
            is_room = class_name in _ROOMS or class_name.endswith('_room')
            node = {
                'id': node_id,
                'class_name': class_name,
                'category': 'Rooms' if is_room else 'Things',
                'properties': _PROPERTIES.get(class_name, '').split(),
                'states': states.split(),
            }
            if x:
                node['bounding_box'] = {'center': [float(x[0]), 0.5, 0.0], 'size': [1.0, 1.0, 1.0]}
            nodes.append(node)
            if room:
                edge(node_id, 'INSIDE', room)
            if place:
                relation, target = place.split()
                edge(node_id, {'in': 'INSIDE', 'on': 'ON'}[relation], int(target))
        if character is not None:
            nodes.append(
                {
                    'id': 2,
                    'class_name': 'character',
                    'category': 'Characters',
                    'properties': [],
                    'states': [],
                }
            )
            edge(2, 'INSIDE', character)
        return {'nodes': nodes, 'edges': edges}

    return make


@pytest.fixture
def home(make_home: Callable[..., Graph]) -> Graph:
    """Two rooms; the kitchen has a table end and, out of its reach, a fridge end."""
    return make_home(
        (10, 'kitchen', '', 0, 5),
        (11, 'livingroom', '', 0, 50),
        (20, 'kitchentable', '', 10, 0),
        (21, 'chair', '', 10, 1.5),
        (22, 'fridge/CLOSED OFF', '', 10, 8),
        (23, 'dishwasher/CLOSED OFF', '', 10, 10),
        (24, 'kitchencounter', '', 10, 12),
        (25, 'sink', 'on 24', 10, 12),
        (26, 'microwave/OPEN OFF', 'on 24', 10, 12.5),
        (30, 'apple', 'in 22', 10, 8),
        (31, 'apple', 'on 20', 10, 0),
        (32, 'plate', 'on 20', 10, 0),
        (33, 'cutleryfork', 'on 32', 10, 0),
        (34, 'juice', 'in 22', 10, 8),
        (35, 'breadslice', 'in 26', 10, 12),
        (36, 'pillow', 'on 20', 10, 0),
        (40, 'sofa', '', 11, 50),
        (41, 'coffeetable', '', 11, 52),
        (42, 'apple', 'on 41', 11, 52),
        (43, 'desk/CLOSED', '', 11, 60),
        (44, 'computer/OFF', 'on 43', 11, 60),
        (45, 'box/CLOSED', 'on 43', 11, 60),
        (46, 'lightswitch/ON', '', 11, 66),
        character=10,
    )


@pytest.fixture
def world(home: Graph) -> HouseholdWorld:
    """The small home, the robot in the middle of its kitchen."""
    world = HouseholdWorld()
    world.reset_to(home)
    return world


@pytest.fixture
def do(world: HouseholdWorld) -> Callable[..., str]:
    """Do skills one after the other, all of which must succeed; the text of the last."""

    def do(*skills: str) -> str:
        text = ''
        for skill in skills:
            observation = world.step(skill)
            assert observation.succeeded, f'{skill}: {observation.text}'
            text = observation.text
        return text

    return do


@pytest.fixture(scope='session')
def check_graph() -> Callable[[Mapping[str, Any], Mapping[str, Any]], None]:
    """Assert what holds of every graph, given the one at the beginning."""

    def check(first: Mapping[str, Any], graph: Mapping[str, Any]) -> None:
        nodes = {node['id']: node for node in graph['nodes']}
        before = {node['id']: node for node in first['nodes']}
        assert nodes.keys() == before.keys()
        rooms = {key for key, node in nodes.items() if node['category'] == 'Rooms'}
        me = min(key for key, node in nodes.items() if node['class_name'] == 'character')
        places: dict[int, list[tuple[str, int]]] = {key: [] for key in nodes}
        first_places: dict[int, list[tuple[str, int]]] = {key: [] for key in nodes}
        held = []
        for edge in graph['edges']:
            start, relation, end = edge['from_id'], edge['relation_type'], edge['to_id']
            assert start in nodes and end in nodes
            if relation in ('INSIDE', 'ON'):
                assert start != end
                places[start].append((relation, end))
            elif relation.startswith('HOLDS'):
                assert start == me
                held.append((relation, end))
        for edge in first['edges']:
            if edge['relation_type'] in ('INSIDE', 'ON'):
                first_places[edge['from_id']].append((edge['relation_type'], edge['to_id']))
        assert len(held) <= 2
        assert len({hand for hand, _ in held}) == len({thing for _, thing in held}) == len(held)
        assert [place for place in places[me] if place[1] in rooms] == places[me]
        assert len(places[me]) == 1
        for key, node in nodes.items():
            assert node['class_name'] == before[key]['class_name']
            assert Counter(node['properties']) == Counter(before[key]['properties'])
            assert not {'OPEN', 'CLOSED'} <= set(node['states'])
            assert not {'ON', 'OFF'} <= set(node['states'])
            assert len(node['states']) == len(set(node['states']))
            if key == me or places[key] == first_places[key]:
                continue
            # Moved: one place, or a hand, and the room of that.
            own = [place for place in places[key] if place[1] not in rooms]
            inside = [place for place in places[key] if place[1] in rooms]
            in_hand = [hand for hand, thing in held if thing == key]
            # Where it lies, then what that is in.
            assert len(own[:1]) + len(in_hand) == 1
            assert len(own) <= 1 or own[0][0] == 'ON'
            assert {relation for relation, _ in own[1:]} <= {'INSIDE'}
            assert len(inside) == 1
            path, here = set(), key
            while own:
                assert here not in path, 'a thing is in or on itself'
                path.add(here)
                here = own[0][1]
                own = [place for place in places[here] if place[1] not in rooms][:1]
                if here not in before or places[here] == first_places[here]:
                    break

    return check
