"""The client and its world when the simulator is away, slow, wrong or of another opinion."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import BridgeLostError, ConfigurationError, SkillError
from reactree_core.observation import Outcome
from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.virtualhome_unity import VirtualHomeUnityWorld
from sim_bridge.worlds.virtualhome_unity.client import UnityClient
from sim_bridge.worlds.virtualhome_unity.graph_parsing import GraphReader

SCENE = generate_apartment(1)


class Wilful(VirtualHomeService):
    """A simulator that can be told to misbehave."""

    def __init__(self) -> None:
        super().__init__([SCENE])
        self.asked: list[str] = []
        self.change: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda name, answer: answer

    def reply(self, request: Any, at_once: bool = False) -> dict[str, Any] | None:
        if at_once:
            return None
        self.asked.append(request['action'])
        said = super().reply(request)
        assert said is not None
        return self.change(request['action'], {**said, 'message': str(said['message'])})


@pytest.fixture
def simulator() -> Wilful:
    return Wilful()


@pytest.fixture
def world(simulator: Wilful) -> Iterator[VirtualHomeUnityWorld]:
    with VirtualHomeServer(simulator, 0) as server:
        world = VirtualHomeUnityWorld(url=server.url, timeout=10.0, patience=0.0)
        world.reset('generated:1', '', 0)
        yield world
        world.close()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of something that listens and never answers."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        yield f'http://127.0.0.1:{listener.getsockname()[1]}'


def free_port() -> int:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_a_simulator_that_is_not_there_is_told() -> None:
    client = UnityClient(f'http://127.0.0.1:{free_port()}', 1.0, 0.0)
    with pytest.raises(BridgeLostError, match='virtualhome-server'):
        client.call('idle')


def test_a_simulator_that_comes_later_is_waited_for() -> None:
    port = free_port()
    answers: list[bool] = []
    client = UnityClient(f'http://127.0.0.1:{port}', 5.0, 30.0)
    waiting = threading.Thread(target=lambda: answers.append(client.call('idle').success))
    waiting.start()
    with VirtualHomeServer(VirtualHomeService([SCENE]), port):
        waiting.join(30.0)
    assert answers == [True]


def test_a_simulator_that_does_not_answer_has_a_deadline(silent: str) -> None:
    with pytest.raises(BridgeLostError, match='what became of it is unknown'):
        UnityClient(silent, 0.2, 0.0).call('idle')


def answering(listener: socket.socket, *pieces: bytes) -> None:
    """Take one call and send these, a moment apart."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(10000)
        for piece in pieces:
            connection.sendall(piece)
            # The end of the other side, or a moment without it.
            connection.settimeout(0.02)
            with contextlib.suppress(TimeoutError, ConnectionError):
                if not connection.recv(1):
                    return


@pytest.mark.parametrize('pieces', [[b'{"succ'], [b' '] * 50], ids=['breaks off', 'drips'])
def test_an_answer_that_does_not_come_whole_is_lost(pieces: list[bytes]) -> None:
    head = b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = threading.Thread(target=answering, args=(listener, head, *pieces))
        thread.start()
        client = UnityClient(f'http://127.0.0.1:{listener.getsockname()[1]}', 0.3, 0.0)
        with pytest.raises(BridgeLostError, match='what became of it is unknown'):
            client.call('idle')
        thread.join(10.0)


def test_one_connection_is_kept_for_all_calls() -> None:
    seen: set[socket.socket] = set()
    with VirtualHomeServer(VirtualHomeService([SCENE]), 0) as server:
        client = UnityClient(server.url, 5.0, 0.0)
        for _ in range(5):
            assert client.graph()['nodes']
            seen.update(server._connections)
        client.close()
    assert len(seen) == 1


@pytest.mark.parametrize(
    ('url', 'timeout', 'patience'),
    [
        ('', 1.0, 1.0),
        ('127.0.0.1:8080', 1.0, 1.0),
        ('ftp://127.0.0.1', 1.0, 1.0),
        ('http://127.0.0.1', 0.0, 1.0),
        ('http://127.0.0.1', float('nan'), 1.0),
        ('http://127.0.0.1', 1.0, -1.0),
    ],
)
def test_settings_that_cannot_be_used_are_refused(
    url: str, timeout: float, patience: float
) -> None:
    with pytest.raises(ConfigurationError):
        UnityClient(url, timeout, patience)


@pytest.mark.parametrize('scene', ['apartment:', 'apartment:x', 'apartment:-1'])
def test_an_apartment_needs_an_index(world: VirtualHomeUnityWorld, scene: str) -> None:
    with pytest.raises(ConfigurationError, match='apartment:0'):
        world.reset(scene, '', 0)


def test_a_skill_that_a_check_stands_against_is_not_sent(
    world: VirtualHomeUnityWorld, simulator: Wilful
) -> None:
    # In the middle of a room nothing is close.
    out_of_reach = next(skill for skill in world.candidate_skills() if skill.startswith('open'))
    simulator.asked.clear()
    refused = world.step(out_of_reach)
    assert refused.outcome is Outcome.PRECONDITION_FAILED
    assert world.step('dance').outcome is Outcome.INVALID_SKILL
    assert simulator.asked == []


