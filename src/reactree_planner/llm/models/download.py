"""What fetching a model is, wherever it comes from: one process at a time, checked at the end."""

from __future__ import annotations

import errno
import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_planner.llm.models.progress import FetchProgress, FetchStatus, READY
from reactree_planner.llm.models.storage import (
    file_sha256,
    FreeBytes,
    is_gguf,
    KeptModel,
    locked,
    no_space,
    not_writable,
)


class Download(ABC):
    """One fetch of one model.

    :param free: tells the free bytes of a folder.
    :param progress: called with what happens, from the thread that fetches.
    :param elsewhere: what to do when it cannot be had at all.
    """

    #: What errors call the digest that the file must have.
    _expected = 'the pinned one'

    def __init__(
        self, kept: KeptModel, free: FreeBytes, progress: FetchProgress, elsewhere: str
    ) -> None:
        self._first = kept
        self._free = free
        self._progress = progress
        self._elsewhere = elsewhere
        #: Bytes of the model that are here, and of the whole of it; 0 while that is unknown.
        self._joined = 0
        self._size = kept.size

    def kept(self) -> KeptModel:
        """What is known of the model now; another process may have fetched it meanwhile."""
        return self._first

    def run(self, lock_timeout: float) -> Path:
        """The model's file; nobody is asked for one that is there already.

        :param lock_timeout: seconds to wait for another process that fetches the same model.
        :raises ModelError: it cannot be fetched; the message says why and what to do.
        """
        kept = self._first
        folder = kept.path.parent
        if kept.present:
            return kept.path
        try:
            folder.mkdir(parents=True, exist_ok=True)
            waiting = 'waiting for another process that fetches it'
            with locked(kept.lock, lock_timeout, lambda: self._tell(waiting)):
                if not self.kept().present:
                    self._receive_all()
                    self._tell('checking the file')
                    self._finish()
                    self._tell(READY)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise no_space(kept.name, folder, self._size, self._free(folder)) from error
            raise not_writable(kept.name, folder, error) from error
        return kept.path

    @abstractmethod
    def _receive_all(self) -> None:
        """Make the growing file whole, going on from what an interrupted fetch left."""

    def _finish(self) -> None:
        """Give the growing file its name, when it is what it should be.

        :raises ModelError: it is not; everything fetched is deleted.
        """
        kept = self.kept()
        found = file_sha256(kept.partial)
        if kept.partial.stat().st_size != kept.size or kept.sha256 not in ('', found):
            raise self._differs(f'its sha256 is not {self._expected}')
        if not is_gguf(kept.partial):
            raise self._differs('it is not a GGUF file')
        self._note(found)
        kept.partial.replace(kept.path)
        if kept.parts:
            shutil.rmtree(kept.parts, ignore_errors=True)

    def _note(self, sha256: str) -> None:  # noqa: B027 - most have it noted already
        """Remember the digest of the whole file, where nothing else does."""

    def _differs(self, what: str) -> ModelError:
        """Forget everything fetched; the error that says so."""
        kept = self._first
        kept.partial.unlink(missing_ok=True)
        kept.record.unlink(missing_ok=True)
        if kept.parts:
            shutil.rmtree(kept.parts, ignore_errors=True)
        return ModelError(
            f'What was fetched as {kept.name} is not the model: {what}. It was deleted; run this'
            f' again, and if that does not help {self._elsewhere}.'
        )

    def _check_space(self, needed: int) -> None:
        """Make sure of room before it is written to. :param needed: bytes that still come."""
        folder = self._first.path.parent
        available = self._free(folder)
        if available < needed:
            raise no_space(self._first.name, folder, needed, available)

    def _tell(self, sentence: str) -> None:
        self._progress(FetchStatus(self._first.name, sentence, self._joined, self._size))
