"""A SQLite file of experiences: checked before a change, its tables, its two connections."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from reactree_core.durability import force_to_disk
from reactree_core.errors import MemoryStoreError, UnusableStoreError

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
        #: How the file was when it was opened as one that nobody writes; None elsewhere.
        self._at_rest: _FileState | None = None
        self._reopened = 0
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
            if self._was_written:
                advice = 'another user has written into it meanwhile: ask again'
            raise MemoryStoreError(
                f'cannot {doing} the store {self.location}: {error}; {advice}'
            ) from error

    def version(self) -> int:
        """Changes when anybody wrote, in this process or another."""
        with self._reading, self._translated('open'):
            if self._was_written:
                self._reader.close()
                self._reader = self._connect()
                self._reopened += 1
        with self.read('read') as connection:
            if self._reader is self._writer:
                return connection.total_changes
            (seen,) = connection.execute('PRAGMA data_version').fetchone()
            return (self._reopened << 32) + int(seen)

    @property
    def _was_written(self) -> bool:
        """Whether another user wrote into a file that was opened as one at rest."""
        at_rest = self._at_rest
        return at_rest is not None and self._path is not None and at_rest != _state_of(self._path)

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
            state = _state_of(self._path)
            self._at_rest = None if state.has_log else state
            connection = connect_read_only(self._path, self._patience)
            show_as_newest(connection)
            return connection
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


_MAGIC = b'SQLite format 3\x00'
_NOTHING_LOST = 'Nothing was changed. Choose another file with the parameter store_path'


def default_path() -> Path:
    """$XDG_DATA_HOME/reactree/memory.sqlite, or the same under ~/.local/share."""
    return platformdirs.user_data_path('reactree') / 'memory.sqlite'


@dataclass(frozen=True, slots=True)
class _FileState:
    """What changes when somebody writes into a store; -1 for a file that is not there."""

    changed: int
    size: int
    has_log: bool


def _state_of(path: Path) -> _FileState:
    try:
        status = path.stat()
    except OSError:
        return _FileState(-1, -1, has_log=False)
    return _FileState(status.st_mtime_ns, status.st_size, _log_of(path).exists())


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + '-wal')


def connect_read_only(path: Path, timeout: float = 5.0) -> sqlite3.Connection:
    """Open a file without changing it; it may be on a medium that cannot be written.

    A write-ahead log is read too. Without one nobody writes, and nothing is made beside the file.

    :raises sqlite3.Error: it cannot be opened.
    """
    plain = f'{path.absolute().as_uri()}?mode=ro'
    return sqlite3.connect(
        plain if _log_of(path).exists() else plain + '&immutable=1',
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )


def inspect_file(path: Path) -> None:
    """Make sure an existing file is a whole store of a version this program knows.

    :raises UnusableStoreError: it is not; it was not changed.
    :raises MemoryStoreError: it cannot be read now.
    """
    try:
        with path.open('rb') as file:
            header = file.read(100)
    except OSError as error:
        raise MemoryStoreError(f'cannot read the store {path}: {error.strerror}') from error
    if not header.startswith(_MAGIC) or len(header) < 100:
        raise UnusableStoreError(f'{path} is damaged or no SQLite database. {_NOTHING_LOST}')
    try:
        with closing(connect_read_only(path)) as connection:
            # Not taken from the header: the newest values may still be in the write-ahead log.
            (program,) = connection.execute('PRAGMA application_id').fetchone()
            if program != APPLICATION_ID:
                raise UnusableStoreError(
                    f'{path} is a database of another program. {_NOTHING_LOST}'
                )
            (version,) = connection.execute('PRAGMA user_version').fetchone()
            if version > len(MIGRATIONS):
                raise UnusableStoreError(
                    f'{path} has format {version}, written by a newer release; this one knows '
                    f'formats up to {len(MIGRATIONS)}. {_NOTHING_LOST}, or update the package'
                )
            (verdict,) = connection.execute('PRAGMA quick_check(1)').fetchone()
    except sqlite3.OperationalError as error:  # locked, or a disk that cannot be read
        raise MemoryStoreError(f'cannot look into the store {path}: {error}') from error
    except sqlite3.Error as error:
        verdict = str(error)
    if verdict != 'ok':
        raise UnusableStoreError(
            f'{path} is damaged ({verdict}). {_NOTHING_LOST}, or restore a backup'
        )


def create_file(path: Path) -> None:
    """Make an empty store, complete before it appears under its name.

    :raises MemoryStoreError: the folder cannot be written.
    """
    fresh = path.with_name(f'.{path.name}.{os.getpid()}.new')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            migrate(connection)
            connection.execute('PRAGMA journal_mode = WAL')
        fresh.chmod(0o600)  # homes are private
        try:
            os.link(fresh, path)  # unlike a rename, never replaces somebody else's new store
        except FileExistsError:
            if path.stat().st_size == 0:
                fresh.replace(path)
        except OSError:  # a file system without links
            fresh.replace(path)
        fresh.unlink(missing_ok=True)
        force_to_disk(path.parent)
    except OSError as error:
        raise MemoryStoreError(
            f'cannot create the store {path}: {error.strerror}; make its folder writable, or '
            'choose another file with the parameter store_path (empty: keep nothing)'
        ) from error
    except sqlite3.Error as error:
        raise MemoryStoreError(f'cannot create the store {path}: {error}') from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Committed when the block ends, undone when it raises.

    :param connection: in autocommit mode, used by nobody else meanwhile.
    :raises sqlite3.Error: it cannot begin or be committed.
    """
    connection.execute('BEGIN IMMEDIATE')
    try:
        yield connection
        connection.execute('COMMIT')
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute('ROLLBACK')
        raise


