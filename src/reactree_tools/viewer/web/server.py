"""Serves a viewer on this machine, from a thread of its own."""

from __future__ import annotations

import socket
import threading
from types import TracebackType

import uvicorn

from reactree_core.errors import ConfigurationError
from reactree_tools.viewer.web.application import Viewer

#: Where the page is, unless another port is asked for.
PORT = 8765
#: Connections at once; every page holds one.
_CONNECTIONS = 100
#: Seconds that open answers get to end.
_GRACE = 1.0


class ViewerServer:
    """A context manager: serves from entering to leaving, on 127.0.0.1 only.

    :param port: 0 for any free one.
    :raises ConfigurationError: the port is taken.

    Public: `port`, `url`.
    """

    def __init__(self, viewer: Viewer, port: int = PORT) -> None:
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
            http='h11',
            ws='none',
            lifespan='off',
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=_CONNECTIONS,
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
