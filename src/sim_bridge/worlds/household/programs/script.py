"""From the text of a VirtualHome program to its steps.

A line is `[GRAB] <apple> (12)`, with two objects for some actions and none for others, and may
begin with whom it is for, `<char0> [grab] <apple> (12)`. The number is an id of the graph, alone
or after an instance number and a period, `(1.12)`; a number that is no id of a thing of that name
distinguishes the things of the name. Lines before the first step are title and description.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError

_LINE = re.compile(r'(?:<char(?P<who>\d{1,4})>\s*)?\[(?P<action>\w+)\](?P<objects>.*)')
_OBJECT = re.compile(r'\s*<(?P<name>[^<>]+)>\s*\((?P<number>[^()]*)\)')
_NUMBER = re.compile(r'(?:(?P<instance>\d{1,9})\.)?(?P<number>\d{1,9})')
_LONGEST_LINE = 1000
_MOST_LINES = 10_000


@dataclass(frozen=True, slots=True)
class Named:
    """An object of a step.

    :param name: as written, in lower case with underscores.
    :param number: id in the graph, or of an instance (see `is_id`).
    :param is_id: whether the number can only be an id, as in `(1.12)`.
    """

    name: str
    number: int
    is_id: bool = False

    def __str__(self) -> str:
        return f'<{self.name}> ({self.number})'


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a program.

    :param action: in capitals, e.g. 'PUTIN'. :param who: number of the character.
    """

    action: str
    objects: tuple[Named, ...] = ()
    who: int = 0

    def __str__(self) -> str:
        return ' '.join((f'[{self.action}]', *map(str, self.objects)))


@dataclass(frozen=True, slots=True)
class Script:
    """A program.

    :param title: its first line, '' when there is none. :param description: the lines after it.
    """

    steps: tuple[Step, ...]
    title: str = ''
    description: str = ''


def read_script(text: str) -> Script:
    """Read a program.

    :param text: lines; empty ones and those that begin with '#' are left out.
    :raises ConfigurationError: a line after the first step is none; says which.
    """
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise ConfigurationError(f'a program of more than {_MOST_LINES} lines is not run')
    heading: list[str] = []
    steps: list[Step] = []
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        if not steps and not line.startswith(('[', '<')):
            heading.append(line)
            continue
        try:
            steps.append(read_step(line))
        except ConfigurationError as error:
            raise ConfigurationError(f'line {number} of the program: {error}') from error
    return Script(tuple(steps), heading[0] if heading else '', '\n'.join(heading[1:]))


def read_step(line: str) -> Step:
    """Read one line.

    :raises ConfigurationError: it is no step; how many objects an action takes is not checked.
    """
    match = _LINE.fullmatch(line.strip()) if len(line) <= _LONGEST_LINE else None
    if match is None:
        raise ConfigurationError(
            f'{line[:80]!r} is no step: write [WALK] <fridge> (103), for example'
        )
    objects = []
    rest = match['objects']
    while rest.strip():
        found = _OBJECT.match(rest)
        number = _NUMBER.fullmatch(found['number'].strip()) if found else None
        if found is None or number is None:
            raise ConfigurationError(
                f'{rest.strip()[:80]!r} is no object: write <fridge> (103), for example'
            )
        name = '_'.join(found['name'].lower().split())
        if not name:
            raise ConfigurationError('an object of a step has no name')
        objects.append(Named(name, int(number['number']), number['instance'] is not None))
        rest = rest[found.end() :]
    return Step(match['action'].upper(), tuple(objects), int(match['who'] or 0))


def folded(name: str) -> str:
    """A name as names are compared: without letter case, spaces and underscores."""
    return name.replace('_', '').replace(' ', '').casefold()
