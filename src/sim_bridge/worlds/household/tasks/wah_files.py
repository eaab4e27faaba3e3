"""Watch-And-Help task sets in natural language (WAH-NL), as they are published.

A file is JSON: a list of tasks, `{'tasks': [...]}`, or a mapping of ids to tasks. What is read:

* `task_id`, `task_name` (its family), `env_id`: what names it;
* `nl_instructions` (or `instructions`, `instruction`): wordings of the same;
* `task_goal` (or `goal`): goal conditions to counts; a count may be a list that begins with it,
  and the conditions may be listed per agent (`{'0': {...}}`), of which the first are taken. Tasks
  without a goal, as those for training, have a `task_plan`, from which it is taken;
* `init_graph`: the home, or the path of its file as seen from the task file; may be missing;
* `init_room`: class of the room to start in, or a list that begins with it; may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.graph_reading import find_graph, read_graph
from sim_bridge.worlds.household.tasks.gold_plans import read_plan

PREFIX = 'wah:'
#: In bytes; a hundred tasks with a home each have some 30 megabytes.
LARGEST_FILE = 256 * 1024 * 1024
_INDEX = 'index:'
_PICKLES = ('.pik', '.pkl', '.pickle')
_LONGEST_SENTENCE = 4000
_LONGEST_NUMBER = 9


@dataclass(frozen=True, slots=True)
class WahTask:
    """One task as it is published.

    :param source: '<path>#index:<index>', which names it without doubt.
    :param task_id: as text. :param family: e.g. 'setup_table'; '' when not given.
    :param environment: number of the apartment as text; '' when not given.
    :param instructions: 1 or more.
    :param goal: condition -> count, each 1 or more.
    :param sources: thing -> class where its gold plan finds it, for tasks without a home.
    :param graph: the home, or None. :param room: class of the first room, or ''.
    """

    source: str
    task_id: str
    family: str
    environment: str
    instructions: tuple[str, ...]
    goal: dict[str, int]
    sources: dict[str, str]
    graph: Mapping[str, Any] | None
    room: str


def find_task(text: str, seed: int) -> tuple[WahTask, int]:
    """The task that a text names, and the number of its wording from 0.

    :param text: `wah:<path>`, then `#<id>`, `#<index from 0>` (when no task has it as its id) or
        `#index:<index>`, then `/<number of the wording from 1>`; all but the path may be missing.
    :param seed: chooses the task where the text names none, or several by one id.
    :raises ConfigurationError: there is none; says what is wrong.
    """
    name, _, which = text.removeprefix(PREFIX).strip().partition('#')
    place = Path(name).expanduser()
    entries = _read_entries(place)
    which, _, wording = which.partition('/')
    index = _choose(entries, which.strip(), seed, place)
    key = list(entries)[index]
    task = read_task(entries[key], f'{place}#index:{index}', f'{place}, task {key}', place.parent)
    return task, _wording(wording.strip(), task)


def names_of(text: str) -> tuple[str, ...]:
    """What names each task of a file in its first wording, in order.

    :param text: `wah:<path>`.
    :raises ConfigurationError: the file cannot be read.
    """
    place = Path(text.removeprefix(PREFIX).strip()).expanduser()
    return tuple(
        f'{PREFIX}{place}#{_INDEX}{index}/1' for index in range(len(_read_entries(place)))
    )


def read_task(entry: Any, source: str, where: str, folder: Path) -> WahTask:
    """One task out of what a file says of it.

    :param source: '<path>#index:<index>'. :param where: how errors name it.
    :param folder: where paths of homes start from.
    :raises ConfigurationError: says what is wrong.
    """
    if not isinstance(entry, dict):
        raise ConfigurationError(f'{where}: expected a mapping with task_goal and nl_instructions')
    goal = _read_goal(entry.get('task_goal', entry.get('goal')), where)
    sources: dict[str, str] = {}
    if not goal:
        goal, sources = read_plan(entry.get('task_plan'), where)
    return WahTask(
        source,
        str(entry.get('task_id', where.rpartition(' ')[2])),
        str(entry.get('task_name') or ''),
        str(entry.get('env_id', '')),
        _read_instructions(entry, where),
        goal,
        sources,
        _read_home(entry.get('init_graph'), where, folder),
        _read_room(entry.get('init_room'), where),
    )


def _read_entries(place: Path) -> Mapping[str, Any]:
    """Entries by what names them: their ids where the file is a mapping, else their indexes."""
    if place.suffix.lower() in _PICKLES:
        raise ConfigurationError(
            f'{place} is a pickle, which may run code when it is read: save it as JSON first'
        )
    try:
        status = place.stat()
        if status.st_size > LARGEST_FILE:
            raise ConfigurationError(f'the task set {place} is too large to be one')
        return _parse(place, status.st_mtime_ns, status.st_size)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(
            f'the task set {place} cannot be read: {reason}; write wah:<path>#<task id>'
        ) from error


@lru_cache(maxsize=1)
def _parse(place: Path, changed: int, size: int) -> Mapping[str, Any]:
    """The file's entries; kept until another or a changed file is asked for."""
    try:
        data = json.loads(place.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'the task set {place} is not JSON: {error}') from error
    if isinstance(data, dict) and isinstance(data.get('tasks'), list):
        data = data['tasks']
    if isinstance(data, list):
        entries = {str(index): entry for index, entry in enumerate(data)}
    elif isinstance(data, dict) and ('task_goal' in data or 'task_plan' in data):
        entries = {'0': data}
    elif isinstance(data, dict):
        entries = {
            str(key): {'task_id': key, **entry} if isinstance(entry, dict) else entry
            for key, entry in data.items()
        }
    else:
        entries = {}
    if not entries:
        raise ConfigurationError(f'the task set {place} has no tasks: expected a list of them')
    return entries


