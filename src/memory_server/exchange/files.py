"""Experiences in files: found and read, written out of a memory, and read into one."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.exchange.json_lines import check_limits, IMPORT_RUN, parse_lines, write_line
from memory_server.exchange.published import labels_of
from memory_server.seed.loader import MARK, parse_entries, write_experiences
from memory_server.trajectory import parse_trajectory, write_trajectory
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_core.foreign_text import cleaned

#: Endings of files with JSON lines, and with trajectories in the published form.
JSON_ENDINGS = ('.jsonl', '.ndjson', '.json')
TEXT_ENDING = '.txt'


def find_files(places: Sequence[Path]) -> tuple[Path, ...]:
    """The files that these places name: themselves, or what is in a folder at any depth, by name.

    :raises ConfigurationError: a place is not there, or a folder has no such files.
    """
    found: dict[Path, None] = {}
    for place in places:
        if place.is_dir():
            inside = sorted(path for path in place.rglob('*') if _is_readable(path))
            if not inside:
                raise ConfigurationError(
                    f'the folder {place} has no files that end with {TEXT_ENDING} or '
                    f'{JSON_ENDINGS[0]}: name another'
                )
            found.update(dict.fromkeys(inside))
        elif place.is_file():
            found[place] = None
        else:
            raise ConfigurationError(f'there is no file or folder {place}: correct its name')
    return tuple(found)


#: Largest file that is read, in bytes.
LARGEST_FILE = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    :param labels: `planner`, `model`, `domain` of experiences that name none.
    :param source: whose they are, e.g. a robot: all are of runs 'import/<source>/...' then,
        whatever they say; '' leaves their runs as they are.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    source: str = ''

    def of_source(self, experience: Experience) -> Experience:
        """The experience with where it comes from in the name of its run."""
        if not self.source:
            return experience
        run = experience.run_id.removeprefix(IMPORT_RUN).lstrip('/')
        return replace(experience, run_id='/'.join(filter(None, (IMPORT_RUN, self.source, run))))


_PLAINLY = Reading()


def read_file(path: Path, how: Reading = _PLAINLY) -> Iterator[Experience | ConfigurationError]:
    """The experiences of a file, with the error in the place of what is broken.

    A file that ends with `.jsonl`, `.ndjson` or `.json` holds JSON lines; any other one or more
    trajectories in the published form, see `memory_server.seed.loader`. A single one without a
    header has its labels by its place, see `labels_of`. What names no run is of the run 'import'.
    A file of more than LARGEST_FILE bytes is not read.
    """
    for entry in _entries(path, how):
        yield how.of_source(entry) if isinstance(entry, Experience) else entry


def _entries(path: Path, how: Reading) -> Iterator[Experience | ConfigurationError]:
    try:
        with path.open('rb') as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            most = LARGEST_FILE // 1024**2
            yield ConfigurationError(f'{path} is larger than {most} MB: split it')
            return
        text = data.decode('utf-8-sig')
    except OSError as error:
        yield ConfigurationError(f'cannot read {path}: {error.strerror}')
        return
    except UnicodeDecodeError as error:
        line = error.object.count(b'\n', 0, error.start) + 1
        yield ConfigurationError(f'{path}:{line}: this is no UTF-8 text: {error.reason}')
        return
    if path.suffix.lower() in JSON_ENDINGS:
        # Not splitlines(): it breaks at characters that may stand inside a JSON text.
        yield from parse_lines(text.split('\n'), str(path), how.labels)
        return
    named = {} if MARK in text.splitlines() else labels_of(path.absolute())
    labels = {**named, **how.labels}
    for entry in parse_entries(text, str(path), IMPORT_RUN, labels):
        if isinstance(entry, ConfigurationError):
            yield entry
            continue
        try:
            check_limits(entry, str(path))
        except ConfigurationError as error:
            yield error
        else:
            yield entry


def _is_readable(path: Path) -> bool:
    return path.suffix.lower() in (*JSON_ENDINGS, TEXT_ENDING) and path.is_file()


#: Ids that can be names of files, on any system.
_PLAIN = re.compile('[A-Za-z0-9][A-Za-z0-9_-]{0,79}')


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did.

    :param problems: a sentence for each experience that the form cannot hold.
    """

    written: int
    problems: tuple[str, ...] = ()


def export_lines(experiences: Iterable[Experience], file: TextIO) -> Exported:
    """Write JSON lines; they hold every experience exactly."""
    written = 0
    for experience in experiences:
        file.write(write_line(experience) + '\n')
        written += 1
    return Exported(written)


