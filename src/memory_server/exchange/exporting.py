"""Out of a memory into files, from which an import reads the same."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from memory_server.episodic.trajectory import parse_trajectory
from memory_server.episodic.trajectory import write_trajectory
from memory_server.exchange.files import TEXT_ENDING
from memory_server.exchange.json_lines import write_line
from memory_server.seed.loader import write_experiences
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience

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
