"""From files into a memory: everything is read before anything is stored."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.exchange.files import read_file
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience

_BATCH = 200
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Checked:
    """What files hold. :param problems: a sentence for each thing that cannot be read."""

    files: tuple[Path, ...]
    experiences: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. :param stored: new experiences. :param known: ids there already."""

    stored: int
    known: int


def check_files(files: Sequence[Path]) -> Checked:
    """Read files through without storing anything."""
    good = 0
    problems = []
    for path in files:
        for entry in read_file(path):
            if isinstance(entry, ConfigurationError):
                problems.append(str(entry))
            else:
                good += 1
    return Checked(tuple(files), good, tuple(problems))


def refuse_problems(checked: Checked) -> None:
    """Name what is broken.

    :raises ConfigurationError: something is; the sentence lists the first of it.
    """
    if not checked.problems:
        return
    shown = list(checked.problems[:_SHOWN])
    left = len(checked.problems) - len(shown)
    if left:
        shown.append(f'and {left} more')
    raise ConfigurationError(
        'nothing was stored; correct this, or pass over it with --skip-broken: ' + '; '.join(shown)
    )


def import_files(
    memory: EpisodicMemory,
    files: Sequence[Path],
    progress: Callable[[int], None] = lambda done: None,
) -> Imported:
    """Store what is good of these files; what is known by its id stays as it is.

    An interrupted import is simply started again.

    :param progress: told how many experiences have been dealt with.
    :raises MemoryStoreError: the store cannot be written.
    """
    stored = known = 0
    entries = _good_entries(files)
    while batch := list(islice(entries, _BATCH)):
        result = memory.store(batch)
        stored += result.stored
        known += result.known
        progress(stored + known)
    return Imported(stored, known)


def _good_entries(files: Sequence[Path]) -> Iterator[Experience]:
    for path in files:
        yield from (entry for entry in read_file(path) if isinstance(entry, Experience))
