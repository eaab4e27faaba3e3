"""A tiny HTTP server that answers as told, well or badly, for the tests of the server back end.

It is no model server of any kind: where it plays one, the replies are reconstructed after what
that server documents, as the fixtures in `test_openai_server.py` say.
"""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reactree_core.cancellation import CancelToken


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """What to answer. `fault`: '', 'hang', 'drip', 'close' or 'truncate'."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    fault: str = ''

    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return json.dumps(self.body).encode()


Answering = Callable[[Seen], Reply]


class FakeServer:
    """Listens on this machine; paths without a reply are 404."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.disconnected = threading.Event()
        self._ending = threading.Event()
        self._replies: dict[str, list[Reply] | Answering] = {}
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            # One packet per answer; without, each waits for the other side's delayed ACK.
            wbufsize = 65536

            def do_GET(self) -> None:
                fake.serve(self)

            def do_POST(self) -> None:
                fake.serve(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={'poll_interval': 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self._server.server_port}'

    def on(self, path: str, *replies: Reply | Answering) -> None:
        """Answer a path: by a function, or by replies one after the other, the last for good."""
        if len(replies) == 1 and not isinstance(replies[0], Reply):
            self._replies[path] = replies[0]
        else:
            self._replies[path] = [reply for reply in replies if isinstance(reply, Reply)]

    def requests(self, path: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.path == path]

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get('Content-Length') or 0)
        data = handler.rfile.read(length)
        seen = Seen(
            handler.command,
            handler.path,
            dict(handler.headers.items()),
            json.loads(data) if data else None,
        )
        self.seen.append(seen)
        known = self._replies.get(handler.path)
        if known is None:
            reply = Reply({'error': {'message': 'File Not Found'}}, 404)
        elif isinstance(known, list):
            reply = known.pop(0) if len(known) > 1 else known[0]
        else:
            reply = known(seen)
        try:
            self._send(handler, reply)
        except OSError:
            self.disconnected.set()
            handler.close_connection = True

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.fault == 'close':
            handler.close_connection = True
            return
        if reply.fault == 'hang':
            self._watch(handler)
            return
        content = reply.content()
        size = len(content) + (100 if reply.fault == 'truncate' else 0)
        handler.send_response(reply.status)
        headers = {'Content-Type': 'application/json', 'Content-Length': str(size)}
        if reply.fault == 'drip':
            headers['Content-Length'] = '1000000'
        for name, value in (headers | reply.headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.fault == 'drip':
            self._watch(handler, drop=b' ')
            return
        handler.wfile.write(content)
        if reply.fault == 'truncate':
            handler.close_connection = True

    def _watch(self, handler: BaseHTTPRequestHandler, drop: bytes = b'') -> None:
        """Until the client goes away; meanwhile a drop of data now and then."""
        while not self._ending.is_set():
            ready, _, _ = select.select([handler.connection], [], [], 0.02)
            if ready and not handler.connection.recv(1024):
                self.disconnected.set()
                break
            if drop:
                handler.wfile.write(drop)
                handler.wfile.flush()
        handler.close_connection = True

    def stop(self) -> None:
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[FakeServer]:
    fake = FakeServer()
    yield fake
    fake.stop()


@pytest.fixture
def other_server() -> Iterator[FakeServer]:
    fake = FakeServer()
    yield fake
    fake.stop()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


class Canceler:
    """Cancels a token in a moment, and tells how long ago that was."""

    def __init__(self) -> None:
        self.token = CancelToken()
        self._moment = 0.0
        self._timer = threading.Timer(0.1, self._cancel)

    def _cancel(self) -> None:
        self._moment = time.monotonic()
        self.token.cancel()

    def start(self) -> CancelToken:
        self._timer.start()
        return self.token

    def seconds_since(self) -> float:
        self._timer.join()
        return time.monotonic() - self._moment


@pytest.fixture
def canceler() -> Canceler:
    return Canceler()
