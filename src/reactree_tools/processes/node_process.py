"""One node as a child process whose output goes to a file."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from reactree_core.errors import ConfigurationError

#: Bytes of a log's end that are looked at for its last lines.
TAIL_BYTES = 64 * 1024
_PR_SET_PDEATHSIG = 1
_ESCAPES = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]')
#: The console format of rcutils: [WARN] [1730000000.123456789] [planner]: text
_LOG_LINE = re.compile(r'^\[(DEBUG|INFO|WARN|ERROR|FATAL)\] \[[0-9.]+\] \[([^\]]*)\]: (.*)$')
_TRACEBACK_END = re.compile(r'^[\w.]*(Error|Exception)(: |$)')


def _begin() -> None:
    """In the new process: SIGINT ends it, and comes on Linux when the parent dies.

    A shell has its background jobs ignore SIGINT, and what they start inherits that.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform != 'linux':
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)


class LogFollower:
    """Reads what is appended to a file, whole lines at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._rest = b''

    def new_lines(self) -> list[str]:
        """Lines completed since the last call; escape codes are taken out."""
        try:
            with self._path.open('rb') as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b'\n')
        return [_clean(line) for line in lines]


def _clean(line: bytes) -> str:
    return _ESCAPES.sub('', line.decode('utf-8', 'replace')).rstrip()


def log_level(line: str) -> tuple[str, str]:
    """Level and message of a line of a node's log; ('', line) when it has no level.

    The last line of a traceback counts as an error.
    """
    match = _LOG_LINE.match(line)
    if match is not None:
        return match.group(1), match.group(3)
    return ('ERROR', line) if _TRACEBACK_END.match(line) else ('', line)


class NodeProcess:
    """A node's process in a session of its own: only its starter sends it signals.

    :param name: for people, e.g. 'planner', 'robot_1/bridge'.
    :param command: program and arguments.
    :param log: file that takes its standard output and error.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.command = tuple(command)
        self.log = log
        self.started = 0.0
        self._environment = dict(environment) if environment is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._follower = LogFollower(log)
        self._announcements = LogFollower(log)
        self._announced = False

    def start(self) -> None:
        """Start it, or start it again after its end: it goes on in its log.

        :raises ConfigurationError: the program or the log file cannot be opened.
        """
        file: IO[bytes]
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open('ab') as file:
                self._process = subprocess.Popen(
                    self.command,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                    start_new_session=True,
                    preexec_fn=_begin,
                )
        except OSError as error:
            raise ConfigurationError(
                f'The {self.name} cannot be started: {error.strerror}: {error.filename}'
            ) from error
        self.started = time.monotonic()
        self._announced = False

    @property
    def pid(self) -> int:
        """Its process id; 0 before the start."""
        return self._process.pid if self._process else 0

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def returncode(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        return self._process.poll() if self._process else None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to this process alone; nothing happens when it has ended."""
        if self.running and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; True when it has ended."""
        if self._process is None:
            return True
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def describe_end(self) -> str:
        """How it ended, for people, e.g. 'was killed by SIGKILL'."""
        code = self.returncode
        if code is None:
            return 'is running'
        if code < 0:
            with contextlib.suppress(ValueError):
                return f'was ended by {signal.Signals(-code).name}'
        return f'ended with exit status {code}'

    def new_lines(self) -> list[str]:
        """Lines it has written since the last call."""
        return self._follower.new_lines()

    def is_announced(self) -> bool:
        """Whether it has logged '<name> ready' (reactree_core.ros.spinning)."""
        words = f'{self.name.rpartition("/")[2]} ready'
        for line in self._announcements.new_lines() if not self._announced else ():
            self._announced = self._announced or log_level(line)[1] == words
        return self._announced

    def last_lines(self, count: int) -> list[str]:
        """The end of its log, without empty lines."""
        try:
            with self.log.open('rb') as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - TAIL_BYTES))
                lines = [_clean(line) for line in file.read().split(b'\n')]
        except OSError:
            return []
        return [line for line in lines if line][-count:]
