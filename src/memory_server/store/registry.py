"""Which store a path or address from the user stands for."""

from __future__ import annotations

from pathlib import Path

from memory_server.store.experience_store import ExperienceStore
from memory_server.store.postgres_connections import is_address
from memory_server.store.sqlite_file import default_path
from memory_server.store.sqlite_store import SqliteStore

DEFAULT = 'default'
_IN_MEMORY = ('', 'none', ':memory:')


def open_store(store_path: str, limit_mb: int = 0) -> ExperienceStore:
    """Open a SQLite file, or the PostgreSQL database of an address 'postgresql://...'.

    :param store_path: 'default' for the file in the user's home, 'none' to keep nothing.
    :param limit_mb: largest size of a file, MiB; 0 for no limit but the disk.
    :raises MemoryStoreError: it cannot be opened.
    :raises ConfigurationError: the address cannot be used.
    """
    if is_address(store_path):
        from memory_server.store.postgres_store import PostgresStore

        return PostgresStore(store_path)
    return SqliteStore(store_file(store_path), limit_mb)


def store_file(store_path: str) -> Path | None:
    """The file that a path stands for; None keeps everything in memory.

    SQLite's own ':memory:' and '' mean 'none' too.
    """
    if store_path in _IN_MEMORY:
        return None
    return default_path() if store_path == DEFAULT else Path(store_path).expanduser()


def working_file(working_memory_path: str, store_path: str) -> Path | None:
    """The file of the working memories; None keeps nothing.

    :param working_memory_path: a path, 'none', or 'default' for one beside the store's file (in
        the user's home when the store is a database server).
    """
    if working_memory_path != DEFAULT:
        return store_file(working_memory_path)
    store = default_path() if is_address(store_path) else store_file(store_path)
    return None if store is None else store.with_name('working.sqlite')
