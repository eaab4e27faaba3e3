"""Experiences in one SQLite file: durable when acknowledged, shared between processes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from memory_server.store.experience_store import experience_of, FIELDS, IndexRows
from memory_server.store.sqlite_file import ConnectionPair
from reactree_core.errors import MemoryStoreError
from reactree_core.experience import Experience
from reactree_core.ports import FloatMatrix

_BATCH = 1000
_NUMBER = '<f4'  # little-endian in the file, whatever the machine
_COLUMNS = ', '.join(FIELDS)


class SqliteStore:
    """An `ExperienceStore` in a file, or in memory.

    Opening inspects an existing file first; a damaged, foreign or newer one is not touched.
    A file that may not be written is opened for reading.

    :param path: file, made with its folder when missing; None keeps everything in memory.
    :param limit_mb: largest size of the file, MiB; 0 for no limit but the disk.
    :param patience: seconds to wait for another process that writes.
    :param clock: seconds since 1970, for the time an experience was stored.
    :raises MemoryStoreError: it cannot be opened.
    """

    def __init__(
        self,
        path: Path | None,
        limit_mb: int = 0,
        patience: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._connections = ConnectionPair(path, limit_mb, patience)

    @property
    def location(self) -> str:
        """The file, or 'memory'."""
        return self._connections.location

    @property
    def read_only(self) -> bool:
        """Whether the file may not be written."""
        return self._connections.read_only

    def encoder(self) -> str:
        """Name of the encoder of all vectors; '' while there are none."""
        with self._connections.read('read the encoder of') as connection:
            row = connection.execute('SELECT name FROM encoder').fetchone()
        return str(row[0]) if row else ''

    def add(self, experiences: Sequence[Experience], vectors: FloatMatrix, encoder: str) -> int:
        """Keep all of these or none, skipping known ids; returns how many are new.

        :param vectors: float32 (len(experiences), d).
        :raises MemoryStoreError: not written, or the store holds another encoder's vectors.
        """
        stored = 0
        with self._connections.write('write to') as connection:
            self._claim(connection, encoder, vectors.shape[1])
            for experience, vector in zip(experiences, vectors, strict=True):
                stored += self._insert(
                    connection,
                    *(getattr(experience, name) for name in FIELDS),
                    len(experience.trajectory),
                    self._clock(),
                    vector.astype(_NUMBER).tobytes(),
                )
        return stored

    def _insert(self, connection: sqlite3.Connection, *values: Any) -> bool:
        """Keep an experience; False where its id is known.

        :param values: the fields, then its characters, when it was stored, and its vector.
        """
        *fields, vector = values
        cursor = connection.execute(
            f'INSERT INTO experiences ({_COLUMNS}, characters, created) '
            f'VALUES ({"?, " * len(FIELDS)}?, ?) ON CONFLICT (experience_id) DO NOTHING',
            fields,
        )
        if cursor.rowcount != 1:
            return False
        connection.execute(
            'INSERT INTO embeddings (number, vector) VALUES (?, ?)', (cursor.lastrowid, vector)
        )
        return True

    def _claim(self, connection: sqlite3.Connection, encoder: str, dimension: int) -> None:
        connection.execute(
            'INSERT INTO encoder VALUES (1, ?, ?) ON CONFLICT DO NOTHING', (encoder, dimension)
        )
        found = connection.execute('SELECT name, dimension FROM encoder').fetchone()
        if found != (encoder, dimension):
            raise MemoryStoreError(
                f'the store {self.location} holds vectors of the encoder {found[0]}, and vectors '
                f'of {encoder} must not be mixed in: choose the old encoder or set reembed:=true'
            )

    def known(self, experience_ids: Sequence[str]) -> set[str]:
        """Which of these ids are kept already."""
        query = 'SELECT 1 FROM experiences WHERE experience_id = ?'
        with self._connections.read('read') as connection:
            return {
                experience_id
                for experience_id in experience_ids
                if connection.execute(query, (experience_id,)).fetchone()
            }

    def stored_at(self, experience_id: str) -> float | None:
        """When it was stored, in seconds since 1970; None for an unknown id."""
        query = 'SELECT created FROM experiences WHERE experience_id = ?'
        with self._connections.read('read') as connection:
            row = connection.execute(query, (experience_id,)).fetchone()
        return float(row[0]) if row else None

    def ids_of_run(self, run_id: str) -> set[str]:
        """Ids of everything that came from a run."""
        query = 'SELECT experience_id FROM experiences WHERE run_id = ?'
        with self._connections.read('read') as connection:
            return {name for (name,) in connection.execute(query, (run_id,))}

    def confirm(self, run_id: str) -> int:
        """Make what a run left unconfirmed count like all else; returns how many that were.

        :raises MemoryStoreError: not written.
        """
        which = 'WHERE run_id = ? AND unconfirmed'
        columns = _COLUMNS.replace('unconfirmed', 'FALSE')
        with self._connections.write('write to') as connection:
            rows = connection.execute(
                f'SELECT {columns}, characters, created, vector '
                f'FROM experiences JOIN embeddings USING (number) {which} ORDER BY number',
                (run_id,),
            ).fetchall()
            connection.execute(f'DELETE FROM experiences {which}', (run_id,))
            for row in rows:
                self._insert(connection, *row)
        return len(rows)

    def forget(self, experience_ids: Sequence[str]) -> int:
        """Delete all of these or none; returns how many there were.

        :raises MemoryStoreError: not written.
        """
        with self._connections.write('write to') as connection:
            deleted = connection.executemany(
                'DELETE FROM experiences WHERE experience_id = ?',
                [(experience_id,) for experience_id in experience_ids],
            ).rowcount
        return max(deleted, 0)

    def rows_after(self, number: int) -> Iterator[IndexRows]:
        """Rows with greater numbers, in batches; 0 for all."""
        query = (
            'SELECT number, termination, CASE WHEN tokens > 0 THEN tokens '
            'ELSE max(1, (characters + 3) / 4) END, task_type, planner, run_id, domain, '
            'unconfirmed, vector FROM experiences JOIN embeddings USING (number) '
            'WHERE number > ? ORDER BY number LIMIT ?'
        )
        while True:
            with self._connections.read('read the vectors of') as connection:
                rows = connection.execute(query, (int(number), _BATCH)).fetchall()
            if not rows:
                return
            yield IndexRows.read(rows, _NUMBER)
            number = rows[-1][0]

    def load(self, numbers: Sequence[int]) -> list[Experience]:
        """Whole experiences by the store's numbers, in the order asked.

        :raises MemoryStoreError: one of them is gone.
        """
        wanted = [int(number) for number in numbers]
        rows: dict[int, tuple[Any, ...]] = {}
        with self._connections.read('read') as connection:
            for start in range(0, len(wanted), _BATCH):
                part = wanted[start : start + _BATCH]
                query = (
                    f'SELECT number, {_COLUMNS} FROM experiences '
                    f'WHERE number IN ({", ".join("?" * len(part))})'
                )
                rows.update((row[0], row[1:]) for row in connection.execute(query, part))
        if not rows.keys() >= set(wanted):
            raise MemoryStoreError(
                f'experiences were deleted from {self.location} in the meantime: ask again'
            )
        return [experience_of(rows[number]) for number in wanted]

    def goals(self) -> Iterator[list[tuple[int, str]]]:
        """Numbers and goals of everything, in batches."""
        query = 'SELECT number, goal FROM experiences WHERE number > ? ORDER BY number LIMIT ?'
        number = 0
        while True:
            with self._connections.read('read the goals of') as connection:
                rows = connection.execute(query, (number, _BATCH)).fetchall()
            if not rows:
                return
            yield rows
            number = rows[-1][0]

    def replace_vectors(self, numbers: Sequence[int], vectors: FloatMatrix, encoder: str) -> None:
        """Put the vectors of another encoder in place of all of the old ones, or none.

        :raises MemoryStoreError: not written, or somebody stored more in the meantime.
        """
        with self._connections.write('write to') as connection:
            connection.execute('DELETE FROM encoder')
            self._claim(connection, encoder, vectors.shape[1])
            changed = connection.executemany(
                'UPDATE embeddings SET vector = ? WHERE number = ?',
                (
                    (vector.astype(_NUMBER).tobytes(), int(number))
                    for number, vector in zip(numbers, vectors, strict=True)
                ),
            ).rowcount
            (all_of_them,) = connection.execute('SELECT count(*) FROM embeddings').fetchone()
            if max(changed, 0) != all_of_them:
                raise MemoryStoreError(
                    f'{self.location} was written by another process while its goals were '
                    'embedded anew: stop the other process and try again'
                )

    def version(self) -> int:
        """Changes when anybody wrote, in this process or another."""
        return self._connections.version()

    def count(self) -> int:
        """Experiences kept."""
        with self._connections.read('read') as connection:
            return int(connection.execute('SELECT count(*) FROM experiences').fetchone()[0])

    def close(self) -> None:
        """Write the log back into the file and let go of it."""
        self._connections.close()
