"""Many pages at once, and connections that take a place and do nothing: who is let in."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import closing, contextmanager

import pytest

from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.system_status import Condition, Health
from reactree_tools.viewer.web import application, server, stream
from reactree_tools.viewer.web.application import TOKEN_HEADER
from support.made_up_runs import MadeUpRun
from support.waiting import wait_for

RUN = 'a' * 32
TOKEN = 'the-right-token-of-24-chars'
ASK = 'GET /api/{} HTTP/1.1\r\nHost: localhost\r\n\r\n'
PATIENCE = 20.0


class Nodes:
    """Stands in for the nodes around a viewer."""

    scene = ''
    paused = False
    news = 'ready'

    def health(self):
        return (Health('bridge', Condition.GOOD, self.news),)

    def question(self):
        return None

    def approval(self):
        return None


class Peer:
    """A connection, to be used badly."""

    def __init__(self, client, words='', room=0):
        self._socket = socket.socket()
        if room:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(('127.0.0.1', client.base_url.port))
        self.heard = b''
        self.say(words)

    def say(self, words):
        self._socket.sendall(words.encode())

    def hear(self, wanted):
        """Read until something has come."""
        while wanted not in self.heard:
            part = self._socket.recv(65536)
            assert part, f'the connection has ended after {self.heard[-200:]}'
            self.heard += part

    def hear_some(self, size):
        return len(self._socket.recv(size))

    @property
    def status(self):
        self.hear(b'\r\n\r\n')
        return int(self.heard.split()[1])

    def hear_the_end(self):
        try:
            while part := self._socket.recv(65536):
                self.heard += part
        except ConnectionResetError:
            pass

    def close(self):
        self._socket.close()


@contextmanager
def peers(client, number, words=''):
    every = [Peer(client, words) for _ in range(number)]
    try:
        yield every
    finally:
        for one in every:
            one.close()


def test_who_watches_goes_on_whoever_comes_later_is_told_so_and_gets_in_when_one_leaves(serve):
    nodes = Nodes()
    _, client = serve(GivenRun(RUN, MadeUpRun(3)), system_status=nodes)
    with closing(Peer(client, ASK.format('stream'))) as first:
        assert first.status == 200
        with peers(client, 150, ASK.format('stream')) as crowd:
            counts = [one.status for one in crowd]
            assert counts.count(200) == stream.STREAMS_OF_ONE - 1
            # They came in one moment, so some of them past what is answered at once.
            assert set(counts) <= {200, 429, 503}
            crowd[-1].hear(b'close ')
            with closing(Peer(client, ASK.format('stream'))) as late:
                assert late.status == 429
                late.hear(b'32 pages watch already')
            assert client.get('api/runs').status_code == 200
            assert client.get('').status_code == 200
            nodes.news = 'busy with a plate'
            first.hear(b'busy with a plate')
            crowd[0].close()

            def gets_in():
                with closing(Peer(client, ASK.format('stream'))) as late:
                    return late.status == 200

            wait_for(gets_in, 'a place in the audience', PATIENCE)


def test_the_oldest_stream_makes_room_once_it_has_had_its_time(serve, monkeypatch):
    monkeypatch.setattr(stream, 'MIN_STREAM_SECONDS', 0.0)
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    with peers(client, stream.STREAMS_OF_ONE + 1, ASK.format('stream')) as crowd:
        assert {one.status for one in crowd} == {200}
        crowd[0].hear(b'\r\n0\r\n\r\n')
        with closing(Peer(client, ASK.format('stream'))) as again:
            assert again.status == 200
            again.hear(b'"end":')
            crowd[1].hear(b'\r\n0\r\n\r\n')


@pytest.mark.parametrize('words', ['', 'GET / HTTP/1.1\r\nHost: loc'])
def test_connections_that_never_ask_shut_nobody_out(serve, words):
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    with closing(Peer(client, ASK.format('stream'))) as watching:
        assert watching.status == 200
        with peers(client, server.CONNECTIONS + 50, words) as crowd:
            assert client.get('api/runs').status_code == 200
            with closing(Peer(client, ASK.format('stream'))) as late:
                assert late.status == 200
            crowd[0].hear_the_end()
            assert crowd[0].heard == b''
            watching.hear(b'"end":')


def test_a_header_that_never_ends_is_not_waited_for(serve, monkeypatch):
    monkeypatch.setattr(server, 'PATIENCE', 0.2)
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    with closing(Peer(client, 'GET / HTTP/1.1\r\n')) as slow:
        ended = threading.Event()

        def drip():
            try:
                while not ended.wait(0.02):
                    slow.say('X: y\r\n')
            except OSError:
                ended.set()

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            slow.hear_the_end()
        finally:
            ended.set()
            thread.join()
        assert slow.heard == b''


def test_a_reader_that_takes_nothing_loses_its_place(serve, monkeypatch):
    monkeypatch.setattr(server, 'PATIENCE', 0.2)
    monkeypatch.setattr(stream, 'STREAMS_OF_ONE', 1)
    monkeypatch.setattr(stream, 'MIN_STREAM_SECONDS', 1000.0)
    _, client = serve(GivenRun(RUN, MadeUpRun(6000)))
    with closing(Peer(client, ASK.format('stream'), room=4096)) as deaf:
        assert deaf.status == 200

        def gets_in():
            with closing(Peer(client, ASK.format('stream'))) as late:
                return late.status == 200

        assert not gets_in()
        wait_for(gets_in, 'the place of one who does not read', PATIENCE)


def test_a_slow_reader_gets_all_of_it(serve, monkeypatch):
    monkeypatch.setattr(server, 'PATIENCE', 0.5)
    _, client = serve(GivenRun(RUN, MadeUpRun(6000)))
    pause = threading.Event()
    with closing(Peer(client, ASK.format('stream'), room=4096)) as slow:
        read = 0
        for _ in range(100):
            read += slow.hear_some(32_768)
            pause.wait(0.02)
        assert read > 200_000
        slow.hear(b'event: frames')


def test_requests_past_the_limit_are_told_so_while_others_are_answered(serve, monkeypatch):
    monkeypatch.setattr(server, 'REQUESTS', 3)
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    with peers(client, 3, ASK.format('stream')) as crowd:
        assert {one.status for one in crowd} == {200}
        with closing(Peer(client, ASK.format('runs'))) as late:
            assert late.status == 503
            late.hear(b'close some pages')
            late.hear_the_end()
        crowd[0].close()
        wait_for(
            lambda: client.get('api/runs').status_code == 200,
            'a request that is answered',
            PATIENCE,
        )


def test_a_request_whose_content_never_comes_is_told_so(serve, monkeypatch):
    monkeypatch.setattr(application, '_REQUEST_SECONDS', 0.2)
    _, client = serve(control=Nodes(), token=TOKEN)
    head = f'POST /api/control/pause HTTP/1.1\r\nHost: localhost\r\n{TOKEN_HEADER}: {TOKEN}\r\n'
    with closing(Peer(client, f'{head}Content-Length: 9\r\n\r\n{{')) as slow:
        assert slow.status == 408
        slow.hear(json.dumps('The request did not come to its end')[:-1].encode())
