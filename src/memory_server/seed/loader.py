"""Reads and writes files of example experiences: a small header, then the published text.

A file holds one experience or many, each after a line `=== experience`:

    === experience
    termination: success
    task_type: put_fridge
    planner: reactree

    Your task is to: find crate 7
    ...

`termination` is success, failure or expand and must fit the text; `task_type`, `planner`, `model`,
`domain`, `run_id`, `experience_id`, `tokens`, `goal_lines` (of a goal of several lines) and
`unconfirmed: true` may follow. Lines before the first `=== experience` are comments. A file
without such a line is one published trajectory.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path

from memory_server.trajectory import parse_trajectory, Trajectory, write_trajectory
from reactree_core.domain import domain_names, find_domain, openings
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, Termination

MARK = '=== experience'
_LABELS = ('task_type', 'planner', 'model', 'run_id', 'domain')
_COUNTS = ('tokens', 'goal_lines')
#: Fits the uint32 of Experience.msg.
_COUNT = re.compile('[0-9]{1,9}')
_ID = 'experience_id'
_UNCONFIRMED = 'unconfirmed'
_KEYS = ('termination', *_LABELS, *_COUNTS, _UNCONFIRMED, _ID)
_TERMINATIONS = {termination.name.lower(): termination for termination in Termination}
#: Run id of the experiences that come from files, unless a file says otherwise.
SEED_RUN = 'seed'
_NO_LABELS: Mapping[str, str] = {}


def shipped_experiences() -> tuple[Experience, ...]:
    """The examples of all domains that are installed, each with the name of its domain.

    :raises ConfigurationError: a file is broken; names it and the line.
    """
    found: list[Experience] = []
    for name in domain_names():
        folder = find_domain(name).folder / 'examples'
        if folder.is_dir():
            found += _read_folder(folder, name)
    return tuple(found)


def read_folder(folder: Path) -> tuple[Experience, ...]:
    """All experiences of the .txt files right in a folder, in the order of their names.

    :raises ConfigurationError: no such folder, or a file is broken; names it and the line.
    """
    if not folder.is_dir():
        raise ConfigurationError(f'there is no folder {folder}: correct seed_folder')
    return _read_folder(folder)


def _read_folder(folder: Traversable, domain: str = '') -> tuple[Experience, ...]:
    files = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith('.txt')),
        key=lambda entry: entry.name,
    )
    experiences: list[Experience] = []
    for file in files:
        try:
            text = file.read_bytes().decode('utf-8-sig')
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f'cannot read {file.name}: {error}') from error
        experiences.extend(_parsed(text, file.name, domain))
    return tuple(experiences)


@lru_cache(maxsize=32)
def _parsed(text: str, source: str, domain: str) -> tuple[Experience, ...]:
    """Of a file that memories of one process begin with, one after the other."""
    return parse_experiences(text, source, domain)


def parse_experiences(text: str, source: str = 'text', domain: str = '') -> tuple[Experience, ...]:
    """Read the experiences of one file. Equal ones have equal ids, everywhere.

    :param source: name of the file in errors. :param domain: of those that name none.
    :raises ConfigurationError: not of this form; names file and line.
    """
    experiences = []
    for entry in parse_entries(text, source, labels={'domain': domain}):
        if isinstance(entry, ConfigurationError):
            raise entry
        experiences.append(entry)
    return tuple(experiences)


def parse_entries(
    text: str,
    source: str = 'text',
    run_id: str = SEED_RUN,
    labels: Mapping[str, str] = _NO_LABELS,
) -> Iterator[Experience | ConfigurationError]:
    """As `parse_experiences`, one at a time, with the error in the place of what is broken.

    :param run_id: of experiences that have none; new ids begin with it.
    :param labels: as in a header, where a header does not say otherwise.
    """
    lines = text.replace('\r\n', '\n').split('\n')
    marks = [number for number, line in enumerate(lines) if line == MARK]
    if not marks and not text.strip():
        return
    for start, end in zip(marks or [-1], [*marks[1:], len(lines)], strict=True):
        try:
            if marks:
                header, found = _parse_entry(lines[start + 1 : end], source, start + 2)
            else:
                header, found = {}, parse_trajectory(text, source=source, openings=openings())
            yield _experience({**labels, **header}, found, run_id)
        except ConfigurationError as error:
            yield error


def write_experiences(experiences: Sequence[Experience], whole: bool = False) -> str:
    """Text from which `parse_experiences` reads the same, but for similarities.

    :param whole: with the ids too; otherwise they are made anew from the content.
    :raises ConfigurationError: one cannot be written in this form.
    """
    text = '\n'.join(_entry(experience, whole) for experience in experiences)
    found = parse_experiences(text)
    if [_content(item) for item in found] != [_content(item) for item in experiences] or (
        whole and [item.experience_id for item in found] != [e.experience_id for e in experiences]
    ):
        raise ConfigurationError(
            'an experience cannot be written as text: a label has line breaks or outer spaces, '
            'or its goal and trajectory do not agree'
        )
    return text


def _entry(experience: Experience, whole: bool) -> str:
    values = {
        'termination': experience.termination.name.lower(),
        **{name: getattr(experience, name) for name in _LABELS},
        'tokens': experience.tokens,
        'goal_lines': experience.goal.count('\n') + 1,
        _UNCONFIRMED: 'true' if experience.unconfirmed else '',
    }
    defaults: dict[str, str | int | None]
    defaults = {'run_id': SEED_RUN, 'tokens': 0, 'goal_lines': 1}
    if whole:
        # Who reads it may give other experiences another run.
        values[_ID] = experience.experience_id
        defaults['run_id'] = None
    header = [
        f'{name}: {value}' for name, value in values.items() if value != defaults.get(name, '')
    ]
    context = [experience.context] if experience.context else []
    return '\n'.join((MARK, *header, '', *context, experience.trajectory, ''))


def _parse_entry(
    lines: list[str], source: str, first_line: int
) -> tuple[dict[str, str], Trajectory]:
    """The header and the trajectory."""
    header: dict[str, str] = {}
    for offset, line in enumerate(lines):
        if not line.strip():
            break
        where = f'{source}:{first_line + offset}'
        name, colon, value = line.partition(':')
        if not colon or name not in _KEYS:
            raise ConfigurationError(
                f'{where}: expected one of {", ".join(_KEYS)} with a colon, or an empty line '
                f'before the trajectory; found {line!r}'
            )
        if name in header:
            raise ConfigurationError(f'{where}: a second {name}')
        header[name] = value.strip()
        if name in _COUNTS and not _COUNT.fullmatch(header[name]):
            raise ConfigurationError(f'{where}: {name} is {header[name]!r}, no whole number')
        if name == _UNCONFIRMED and header[name] != 'true':
            raise ConfigurationError(f'{where}: write unconfirmed: true, or leave it out')
    if header.get('termination') not in _TERMINATIONS:
        raise ConfigurationError(
            f'{source}:{first_line}: termination is {header.get("termination", "missing")!r}, '
            f'none of {", ".join(_TERMINATIONS)}'
        )
    body = '\n'.join(lines[len(header) :])
    goal_lines = int(header.get('goal_lines', 1))
    trajectory = parse_trajectory(body, goal_lines, source, first_line + len(header))
    declared = _TERMINATIONS[header['termination']]
    if declared is not trajectory.termination:
        raise ConfigurationError(
            f'{source}:{first_line}: termination is {declared.name.lower()}, but the trajectory '
            f'ends with {trajectory.termination.name.lower()}'
        )
    return header, trajectory


def _experience(header: dict[str, str], trajectory: Trajectory, run_id: str) -> Experience:
    # The parent's goal and siblings stand apart: another run's relatives mislead a small model.
    bare = Trajectory(trajectory.goal, trajectory.opening, trajectory.blocks)
    experience = Experience(
        experience_id='',
        goal=trajectory.goal,
        trajectory=write_trajectory(bare),
        termination=trajectory.termination,
        run_id=header.get('run_id', run_id),
        task_type=header.get('task_type', ''),
        planner=header.get('planner', ''),
        model=header.get('model', ''),
        tokens=int(header.get('tokens', 0)),
        domain=header.get('domain', ''),
        context=trajectory.context,
        unconfirmed=_UNCONFIRMED in header,
    )
    given = header.get(_ID, '')
    return replace(experience, experience_id=given or content_id(experience, run_id))


def content_id(experience: Experience, prefix: str) -> str:
    """An id that follows from the content alone, whoever stores it."""
    # Without the last, the tokens: counted anew by another model it is still the same example.
    *known, domain, _ = _content(experience)
    # Ids of before there were domains and contexts stay.
    later = [text for text in (domain, experience.context) if text]
    digest = hashlib.sha256(repr((*known, *later)).encode())
    return f'{prefix}-{digest.hexdigest()[:32]}'


def _content(experience: Experience) -> tuple[str | int, ...]:
    """What makes two experiences the same, whoever stored them."""
    return (
        experience.goal,
        experience.trajectory,
        int(experience.termination),
        *(str(getattr(experience, name)) for name in _LABELS),
        experience.tokens,
    )