def _choose(entries: Mapping[str, Any], which: str, seed: int, place: Path) -> int:
    """The index of an entry."""
    if not which:
        return seed % len(entries)
    named = [
        index
        for index, entry in enumerate(entries.values())
        if isinstance(entry, dict) and str(entry.get('task_id')) == which
    ]
    if named:
        return named[seed % len(named)]
    number = which.removeprefix(_INDEX)
    if not _is_number(number) or int(number) >= len(entries):
        raise ConfigurationError(
            f'the task set {place} has no task {which!r:.80}: name one of its task ids, or an '
            f'index from 0 to {len(entries) - 1}'
        )
    return int(number)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def _wording(text: str, task: WahTask) -> int:
    if not text:
        return 0
    if _is_number(text) and 1 <= int(text) <= len(task.instructions):
        return int(text) - 1
    raise ConfigurationError(
        f'task {task.task_id} has no wording {text!r:.80}: choose 1 to {len(task.instructions)}'
    )


def _read_goal(value: Any, where: str) -> dict[str, int]:
    if value is None:
        return {}
    if isinstance(value, dict) and value:
        first = next(iter(value.values()))
        if isinstance(first, dict):
            value = first
    if not isinstance(value, dict):
        raise ConfigurationError(f'{where}: task_goal must map conditions to counts')
    goal = {}
    for key, need in value.items():
        number = need[0] if isinstance(need, list) and need else need
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ConfigurationError(f'{where}: task_goal {key!r} needs a whole number')
        if number:
            goal[str(key)] = number
    return goal


def _read_instructions(entry: Mapping[str, Any], where: str) -> tuple[str, ...]:
    for name in ('nl_instructions', 'instructions', 'instruction'):
        value = entry.get(name)
        if isinstance(value, str):
            value = [value]
        if not value:
            continue
        if isinstance(value, list) and all(_is_sentence(sentence) for sentence in value):
            return tuple(dict.fromkeys(sentence.strip() for sentence in value))
        break
    raise ConfigurationError(
        f'{where}: give nl_instructions, sentences of 1 to {_LONGEST_SENTENCE} characters each'
    )


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_SENTENCE


def _read_home(value: Any, where: str, folder: Path) -> Mapping[str, Any] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return read_graph(folder / Path(value).expanduser())
    try:
        return find_graph(value)
    except ConfigurationError as error:
        raise ConfigurationError(f'{where}: init_graph cannot be used: {error}') from error


def _read_room(value: Any, where: str) -> str:
    if isinstance(value, list) and value:
        value = value[0]
    if value in (None, []):
        return ''
    if not isinstance(value, str):
        raise ConfigurationError(f'{where}: init_room must be the class of a room')
    return value.strip()
