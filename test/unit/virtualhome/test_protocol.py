"""The server's answers, over real HTTP: what published clients send, and what nobody should."""

from __future__ import annotations

import base64
import json
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.virtualhome_server.http_server import LARGEST_REQUEST
from sim_bridge.worlds.household.graph_reading import read_graph
from sim_bridge.worlds.household.pictures.drawing import MODES
from sim_bridge.worlds.household.scenes import generate_apartment

SCENE = generate_apartment(1)


@pytest.fixture
def server() -> Iterator[VirtualHomeServer]:
    with VirtualHomeServer(VirtualHomeService([SCENE]), 0) as running:
        yield running


def call(server: VirtualHomeServer, action: str, *strings: str, ints: Any = ()) -> dict[str, Any]:
    request = {'id': '7', 'action': action, 'intParams': list(ints), 'stringParams': list(strings)}
    response = httpx.post(server.url, json=request, timeout=10.0)
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    assert answer['id'] == '7'
    return answer


def first_of(graph: dict[str, Any], class_name: str) -> int:
    return next(int(node['id']) for node in graph['nodes'] if node['class_name'] == class_name)


def test_the_calls_of_a_published_client_in_their_order(server: VirtualHomeServer) -> None:
    assert call(server, 'idle')['success']
    assert call(server, 'reset', ints=[3])['success']
    graph = json.loads(call(server, 'environment_graph')['message'])
    assert all(node['class_name'] != 'character' for node in graph['nodes'])
    assert call(server, 'expand_scene', '{"randomize": false}', json.dumps(graph))['success']
    cameras = call(server, 'camera_count')['value']
    character = {
        'mode': 'fix_room',
        'initial_room': 'kitchen',
        'character_resource': 'Chars/Male1',
    }
    assert call(server, 'add_character', json.dumps(character))['success']
    assert call(server, 'camera_count')['value'] == cameras + 6
    fridge = first_of(graph, 'fridge')
    for verb in ('walk', 'open'):
        answer = call(server, 'render_script', '{}', f'<char0> [{verb}] <fridge> ({fridge})')
        assert answer['success'], answer
    graph = json.loads(call(server, 'environment_graph')['message'])
    me = first_of(graph, 'character')
    edges = {(edge['from_id'], edge['relation_type'], edge['to_id']) for edge in graph['edges']}
    assert {(me, 'CLOSE', fridge), (fridge, 'CLOSE', me)} <= edges
    assert (me, 'INSIDE', first_of(graph, 'kitchen')) in edges
    states = {node['id']: node['states'] for node in graph['nodes']}
    assert 'OPEN' in states[fridge]
    inside = [start for start, relation, end in edges if (relation, end) == ('INSIDE', fridge)]
    name = next(node['class_name'] for node in graph['nodes'] if node['id'] == inside[0])
    assert call(server, 'render_script', '{}', f'<char0> [grab] <{name}> ({inside[0]})')['success']
    graph = json.loads(call(server, 'environment_graph')['message'])
    assert {'from_id': me, 'relation_type': 'HOLDS_RH', 'to_id': inside[0]} in graph['edges']


def test_a_line_that_cannot_be_done_is_refused_with_its_reason(server: VirtualHomeServer) -> None:
    assert (
        'add_character' in call(server, 'render_script', '{}', '<char0> [walk] <x> (1)')['message']
    )
    call(server, 'add_character', '{"mode": "random"}')
    before = call(server, 'environment_graph')['message']
    fridge = first_of(SCENE, 'fridge')
    for line, reason in (
        (f'<char0> [grab] <fridge> ({fridge})', 'cannot be grabbed'),
        (f'<char0> [dance] <fridge> ({fridge})', 'not an action'),
        (f'<char0> [putin] <fridge> ({fridge})', 'takes 2 objects'),
        (f'<char1> [walk] <fridge> ({fridge})', 'add_character adds one'),
        ('<char0> [walk] <fridge> (999999)', 'not in the scene'),
        ('walk to the fridge', 'is no step'),
    ):
        answer = call(server, 'render_script', '{}', line)
        assert not answer['success'] and reason in answer['message'], answer
    assert call(server, 'environment_graph')['message'] == before


def test_checking_a_script_changes_nothing(server: VirtualHomeServer) -> None:
    call(server, 'add_character', '{"mode": "random"}')
    before = call(server, 'environment_graph')['message']
    fridge = first_of(SCENE, 'fridge')
    lines = [f'<char0> [{verb}] <fridge> ({fridge})' for verb in ('walk', 'open')]
    assert call(server, 'check_script', *lines)['success']
    assert not call(server, 'check_script', lines[1], lines[1])['success']
    assert call(server, 'render_script', '{"skip_execution": true}', *lines)['success']
    assert call(server, 'environment_graph')['message'] == before


