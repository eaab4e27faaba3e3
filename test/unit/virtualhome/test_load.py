"""The server with many clients, silent ones, slow ones and long calls; over real sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.virtualhome_server.http_server import CALLS, CONNECTIONS
from sim_bridge.worlds.household.scenes import generate_apartment
from support.waiting import wait_for

SCENE = generate_apartment(1)


@pytest.fixture
def server() -> Iterator[VirtualHomeServer]:
    with VirtualHomeServer(VirtualHomeService([SCENE]), 0) as running:
        yield running


def request(action: str, *strings: str, head: str = '') -> bytes:
    body = json.dumps({'id': '7', 'action': action, 'stringParams': strings})
    return (
        f'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{head}\r\n{body}'.encode()
    )


def connect(server: VirtualHomeServer) -> socket.socket:
    return socket.create_connection(('127.0.0.1', server.port), 20.0)


def read_answer(peer: socket.socket) -> tuple[int, dict[str, Any]]:
    """The next answer of a connection that has nothing else to read."""
    got = b''
    while b'\r\n\r\n' not in got:
        got += (piece := peer.recv(65536))
        assert piece, 'the connection ended before its answer'
    head, _, body = got.partition(b'\r\n\r\n')
    length = int(head.lower().partition(b'content-length: ')[2].split(b'\r\n')[0])
    pieces = [body]
    while (missing := length - sum(map(len, pieces))) > 0:
        pieces.append(piece := peer.recv(missing))
        assert piece, 'the connection ended within its answer'
    return int(head.split()[1]), json.loads(b''.join(pieces))


def ask(server: VirtualHomeServer, action: str, *strings: str) -> dict[str, Any]:
    with connect(server) as peer:
        peer.sendall(request(action, *strings))
        return read_answer(peer)[1]


@pytest.mark.parametrize('count', [64, 200, CONNECTIONS + 88])
def test_all_who_connect_in_one_moment_are_answered(server: VirtualHomeServer, count: int) -> None:
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(connect(server)) for _ in range(count)]
        for peer in reversed(peers):
            peer.sendall(request('idle', head='Connection: close\r\n'))
        assert all(read_answer(peer)[1]['success'] for peer in peers)


@pytest.mark.parametrize('words', [b'', b'POST / HTTP/1.1\r\nContent-Length: 90\r\n\r\n{'])
def test_connections_that_never_ask_shut_nobody_out_and_take_no_threads(
    server: VirtualHomeServer, words: bytes
) -> None:
    with contextlib.ExitStack() as stack:
        assert ask(server, 'idle')['success']
        before = threading.active_count()
        for number in range(CONNECTIONS + 100):
            peer = stack.enter_context(connect(server))
            peer.sendall(words)
            if number % 200 == 199:
                assert ask(server, 'idle')['success']
        assert ask(server, 'idle')['success']
        assert len(server._connections) <= CONNECTIONS
        assert threading.active_count() <= before


def test_a_client_that_does_not_read_its_answers_holds_nobody_up(
    server: VirtualHomeServer,
) -> None:
    with connect(server) as slow:
        asked = 400
        slow.sendall(request('environment_graph') * (asked - 1))
        slow.sendall(request('environment_graph', head='Connection: close\r\n'))
        wait_for(
            lambda: any(one.unsent for one in server._connections.values()),
            'an answer that is not read',
        )
        assert ask(server, 'idle')['success']
        # None of them is lost, once it does read.
        pieces = []
        while piece := slow.recv(1 << 20):
            pieces.append(piece)
    assert b''.join(pieces).count(b'HTTP/1.1 200 OK') == asked


def test_a_request_may_come_in_small_pieces(server: VirtualHomeServer) -> None:
    words = request('idle')
    with connect(server) as peer:
        for place in range(len(words)):
            peer.sendall(words[place : place + 1])
        assert read_answer(peer)[1]['success']
        peer.sendall(words)
        assert read_answer(peer)[1]['success']


def test_a_big_request_is_asked_for_when_the_client_waits_for_that(
    server: VirtualHomeServer,
) -> None:
    head, _, body = request('idle', head='Expect: 100-continue\r\n').partition(b'\r\n\r\n')
    with connect(server) as peer:
        peer.sendall(head + b'\r\n\r\n')
        assert peer.recv(1000) == b'HTTP/1.1 100 Continue\r\n\r\n'
        peer.sendall(body)
        assert read_answer(peer)[1]['success']


def test_who_sends_too_much_can_still_read_why_it_is_refused(server: VirtualHomeServer) -> None:
    size = 65 * 2**20
    with connect(server) as peer:
        peer.sendall(f'POST / HTTP/1.1\r\nContent-Length: {size}\r\n\r\n'.encode())
        peer.sendall(b' ' * 2**22)
        status, answer = read_answer(peer)
        assert status == 413 and 'at most' in answer['message']
        assert answer['message_list'] == []
        assert peer.recv(1) == b''


@pytest.mark.parametrize(
    ('words', 'status'),
    [
        (b'GET / HTTP/1.1\r\n\r\n', 405),
        (b'PUT / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx', 405),
        (b'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', 411),
        (b'\x16\x03\x01\r\n\r\n', 400),
        (b'POST / HTTP/1.1\r\n' + b'x: y\r\n' * 20000, 431),
    ],
    ids=['GET', 'PUT', 'chunked', 'not HTTP', 'long head'],
)
def test_what_is_no_call_is_refused_with_a_status(
    server: VirtualHomeServer, words: bytes, status: int
) -> None:
    with connect(server) as peer:
        peer.sendall(words)
        assert read_answer(peer)[0] == status
    assert ask(server, 'idle')['success']


class LongExpansion(VirtualHomeService):
    """Whose `expand_scene` lasts until it is let."""

    def __init__(self) -> None:
        super().__init__([SCENE])
        self.expanding = threading.Event()
        self.let = threading.Event()

    def _expanded(self, scene: Any, graph: Any) -> Any:
        self.expanding.set()
        assert self.let.wait(30.0)
        return super()._expanded(scene, graph)


def test_a_long_expand_scene_blocks_no_other_call_and_counts_as_the_later_one() -> None:
    service = LongExpansion()
    graph = json.loads(json.dumps(SCENE))
    graph['nodes'] = [node for node in graph['nodes'] if node['class_name'] != 'character']
    graph['nodes'][-1]['states'] = ['DIRTY']
    with VirtualHomeServer(service, 0) as server, ThreadPoolExecutor(1) as pool:
        try:
            expanding = pool.submit(ask, server, 'expand_scene', '{}', json.dumps(graph))
            assert service.expanding.wait(30.0)
            for action in ('idle', 'environment_graph', 'reset', 'camera_count', 'observation'):
                assert 'message' in ask(server, action)
            assert ask(server, 'add_character')['success']
            assert ask(server, 'reset')['success']
        finally:
            service.let.set()
        assert expanding.result()['success']
        now = json.loads(ask(server, 'environment_graph')['message'])
    assert now['nodes'][-1]['states'] == ['DIRTY']


def test_a_character_that_came_during_a_long_expand_scene_is_in_the_new_scene() -> None:
    service = LongExpansion()
    graph = json.loads(json.dumps(SCENE))
    graph['nodes'][-1]['states'] = ['DIRTY']
    with VirtualHomeServer(service, 0) as server, ThreadPoolExecutor(1) as pool:
        try:
            expanding = pool.submit(ask, server, 'expand_scene', '{}', json.dumps(graph))
            assert service.expanding.wait(30.0)
            assert ask(server, 'add_character')['success']
        finally:
            service.let.set()
        assert expanding.result()['success']
        now = json.loads(ask(server, 'environment_graph')['message'])
    assert [node['class_name'] for node in now['nodes']].count('character') == 1
    states = {node['id']: node['states'] for node in now['nodes']}
    assert states[graph['nodes'][-1]['id']] == ['DIRTY']


class HeldService(VirtualHomeService):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__([SCENE])
        self.let = threading.Event()

    def reply(self, request: Any, at_once: bool = False) -> dict[str, Any] | None:
        if at_once:
            return None
        assert self.let.wait(30.0)
        return super().reply(request)


def test_so_many_calls_wait_for_their_turn_and_the_next_is_told_to_come_again() -> None:
    service = HeldService()
    with VirtualHomeServer(service, 0) as server, contextlib.ExitStack() as stack:
        peers = [stack.enter_context(connect(server)) for _ in range(CALLS)]
        try:
            for peer in peers:
                peer.sendall(request('idle'))
            wait_for(lambda: server._calls == CALLS, 'calls that wait')
            with connect(server) as late:
                late.sendall(request('idle'))
                status, refused = read_answer(late)
            assert status == 503 and 'send this one again later' in refused['message']
        finally:
            service.let.set()
        assert {read_answer(peer)[0] for peer in peers} == {200}
        assert ask(server, 'idle')['success']


class FaultyService(VirtualHomeService):
    """Fails."""

    def reply(self, request: Any, at_once: bool = False) -> dict[str, Any] | None:
        raise ZeroDivisionError('by what?')


def test_a_fault_of_the_server_is_told_and_ends_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with VirtualHomeServer(FaultyService([SCENE]), 0) as server, connect(server) as peer:
        for _ in range(2):
            peer.sendall(request('idle'))
            status, answer = read_answer(peer)
            assert status == 500 and 'ZeroDivisionError' in answer['message']
    assert 'by what?' in capsys.readouterr().err


def test_a_connection_is_kept_for_published_clients_and_closed_when_asked(
    server: VirtualHomeServer,
) -> None:
    with httpx.Client(base_url=server.url) as client:
        first = client.post('/', content=b'{"action": "idle"}')
        assert first.headers['connection'] == 'keep-alive'
        last = client.post('/', content=b'{"action": "idle"}', headers={'Connection': 'close'})
        assert last.headers['connection'] == 'close' and last.json()['success']