#: Marks the file as one of ours (header bytes 68 to 71): 'RcTm'.
APPLICATION_ID = 0x5263546D

# Small columns come first: SQLite then finds them without reading the long texts.
_VERSION_1 = """
CREATE TABLE encoder (
    only_one  INTEGER PRIMARY KEY CHECK (only_one = 1),
    name      TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;
CREATE TABLE experiences (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    experience_id TEXT NOT NULL UNIQUE,
    termination   INTEGER NOT NULL CHECK (termination BETWEEN 0 AND 2),
    tokens        INTEGER NOT NULL CHECK (tokens >= 0),
    characters    INTEGER NOT NULL,
    created       REAL NOT NULL,
    task_type     TEXT NOT NULL,
    planner       TEXT NOT NULL,
    model         TEXT NOT NULL,
    run_id        TEXT NOT NULL,
    goal          TEXT NOT NULL,
    trajectory    TEXT NOT NULL
) STRICT;
CREATE TABLE embeddings (
    number INTEGER PRIMARY KEY REFERENCES experiences ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
"""

#: Rows from before have no known domain.
_VERSION_2 = "ALTER TABLE experiences ADD COLUMN domain TEXT NOT NULL DEFAULT ''"
#: Nor is it known why their nodes existed.
_VERSION_3 = "ALTER TABLE experiences ADD COLUMN context TEXT NOT NULL DEFAULT ''"
#: Nor what was confirmed of them: they stay the examples that they were.
_VERSION_4 = 'ALTER TABLE experiences ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0'

#: Script i leads from version i to version i + 1. Published scripts are never edited.
MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4)


def migrate(connection: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Bring a database to the newest version, wholly or not at all.

    :param connection: in autocommit mode, outside a transaction.
    :raises sqlite3.Error: a step failed; the database is as it was.
    """
    if _version(connection) >= len(migrations):
        return
    with transaction(connection):
        version = _version(connection)  # again: another process may have been faster
        for script in migrations[version:]:
            # executescript() would commit first.
            for statement in filter(str.strip, script.split(';')):
                connection.execute(statement)
        connection.execute(f'PRAGMA user_version = {max(version, len(migrations))}')
        connection.execute(f'PRAGMA application_id = {APPLICATION_ID}')


def show_as_newest(connection: sqlite3.Connection) -> None:
    """Let an older database that may not be changed be read like the newest.

    :raises sqlite3.Error: it cannot be read.
    """
    columns = {row[1] for row in connection.execute('PRAGMA table_info(experiences)')}
    absent = [
        f'{value} AS {name}'
        for name, value in (('domain', "''"), ('context', "''"), ('unconfirmed', '0'))
        if name not in columns
    ]
    if absent:
        connection.execute(
            f'CREATE TEMP VIEW experiences AS SELECT *, {", ".join(absent)} FROM main.experiences'
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute('PRAGMA user_version').fetchone()[0])
