"""Tables of the PostgreSQL store, and the steps from each version of them to the next."""

from __future__ import annotations

from typing import Any

from reactree_core.errors import MemoryStoreError
from reactree_core.errors import UnusableStoreError

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

#: Script i leads from version i to version i + 1. Published scripts are never edited.
MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2)
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