@pytest.mark.parametrize(
    ('action', 'strings', 'reason'),
    [
        ('teleport', [], 'actions are'),
        ('expand_scene', ['{}'], 'needs stringParams'),
        ('expand_scene', ['{}', '[]'], 'must be an object'),
        ('expand_scene', ['{}', '{'], 'not JSON'),
        ('expand_scene', ['{}', '{"nodes": [], "edges": []}'], 'no nodes'),
        ('add_character', ['[]'], 'JSON object'),
        ('add_character', ['{"mode": "fix_room", "initial_room": "garage"}'], 'its rooms are'),
        ('add_character', ['{"mode": "fix_position"}'], 'x, y and z'),
        ('add_character', ['{"mode": "fly"}'], 'fix_room'),
        ('move_character', ['{}'], 'no character'),
        ('observation', [], 'no character'),
        ('render_script', ['{}'], 'no character'),
    ],
)
def test_calls_that_make_no_sense_are_refused(
    server: VirtualHomeServer, action: str, strings: list[str], reason: str
) -> None:
    answer = call(server, action, *strings)
    assert not answer['success'] and reason in answer['message']


def test_visible_things_are_told(server: VirtualHomeServer) -> None:
    call(server, 'add_character', '{"mode": "fix_room", "initial_room": "kitchen"}')
    own = call(server, 'camera_count')['value'] - 1
    seen = json.loads(call(server, 'observation', ints=[own])['message'])
    assert 'fridge' in seen.values()
    rooms = sorted(node['id'] for node in SCENE['nodes'] if node['category'] == 'Rooms')
    others = [
        json.loads(call(server, 'observation', ints=[camera])['message'])
        for camera, room in enumerate(rooms)
        if room != first_of(SCENE, 'kitchen')
    ]
    assert others and all(not seen.keys() & other.keys() for other in others)
    colours = json.loads(call(server, 'instance_colors')['message'])
    assert len({tuple(colour) for colour in colours.values()}) == len(SCENE['nodes'])


def test_pictures_without_opencv_say_what_to_install(
    server: VirtualHomeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'cv2', None)
    answer = call(server, 'camera_image', '{"mode": "normal"}', ints=[0])
    assert not answer['success'] and 'requirements/virtualhome.txt' in answer['message']


@pytest.mark.parametrize('mode', MODES)
def test_pictures_are_pngs_of_the_size_asked_for(server: VirtualHomeServer, mode: str) -> None:
    call(server, 'add_character', '{"mode": "random"}')
    count = call(server, 'camera_count')['value']
    config = json.dumps({'mode': mode, 'image_width': 64, 'image_height': 48})
    answer = call(server, 'camera_image', config, ints=[0, count - 1])
    assert answer['success'], answer
    for image in map(base64.b64decode, answer['message_list']):
        assert image.startswith(b'\x89PNG')
        assert (image[16:20], image[20:24]) == (b'\0\0\0\x40', b'\0\0\0\x30')


def test_cameras_and_sizes_that_do_not_exist_are_refused(server: VirtualHomeServer) -> None:
    for ints, config in (([-1], {}), ([999], {}), ([0], {'mode': 'x'}), ([0], {'image_width': 0})):
        assert not call(server, 'camera_image', json.dumps(config), ints=ints)['success']


@pytest.mark.parametrize('body', [b'', b'{', b'[]', b'\xff', b'[' * 100000])
def test_what_is_no_request_is_a_bad_request(server: VirtualHomeServer, body: bytes) -> None:
    response = httpx.post(server.url, content=body)
    assert response.status_code == 400 and not response.json()['success']


def test_a_request_that_is_too_large_is_not_read(server: VirtualHomeServer) -> None:
    with socket.create_connection(('127.0.0.1', server.port), timeout=10.0) as connection:
        head = f'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGEST_REQUEST + 1}\r\n\r\n'
        connection.sendall(head.encode('ascii'))
        assert connection.recv(100).startswith(b'HTTP/1.1 413')


@pytest.mark.parametrize('length', ['', 'Content-Length: -1\r\n', 'Content-Length: many\r\n'])
def test_a_request_needs_its_length(server: VirtualHomeServer, length: str) -> None:
    with socket.create_connection(('127.0.0.1', server.port), timeout=10.0) as connection:
        connection.sendall(f'POST / HTTP/1.1\r\nHost: x\r\n{length}\r\n'.encode('ascii'))
        assert connection.recv(100).startswith(b'HTTP/1.1 411')


