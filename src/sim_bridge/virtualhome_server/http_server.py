"""The protocol over HTTP: one POST of JSON a call, to any path."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.virtualhome_server.graph_writing import JsonText
from sim_bridge.virtualhome_server.service import VirtualHomeService

#: Published clients expect the simulator here.
PORT = 8080
#: Largest request in bytes; a large home has some megabytes.
LARGEST_REQUEST = 64 * 1024 * 1024
#: Seconds that a connection may be silent, within a request or between two.
_SILENCE = 60.0
#: Connections at once, each with a thread. Past them, the oldest that is not being answered ends.
CONNECTIONS = 64
#: Calls that may wait for their turn.
CALLS = 32
_LONGEST_ID = 200
_WORD = 'application/json'


class VirtualHomeServer:
    """Serves a service on this machine only; a context manager, closed at the end.

    :param service: asked by one call at a time.
    :param port: 0 for any free one.
    :raises ConfigurationError: the port is taken.

    Public: `port`, `url`.
    """

    def __init__(self, service: VirtualHomeService, port: int = PORT) -> None:
        try:
            self._server = _Server(port, service)
        except (OSError, OverflowError) as error:
            raise ConfigurationError(
                f'port {port} cannot be served ({error}): choose another one with --port'
            ) from error
        self.port: int = self._server.server_address[1]
        self.url = f'http://127.0.0.1:{self.port}'
        self._thread = threading.Thread(target=self.serve, name='virtualhome', daemon=True)

    def __enter__(self) -> VirtualHomeServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self.close()

    def serve(self) -> None:
        """Answer until the process is interrupted or the context ends."""
        self._server.serve_forever(poll_interval=0.1)

    def close(self) -> None:
        """Give the port back."""
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # At the end nobody waits for a client that keeps its connection.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, service: VirtualHomeService) -> None:
        self._service = service
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._calls = 0
        #: Connections that wait for a request, for the rest of one, or for a reader.
        self._idle: dict[Any, None] = {}
        super().__init__(('127.0.0.1', port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, perhaps at the cost of an idle one."""
        with self._counting:
            self._idle[request] = None
            if len(self._idle) + self._calls > CONNECTIONS:
                oldest = next(iter(self._idle))
                del self._idle[oldest]
                # Its thread wakes up and ends.
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection."""
        with self._counting:
            self._idle.pop(request, None)
        super().shutdown_request(request)

    def answer(self, connection: Any, request: dict[str, Any]) -> dict[str, Any] | None:
        """What the service says, one call at a time; None when too many wait."""
        with self._counting:
            if self._calls >= CALLS:
                return None
            self._calls += 1
            self._idle.pop(connection, None)
        try:
            with self._turn:
                return self._service.answer(request)
        finally:
            with self._counting:
                self._calls -= 1
                self._idle[connection] = None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    timeout = _SILENCE
    disable_nagle_algorithm = True
    # Head and body of an answer leave together.
    wbufsize = -1

    server: _Server

    def do_POST(self) -> None:
        """One call."""
        length = self.headers.get('Content-Length', '')
        if not (length.isascii() and length.isdigit()):
            self._refuse(411, 'the request needs a Content-Length')
        elif len(length) > 12 or int(length) > LARGEST_REQUEST:
            self._refuse(413, f'a request has at most {LARGEST_REQUEST} bytes')
        else:
            self._call(int(length))

    def _call(self, length: int) -> None:
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._send(400, {'success': False, 'message': f'the request is not JSON: {error}'})
            return
        if not isinstance(request, dict):
            self._send(400, {'success': False, 'message': 'the request must be a JSON object'})
            return
        said = self.server.answer(self.connection, request)
        if said is None:
            text = f'{CALLS} calls wait for their turn already: send this one again later'
            self._send(503, {'success': False, 'message': text})
            return
        self._send(200, {'id': str(request.get('id', ''))[:_LONGEST_ID], **said})

    def do_GET(self) -> None:
        """Browsers and health checks: say what this is."""
        text = 'VirtualHome protocol: POST {"id": "1", "action": "idle"}'
        self._send(405, {'success': False, 'message': text})

    def _refuse(self, status: int, message: str) -> None:
        # The body stays unread, so the connection is of no use any more.
        self.close_connection = True
        self._send(status, {'success': False, 'message': message})

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        body = _encoded(answer)
        self.send_response(status)
        self.send_header('Content-Type', _WORD)
        self.send_header('Content-Length', str(len(body)))
        if self.close_connection:
            self.send_header('Connection', 'close')
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class says so
        """Calls are not logged: there are hundreds a second."""


def _encoded(answer: dict[str, Any]) -> bytes:
    """JSON, with a message taken as it is when it is a JSON string already."""
    message = answer.get('message')
    if not isinstance(message, JsonText):
        return json.dumps(answer).encode('ascii')
    rest = json.dumps({name: value for name, value in answer.items() if name != 'message'})
    return f'{rest[:-1]}, "message": {message.quoted}}}'.encode('ascii')
