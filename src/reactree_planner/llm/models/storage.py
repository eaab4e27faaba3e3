"""The folder of fetched models, and what can be told of a file in it."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import filelock
import platformdirs

from reactree_core.errors import ModelError

FreeBytes = Callable[[Path], int]

_GGUF_MAGIC = b'GGUF'


def model_folder() -> Path:
    """Folder of the fetched models: `${XDG_CACHE_HOME:-~/.cache}/reactree/models`."""
    return platformdirs.user_cache_path('reactree') / 'models'


@dataclass(frozen=True, slots=True)
class KeptModel:
    """Where a model is kept on this machine, and what its file must be.

    :param name: what users call it.
    :param path: of its GGUF file.
    :param lock: file that whoever changes the others has locked.
    :param record: what is known of a fetch while it lasts, or afterwards.
    :param size: of the whole file, bytes; 0 when unknown.
    :param sha256: of the whole file, lower-case hexadecimal; '' when unknown.
    :param parts: folder of downloaded parts that are not joined yet; None where there are none.
    """

    name: str
    path: Path
    lock: Path
    record: Path
    size: int
    sha256: str
    parts: Path | None = None

    @property
    def partial(self) -> Path:
        """The file that grows while the model is fetched."""
        return self.path.with_name(f'{self.path.name}.partial')

    @property
    def present(self) -> bool:
        """Whether the file is there and as long as it should be; only a digest says more."""
        return self.path.is_file() and self.size in (0, self.path.stat().st_size)

    @property
    def joined(self) -> int:
        """Bytes of the file that are there."""
        source = self.path if self.present else self.partial
        return source.stat().st_size if source.is_file() else 0


def is_gguf(path: Path) -> bool:
    """Whether a file begins as GGUF files do."""
    with path.open('rb') as stream:
        return stream.read(len(_GGUF_MAGIC)) == _GGUF_MAGIC


def file_sha256(path: Path) -> str:
    """Digest of a file's content, lower-case hexadecimal."""
    with path.open('rb') as stream:
        return hashlib.file_digest(stream, 'sha256').hexdigest()


def free_bytes(folder: Path) -> int:
    """Bytes that can still be written in a folder."""
    return shutil.disk_usage(folder).free


@contextlib.contextmanager
def locked(path: Path, timeout: float, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold a lock file; the system frees it when the process ends, however it ends.

    :param timeout: seconds to wait for whoever holds it; 0 does not wait.
    :param on_wait: called once when there is something to wait for.
    :raises ModelError: somebody else held it all the time.
    """
    lock = filelock.FileLock(path)
    try:
        try:
            lock.acquire(timeout=0.0)
        except filelock.Timeout:
            if timeout <= 0.0:
                raise
            on_wait()
            lock.acquire(timeout=timeout, poll_interval=min(0.2, timeout))
    except filelock.Timeout as error:
        raise ModelError(
            f'Another process is working on {path.stem}; wait for it or end it, then run this'
            ' again.'
        ) from error
    try:
        yield
    finally:
        lock.release()


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
