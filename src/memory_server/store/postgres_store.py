"""Experiences in a PostgreSQL database with pgvector, shared by a fleet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from memory_server.store.experience_store import experience_of, FIELDS, IndexRows
from memory_server.store.postgres_connections import PostgresConnections
from reactree_core.errors import MemoryStoreError, UnusableStoreError
from reactree_core.experience import Experience
from reactree_core.ports import FloatMatrix

Result = TypeVar('Result')

_BATCH = 1000
_COLUMNS = ', '.join(FIELDS)
# pgvector's binary form: how many numbers, nothing, then the numbers; all big-endian.
_HEADER = 4
_NUMBER = '>f4'


class PostgresStore:
    """An `ExperienceStore` on a server.

    The tables are made in the first schema of the user's search path. Whoever may only read them,
    or reads a standby server, opens the store for reading.

    :param address: 'postgresql://user@host:5432/database'; a password comes from PGPASSWORD,
        ~/.pgpass or a service file.
    :param patience: seconds for one call, over 0.
    :param clock: seconds since 1970, for the time an experience was stored.
    :raises MemoryStoreError: it cannot be opened; tables of a newer release are not touched.
    :raises ConfigurationError: the address holds a password, or psycopg is not installed.
    """

    def __init__(
        self, address: str, patience: float = 5.0, clock: Callable[[], float] = time.time
    ) -> None:
        self._clock = clock
        self._connections = PostgresConnections(address, patience)
        self._read_only = self._connections.read('open', self._prepare)

    @property
    def location(self) -> str:
        """The address."""
        return self._connections.location

    @property
    def read_only(self) -> bool:
        """Whether the tables may not be written."""
        return self._read_only

    def encoder(self) -> str:
        """Name of the encoder of all vectors; '' while there are none."""
        return str(self._value('read the encoder of', 'SELECT encoder FROM reactree_memory'))

    def add(self, experiences: Sequence[Experience], vectors: FloatMatrix, encoder: str) -> int:
        """Keep all of these or none, skipping known ids; returns how many are new.

        :param vectors: float32 (len(experiences), d).
        :raises MemoryStoreError: not written, or the store holds another encoder's vectors.
        """
        query = (
            f'INSERT INTO reactree_experiences ({_COLUMNS}, characters, created, vector) VALUES '
            f'({"%s, " * (len(FIELDS) + 1)}to_timestamp(%s), %s::vector) '
            'ON CONFLICT (experience_id) DO NOTHING'
        )
        rows = [
            (
                *(getattr(experience, name) for name in FIELDS),
                len(experience.trajectory),
                self._clock(),
                _written(vector),
            )
            for experience, vector in zip(experiences, vectors, strict=True)
        ]

        def work(connection: Any) -> int:
            self._begin(connection)
            self._claim(connection, encoder, vectors.shape[1])
            stored = 0
            for row in rows:
                stored += connection.execute(query, row).rowcount
            return stored

        return self._write(work)

    def known(self, experience_ids: Sequence[str]) -> set[str]:
        """Which of these ids are kept already."""
        query = 'SELECT experience_id FROM reactree_experiences WHERE experience_id = ANY(%s)'
        return {row[0] for row in self._rows('read', query, list(experience_ids))}

    def stored_at(self, experience_id: str) -> float | None:
        """When it was stored, in seconds since 1970; None for an unknown id."""
        query = (
            'SELECT extract(epoch FROM created) FROM reactree_experiences WHERE experience_id = %s'
        )
        rows = list(self._rows('read', query, experience_id))
        return float(rows[0][0]) if rows else None

    def ids_of_run(self, run_id: str) -> set[str]:
        """Ids of everything that came from a run."""
        query = 'SELECT experience_id FROM reactree_experiences WHERE run_id = %s'
        return {row[0] for row in self._rows('read', query, run_id)}

    def confirm(self, run_id: str) -> int:
        """Make what a run left unconfirmed count like all else; returns how many that were.

        :raises MemoryStoreError: not written.
        """
        query = (
            'UPDATE reactree_experiences SET number = DEFAULT, unconfirmed = false '
            'WHERE run_id = %s AND unconfirmed'
        )
        return self._write_rows(query, run_id)

    def forget(self, experience_ids: Sequence[str]) -> int:
        """Delete all of these or none; returns how many there were.

        :raises MemoryStoreError: not written.
        """
        query = 'DELETE FROM reactree_experiences WHERE experience_id = ANY(%s)'
        return self._write_rows(query, list(experience_ids))

    def rows_after(self, number: int) -> Iterator[IndexRows]:
        """Rows with greater numbers, in batches; 0 for all."""
        query = (
            'SELECT number, termination, CASE WHEN tokens > 0 THEN tokens '
            'ELSE greatest(1, (characters + 3) / 4) END, task_type, planner, run_id, domain, '
            'unconfirmed, vector_send(vector) FROM reactree_experiences WHERE number > %s '
            f'ORDER BY number LIMIT {_BATCH}'
        )
        while rows := self._rows('read the vectors of', query, int(number)):
            yield IndexRows.read(rows, _NUMBER, _HEADER)
            number = rows[-1][0]

    def load(self, numbers: Sequence[int]) -> list[Experience]:
        """Whole experiences by the store's numbers, in the order asked.

        :raises MemoryStoreError: one of them is gone.
        """
        query = f'SELECT number, {_COLUMNS} FROM reactree_experiences WHERE number = ANY(%s)'
        wanted = [int(number) for number in numbers]
        rows = {row[0]: row[1:] for row in self._rows('read', query, wanted)} if wanted else {}
        if set(wanted) - set(rows):
            raise MemoryStoreError(
                f'experiences were deleted from {self.location} in the meantime: ask again'
            )
        return [experience_of(rows[number]) for number in wanted]

    def goals(self) -> Iterator[list[tuple[int, str]]]:
        """Numbers and goals of everything, in batches."""
        query = (
            'SELECT number, goal FROM reactree_experiences WHERE number > %s '
            f'ORDER BY number LIMIT {_BATCH}'
        )
        number = 0
        while rows := self._rows('read the goals of', query, number):
            yield rows
            number = rows[-1][0]

    def replace_vectors(self, numbers: Sequence[int], vectors: FloatMatrix, encoder: str) -> None:
        """Put the vectors of another encoder in place of all of the old ones, or none.

        :raises MemoryStoreError: not written, or somebody stored more in the meantime.
        """
        query = (
            'UPDATE reactree_experiences SET vector = anew.vector::vector '
            'FROM unnest(%s::bigint[], %s::text[]) AS anew (number, vector) '
            'WHERE reactree_experiences.number = anew.number'
        )

        def work(connection: Any) -> None:
            self._begin(connection)
            connection.execute(
                'UPDATE reactree_memory SET encoder = %s, dimension = %s',
                (encoder, vectors.shape[1]),
            )
            changed = 0
            for start in range(0, len(numbers), _BATCH):
                part = slice(start, start + _BATCH)
                values = [int(number) for number in numbers[part]], [*map(_written, vectors[part])]
                changed += connection.execute(query, values).rowcount
                self._connections.go_on()
            (total,) = connection.execute('SELECT count(*) FROM reactree_experiences').fetchone()
            if changed != total:
                raise MemoryStoreError(
                    f'{self.location} was written by another process while its goals were '
                    'embedded anew: stop the other process and try again'
                )

        self._write(work)

    def version(self) -> int:
        """Changes when anybody wrote, in this process or another."""
        return int(self._value('read', 'SELECT changes FROM reactree_memory'))

    def count(self) -> int:
        """Experiences kept."""
        return int(self._value('read', 'SELECT count(*) FROM reactree_experiences'))

    def close(self) -> None:
        """Let go of the server."""
        self._connections.close()

    def _prepare(self, connection: Any) -> bool:
        (writable,) = connection.execute(
            "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'"
        ).fetchone()
        if writable:
            migrate(connection, self.location)
            (writable,) = connection.execute(
                "SELECT has_table_privilege('reactree_experiences', 'INSERT') "
                "AND has_table_privilege('reactree_memory', 'UPDATE')"
            ).fetchone()
        return not writable

    def _begin(self, connection: Any) -> None:
        """Wait for other writers, and show that something changes."""
        connection.execute('UPDATE reactree_memory SET changes = changes + 1')

    def _claim(self, connection: Any, encoder: str, dimension: int) -> None:
        connection.execute(
            "UPDATE reactree_memory SET encoder = %s, dimension = %s WHERE encoder = ''",
            (encoder, dimension),
        )
        found = connection.execute('SELECT encoder, dimension FROM reactree_memory').fetchone()
        if found != (encoder, dimension):
            raise MemoryStoreError(
                f'the store {self.location} holds vectors of the encoder {found[0]}, and vectors '
                f'of {encoder} must not be mixed in: choose the old encoder or set reembed:=true'
            )

    def _rows(self, doing: str, query: str, *values: object) -> list[Any]:
        return self._connections.read(
            doing, lambda connection: connection.execute(query, values, binary=True).fetchall()
        )

    def _value(self, doing: str, query: str) -> Any:
        return self._connections.read(
            doing, lambda connection: connection.execute(query).fetchone()[0]
        )

    def _write_rows(self, query: str, *values: object) -> int:
        """How many rows a statement changed."""

        def work(connection: Any) -> int:
            self._begin(connection)
            return int(connection.execute(query, values).rowcount)

        return self._write(work)

    def _write(self, work: Callable[[Any], Result]) -> Result:
        if self._read_only:
            raise MemoryStoreError(
                f'the store {self.location} may not be written: ask whoever runs the database for '
                'the rights to write, and restart the node'
            )
        return self._connections.write('write to', work)


def _written(vector: FloatMatrix) -> str:
    """pgvector's text form. Every digit of a double is there, so the floats come back exactly."""
    return str(vector.tolist())


