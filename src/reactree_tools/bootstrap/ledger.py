"""Which training tasks have been planned, in a file beside the store: so that a next run goes on.

A task whose goal was not met leaves nothing in the store; only this file knows of it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from reactree_core.errors import ConfigurationError
from reactree_core.errors import MemoryStoreError
from reactree_core.observation import Progress

_ENDING = '.bootstrap.jsonl'


@dataclass(frozen=True, slots=True)
class Entry:
    """What a training task came to; a line of the file.

    :param ended: how its tree ended, or the error that ended it.
    :param met: goal conditions met at the end, 0..total.
    :param experiences: how many of its nodes were kept; 0 when its goal was not met.
    :param tokens: evaluated or written by the model. :param seconds: wall time.
    :param score: what the world gave, 0..1, or, where it judges nothing, the planner held; None
        where there are only conditions.
    """

    run_id: str
    scene: str
    task: str
    planner: str
    model: str
    ended: str
    met: int
    total: int
    experiences: int
    decisions: int
    tokens: int
    seconds: float
    score: float | None = None

    @property
    def progress(self) -> Progress:
        """How much of the goal was met."""
        return Progress(self.met, self.total, (), self.score)

    @property
    def success(self) -> bool:
        """Whether the goal was met."""
        return self.progress.success


def ledger_file(file: Path | None, location: str) -> Path:
    """Where the ledger of a store is.

    :param file: of the store; None for a database, whose ledger is in the user's state folder.
    :param location: of the store, for people; without passwords.
    """
    if file is not None:
        return file.with_name(file.name + _ENDING)
    state = os.environ.get('XDG_STATE_HOME') or Path('~/.local/state').expanduser()
    digest = hashlib.sha256(location.encode()).hexdigest()[:16]
    return Path(state) / 'reactree' / f'{digest}{_ENDING}'


class Ledger:
    """The entries of a file; a torn line, of a run that was killed, is left out.

    While it is open nobody else can open it: two would plan the same tasks.

    :param path: made with its folder when missing.
    :raises ConfigurationError: somebody else has it open.
    :raises MemoryStoreError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open('a+b')
        except OSError as error:
            raise MemoryStoreError(f'cannot open {path}: {error.strerror}') from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise ConfigurationError(
                f'another `reactree memory bootstrap` has {path} open: wait until it has ended'
            ) from error
        self._file.seek(0)
        content = self._file.read()
        self._torn = bool(content) and not content.endswith(b'\n')
        self.entries = {entry.run_id: entry for entry in _entries(content)}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let somebody else open it."""
        self._file.close()

    def add(self, entry: Entry) -> None:
        """Take a task down; on disk when this returns.

        :raises MemoryStoreError: it cannot be written.
        """
        line = json.dumps(asdict(entry)).encode() + b'\n'
        try:
            self._file.write(b'\n' + line if self._torn else line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise MemoryStoreError(
                f'cannot write {self.path}: {error.strerror}; free some space and start again'
            ) from error
        self._torn = False
        self.entries[entry.run_id] = entry


def _entries(content: bytes) -> list[Entry]:
    entries = []
    for line in content.split(b'\n'):
        try:
            entries.append(Entry(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return entries