def export_file(experiences: Iterable[Experience], path: Path) -> Exported:
    """Write a file of JSON lines, whole before it appears under its name.

    :raises ConfigurationError: it cannot be written.
    """
    part = path.with_name(f'.{path.name}.{os.getpid()}.part')
    try:
        try:
            with part.open('w', encoding='utf-8', newline='\n') as file:
                done = export_lines(experiences, file)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f'cannot write {path}: {error.strerror}; choose another file'
        ) from error
    return done


def export_texts(experiences: Iterable[Experience], folder: Path) -> Exported:
    """Write a file of published text for each experience; files of the same name are replaced.

    Empty lines that the form does not need are not kept.

    :raises ConfigurationError: the folder or a file cannot be written.
    """
    written = 0
    problems = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for experience in experiences:
            try:
                text = text_of(experience)
            except ConfigurationError as error:
                problems.append(f'{experience.experience_id}: {error}')
                continue
            path = folder / (file_stem(experience.experience_id) + TEXT_ENDING)
            path.write_text(text, encoding='utf-8', newline='\n')
            written += 1
    except OSError as error:
        raise ConfigurationError(
            f'cannot write {error.filename or folder}: {error.strerror}; choose another folder'
        ) from error
    return Exported(written, tuple(problems))


def text_of(experience: Experience) -> str:
    """An experience in the published form, below a header with its labels and id.

    :raises ConfigurationError: its trajectory is not of that form.
    """
    goal_lines = experience.goal.count('\n') + 1
    trajectory = write_trajectory(parse_trajectory(experience.trajectory, goal_lines))
    return write_experiences([replace(experience, trajectory=trajectory)], whole=True)


def file_stem(experience_id: str) -> str:
    """A name for the file of an experience: its id, or a digest of an id that is no such name."""
    if _PLAIN.fullmatch(experience_id):
        return experience_id
    return hashlib.sha256(experience_id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]


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


def check_files(files: Sequence[Path], how: Reading = _PLAINLY) -> Checked:
    """Read files through without storing anything."""
    good = 0
    problems = []
    for path in files:
        for entry in read_file(path, how):
            if isinstance(entry, ConfigurationError):
                problems.append(str(entry))
            else:
                good += 1
    return Checked(tuple(files), good, tuple(problems))


def refuse_more(checked: Checked, most: int) -> None:
    """Refuse an import that is larger than it was meant to be.

    :raises ConfigurationError: files hold more than `most` experiences.
    """
    if checked.experiences > most:
        raise ConfigurationError(
            f'nothing was stored: there are {checked.experiences:,} experiences, more than the '
            f'{most:,} of --most; look at them with --dry-run, then raise it'
        )


@dataclass(frozen=True, slots=True)
class Review:
    """What an import would bring.

    :param new: in the order of the files. :param known: ids that are there already.
    :param disguised: ids of new ones with characters that hide, reorder or command, or that end a
        chat's turn; prompts leave these out.
    """

    new: tuple[Experience, ...]
    known: int
    disguised: tuple[str, ...]


def review_files(
    files: Sequence[Path], known: Callable[[Sequence[str]], set[str]], how: Reading = _PLAINLY
) -> Review:
    """Look at what these files would bring, and store nothing.

    :param known: which of these ids are kept already.
    """
    found: dict[str, Experience] = {}
    for entry in _good_entries(files, how):
        found.setdefault(entry.experience_id, entry)
    there = known(list(found))
    new = [entry for key, entry in found.items() if key not in there]
    disguised = (
        entry.experience_id
        for entry in new
        if any(
            cleaned(text) != text
            for text in (entry.goal, entry.trajectory, entry.context, entry.task_type)
        )
    )
    return Review(tuple(new), len(found) - len(new), tuple(disguised))


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
    how: Reading = _PLAINLY,
) -> Imported:
    """Store what is good of these files; what is known by its id stays as it is.

    An interrupted import is simply started again.

    :param progress: called with how many experiences have been dealt with.
    :raises MemoryStoreError: the store cannot be written.
    """
    stored = known = 0
    entries = _good_entries(files, how)
    while batch := list(islice(entries, _BATCH)):
        result = memory.store(batch)
        stored += result.stored
        known += result.known
        progress(stored + known)
    return Imported(stored, known)


def _good_entries(files: Sequence[Path], how: Reading) -> Iterator[Experience]:
    for path in files:
        yield from (entry for entry in read_file(path, how) if isinstance(entry, Experience))
