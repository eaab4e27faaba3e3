"""The program behind a controller of `ai2thor`: its calls get deadlines, and its end is noticed.

The published clients wait for a program that hangs or has ended: those of 2.1 for ever, those of
5.x for their own time, and some start it again by themselves. Here a thread watches the program
and sets free whoever waits for it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Seconds between two looks at the program.
_PERIOD = 0.05
DIED, LATE = 'died', 'late'


class ProgramGone(Exception):
    """The program has ended, or was ended because it did not answer in time."""


class Watch:
    """Watches one program. :param controller: of `ai2thor`; it need not be made yet."""

    def __init__(self, controller: Any) -> None:
        self._controller = controller
        self._deadline: float | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._seen = False
        #: Why the program is gone: DIED or LATE; '' as long as it is not.
        self.reason = ''
        thread = threading.Thread(target=self._run, name='thor program', daemon=True)
        thread.start()

    def begin(self, limit: float) -> None:
        """A call begins. :param limit: seconds that it may take."""
        self._deadline = time.monotonic() + limit

    def end(self) -> None:
        """The call has been answered, or has failed."""
        with self._lock:
            self._deadline = None

    def close(self) -> None:
        """Watch no longer."""
        self._ended.set()

    @property
    def exit_code(self) -> int | None:
        """Of the program, where it is known."""
        process = getattr(getattr(self._controller, 'server', None), 'unity_proc', None)
        code = process.poll() if process is not None else None
        return int(code) if code is not None else None

    @property
    def pid(self) -> int:
        """Number of the program's process; 0 before it runs."""
        return int(getattr(self._controller, 'unity_pid', None) or 0)

    def kill(self) -> None:
        """End the program now."""
        if self.pid and _is_alive(self._controller, self.pid):
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)

    def _run(self) -> None:
        while not self._ended.wait(_PERIOD):
            with self._lock:
                reason = self._look()
            if reason:
                self.reason = self.reason or reason
                self.kill()
                _set_free(self._controller)
            if self.reason and self._deadline is None:
                return

    def _look(self) -> str:
        if self.pid and not _is_alive(self._controller, self.pid):
            return DIED
        if self._deadline is not None and time.monotonic() > self._deadline:
            return LATE
        return ''


def _is_alive(controller: Any, pid: int) -> bool:
    process = getattr(getattr(controller, 'server', None), 'unity_proc', None)
    if process is not None:
        return process.poll() is None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _set_free(controller: Any) -> None:
    """Wake whoever waits for a program that will not answer."""
    server = getattr(controller, 'server', None)
    for owner in (controller, server):
        queue = getattr(owner, 'request_queue', None)
        if queue is not None and queue.empty():
            with contextlib.suppress(Exception):
                queue.put_nowait(_Gone())
    # Whoever opens a pipe waits for the other end to be opened.
    for name, flag in (('server_pipe_path', os.O_WRONLY), ('client_pipe_path', os.O_RDONLY)):
        path = getattr(server, name, None)
        if path:
            with contextlib.suppress(OSError):
                os.close(os.open(path, flag | os.O_NONBLOCK))


class _Gone:
    """Stands for an event that will never come: looking at it says so."""

    @property
    def metadata(self) -> Any:
        """Never there. :raises ProgramGone: always."""
        raise ProgramGone


def watched_controller() -> tuple[Any, dict[str, Any]]:
    """The client's controller, whose servers notice that the program is gone.

    :return: the class, and the published classes of servers by transport.
    :raises ImportError: the client 2.1 is installed, which is made otherwise.
    """
    from ai2thor.controller import Controller
    from ai2thor.fifo_server import FifoServer
    from ai2thor.wsgi_server import WsgiServer

    class WatchedFifoServer(FifoServer):  # type: ignore[misc]
        """Ends at the end of the stream instead of reading on until its time is over."""

        def _read_with_timeout(self, server_pipe: Any, message_size: int, timeout: Any) -> bytes:
            parts = []
            until = None if timeout is None else time.monotonic() + timeout
            while message_size:
                left = None if until is None else max(0.0, until - time.monotonic())
                ready, _, _ = select.select([server_pipe], [], [], left)
                part = os.read(server_pipe.fileno(), message_size) if ready else b''
                if not part:
                    raise ProgramGone
                message_size -= len(part)
                parts.append(part)
            return b''.join(parts)

    class WatchedWsgiServer(WsgiServer):  # type: ignore[misc]
        """Waits for the event alone: whether the program lives is watched elsewhere."""

        def receive(self, timeout: float | None = None) -> Any:
            event = self.request_queue.get()
            if isinstance(event, _Gone):
                raise ProgramGone
            return event

    class WatchedController(Controller):  # type: ignore[misc]
        """Makes servers of the classes above; all else is the published controller."""

        def _build_server(self, host: str, port: int, width: int, height: int) -> None:
            if getattr(self, 'server', None) is not None:
                return
            options_given: dict[str, Any] = {
                'width': width,
                'height': height,
                'timeout': self.server_timeout,
                'depth_format': self.depth_format,
                'add_depth_noise': self.add_depth_noise,
            }
            if self.server_class is WsgiServer:
                self.server = WatchedWsgiServer(host=host, port=port, **options_given)
            else:
                self.server = WatchedFifoServer(**options_given)

    return WatchedController, {'fifo': FifoServer, 'http': WsgiServer}


def end(controller: Any, watch: Watch) -> None:
    """End a program and what the client keeps for it, within some seconds."""
    watch.close()
    watch.kill()
    controller.killing_unity = True
    server = getattr(controller, 'server', None)
    # The thread that serves HTTP waits for the next action.
    for owner in (controller, server):
        queue = getattr(owner, 'response_queue', None)
        if queue is not None:
            with contextlib.suppress(Exception):
                queue.put_nowait({})
    if wsgi := getattr(server, 'wsgi_server', None):
        _within(2.0, wsgi.shutdown)
        with contextlib.suppress(Exception):
            wsgi.server_close()
    if server is not None and getattr(server, 'stop', None) is not None:
        if hasattr(server, 'stopped'):
            server.stopped = True
        _within(2.0, server.stop)


def _within(limit: float, work: Callable[[], object]) -> None:
    def run() -> None:
        with contextlib.suppress(Exception):
            work()

    thread = threading.Thread(target=run, name='thor end', daemon=True)
    thread.start()
    thread.join(limit)


def last_words(log: Path, begin: int, most: int = 300) -> str:
    """The last lines that a program has written.

    :param begin: byte where its own lines begin.
    """
    try:
        with log.open('rb') as opened:
            opened.seek(max(begin, log.stat().st_size - 8192))
            text = opened.read(8192).decode('utf-8', 'replace')
    except OSError:
        return ''
    lines = [' '.join(line.split()) for line in text.splitlines() if line.strip()]
    return ' / '.join(lines[-3:])[-most:]
