"""Fetching a model from the Hugging Face hub: byte by byte, safe to interrupt anywhere.

A record of size and digest is written before the first byte, and the growing file is only ever
appended to. So what an interrupted fetch left is the beginning of the file that the record tells
of, and is gone on with while the hub still tells the same digest.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_planner.llm.models.hub import Hub
from reactree_planner.llm.models.hub import HubAnswer
from reactree_planner.llm.models.hub import HubBrokeError
from reactree_planner.llm.models.hub_cache import HubRecord
from reactree_planner.llm.models.hub_cache import is_fetched
from reactree_planner.llm.models.hub_name import HubFile
from reactree_planner.llm.models.lock import locked
from reactree_planner.llm.models.progress import FetchProgress
from reactree_planner.llm.models.progress import FetchStatus
from reactree_planner.llm.models.storage import file_sha256
from reactree_planner.llm.models.storage import FreeBytes
from reactree_planner.llm.models.storage import is_gguf
from reactree_planner.llm.models.storage import no_space
from reactree_planner.llm.models.storage import not_writable

#: Connections for one file; a lost one is gone on with as long as each brought something.
_MOST_TRIES = 10


def fetch_hub_file(
    file: HubFile, progress: FetchProgress, hub: Hub, free: FreeBytes, lock_timeout: float
) -> Path:
    """The GGUF file, fetched when it is not there yet; what is there is not asked for again.

    :param progress: told what happens, from this thread.
    :param free: tells the free bytes of a folder.
    :param lock_timeout: seconds to wait for another process that fetches the same file.
    :raises ConfigurationError: HF_TOKEN holds no usable token.
    :raises ModelError: it cannot be fetched; the message says why and what to do.
    """
    if is_fetched(file):
        return file.path
    folder = file.path.parent
    fetch = _HubFetch(file, hub, free, progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        waiting = 'waiting for another process that fetches it'
        with locked(file.lock, lock_timeout, lambda: fetch.tell(waiting)):
            if not is_fetched(file):
                fetch.run()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise no_space(file.name, folder, fetch.size, free(folder)) from error
        raise not_writable(file.name, folder, error) from error
    return file.path


class _HubFetch:
    """One fetch of one file, by the process that holds its lock."""

    def __init__(self, file: HubFile, hub: Hub, free: FreeBytes, progress: FetchProgress) -> None:
        self._file = file
        self._hub = hub
        self._free = free
        self._progress = progress
        self._joined = 0
        self.size = 0

    def run(self) -> None:
        """Download, check, and give the file its name."""
        self.tell('asking the hub')
        self._download()
        self.tell('checking the file')
        self._finish()
        self.tell('ready')

    def tell(self, sentence: str) -> None:
        """Say what happens now."""
        self._progress(FetchStatus(self._file.name, sentence, self._joined, self.size))

    def _download(self) -> None:
        for number in range(1, _MOST_TRIES + 1):
            kept, record = self._kept()
            if record and kept == record.size:
                self._joined = self.size = kept
                return
            try:
                with self._hub.opened(self._file, kept, record.sha256 if record else '') as answer:
                    self._receive(answer)
                return
            except HubBrokeError:
                if self._kept()[0] <= kept or number == _MOST_TRIES:
                    raise

    def _kept(self) -> tuple[int, HubRecord | None]:
        """Bytes that can be gone on from, and the record they belong to.

        Without a digest nothing could tell afterwards whether both halves fit together.
        """
        record = HubRecord.read(self._file.record)
        if record and record.sha256 and self._file.partial.is_file():
            size = self._file.partial.stat().st_size
            if size <= record.size:
                return size, record
        return 0, None

    def _receive(self, answer: HubAnswer) -> None:
        self._joined, self.size = answer.start, answer.size
        # Emptied before the record is written, so that the record never tells of other bytes.
        with self._file.partial.open('ab' if answer.start else 'wb') as stream:
            self._check_space()
            HubRecord(answer.size, answer.sha256).write(self._file.record)
            for block in answer.blocks:
                if self._joined + len(block) > self.size:
                    raise self._differs('it is longer than announced')
                stream.write(block)
                self._joined += len(block)
                self.tell('fetching')
            stream.flush()
            os.fsync(stream.fileno())
        if self._joined < self.size:
            raise HubBrokeError(
                f'Only {self._joined} of {self.size} bytes of {self._file.name} came; run this'
                ' again to go on from here.'
            )

    def _check_space(self) -> None:
        folder = self._file.path.parent
        needed, available = self.size - self._joined, self._free(folder)
        if available < needed:
            raise no_space(self._file.name, folder, needed, available)

    def _finish(self) -> None:
        """Give the file its name, when it is what the hub told of."""
        record = HubRecord.read(self._file.record)
        found = file_sha256(self._file.partial)
        if record is None or record.sha256 not in ('', found):
            raise self._differs('its sha256 is not the one that the hub tells')
        if not is_gguf(self._file.partial):
            raise self._differs('it is not a GGUF file')
        HubRecord(record.size, found).write(self._file.record)
        self._file.partial.replace(self._file.path)

    def _differs(self, what: str) -> ModelError:
        """Forget everything fetched; the error that says so."""
        self._file.partial.unlink(missing_ok=True)
        self._file.record.unlink(missing_ok=True)
        return ModelError(
            f'What was fetched as {self._file.name} is not the model: {what}. It was deleted; run'
            ' this again, and if that does not help download the file elsewhere and give its path'
            ' (MODEL=path).'
        )
