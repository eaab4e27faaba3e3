"""A run's journal: one JSON line per record, append-only, readable after any crash.

Records are the run's events and, between them, the answers that led to them (see `resume`).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

import platformdirs

from reactree_core.chain_link import ChainLink, NO_LINE, NO_LINK
from reactree_core.durability import make_private_folder, open_private
from reactree_core.errors import JournalError
from reactree_core.record.events import Event
from reactree_core.record.journal_lines import (
    Answer,
    chained,
    decode_record,
    encode_record,
    format_of,
    hash_of,
    NewerFormatError,
    Record,
)

#: Bytes at a journal's end that hold its last line, whatever is in it.
_LONGEST_TAIL = 64 * 1024**2


class Journal:
    """Appends records to `<directory>/<run_id>.jsonl`, each on the file before it is acted on.

    What a crash tore is cut off first. One planner at a time writes a journal, and only its user
    reads it. Each line holds the hash of the one before (see `chain`).

    :raises JournalError: the file cannot be created, or another planner writes it.
    """

    def __init__(self, directory: Path, run_id: str) -> None:
        self.path = directory / f'{run_id}.jsonl'
        self._file: FileIO | None = None
        try:
            make_private_folder(directory)
            # Without a buffer: what a full disk refuses must not come again at the next write.
            self._file = FileIO(self.path, 'ab', opener=open_private)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _cut_torn_line(self.path)
            #: Hash of the last line, and of that of the last event.
            self.closing, self._last_event = _last_hashes(self.path)
        except BlockingIOError as error:
            self.close()
            raise JournalError(
                f'Another planner is at work on the run of {self.path}: wait for its end.'
            ) from error
        except OSError as error:
            self.close()
            raise JournalError(self._sentence(error)) from error

    def _sentence(self, error: OSError) -> str:
        return (
            f'The journal {self.path} cannot be written ({error.strerror}). Free disk space '
            'or set journal_directory to a folder that can be written.'
        )

    def append(self, record: Record) -> ChainLink:
        """Write one record, whole or not at all.

        :returns: where it stands; NO_LINK for an answer, which is sent to nobody.
        :raises JournalError: the disk is full or gone.
        """
        if self._file is None:
            raise JournalError(f'The journal {self.path} is closed.')
        is_event = not isinstance(record, Answer)
        link = ChainLink(
            0 if isinstance(record, Answer) else format_of(record),
            self.closing,
            self._last_event if is_event else self.closing,
        )
        line = chained(encode_record(record), link)
        rest = memoryview(line + b'\n')
        begin = os.fstat(self._file.fileno()).st_size
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(begin)
            raise JournalError(self._sentence(error)) from error
        self.closing = hash_of(line)
        if not is_event:
            return NO_LINK
        self._last_event = self.closing
        return link

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file is not None:
            with suppress(OSError):  # every line was on the file, or missed, when it was written
                self._file.close()
            self._file = None


def _cut_torn_line(path: Path) -> None:
    """Take away the last line if readers leave it out. (A device has nothing to cut.)"""
    size = path.stat().st_size
    if not size:
        return
    with path.open('rb+') as file:
        file.seek(max(0, size - _LONGEST_TAIL))
        tail = file.read()
        whole = tail.rfind(b'\n') + 1
        last = tail.rfind(b'\n', 0, max(0, whole - 1)) + 1
        if last and _is_torn(tail[last:whole].decode('utf-8', 'replace')):
            whole = last
        if whole < len(tail):
            file.truncate(size - len(tail) + whole)


def _last_hashes(path: Path) -> tuple[str, str]:
    """Hashes of a journal's last line, which is whole, and of that of its last event."""
    size = path.stat().st_size
    if not size:
        return NO_LINE, NO_LINE
    with path.open('rb') as file:
        file.seek(max(0, size - _LONGEST_TAIL))
        lines = file.read().split(b'\n')[:-1]
    events = (line for line in reversed(lines) if not isinstance(_read(line), Answer))
    last, last_event = lines[-1:], next(events, None)
    return (
        hash_of(last[0]) if last else NO_LINE,
        hash_of(last_event) if last_event is not None else NO_LINE,
    )


def _read(line: bytes) -> Record | None:
    try:
        return decode_record(line.decode('utf-8', 'replace'))
    except JournalError:
        return None


def _is_torn(line: str) -> bool:
    """Whether a whole last line holds what no program writes, as after a power failure."""
    try:
        decode_record(line)
    except NewerFormatError:
        return False
    except JournalError:
        return True
    return False


def read_journal(path: Path) -> Iterator[Event]:
    """Events of a journal in order, without the answers between them. See `read_records`."""
    return (record for record in read_records(path) if not isinstance(record, Answer))


def read_records(path: Path) -> Iterator[Record]:
    """Records of a journal in order. A torn last line (a crash while writing) is left out.

    :raises JournalError: the file cannot be read, or its first line or one before the last is
        damaged.
    """
    try:
        content = path.read_bytes().decode('utf-8', 'replace')
    except OSError as error:
        raise JournalError(f'The journal {path} cannot be read ({error.strerror}).') from error
    # Neither read as text nor by splitlines: both know other separators, which lines may hold.
    lines = content.split('\n')[:-1]
    for number, line in enumerate(lines, start=1):
        try:
            record = decode_record(line)
        except JournalError as error:
            if 1 < number == len(lines) and not isinstance(error, NewerFormatError):
                return
            raise JournalError(f'{path}, line {number}: {error}') from error
        yield record


def journal_directory(given: str | None = None) -> Path:
    """The folder that was given, or that of the user's state.

    :param given: as in the parameter `journal_directory`; empty for the default.
    """
    if given:
        return Path(given).expanduser()
    return platformdirs.user_state_path('reactree') / 'runs'