def test_a_client_that_goes_away_does_no_harm(server: VirtualHomeServer) -> None:
    with socket.create_connection(('127.0.0.1', server.port), timeout=10.0) as connection:
        connection.sendall(b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id"')
    assert call(server, 'idle')['success']


def test_two_clients_at_once_each_get_their_own_answers(server: VirtualHomeServer) -> None:
    call(server, 'add_character', '{"mode": "random"}')
    fridge = first_of(SCENE, 'fridge')
    line = f'<char0> [walk] <fridge> ({fridge})'

    def visit(client: int) -> None:
        with httpx.Client(base_url=server.url, timeout=10.0) as connection:
            for number in range(15):
                request_id = f'{client} {number}'
                request = {'id': request_id, 'action': 'environment_graph'}
                if number % 2:
                    request |= {'action': 'render_script', 'stringParams': ['{}', line]}
                answer = connection.post('/', json=request).json()
                assert answer['id'] == request_id and answer['success']
                known = 'Success' if number % 2 else '"nodes"'
                assert known in answer['message']

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(visit, range(2))) == [None, None]


def test_a_port_is_served_once(server: VirtualHomeServer) -> None:
    with pytest.raises(ConfigurationError, match='--port'):
        VirtualHomeServer(VirtualHomeService([SCENE]), server.port)


def test_only_this_machine_is_served(server: VirtualHomeServer) -> None:
    assert server._listener.getsockname()[0] == '127.0.0.1'


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)
_ACTIONS = st.sampled_from(sorted(VirtualHomeService([SCENE]).actions))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_ACTIONS | _VALUES, _VALUES, _VALUES), min_size=1, max_size=4))
def test_any_request_is_answered(calls: list[tuple[Any, Any, Any]]) -> None:
    service = VirtualHomeService([SCENE])
    for action, ints, strings in calls:
        as_text = [json.dumps(strings)] * 2
        for request_strings in (strings, as_text):
            answer = service.answer(
                {'action': action, 'intParams': ints, 'stringParams': request_strings}
            )
            assert isinstance(answer['success'], bool) and isinstance(answer['message'], str)
            assert answer['success'] or answer['message']


@pytest.mark.parametrize('number', ['NaN', 'Infinity', '-Infinity', '1e999', '9' * 400])
def test_numbers_that_are_not_finite_are_refused_wherever_they_come(
    server: VirtualHomeServer, number: str, tmp_path: Path
) -> None:
    said = 'NaN' if number == 'NaN' else 'Infinity' if 'I' in number else 'too large'
    body = f'{{"id": {number}, "action": "idle"}}'
    response = httpx.post(server.url, content=body.encode())
    assert response.status_code == 400 and said in response.json()['message']
    node = {'id': 500, 'class_name': 'apple', 'bounding_box': {'center': ['N', 1, 1]}}
    graph = json.dumps({**SCENE, 'nodes': [*SCENE['nodes'], node]}).replace('"N"', number)
    place = f'{{"mode": "fix_position", "character_position": {{"x": {number}, "y": 0, "z": 0}}}}'
    for action, strings in (
        ('expand_scene', ['{}', graph]),
        ('add_character', [place]),
        ('camera_image', [f'{{"image_width": {number}}}']),
        ('render_script', [f'{{"a": [{number}]}}', '']),
    ):
        answer = call(server, action, *strings)
        assert not answer['success'] and said in answer['message'], answer
    file = tmp_path / 'scene.json'
    file.write_text(graph)
    with pytest.raises(ConfigurationError, match=said):
        read_graph(file)
    # No such number is ever sent: JSON has none.
    assert json.loads(call(server, 'environment_graph')['message'], parse_constant=pytest.fail)


def test_edges_of_ids_that_no_node_has_are_left_out_and_named(server: VirtualHomeServer) -> None:
    room = next(node['id'] for node in SCENE['nodes'] if node['category'] == 'Rooms')
    ends = [(room, 9000), (9001, room), (9001, 9002)] + [(room, 9100 + one) for one in range(20)]
    extra = [{'from_id': one, 'relation_type': 'ON', 'to_id': other} for one, other in ends]
    graph = {'nodes': SCENE['nodes'], 'edges': [*SCENE['edges'], *extra]}
    answer = call(server, 'expand_scene', '{}', json.dumps(graph))
    assert answer['success']
    told = json.loads(answer['message'])
    assert told['edges_of_unknown_ids'] == 23
    assert told['unknown_ids'] == [9000, 9001, 9002, *range(9100, 9107)]
    now = json.loads(call(server, 'environment_graph')['message'])
    ids = {node['id'] for node in now['nodes']}
    assert all({edge['from_id'], edge['to_id']} <= ids for edge in now['edges'])
    assert call(server, 'expand_scene', '{}', json.dumps(SCENE))['message'] == ''
