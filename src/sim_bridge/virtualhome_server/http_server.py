"""The protocol over HTTP/1.1: one POST of JSON a call, to any path.

One thread reads and writes all connections and answers what takes no time itself; long calls, and
those that have to wait for one, go to other threads. `docs/decisions/libraries.md` says
why this is no library.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import socket
import threading
import time
import traceback
from collections import deque
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.virtualhome_server.graph_writing import JsonText
from sim_bridge.virtualhome_server.service import VirtualHomeService
from sim_bridge.worlds.household.graph_reading import read_json

#: Published clients expect the simulator here.
PORT = 8080
#: Largest request in bytes; a large home has some megabytes.
LARGEST_REQUEST = 64 * 1024 * 1024
#: Connections at once. Past them the one that has been silent longest ends; new ones wait until
#: one has been silent for `_GRACE`, as whoever has just connected is about to ask.
CONNECTIONS = 512
#: Calls that may wait for their turn.
CALLS = 256
#: Seconds.
_GRACE = 1.0
#: Seconds that a connection may be silent, within a request or between two, or read nothing.
_SILENCE = 60.0
#: Seconds for a refused client to stop sending.
_LINGER = 2.0
_BACKLOG = 1024
_WORKERS = 4
_LONGEST_HEAD = 64 * 1024
_LONGEST_ID = 200
#: Bytes; longer requests take a while to read, so they are no quick calls.
_SHORT = 16 * 1024
_PIECE = 256 * 1024
_REASONS = {
    200: 'OK',
    400: 'Bad Request',
    405: 'Method Not Allowed',
    411: 'Length Required',
    413: 'Content Too Large',
    431: 'Request Header Fields Too Large',
    500: 'Internal Server Error',
    503: 'Service Unavailable',
}

#: An answer in pieces.
_Body = tuple[bytes, ...]


class VirtualHomeServer:
    """Serves a service on this machine only; a context manager, closed at the end.

    :param service: what answers the calls.
    :param port: 0 for any free one.
    :raises ConfigurationError: the port is taken.

    Public: `port`, `url`.
    """

    def __init__(self, service: VirtualHomeService, port: int = PORT) -> None:
        try:
            self._listener = socket.create_server(('127.0.0.1', port), backlog=_BACKLOG)
        except (OSError, OverflowError) as error:
            raise ConfigurationError(
                f'port {port} cannot be served ({error}): choose another one with --port'
            ) from error
        self.port: int = self._listener.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}'
        self._service = service
        self._connections: dict[socket.socket, _Connection] = {}
        self._selector = selectors.DefaultSelector()
        self._listener.setblocking(False)
        self._accepts = True
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ, self._take_answers)
        self._ended = False
        self._calls = 0
        self._waiting: SimpleQueue[tuple[_Connection, bytes | bytearray] | None] = SimpleQueue()
        self._answers: deque[tuple[_Connection, tuple[int, _Body]]] = deque()
        self._thread = threading.Thread(target=self.serve, name='virtualhome', daemon=True)

    def __enter__(self) -> VirtualHomeServer:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._ended = True
        self._waker.send(b'.')
        self._thread.join()
        self.close()

    def serve(self) -> None:
        """Answer until the process is interrupted or the context ends."""
        for number in range(_WORKERS):
            name = f'virtualhome call {number}'
            threading.Thread(target=self._work, name=name, daemon=True).start()
        sweep = 0.0
        while not self._ended:
            for key, events in self._selector.select(1.0):
                key.data(events)
            if time.monotonic() >= sweep:
                self._sweep()
                sweep = time.monotonic() + 1.0

    def close(self) -> None:
        """Give the port back."""
        for connection in list(self._connections.values()):
            self._end(connection)
        for _ in range(_WORKERS):
            self._waiting.put(None)
        self._selector.close()
        for one in (self._listener, self._woken, self._waker):
            one.close()

    # Connections

    def _accept(self, _: int) -> None:
        while len(self._connections) < CONNECTIONS or self._make_room():
            try:
                peer, _address = self._listener.accept()
            except BlockingIOError:
                return
            except OSError:
                # No file descriptors, or the peer has gone already.
                break
            peer.setblocking(False)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _Connection(peer)
            self._connections[peer] = connection
            self._watch(connection, selectors.EVENT_READ)
        self._selector.unregister(self._listener)
        self._accepts = False

    def _make_room(self) -> bool:
        """End who has had its last answer, else who has been silent longest, and long enough."""
        idle = [one for one in self._connections.values() if not one.busy]
        done = [one for one in idle if one.refused and not one.unsent]
        oldest = min(done or idle, key=lambda one: one.heard, default=None)
        if oldest is None or (not done and oldest.heard > time.monotonic() - _GRACE):
            return False
        self._end(oldest)
        return True

    def _sweep(self) -> None:
        """End who has been silent for too long, and let in who waits."""
        now = time.monotonic()
        for connection in list(self._connections.values()):
            patience = _LINGER if connection.refused else _SILENCE
            if not connection.busy and now - connection.heard > patience:
                self._end(connection)
        self._let_in()

    def _watch(self, connection: _Connection, events: int) -> None:
        """Wait for something to be read or written, or (0) for nothing."""
        if events == connection.watched:
            return
        if not connection.watched:
            self._selector.register(
                connection.peer, events, lambda mask: self._happened(connection, mask)
            )
        elif events:
            key = self._selector.get_key(connection.peer)
            self._selector.modify(connection.peer, events, key.data)
        else:
            self._selector.unregister(connection.peer)
        connection.watched = events

    def _end(self, connection: _Connection) -> None:
        if self._connections.pop(connection.peer, None) is not None:
            self._watch(connection, 0)
            connection.peer.close()
            self._let_in()

    def _let_in(self) -> None:
        """Accept again."""
        if not self._accepts:
            self._accepts = True
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def _happened(self, connection: _Connection, mask: int) -> None:
        try:
            if mask & selectors.EVENT_WRITE:
                self._flush(connection)
            else:
                data = connection.peer.recv(_PIECE)
                connection.heard = time.monotonic()
                if not data:
                    self._end(connection)
                elif not connection.refused:
                    connection.received += data
            self._go_on(connection)
        except BlockingIOError:
            pass
        except OSError:
            # A client that goes away is no news.
            self._end(connection)

    # Requests

    def _go_on(self, connection: _Connection) -> None:
        """Answer the requests that are complete, one after the other."""
        while (
            connection.peer in self._connections
            and not (connection.busy or connection.unsent or connection.refused)
            and (connection.length >= 0 or self._read_head(connection))
            and len(connection.received) >= connection.length
        ):
            body, rest = connection.received, bytearray()
            if len(body) > connection.length:
                rest = body[connection.length :]
                del body[connection.length :]
            connection.received, connection.length = rest, -1
            self._call(connection, body)

    def _read_head(self, connection: _Connection) -> bool:
        """Whether a head is complete and announces a body."""
        received = connection.received
        end = received.find(b'\r\n\r\n')
        if end > _LONGEST_HEAD or (end < 0 and len(received) > _LONGEST_HEAD):
            self._refuse(connection, 431, f'a head has at most {_LONGEST_HEAD} bytes')
            return False
        if end < 0:
            return False
        first, *lines = bytes(received[:end]).lstrip().decode('latin-1').split('\r\n')
        del received[: end + 4]
        method, _, version = first.partition(' ')[0], *first.rpartition(' ')[1:]
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(':') for line in lines)
        }
        connection.closes = (
            version != 'HTTP/1.1' or 'close' in fields.get('connection', '').lower()
        )
        length = fields.get('content-length', '')
        if not version.startswith('HTTP/1.'):
            self._refuse(connection, 400, 'this is no HTTP/1.1')
        elif method != 'POST':
            # Browsers and health checks: say what this is.
            text = 'VirtualHome protocol: POST {"id": "1", "action": "idle"}'
            self._refuse(connection, 405, text)
        elif not (length.isascii() and length.isdigit()):
            self._refuse(connection, 411, 'the request needs a Content-Length')
        elif len(length) > 12 or int(length) > LARGEST_REQUEST:
            self._refuse(connection, 413, f'a request has at most {LARGEST_REQUEST} bytes')
        else:
            connection.length = int(length)
            if 'expect' in fields and len(received) < connection.length:
                self._write(connection, b'HTTP/1.1 100 Continue\r\n\r\n')
            return True
        return False

    def _call(self, connection: _Connection, body: bytes | bytearray) -> None:
        answer = self._answer(body, at_once=True) if len(body) <= _SHORT else None
        if answer is not None:
            self._send(connection, *answer)
        elif self._calls >= CALLS:
            text = f'{CALLS} calls wait for their turn already: send this one again later'
            self._send(connection, *_refusal(503, text))
        else:
            self._calls += 1
            connection.busy = True
            self._watch(connection, 0)
            self._waiting.put((connection, body))

    def _answer(self, body: bytes | bytearray, at_once: bool = False) -> tuple[int, _Body] | None:
        """Status and body of an answer; None when it cannot be had at once."""
        try:
            request = read_json(body)
        except (ValueError, RecursionError) as error:
            return _refusal(400, f'the request is not JSON: {error}')
        if not isinstance(request, dict):
            return _refusal(400, 'the request must be a JSON object')
        try:
            said = self._service.reply(request, at_once)
            if said is None:
                return None
            return 200, _encoded(str(request.get('id', ''))[:_LONGEST_ID], said)
        except Exception as error:  # noqa: BLE001 - the other clients are to go on
            traceback.print_exc()
            return _refusal(500, f'the server failed, please report this: {error!r:.200}')

    def _work(self) -> None:
        """Answer calls that take long, in a thread of its own."""
        while (call := self._waiting.get()) is not None:
            connection, body = call
            answer = self._answer(body)
            del call, body
            assert answer is not None
            self._answers.append((connection, answer))
            with contextlib.suppress(OSError):
                self._waker.send(b'.')

    def _take_answers(self, _: int) -> None:
        self._woken.recv(_PIECE)
        while self._answers:
            connection, answer = self._answers.popleft()
            self._calls -= 1
            connection.busy = False
            try:
                self._send(connection, *answer)
                self._go_on(connection)
            except OSError:
                self._end(connection)

    # Answers

    def _refuse(self, connection: _Connection, status: int, message: str) -> None:
        """Answer a request whose body stays unread: the connection is of no use any more."""
        connection.closes = connection.refused = True
        self._send(connection, *_refusal(status, message))

    def _send(self, connection: _Connection, status: int, body: _Body) -> None:
        head = (
            f'HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\n'
            f'Content-Length: {sum(map(len, body))}\r\n'
            f'{"Connection: close" if connection.closes else "Connection: keep-alive"}\r\n\r\n'
        )
        self._write(connection, b''.join((head.encode('ascii'), *body)))

    def _write(self, connection: _Connection, data: bytes) -> None:
        connection.unsent = memoryview(data)
        self._flush(connection)

    def _flush(self, connection: _Connection) -> None:
        with contextlib.suppress(BlockingIOError):
            while connection.unsent:
                connection.unsent = connection.unsent[connection.peer.send(connection.unsent) :]
                connection.heard = time.monotonic()
        if connection.unsent:
            self._watch(connection, selectors.EVENT_WRITE)
            return
        connection.unsent = _NOTHING
        if connection.closes and connection.length < 0:
            # What is still on its way in would make the kernel take the answer back.
            connection.refused = True
            connection.peer.shutdown(socket.SHUT_WR)
            self._let_in()
        self._watch(connection, selectors.EVENT_READ)


_NOTHING = memoryview(b'')


class _Connection:
    """One client.

    Public: `received` (bytes that have not been used), `length` (bytes of the body, -1 while the
    head is not there), `unsent`, `busy` (a call is being answered by another thread), `closes`
    (the next answer is the last), `refused` (what still comes is not read), `heard` (when
    something was read or written, monotonic seconds), `watched` (events of the selector).
    """

    __slots__ = (
        'busy',
        'closes',
        'heard',
        'length',
        'peer',
        'received',
        'refused',
        'unsent',
        'watched',
    )

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.received = bytearray()
        self.length = -1
        self.unsent = _NOTHING
        self.busy = self.closes = self.refused = False
        self.heard = time.monotonic()
        self.watched = 0


def _refusal(status: int, message: str) -> tuple[int, _Body]:
    return status, _encoded(None, {'success': False, 'message': message, 'message_list': []})


def _encoded(request_id: str | None, answer: Mapping[str, Any]) -> _Body:
    """JSON, with a message taken as it is when it is a JSON string already."""
    whole = dict(answer) if request_id is None else {'id': request_id, **answer}
    message = whole.get('message')
    if not isinstance(message, JsonText):
        return (json.dumps(whole, allow_nan=False).encode('ascii'),)
    del whole['message']
    rest = json.dumps(whole, allow_nan=False).encode('ascii')
    return rest[:-1], b', "message": ', *message.pieces, b'}'