# The one row of reactree_memory is what writers wait for: numbers then rise in the order of
# commits, and who has read up to a number has missed none below it.
_VERSION_1 = """
CREATE TABLE reactree_memory (
    only_one  integer PRIMARY KEY CHECK (only_one = 1),
    format    integer NOT NULL,
    changes   bigint NOT NULL,
    encoder   text NOT NULL,
    dimension integer NOT NULL
);
INSERT INTO reactree_memory VALUES (1, 0, 0, '', 0);
CREATE TABLE reactree_experiences (
    number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    experience_id text NOT NULL UNIQUE,
    termination   smallint NOT NULL CHECK (termination BETWEEN 0 AND 2),
    tokens        bigint NOT NULL CHECK (tokens >= 0),
    characters    bigint NOT NULL,
    created       timestamptz NOT NULL,
    task_type     text NOT NULL,
    planner       text NOT NULL,
    model         text NOT NULL,
    run_id        text NOT NULL,
    goal          text NOT NULL,
    trajectory    text NOT NULL,
    vector        vector NOT NULL
);
CREATE INDEX reactree_experiences_run ON reactree_experiences (run_id);
"""

#: Rows from before have no known domain.
_VERSION_2 = "ALTER TABLE reactree_experiences ADD COLUMN domain text NOT NULL DEFAULT ''"
#: Nor is it known why their nodes existed.
_VERSION_3 = "ALTER TABLE reactree_experiences ADD COLUMN context text NOT NULL DEFAULT ''"
#: Nor what was confirmed of them: they stay the examples that they were.
_VERSION_4 = (
    'ALTER TABLE reactree_experiences ADD COLUMN unconfirmed boolean NOT NULL DEFAULT false'
)

