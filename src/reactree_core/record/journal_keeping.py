"""How much of earlier runs is kept: old journals are removed, oldest first.

    1000 runs, 2 GB, 90 days      whatever is passed first
    ''                            everything is kept

A run that goes on, or that can be resumed since it has not ended, keeps its journal whatever the
limits are; it counts for them.
"""

from __future__ import annotations

import fcntl
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError, JournalError
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import decode_record

_BYTES = {'kb': 1e3, 'mb': 1e6, 'gb': 1e9, 'tb': 1e12}
_PART = re.compile(r'(\d+(?:\.\d+)?)\s*([a-z]+)')
_DAY = 86400.0
#: Bytes at a journal's end that hold the end of a run.
_TAIL = 64 * 1024


@dataclass(frozen=True, slots=True)
class Keep:
    """What is kept at most. :param runs: 0.. :param size: bytes. :param age: seconds."""

    runs: float = float('inf')
    size: float = float('inf')
    age: float = float('inf')


def read_keep(text: str) -> Keep:
    """What a parameter says, e.g. "1000 runs, 2 GB".

    :raises ConfigurationError: it says something else.
    """
    found: dict[str, float] = {}
    for part in filter(None, (one.strip().casefold() for one in text.split(','))):
        match = _PART.fullmatch(part)
        number, unit = (float(match[1]), match[2]) if match else (0.0, '')
        if unit in ('run', 'runs'):
            found['runs'] = number
        elif unit in ('day', 'days'):
            found['age'] = number * _DAY
        elif unit in _BYTES:
            found['size'] = number * _BYTES[unit]
        else:
            raise ConfigurationError(
                f'"{part}" is no limit of journals: write runs, KB, MB, GB, TB or days behind a '
                'number, e.g. 1000 runs, 2 GB, 90 days; nothing keeps all of them'
            )
    return Keep(**found)


def remove_old_journals(folder: Path, keep: Keep) -> int:
    """Remove what is too much of a folder, oldest first. Errors of the disk keep what they are of.

    :returns: how many were removed.
    """
    if keep == Keep():
        return 0
    found: list[tuple[float, int, Path]] = []
    for path in folder.glob('*.jsonl'):
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    found.sort()
    runs, size, now, removed = len(found), sum(one[1] for one in found), time.time(), 0
    for written, length, path in found:
        if runs <= keep.runs and size <= keep.size and now - written <= keep.age:
            break
        if _remove(path):
            runs, size, removed = runs - 1, size - length, removed + 1
    return removed


def _remove(path: Path) -> bool:
    """Remove the journal of a run that has ended; whether that was done."""
    with suppress(OSError), path.open('rb') as file:
        # Whoever writes it holds the lock.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(max(0, path.stat().st_size - _TAIL))
        if _has_ended(file.read().decode('utf-8', 'replace')):
            path.unlink()
            return True
    return False


def _has_ended(tail: str) -> bool:
    """Whether the last line is the end of a whole run."""
    try:
        last = decode_record(tail.rstrip('\n').rpartition('\n')[2])
    except JournalError:
        return False
    return isinstance(last, Decision) and (last.kind, last.node_id) == (DecisionKind.FINISH, 0)
