"""The folder of fetched models, its lock, and what can be told of a file in it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from reactree_core.errors import ModelError

FreeBytes = Callable[[Path], int]

_GGUF_MAGIC = b'GGUF'
_BLOCK = 4 * 1024 * 1024


def model_folder() -> Path:
    """Folder of the fetched models: `${XDG_CACHE_HOME:-~/.cache}/reactree/models`."""
    cache = os.environ.get('XDG_CACHE_HOME', '')
    # The XDG specification says to ignore a relative path.
    base = Path(cache) if cache and Path(cache).is_absolute() else Path.home() / '.cache'
    return base / 'reactree' / 'models'


def is_gguf(path: Path) -> bool:
    """Whether a file begins as GGUF files do."""
    with path.open('rb') as stream:
        return stream.read(len(_GGUF_MAGIC)) == _GGUF_MAGIC


def file_sha256(path: Path) -> str:
    """Digest of a file's content, lower-case hexadecimal."""
    digest = hashlib.sha256()
    with path.open('rb') as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def free_bytes(folder: Path) -> int:
    """Bytes that can still be written in a folder."""
    return shutil.disk_usage(folder).free


def no_space(name: str, folder: Path, needed: int, available: int) -> ModelError:
    """The error of a model that does not fit on the disk.

    :param needed: bytes it takes. :param available: bytes that are free.
    """
    return ModelError(
        f'Fetching {name} needs {needed / 1e9:.1f} GB in {folder}, but'
        f' {available / 1e9:.1f} GB is free; free some space, or set XDG_CACHE_HOME to a folder on'
        ' a larger disk.'
    )


def not_writable(name: str, folder: Path, error: OSError) -> ModelError:
    """The error of a folder in which nothing can be kept."""
    return ModelError(
        f'{name} cannot be kept in {folder}: {error}; set XDG_CACHE_HOME to a folder that can be'
        ' written.'
    )


_POLL = 0.2


@contextlib.contextmanager
def locked(path: Path, timeout: float, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold a lock file; the system frees it when the process ends, however it ends.

    :param timeout: seconds to wait for whoever holds it; 0 does not wait.
    :param on_wait: called once when there is something to wait for.
    :raises ModelError: somebody else held it all the time.
    """
    deadline = time.monotonic() + timeout
    waiting = False
    with path.open('w') as stream:
        while not _try_lock(stream.fileno()):
            if time.monotonic() >= deadline:
                raise ModelError(
                    f'Another process is working on {path.stem}; wait for it or end it, then run'
                    ' this again.'
                )
            if not waiting:
                on_wait()
                waiting = True
            time.sleep(min(_POLL, timeout))
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
