"""Several nodes started together, one stack for each domain and namespace, logs in one folder."""

from __future__ import annotations

import fcntl
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from reactree_core.errors import ConfigurationError
from reactree_tools.processes.node_process import NodeProcess

#: Seconds after each signal before the next, sharper one is sent.
GRACE = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))


class Stack:
    """Starts its processes in order, and ends all of them in reverse order.

    The later ones use the earlier ones, so a user is asked to end before what it uses.
    """

    def __init__(self, processes: Sequence[NodeProcess]) -> None:
        self.processes = tuple(processes)

    def __iter__(self) -> Iterator[NodeProcess]:
        return iter(self.processes)

    def __getitem__(self, name: str) -> NodeProcess:
        for process in self.processes:
            if process.name == name:
                return process
        raise KeyError(name)

    def start(self) -> None:
        """Start all of them; when one cannot be started, those before it are ended.

        :raises ConfigurationError: a program cannot be started.
        """
        try:
            for process in self.processes:
                process.start()
        except BaseException:
            self.stop()
            raise

    def ended(self) -> list[NodeProcess]:
        """The processes that have ended."""
        return [process for process in self.processes if process.returncode is not None]

    def stop(
        self,
        hurry: threading.Event | None = None,
        grace: Sequence[tuple[signal.Signals, float]] = GRACE,
    ) -> list[str]:
        """End all of them: SIGINT to each by its id, then SIGTERM, then SIGKILL.

        :param hurry: when set, the next sharper signal is sent at once.
        :param grace: signals in order, and the seconds that each is given.
        :returns: a sentence for each process that did not end by itself on SIGINT.
        """
        sentences = []
        if hurry is not None:
            hurry.clear()
        for number, patience in grace:
            running = [process for process in reversed(self.processes) if process.running]
            if not running:
                break
            if number is not signal.SIGINT:
                sentences += [
                    f'The {process.name} did not end in time and got {number.name}.'
                    for process in running
                ]
            for process in running:
                process.send(number)
            self._wait(running, patience, hurry)
            if hurry is not None:
                hurry.clear()
        return sentences

    @staticmethod
    def _wait(
        running: Sequence[NodeProcess], patience: float, hurry: threading.Event | None
    ) -> None:
        deadline = time.monotonic() + patience
        for process in running:
            while not process.wait(min(0.1, deadline - time.monotonic())):
                if time.monotonic() >= deadline or (hurry is not None and hurry.is_set()):
                    return


class StackLock:
    """Held while a stack runs; the system frees it however its holder ends.

    It knows this user's stacks on this machine; others are looked for on the graph.

    :param domain: ROS domain. :param namespace: with a leading slash.
    """

    def __init__(self, domain: int, namespace: str) -> None:
        name = namespace.strip('/').replace('/', '.')
        place = os.environ.get('XDG_RUNTIME_DIR') or tempfile.gettempdir()
        self._path = Path(place) / f'reactree-{os.getuid()}-{domain}-{name}.lock'
        self._domain = domain
        self._namespace = namespace
        self._file: TextIO | None = None

    def __enter__(self) -> StackLock:
        """:raises ConfigurationError: another stack has it."""
        try:
            self._file = self._path.open('a+', encoding='utf-8')
        except OSError:
            # Without a place for locks there is still the graph to ask.
            return self
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read(20).strip()
            self._file.close()
            raise ConfigurationError(
                f'Nodes started by process {holder or "unknown"} run in namespace '
                f'{self._namespace} of ROS domain {self._domain}. End them, or use another '
                '--namespace or ROS_DOMAIN_ID.'
            ) from None
        self._file.truncate(0)
        self._file.write(f'{os.getpid()}\n')
        self._file.flush()
        return self

    def __exit__(self, *reason: object) -> None:
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None


def ros_log_folder() -> Path:
    """ROS's own rule: ROS_LOG_DIR, else ROS_HOME/log, else ~/.ros/log."""
    if os.environ.get('ROS_LOG_DIR'):
        return Path(os.environ['ROS_LOG_DIR']).expanduser()
    home = os.environ.get('ROS_HOME') or '~/.ros'
    return Path(home).expanduser() / 'log'


def make_log_folder() -> Path:
    """A new folder for one start of the nodes.

    :raises ConfigurationError: it cannot be made.
    """
    name = f'reactree-{time.strftime("%Y-%m-%d-%H-%M-%S")}-{os.getpid()}'
    folder = ros_log_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f'The log folder {folder} cannot be made: {error.strerror}. '
            'Set ROS_LOG_DIR to a folder that can be written.'
        ) from error
    return folder
