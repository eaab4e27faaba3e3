"""What programs written for VirtualHome's public Python API call, and how they read answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sim_bridge.virtualhome_server import VirtualHomeServer
from sim_bridge.virtualhome_server import VirtualHomeService
from sim_bridge.worlds.household.scenes import generate_apartment

#: Scene 0 with bounding boxes, scene 1 without.
BOXED = generate_apartment(1)
BARE = generate_apartment(2)
for _node in BARE['nodes']:
    _node.pop('bounding_box', None)
    _node.pop('obj_transform', None)

Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call() -> Iterator[Call]:
    """A call by the name of its action; lists become intParams, texts and objects stringParams."""
    service = VirtualHomeService([BOXED, BARE])
    with VirtualHomeServer(service, 0) as server, httpx.Client(timeout=30.0) as client:

        def post(action: str, *params: Any) -> dict[str, Any]:
            request: dict[str, Any] = {'id': '7', 'action': action}
            ints = [one for one in params if isinstance(one, list)]
            if ints:
                request['intParams'] = ints[0]
            strings = [one for one in params if not isinstance(one, list)]
            if strings:
                request['stringParams'] = [
                    one if isinstance(one, str) else json.dumps(one) for one in strings
                ]
            answer: dict[str, Any] = client.post(server.url, json=request).json()
            return answer

        yield post


def graph_of(call: Call) -> dict[str, Any]:
    graph: dict[str, Any] = json.loads(call('environment_graph')['message'])
    return graph


def ids_of(graph: dict[str, Any], class_name: str) -> list[int]:
    return [node['id'] for node in graph['nodes'] if node['class_name'] == class_name]


def edges_of(graph: dict[str, Any]) -> set[tuple[int, str, int]]:
    return {(edge['from_id'], edge['relation_type'], edge['to_id']) for edge in graph['edges']}


# Scenes


def test_the_public_reset_chooses_the_scene_and_the_character_goes(call: Call) -> None:
    first = graph_of(call)
    assert call('add_character', {'mode': 'random'})['success']
    for index in (1, 0):
        # As `UnityCommunication.reset` does.
        assert call('clear', [index])['success']
        assert not ids_of(graph_of(call), 'character')
        assert call('environment', [index])['success']
        assert not ids_of(graph_of(call), 'character')
        assert (graph_of(call) == first) == (index == 0)


def test_a_generated_home_is_the_same_for_the_same_seed(call: Call) -> None:
    homes = []
    for seed in (5, 6, 5):
        assert call('clear_procedural')['success']
        assert call('procedural_generation', [seed])['message'] == str(seed)
        homes.append(graph_of(call))
    assert homes[0] == homes[2] != homes[1]
    chosen = call('procedural_generation')
    assert call('procedural_generation', [int(chosen['message'])])['success']
    assert call('environment')['success'] and graph_of(call) not in homes


@pytest.mark.parametrize(
    'action',
    [
        'camera_data',
        'camera_image',
        'environment_graph',
        'expand_scene',
        'instance_colors',
        'observation',
        'point_cloud',
        'render_script',
        'teleport',
    ],
)
def test_a_refusal_is_in_the_form_that_clients_read(call: Call, action: str) -> None:
    refused = call(action, [1], '{')
    if refused['success']:
        refused = call(action, ['one'])
    assert refused['success'] is False and refused['message_list'] == []
    assert refused['value'] == 0
    if action in ('camera_data', 'environment_graph', 'instance_colors', 'point_cloud'):
        assert ' ' in json.loads(refused['message'])
    else:
        assert ' ' in refused['message']
