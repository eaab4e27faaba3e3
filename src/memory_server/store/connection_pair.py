"""Two connections to one SQLite file: one that writes, and one that never waits for it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_server.store.database_file import connect_read_only
from memory_server.store.database_file import create_file
from memory_server.store.database_file import inspect_file
from memory_server.store.schema import migrate
from memory_server.store.transaction import transaction
from reactree_core.errors import MemoryStoreError

_ADVICE = {
    'SQLITE_FULL': 'delete some with `reactree memory delete`, free some disk space, or raise the '
    'parameter store_limit_mb',
    'SQLITE_READONLY': 'make the file and its folder writable',
    'SQLITE_CORRUPT': 'stop the node and restore a backup of the file',
    'SQLITE_NOTADB': 'stop the node and restore a backup of the file',
    'SQLITE_BUSY': 'another process has been writing for too long',
    'SQLITE_IOERR': 'check the disk',
    'SQLITE_CANTOPEN': 'check that the file and its folder exist and can be written',
}


class ConnectionPair:
    """Opens a store's file and lends its connections, one user at a time each.

    :param path: file, made with its folder when missing; None keeps everything in memory.
    :param limit_mb: largest size of the file, MiB; 0 for no limit but the disk.
    :param patience: seconds to wait for another process that writes.
    :raises MemoryStoreError: it cannot be opened.
    """

    def __init__(self, path: Path | None, limit_mb: int, patience: float) -> None:
        self._path = path
        self._patience = patience
        self.read_only = False
        with self._translated('open'):
            if path is not None:
                self._prepare(path)
            self._writer = self._connect()
            try:
                self._set_up(limit_mb)
                # Readers of a write-ahead log do not wait for a writer's disk.
                self._reader = self._connect() if path else self._writer
            except BaseException:
                self._writer.close()
                raise
        self._writing = threading.Lock()
        self._reading = self._writing if self._reader is self._writer else threading.Lock()

    @property
    def location(self) -> str:
        """The file, or 'memory'."""
        return 'memory' if self._path is None else str(self._path)

    @contextmanager
    def read(self, doing: str) -> Iterator[sqlite3.Connection]:
        """The connection for queries.

        :param doing: for errors: 'cannot <doing> the store ...'.
        :raises MemoryStoreError: what was done with it failed.
        """
        with self._reading, self._translated(doing):
            yield self._reader

    @contextmanager
    def write(self, doing: str) -> Iterator[sqlite3.Connection]:
        """A transaction: on disk when the block ends, undone when it raises.

        :param doing: as of `read`.
        :raises MemoryStoreError: the file may not be written, or what was done failed.
        """
        if self.read_only:
            raise MemoryStoreError(
                f'the store {self.location} may not be written: make the file and its folder '
                'writable and restart the node'
            )
        with self._writing, self._translated(doing), transaction(self._writer) as connection:
            yield connection

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, 'sqlite_errorname', '') or ''
            advice = next(
                (text for name, text in _ADVICE.items() if code.startswith(name)),
                'see the error and restart the node',
            )
            raise MemoryStoreError(
                f'cannot {doing} the store {self.location}: {error}; {advice}'
            ) from error

    def version(self) -> int:
        """Changes when anybody wrote, in this process or another."""
        with self.read('read') as connection:
            if self._reader is self._writer:
                return connection.total_changes
            return int(connection.execute('PRAGMA data_version').fetchone()[0])

    def close(self) -> None:
        """Write the log back into the file and let go of it."""
        with self._reading:
            self._reader.close()
        if self._writer is not self._reader:
            with self._writing:
                self._writer.close()

    def _prepare(self, path: Path) -> None:
        try:
            missing = path.stat().st_size == 0
        except FileNotFoundError:
            missing = True
        except OSError as error:
            raise MemoryStoreError(f'cannot look at {path}: {error.strerror}') from error
        if missing:
            create_file(path)
        inspect_file(path)
        self.read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None and self.read_only:
            return connect_read_only(self._path, self._patience)
        return sqlite3.connect(
            ':memory:' if self._path is None else self._path,
            timeout=self._patience,
            isolation_level=None,
            check_same_thread=False,
        )

    def _set_up(self, limit_mb: int) -> None:
        if self.read_only:
            return
        self._writer.execute('PRAGMA synchronous = FULL')
        self._writer.execute('PRAGMA foreign_keys = ON')
        if limit_mb:
            (size,) = self._writer.execute('PRAGMA page_size').fetchone()
            self._writer.execute(f'PRAGMA max_page_count = {(limit_mb << 20) // size}')
        migrate(self._writer)
