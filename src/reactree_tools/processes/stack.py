"""Several nodes started together and ended together."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from collections.abc import Sequence

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
