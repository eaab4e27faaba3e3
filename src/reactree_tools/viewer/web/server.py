"""Serves a viewer on this machine, from a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from reactree_core.errors import ConfigurationError
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.fleet import Fleet
from reactree_tools.viewer.web.guard import Receive, Scope, Send

#: Where the page is, unless another port is asked for.
PORT = 8765
#: Connections at once. Past them, the one that has been idle for the longest time is ended.
CONNECTIONS = 256
#: Requests that are answered at once, of one address and of all; every page holds one, its stream.
REQUESTS_OF_ONE = 64
REQUESTS = 100
#: Seconds that a connection may bring no whole request, or take nothing of an answer; twice as
#: many at most.
PATIENCE = 10.0
#: Seconds that open answers get to end.
_GRACE = 1.0


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    text = 'Too many requests are being answered: close some pages, or try again in 10 s.'
    headers = {'Retry-After': '10', 'Connection': 'close'}
    await PlainTextResponse(text, status_code=503, headers=headers)(scope, receive, send)


class Connection(H11Protocol):
    """A connection that gives way: uvicorn itself waits for a request, or a reader, for ever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, perhaps at the cost of another."""
        super().connection_made(transport)
        self._began = time.monotonic()
        self._resumed = 0
        self._timer = self.loop.call_later(PATIENCE, self._watch, None)
        if len(self.connections) > CONNECTIONS:
            idle = [one for one in self._others() if one.is_idle]
            oldest = min(idle, key=lambda one: one._began, default=self)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Have a request answered, where there is room for it."""
        if self.is_idle:
            busy = [one for one in self._others() if not one.is_idle]
            own = [one for one in busy if one.address == self.address]
            full = len(busy) >= REQUESTS or len(own) >= REQUESTS_OF_ONE
            self.app = _crowded if full else self.config.loaded_app
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._timer.cancel()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Its reader has read."""
        self._resumed += 1
        super().resume_writing()

    @property
    def address(self) -> str:
        """Whose it is."""
        return self.client[0] if self.client else ''

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _others(self) -> list[Connection]:
        return [one for one in self.connections if isinstance(one, Connection) and one is not self]

    def _watch(self, before: tuple[object, int, int] | None) -> None:
        """End it when it is where it was: no further request, and no byte taken."""
        now = self.cycle, self._resumed, self.transport.get_write_buffer_size()
        stands = before is not None and now[:2] == before[:2] and now[2] >= before[2]
        if stands and (self.is_idle or self.flow.write_paused):
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(PATIENCE, self._watch, now)


class ViewerServer:
    """A context manager: serves from entering to leaving, on 127.0.0.1 only.

    :param viewer: of one robot, or of several. :param port: 0 for any free one.
    :raises ConfigurationError: the port is taken.

    Public: `port`, `url`.
    """

    def __init__(self, viewer: Viewer | Fleet, port: int = PORT) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(('127.0.0.1', port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise ConfigurationError(
                f'Port {port} cannot be served ({error}): another viewer may be running; '
                'choose another port.'
            ) from error
        self.port: int = self._socket.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}/'
        viewer.ending = self._is_ending
        self._ended = False
        config = uvicorn.Config(
            viewer.application(),
            loop='asyncio',
            http=Connection,
            ws='none',
            lifespan='off',
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(_GRACE),
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name='viewer', daemon=True)

    def _is_ending(self) -> bool:
        return self._ended

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def __enter__(self) -> ViewerServer:
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.stop()

    def start(self) -> None:
        """Serve from now on; requests wait until the thread has begun."""
        self._socket.listen()
        self._thread.start()

    def stop(self) -> None:
        """End the streams and give the port back."""
        self._ended = True
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_GRACE + 2.0)
        self._socket.close()
