"""Working memories in a SQLite file, so that they outlive the process which serves them."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_server.store.sqlite_file import transaction
from reactree_core.errors import MemoryStoreError
from reactree_core.observation import ObjectFact
from reactree_core.working_memory import WorkingMemory

#: Marks the file as one of ours: 'RcWm'.
_APPLICATION_ID = 0x5263576D
_VERSION = 1
_TABLES = (
    """CREATE TABLE memories (
        name TEXT PRIMARY KEY,
        used REAL NOT NULL
    ) STRICT""",
    """CREATE TABLE facts (
        memory       TEXT NOT NULL REFERENCES memories ON DELETE CASCADE,
        object_class TEXT NOT NULL,
        instance     INTEGER NOT NULL,
        room         TEXT NOT NULL,
        receptacle   TEXT NOT NULL,
        state        TEXT NOT NULL,
        seen_at      REAL NOT NULL,
        seen_by      TEXT NOT NULL,
        PRIMARY KEY (memory, object_class, instance)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE places (
        memory   TEXT NOT NULL REFERENCES memories ON DELETE CASCADE,
        place    TEXT NOT NULL,
        position INTEGER NOT NULL,
        room     TEXT NOT NULL,
        PRIMARY KEY (memory, place)
    ) STRICT, WITHOUT ROWID""",
)
_ADVICE = (
    'Nothing was changed; remove it, or choose another with the parameter working_memory_path'
)


@dataclass(frozen=True, slots=True)
class Update:
    """What is different in a memory; nothing else is written.

    :param changed: facts that are new or differ. :param gone: facts that were forgotten.
    :param places: places looked at, with their rooms, that are new (in order) or in another room.
    :param places_gone: places of which that was forgotten.
    """

    changed: Sequence[ObjectFact]
    gone: Sequence[ObjectFact]
    places: dict[str, str]
    places_gone: Sequence[str]


class WorkingFile:
    """What working memories know, in a file that is brought up to date with every change.

    A killed process loses nothing it had written; a power cut may cost the last changes.

    :param path: file, made with its folder when missing. :param patience: seconds to wait for
        another process that writes.
    :raises MemoryStoreError: it cannot be opened, is damaged, or of another program or release.
    """

    def __init__(self, path: Path, patience: float = 5.0) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(mode=0o600)  # homes are private
        except OSError as error:
            raise MemoryStoreError(f'cannot make {path}: {error.strerror}') from error
        with self._translated('open'):
            self._connection = sqlite3.connect(
                path, timeout=patience, isolation_level=None, check_same_thread=False
            )
        try:
            with self._translated('open'):
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def load(self, most: int) -> dict[str, WorkingMemory]:
        """The memories used last, the newest at the end; others leave the file.

        :param most: how many are kept.
        :raises MemoryStoreError: the file cannot be read.
        """
        with self._transaction('read') as connection:
            connection.execute(
                'DELETE FROM memories WHERE name NOT IN '
                '(SELECT name FROM memories ORDER BY used DESC LIMIT ?)',
                (most,),
            )
            names = connection.execute('SELECT name FROM memories ORDER BY used').fetchall()
            return {name: self._read(connection, name) for (name,) in names}

    def keep(self, name: str, update: Update) -> None:
        """Write one update of a memory.

        :raises MemoryStoreError: not written; the disk may be full.
        """
        with self._transaction('write to') as connection:
            connection.execute(
                'INSERT INTO memories VALUES (?, ?) '
                'ON CONFLICT (name) DO UPDATE SET used = excluded.used',
                (name, time.time()),
            )
            connection.executemany(
                'DELETE FROM facts WHERE memory = ? AND object_class = ? AND instance = ?',
                [(name, fact.object_class, fact.instance) for fact in update.gone],
            )
            connection.executemany(
                'INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
                [
                    (
                        name,
                        fact.object_class,
                        fact.instance,
                        fact.room,
                        fact.receptacle,
                        fact.state,
                        fact.seen_at,
                        fact.seen_by,
                    )
                    for fact in update.changed
                ],
            )
            connection.executemany(
                'DELETE FROM places WHERE memory = ? AND place = ?',
                [(name, place) for place in update.places_gone],
            )
            if update.places:
                self._keep_places(connection, name, update.places)

    @staticmethod
    def _keep_places(connection: sqlite3.Connection, name: str, places: dict[str, str]) -> None:
        (newest,) = connection.execute(
            'SELECT coalesce(max(position), 0) FROM places WHERE memory = ?', (name,)
        ).fetchone()
        connection.executemany(
            # One whose room has changed stays where it is in the order.
            'INSERT INTO places VALUES (?, ?, ?, ?) '
            'ON CONFLICT (memory, place) DO UPDATE SET room = excluded.room',
            [
                (name, place, position, room)
                for position, (place, room) in enumerate(places.items(), newest + 1)
            ],
        )

    def forget(self, names: Sequence[str]) -> None:
        """Take memories out of the file.

        :raises MemoryStoreError: not written.
        """
        with self._transaction('write to') as connection:
            connection.executemany(
                'DELETE FROM memories WHERE name = ?', [(name,) for name in names]
            )

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @staticmethod
    def _read(connection: sqlite3.Connection, name: str) -> WorkingMemory:
        facts = connection.execute(
            'SELECT object_class, instance, room, receptacle, state, seen_at, seen_by '
            'FROM facts WHERE memory = ?',
            (name,),
        )
        places = connection.execute(
            'SELECT place, room FROM places WHERE memory = ? ORDER BY position', (name,)
        )
        return WorkingMemory.of((ObjectFact(*row) for row in facts), dict(places))

    def _prepare(self) -> None:
        connection = self._connection
        (program,) = connection.execute('PRAGMA application_id').fetchone()
        (version,) = connection.execute('PRAGMA user_version').fetchone()
        (tables,) = connection.execute('SELECT count(*) FROM sqlite_schema').fetchone()
        if tables and (program != _APPLICATION_ID or version != _VERSION):
            raise MemoryStoreError(
                f'{self.path} is a database of another program or release. {_ADVICE}'
            )
        connection.execute('PRAGMA journal_mode = WAL')
        connection.execute('PRAGMA synchronous = NORMAL')
        connection.execute('PRAGMA foreign_keys = ON')
        if tables:
            return
        with transaction(connection):
            # Again: another process may have been faster.
            (tables,) = connection.execute('SELECT count(*) FROM sqlite_schema').fetchone()
            if tables:
                return
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f'PRAGMA application_id = {_APPLICATION_ID}')
            connection.execute(f'PRAGMA user_version = {_VERSION}')

    @contextmanager
    def _transaction(self, doing: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated(doing), transaction(self._connection) as connection:
            yield connection

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise MemoryStoreError(f'cannot {doing} {self.path}: {error}. {_ADVICE}') from error
