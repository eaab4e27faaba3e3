"""Looks at a database file before anything may change it, and makes new ones."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from memory_server.store.schema import APPLICATION_ID
from memory_server.store.schema import migrate
from memory_server.store.schema import MIGRATIONS
from reactree_core.durability import force_to_disk
from reactree_core.errors import MemoryStoreError
from reactree_core.errors import UnusableStoreError

_MAGIC = b'SQLite format 3\x00'
_ADVICE = 'Nothing was changed. Choose another file with the parameter store_path'


def default_path() -> Path:
    """$XDG_DATA_HOME/reactree/memory.sqlite, or the same under ~/.local/share."""
    base = os.environ.get('XDG_DATA_HOME', '')
    # The XDG specification ignores relative paths.
    folder = Path(base) if Path(base).is_absolute() else Path.home() / '.local' / 'share'
    return folder / 'reactree' / 'memory.sqlite'


def connect_read_only(path: Path, timeout: float = 5.0) -> sqlite3.Connection:
    """Open a file without changing it; it may be on a medium that cannot be written.

    A write-ahead log is read too. Without one nobody writes, and nothing is made beside the file.

    :raises sqlite3.Error: it cannot be opened.
    """
    plain = f'{path.absolute().as_uri()}?mode=ro'
    log = path.with_name(path.name + '-wal')
    return sqlite3.connect(
        plain if log.exists() else plain + '&immutable=1',
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
        raise UnusableStoreError(f'{path} is damaged or no SQLite database. {_ADVICE}')
    try:
        with closing(connect_read_only(path)) as connection:
            # Not taken from the header: the newest values may still be in the write-ahead log.
            (program,) = connection.execute('PRAGMA application_id').fetchone()
            if program != APPLICATION_ID:
                raise UnusableStoreError(f'{path} is a database of another program. {_ADVICE}')
            (version,) = connection.execute('PRAGMA user_version').fetchone()
            if version > len(MIGRATIONS):
                raise UnusableStoreError(
                    f'{path} has format {version}, written by a newer release; this one knows '
                    f'formats up to {len(MIGRATIONS)}. {_ADVICE}, or update the package'
                )
            (verdict,) = connection.execute('PRAGMA quick_check(1)').fetchone()
    except sqlite3.OperationalError as error:  # locked, or a disk that cannot be read
        raise MemoryStoreError(f'cannot look into the store {path}: {error}') from error
    except sqlite3.Error as error:
        verdict = str(error)
    if verdict != 'ok':
        raise UnusableStoreError(f'{path} is damaged ({verdict}). {_ADVICE}, or restore a backup')


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
