"""One process at a time works on a model's files."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from reactree_core.errors import ModelError

_POLL = 0.2


@contextlib.contextmanager
def locked(path: Path, timeout: float, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold a lock file; the system frees it when the process ends, however it ends.

    :param timeout: seconds to wait for whoever holds it; 0 does not wait.
    :param on_wait: called once when there is something to wait for.
    :raises ModelError: somebody else held it all the time.
    """
    deadline = time.monotonic() + timeout
    waiting = False
    with path.open('w') as stream:
        while not _try_lock(stream.fileno()):
            if time.monotonic() >= deadline:
                raise ModelError(
                    f'Another process is working on {path.stem}; wait for it or end it, then run'
                    ' this again.'
                )
            if not waiting:
                on_wait()
                waiting = True
            time.sleep(min(_POLL, timeout))
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