def test_what_the_simulator_refuses_fails_with_its_reason(
    world: VirtualHomeUnityWorld, simulator: Wilful
) -> None:
    before = world.observe()
    simulator.change = lambda name, answer: {'success': False, 'message': 'path blocked'}
    refused = world.step(before.admissible_skills[0])
    assert refused.outcome is Outcome.EXECUTION_FAILED and 'path blocked' in refused.text
    assert world.observe() == before


def test_a_simulator_of_another_opinion_is_believed(
    world: VirtualHomeUnityWorld, simulator: Wilful
) -> None:
    def switch_on(name: str, answer: dict[str, Any]) -> dict[str, Any]:
        if name != 'environment_graph':
            return answer
        graph = json.loads(answer['message'])
        for node in graph['nodes']:
            if node['class_name'] == 'fridge':
                node['states'] = ['OPEN', 'ON']
        return {'success': True, 'message': json.dumps(graph)}

    simulator.change = switch_on
    failed = world.step(world.admissible_skills()[0])
    assert failed.outcome is Outcome.EXECUTION_FAILED
    assert 'fridge 1 is OPEN, ON' in failed.text
    fridges = [node for node in world.graph()['nodes'] if node['class_name'] == 'fridge']
    assert fridges[0]['states'] == ['OPEN', 'ON']
    assert world.step(world.admissible_skills()[0]).succeeded


@pytest.mark.parametrize('message', ['{', '[]', '{"nodes": 1}', '{"nodes": [], "edges": [1]}'])
def test_graphs_that_are_none_are_told(
    world: VirtualHomeUnityWorld, simulator: Wilful, message: str
) -> None:
    simulator.change = lambda name, answer: (
        {'success': True, 'message': message} if name == 'environment_graph' else answer
    )
    for _ in range(2):
        with pytest.raises(SkillError):
            world.step(world.admissible_skills()[0])
    simulator.change = lambda name, answer: answer
    assert world.step(world.admissible_skills()[0]).succeeded


def test_a_simulator_that_was_started_anew_is_noticed(simulator: Wilful) -> None:
    port = free_port()
    with VirtualHomeServer(simulator, port):
        world = VirtualHomeUnityWorld(url=f'http://127.0.0.1:{port}', timeout=10.0, patience=0.0)
        before = world.reset('generated:1', '', 0)
        skill = before.admissible_skills[0]
    simulator.answer({'action': 'reset'})
    world.close()
    with pytest.raises(BridgeLostError):
        world.step(skill)
    with VirtualHomeServer(simulator, port):
        with pytest.raises(BridgeLostError, match='reset the world'):
            world.step(skill)
        assert world.reset('', '', 0) == before
        assert world.step(skill).succeeded


_TEXTS = st.sampled_from(
    [
        '{"nodes": [1], "edges": [2]}',
        '{"nodes":[1],"edges":[2, 3]} ',
        '{"nodes": [1], "edges": [2], "more": 3}',
        '{"nodes": [1], "edges": [2]',
        '{"edges": [2], "nodes": [1]}',
        '{"nodes": [1], "edges": }',
        '{"nodes": [1]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":3}]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":33}]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":4}]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":{}},{"a":3}]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":{}},{"a":"},{"}]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":"},{"},5]}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":3}],"more":1}',
        '{"nodes":[1],"edges":[{"a":1},{"a":2},{"a":3}',
        '[]',
        '',
    ]
)


@given(st.lists(_TEXTS | st.text(), max_size=6))
def test_a_reader_reads_what_json_reads(texts: list[str]) -> None:
    reader = GraphReader()
    for text in texts:
        try:
            expected = json.loads(text)
        except ValueError:
            expected = None
        if isinstance(expected, dict):
            assert reader.read(text) == expected
        else:
            with pytest.raises(ValueError):
                reader.read(text)


_ITEMS = st.lists(
    st.dictionaries(
        st.sampled_from(['id', 'states', 'edges']),
        st.integers(0, 12)
        | st.sampled_from(['', '},{', '],"edges":[', '\\', '"', 'é'])
        | st.just([{}]),
        max_size=2,
    ),
    max_size=5,
)


@given(st.lists(st.tuples(_ITEMS, _ITEMS, st.sampled_from([None, 1])), min_size=2, max_size=5))
def test_a_reader_keeps_only_what_is_the_same(
    graphs: list[tuple[list[Any], list[Any], int | None]],
) -> None:
    reader = GraphReader()
    nodes, edges, _ = graphs[0]
    for some, others, indent in graphs:
        # Graphs that follow each other share their beginnings and ends.
        half = len(nodes) // 2
        nodes, edges = [*nodes[:half], *some, *nodes[half:]][:8], [*edges[:2], *others, *edges[2:]]
        graph = {'nodes': nodes, 'edges': edges[:8]}
        text = json.dumps(graph, indent=indent, separators=None if indent else (',', ':'))
        assert reader.read(text) == graph
        assert reader.read(text) == graph
