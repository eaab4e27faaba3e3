"""Tables of the SQLite store, and the steps from each version of them to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memory_server.store.transaction import transaction

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

#: Script i leads from version i to version i + 1. Published scripts are never edited.
MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2)


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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute('PRAGMA user_version').fetchone()[0])
