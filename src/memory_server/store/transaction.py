"""A SQLite transaction that is wholly done or wholly undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


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