#: Script i leads from version i to version i + 1. Published scripts are never edited.
MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4)
#: Any number, the same in every release: who makes tables holds this lock of the database.
_LOCK = 0x5263546D


def migrate(connection: Any, location: str, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the tables to the newest version, wholly or not at all.

    :param connection: of psycopg, in autocommit mode.
    :raises UnusableStoreError: they are damaged or of a newer release; nothing was changed.
    :raises psycopg.Error: a step failed; the tables are as they were.
    """
    if _format(connection, location, len(migrations)) == len(migrations):
        return
    # Taken before the transaction: only a new one sees for certain what another process has made.
    connection.execute('SELECT pg_advisory_lock(%s)', (_LOCK,))
    try:
        with connection.transaction():
            version = _format(connection, location, len(migrations))
            if version == 0:
                _add_vector_type(connection, location)
            for script in migrations[version:]:
                connection.execute(script)
            connection.execute('UPDATE reactree_memory SET format = %s', (len(migrations),))
    finally:
        if not connection.closed:
            connection.execute('SELECT pg_advisory_unlock(%s)', (_LOCK,))


def _format(connection: Any, location: str, newest: int) -> int:
    """Version of the tables; 0 when there are none."""
    (there,) = connection.execute("SELECT to_regclass('reactree_memory') IS NOT NULL").fetchone()
    if not there:
        return 0
    row = connection.execute('SELECT format FROM reactree_memory').fetchone()
    if row is None:
        raise UnusableStoreError(
            f'the tables in {location} are damaged (reactree_memory is empty). Nothing was '
            'changed. Restore a backup, or choose another database with the parameter store_path'
        )
    if row[0] > newest:
        raise UnusableStoreError(
            f'the tables in {location} have format {row[0]}, written by a newer release; this one '
            f'knows formats up to {newest}. Nothing was changed. Update the package, or choose '
            'another database with the parameter store_path'
        )
    return int(row[0])


def _add_vector_type(connection: Any, location: str) -> None:
    (there,) = connection.execute("SELECT to_regtype('vector') IS NOT NULL").fetchone()
    if there:
        return
    (offered,) = connection.execute(
        "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if not offered:
        raise MemoryStoreError(
            f'the server of {location} has no pgvector: install it there (on Ubuntu 24.04: apt '
            'install postgresql-16-pgvector), then start again'
        )
    connection.execute('CREATE EXTENSION vector')
