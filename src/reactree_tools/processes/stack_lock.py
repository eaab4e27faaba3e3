"""One stack for each ROS domain and namespace: two would answer each other's questions."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TextIO

from reactree_core.errors import ConfigurationError


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None
