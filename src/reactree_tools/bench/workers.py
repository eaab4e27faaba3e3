"""Who carries out episodes: this process, processes of its own, or actors of a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.record.events import Event
from reactree_tools.bench.episodes import EpisodeRunner, Finished, Unfinished
from reactree_tools.bench.rows import Cell

Result = Finished | Unfinished
#: Said of an episode whose worker is gone; it is run again.
DIED = 'the worker that ran it died'
#: Seconds in which a worker that was told to end has to.
_PATIENCE = 5.0


class Workers(Protocol):
    """A fixed number of workers; each does one episode at a time."""

    @property
    def free(self) -> int:
        """Workers without an episode."""

    def begin(self, cell: Cell, place: str) -> None:
        """Give an episode to a free worker. :param place: of its model."""

    def ended(self, seconds: float) -> Iterator[Result]:
        """What has come to an end; waits so long for a first one."""

    def close(self) -> None:
        """End all workers; what they are at is lost."""


class ThisProcess:
    """One worker: the caller. An episode is carried out when its end is asked for.

    :param cancel: ends an episode without a trace. :param watch: called with every event.
    """

    def __init__(
        self,
        runner: EpisodeRunner,
        cancel: CancelToken,
        watch: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._runner = runner
        self._cancel = cancel
        self._watch = watch
        self._next: tuple[Cell, str] | None = None

    @property
    def free(self) -> int:
        """0 or 1."""
        return int(self._next is None)

    def begin(self, cell: Cell, place: str) -> None:
        """Take an episode."""
        self._next = (cell, place)

    def ended(self, seconds: float) -> Iterator[Result]:
        """Carry it out."""
        if self._next is not None:
            cell, place = self._next
            result = self._runner.run(cell, place, self._cancel, self._watch)
            self._next = None
            yield result

    def close(self) -> None:
        """Give back what was loaded."""
        self._runner.close()


class _Process:
    """A process with its connection, and what it is at."""

    def __init__(self, runner: EpisodeRunner) -> None:
        # Not forked: a model's threads and open files do not survive that.
        context = multiprocessing.get_context('spawn')
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, runner), daemon=True)
        self._process.start()
        theirs.close()
        self.job: tuple[Cell, str] | None = None

    def end(self) -> None:
        """End it, whatever it is at."""
        self.connection.close()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(_PATIENCE)
        self._process.close()


class LocalProcesses:
    """Processes on this machine. One that dies is replaced.

    :param count: how many; a model in a process is loaded by each.
    """

    def __init__(self, runner: EpisodeRunner, count: int) -> None:
        cores = len(os.sched_getaffinity(0))
        self._runner = replace(runner, threads=max(1, cores // count))
        self._processes = [_Process(self._runner) for _ in range(count)]

    @property
    def free(self) -> int:
        """Processes without an episode."""
        return sum(one.job is None for one in self._processes)

    def begin(self, cell: Cell, place: str) -> None:
        """Send it to a free one."""
        one = next(one for one in self._processes if one.job is None)
        one.job = (cell, place)
        with suppress(OSError):  # it has died: `ended` tells
            one.connection.send(one.job)

    def ended(self, seconds: float) -> Iterator[Result]:
        """What the processes send."""
        busy = {one.connection: one for one in self._processes if one.job is not None}
        for ready in wait(list(busy), seconds):
            one = busy[ready]  # type: ignore[index]
            job, one.job = one.job, None
            try:
                yield one.connection.recv()
            except (EOFError, OSError):
                self._processes[self._processes.index(one)] = _Process(self._runner)
                one.end()
                if job is not None:
                    yield Unfinished(job[0], DIED)

    def close(self) -> None:
        """End them."""
        for one in self._processes:
            one.end()
        self._processes = []


def _work(connection: Connection, runner: EpisodeRunner) -> None:
    """A worker's life: episodes as they come, until the other end is closed."""
    # Ctrl-C reaches the whole group; what it ends is for the process that began the study.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError, BrokenPipeError):
        while True:
            connection.send(runner.run(*connection.recv()))
    runner.close()


def _end_with_parent() -> None:
    """An episode takes minutes; nobody would read what becomes of it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class RayActors:
    """Actors of a Ray cluster, each with models and worlds of its own. One that dies is replaced.

    :param count: how many. :param address: of the cluster; '' starts one on this machine.
    :raises ConfigurationError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, runner: EpisodeRunner, count: int, address: str = '') -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ConfigurationError(
                'Ray is not installed: pip install -r requirements/bench.txt, or leave --ray out '
                'and give --workers'
            ) from error
        self._ray: Any = ray
        os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')
        self._runner = runner
        try:
            if address:
                ray.init(address=address, log_to_driver=False, configure_logging=False)
            else:
                ray.init(
                    num_cpus=count,
                    _node_ip_address='127.0.0.1',
                    include_dashboard=False,
                    log_to_driver=False,
                    configure_logging=False,
                )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise ConfigurationError(
                f'the Ray cluster {address or "of this machine"} cannot be reached: {error}'
            ) from error
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(_Actor)
        self._idle = [self._actor.remote(runner) for _ in range(count)]
        self._busy: dict[Any, tuple[Any, Cell]] = {}

    @property
    def free(self) -> int:
        """Actors without an episode."""
        return len(self._idle)

    def begin(self, cell: Cell, place: str) -> None:
        """Send it to an idle one."""
        actor = self._idle.pop()
        self._busy[actor.run.remote(cell, place)] = (actor, cell)

    def ended(self, seconds: float) -> Iterator[Result]:
        """What the actors answer."""
        if not self._busy:
            return
        ready, _ = self._ray.wait(list(self._busy), timeout=seconds)
        for answer in ready:
            actor, cell = self._busy.pop(answer)
            try:
                result = self._ray.get(answer)
            except self._ray.exceptions.RayError:
                self._idle.append(self._actor.remote(self._runner))
                yield Unfinished(cell, DIED)
            else:
                self._idle.append(actor)
                yield result

    def close(self) -> None:
        """End the actors, and the cluster if it is ours."""
        self._ray.shutdown()


class _Actor:
    """What runs in Ray: as a worker process, by calls."""

    def __init__(self, runner: EpisodeRunner) -> None:
        self._runner = runner

    def run(self, cell: Cell, place: str) -> Result:
        """One episode."""
        return self._runner.run(cell, place)
