"""One experience as one line of JSON: the fields of Experience.msg, the termination as a word.

    {"experience_id": "...", "goal": "...", "trajectory": "Your task is to: ...",
     "termination": "success", "run_id": "", "task_type": "", "planner": "", "model": "",
     "tokens": 0, "domain": "", "context": ""}

on one line, with `"unconfirmed": true` where that is so. `goal`, `trajectory` and `termination`
must be there; without `experience_id` the id follows from the content, so that importing twice
stores once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memory_server.episodic.episodic_memory import NAME_LIMIT
from memory_server.seed.loader import content_id
from memory_server.store.experience_store import TEXTS
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, LONGEST_TRAJECTORY, Termination

#: Run id of what comes from files that name none.
IMPORT_RUN = 'import'
_NO_LABELS: Mapping[str, str] = {}
_REQUIRED = ('goal', 'trajectory', 'termination')
#: Similarities belong to a query; they are read over.
_FIELDS = (*TEXTS, 'termination', 'tokens', 'unconfirmed', 'similarity')
_TERMINATIONS = {termination.name.lower(): termination for termination in Termination}


def write_line(experience: Experience) -> str:
    """A line, without its line break, from which `parse_line` reads the same experience.

    Its similarity, which belongs to a query, is left out.
    """
    values: dict[str, str | int] = {name: getattr(experience, name) for name in TEXTS}
    values['termination'] = experience.termination.name.lower()
    values['tokens'] = experience.tokens
    if experience.unconfirmed:
        values['unconfirmed'] = True
    return json.dumps(values)


def parse_lines(
    lines: Iterable[str], source: str = 'lines', labels: Mapping[str, str] = _NO_LABELS
) -> Iterator[Experience | ConfigurationError]:
    """The experiences of a file, with the error in the place of a line that is broken.

    Empty lines are passed over.

    :param source: name of the file in errors, which name the line too.
    :param labels: of lines without these fields.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield parse_line(line, f'{source}:{number}', labels)
            except ConfigurationError as error:
                yield error


def parse_line(
    line: str, where: str = 'line', labels: Mapping[str, str] = _NO_LABELS
) -> Experience:
    """Read one experience.

    :param where: begins the sentence of an error. :param labels: where it lacks these fields.
    :raises ConfigurationError: it is no experience.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{where}: this is no JSON: {error}') from error
    if not isinstance(values, dict):
        raise ConfigurationError(f'{where}: expected a JSON object with {", ".join(_FIELDS)}')
    for name in values:
        if name not in _FIELDS:
            raise ConfigurationError(
                f'{where}: there is no field {name!r}; the fields are {", ".join(_FIELDS)}'
            )
    for name in _REQUIRED:
        if name not in values:
            raise ConfigurationError(f'{where}: the field {name} is missing')
    texts = {name: _text(values.get(name, labels.get(name, '')), name, where) for name in TEXTS}
    experience = Experience(
        texts['experience_id'],
        texts['goal'],
        texts['trajectory'],
        _termination(values['termination'], where),
        texts['run_id'],
        texts['task_type'],
        texts['planner'],
        texts['model'],
        _tokens(values.get('tokens', 0), where),
        domain=texts['domain'],
        context=texts['context'],
        unconfirmed=_unconfirmed(values.get('unconfirmed', False), where),
    )
    if not experience.experience_id:
        identity = content_id(experience, experience.run_id or IMPORT_RUN)
        experience = replace(experience, experience_id=identity)
    check_limits(experience, where)
    return experience


def _text(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise ConfigurationError(f'{where}: {name} must be a text')
    return value


def _termination(value: Any, where: str) -> Termination:
    if isinstance(value, str) and value in _TERMINATIONS:
        return _TERMINATIONS[value]
    # As Experience.msg has it.
    if type(value) is int and value in set(Termination):
        return Termination(value)
    raise ConfigurationError(
        f'{where}: termination is {value!r}, none of {", ".join(_TERMINATIONS)}'
    )


def _tokens(value: Any, where: str) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
        raise ConfigurationError(
            f'{where}: tokens must be a whole number from 0 to {LARGEST_COUNT}'
        )
    return value


def _unconfirmed(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f'{where}: unconfirmed must be true or false')
    return value


#: Largest uint32.
LARGEST_COUNT = 2**32 - 1
_NAMES = ('experience_id', 'goal', 'run_id', 'task_type', 'planner', 'model', 'domain')
_LONG = ('trajectory', 'context')
_REQUIRED_TEXTS = ('experience_id', 'goal', 'trajectory')


def check_limits(experience: Experience, where: str) -> None:
    """Make sure that an experience can be stored.

    :param where: begins the sentence of an error.
    :raises ConfigurationError: a text is missing, too long or no text.
    """
    for name in (*_NAMES, *_LONG):
        text = getattr(experience, name)
        longest = LONGEST_TRAJECTORY if name in _LONG else NAME_LIMIT
        if name in _REQUIRED_TEXTS and not text.strip():
            raise ConfigurationError(f'{where}: the {name} is empty')
        if len(text) > longest:
            raise ConfigurationError(
                f'{where}: the {name} has {len(text)} characters, more than {longest}: shorten it'
            )
        try:
            text.encode('utf-8')
        except UnicodeEncodeError as error:
            raise ConfigurationError(
                f'{where}: the {name} is no valid Unicode: {error}'
            ) from error
