"""From the text of a reset request to a task."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reactree_core.errors import ConfigurationError
from sim_bridge.tasks.generator import generate_task
from sim_bridge.tasks.home import Home
from sim_bridge.tasks.task import Task
from sim_bridge.tasks.wah import load_wah_task
from sim_bridge.tasks.wah_files import PREFIX
from sim_bridge.tasks.wording import FAMILIES
from sim_bridge.tasks.wording import list_things
from sim_bridge.worlds.household.roles import name_of

GENERATED = 'generated'
LARGEST_FILE = 8 * 1024 * 1024
_LONGEST_SENTENCE = 4000
_SEEDED = re.compile(r'([a-z_]+)(?::(\d{1,18}))?')


def load_task(text: str, graph: Mapping[str, Any], seed: int) -> Task | None:
    """The task that a text names, for a home.

    :param text: 'generated:<seed>' (any family), '<family>:<seed>', either without its seed, a
        path of a JSON or YAML task file, `<path>#<task id>` for one of several, or
        'wah:<path>#<id or index>' for a published task set (see `wah`); '' for none.
    :param graph: the home, in VirtualHome's format.
    :param seed: used where the text has none, and to choose among the tasks of a file.
    :raises ConfigurationError: there is no such task, or it does not fit the home.
    """
    text = text.strip()
    if not text:
        return None
    if text.startswith(PREFIX):
        return load_wah_task(text, graph, seed)
    match = _SEEDED.fullmatch(text)
    if match and match.group(1) in (GENERATED, *FAMILIES):
        own = match.group(2)
        family = None if match.group(1) == GENERATED else match.group(1)
        return generate_task(graph, family, int(own) if own is not None else seed)
    path, _, task_id = text.partition('#')
    place = Path(path).expanduser()
    if not place.is_file():
        raise ConfigurationError(
            f'there is no task {text!r}: write generated:<seed>, one of {", ".join(FAMILIES)} '
            'with :<seed>, the path of a JSON or YAML task file, or wah:<path>#<task id>'
        )
    return _check_home(_read_file(place, task_id, seed), Home(graph))


def read_task_file(place: Path) -> list[Task]:
    """All tasks of a JSON or YAML file, in order; whether they fit a home is not looked at.

    :raises ConfigurationError: the file cannot be read, or is no task file.
    """
    try:
        if place.stat().st_size > LARGEST_FILE:
            raise ConfigurationError(f'the task file {place} is too large to be one')
        content = place.read_text(encoding='utf-8-sig')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'the task file {place} cannot be read: {error}') from error
    try:
        if place.suffix.lower() in ('.yaml', '.yml'):
            data = yaml.safe_load(content)
        else:
            data = json.loads(content)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        kind = 'YAML' if place.suffix.lower() in ('.yaml', '.yml') else 'JSON'
        raise ConfigurationError(f'the task file {place} is not {kind}: {error}') from error
    if isinstance(data, dict) and isinstance(data.get('tasks'), list):
        data = data['tasks']
    entries = data if isinstance(data, list) else [data]
    return [_read_task(entry, f'{place}, task {index}') for index, entry in enumerate(entries)]


def _read_file(place: Path, task_id: str, seed: int) -> Task:
    tasks = read_task_file(place)
    if task_id:
        tasks = [task for task in tasks if task.task_id == task_id]
    if not tasks:
        wanted = f' with the id {task_id!r}' if task_id else ''
        raise ConfigurationError(f'the task file {place} has no task{wanted}')
    return tasks[seed % len(tasks)]


def _read_task(entry: Any, where: str) -> Task:
    """One task of a file, by the fields of `Task`."""
    if not isinstance(entry, dict):
        raise ConfigurationError(f'{where}: expected a mapping with instruction and goal')
    goal = entry.get('goal')
    if not isinstance(goal, dict) or not goal:
        raise ConfigurationError(f'{where}: goal must map conditions to counts')
    several = entry.get('instructions') or []
    if not isinstance(several, list):
        raise ConfigurationError(f'{where}: instructions must be a list of sentences')
    sentences = [entry['instruction'], *several] if 'instruction' in entry else list(several)
    if not sentences or not all(_is_sentence(sentence) for sentence in sentences):
        raise ConfigurationError(
            f'{where}: give an instruction of 1 to {_LONGEST_SENTENCE} characters'
        )
    return Task(
        task_id=str(entry.get('task_id', where.rpartition('/')[2])),
        task_type=str(entry.get('task_type', 'custom')),
        instruction=sentences[0],
        goal={str(key): need for key, need in goal.items()},
        instructions=tuple(dict.fromkeys(sentences)),
    )


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_SENTENCE


def _check_home(task: Task, home: Home) -> Task:
    """The task itself when its goal can be understood and its classes exist in the home."""
    missing = []
    for condition in home.conditions(task.goal):
        for class_name in (condition.thing, condition.target):
            if class_name and not home.has_class(class_name):
                missing.append((name_of(class_name), 1))
    if missing:
        things = list_things(list(dict.fromkeys(missing)), 'article')
        raise ConfigurationError(
            f'task {task.task_id} cannot be set in this home: it has not got {things}; '
            'choose another scene or task'
        )
    return task
