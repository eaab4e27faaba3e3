"""SMART-LLM's tasks for several robots (Kannan et al., IROS 2024), from its `data/final_test`.

`smart_llm:FOLDER#FloorPlan6/0` names the first line of `FloorPlan6.json`: an object with `task`,
`robot list` and `object_states`, in which `None` may stand for null. What a robot of the list can
do, or how much it carries, is not read: all can do all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import check, FAST_LOADER, path_of, Written
from sim_bridge.worlds.thor.goals import STATES, StatesGoal, Wanted
from sim_bridge.worlds.thor.metadata import Metadata
from sim_bridge.worlds.thor.tasks import AlfredTask

PREFIX = 'smart_llm:'
WORLD = 'thor_team'
_NAME = re.compile(r'(.+)#(FloorPlan[0-9]{1,3})/([0-9]{1,4})')
_FORM = 'write smart_llm:FOLDER#FloorPlan6/0'
_LARGEST = 1024**2
#: What files write for no state, and around names.
_NO_STATE, _AROUND = ('', 'None'), ' ,.'


class _State(Written):
    """What is to become of one thing."""

    model_config = ConfigDict(extra='ignore', strict=True, frozen=True)

    name: str
    contains: list[str] = Field(default_factory=list)
    state: str | None = None


class _Line(Written):
    """A task."""

    model_config = ConfigDict(extra='ignore', strict=True, frozen=True)

    task: str
    robots: list[int] = Field(alias='robot list', min_length=1, max_length=6)
    object_states: list[_State] = Field(default_factory=list)


def names_of(folder: str) -> tuple[str, ...]:
    """Names of all tasks, in order; those that have no goal that can be read are among them.

    :param folder: as people write it. :raises ConfigurationError: there is none, or no task in it.
    """
    path = _folder_of(folder)
    found = tuple(
        f'{PREFIX}{folder}#{file.stem}/{number}'
        for file in sorted(path.glob('FloorPlan*.json'))
        for number in range(len(_lines_of(file)))
    )
    if not found:
        raise ConfigurationError(f'the folder {path} has no FloorPlan*.json of SMART-LLM in it')
    return found


def robots_of(name: str) -> int:
    """How many robots a task is for; 1 where its line cannot be read."""
    try:
        return len(_line_of(name).robots)
    except ConfigurationError:
        return 1


def smart_task(name: str) -> AlfredTask:
    """A task by its name.

    :raises ConfigurationError: there is none, or it tells no goal that can be read.
    """
    line, where = _line_of(name), name.rpartition('#')[2]
    wanted = tuple(_wanted(one, where) for one in line.object_states)
    if not wanted:
        raise ConfigurationError(f'{where} is left out: it has no object_states')
    words = ' '.join(line.task.split())
    return AlfredTask(
        task_id=where,
        task_type=PREFIX.rstrip(':'),
        instruction=words,
        goal=StatesGoal(wanted),
        floor_plan=where.partition('/')[0],
    )


def _wanted(wanted_state: _State, where: str) -> Wanted:
    state = '' if wanted_state.state in (None, *_NO_STATE) else str(wanted_state.state)
    name, contains = (
        wanted_state.name.strip(_AROUND),
        tuple(one.strip(_AROUND) for one in wanted_state.contains),
    )
    if state and state not in STATES:
        raise ConfigurationError(f'{where} is left out: it has the state {state!r:.40}')
    if not name or not all(contains) or not (state or contains):
        raise ConfigurationError(f'{where} is left out: it says nothing of {name or "a thing"}')
    return Wanted(name, contains, state)


def _line_of(name: str) -> _Line:
    found = _NAME.fullmatch(name.removeprefix(PREFIX))
    if found is None:
        raise ConfigurationError(f'there is no task {name[:200]!r}: {_FORM}')
    file, number = _folder_of(found[1]) / f'{found[2]}.json', int(found[3])
    lines = _lines_of(file) if file.is_file() else ()
    if number >= len(lines):
        raise ConfigurationError(f'{file} has {len(lines)} tasks, from 0')
    where = f'{found[2]}/{number} is left out'
    try:
        # As YAML, which JSON is a part of: the published files write None.
        content: Mapping[str, Any] = yaml.load(lines[number], FAST_LOADER)
    except (yaml.YAMLError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise ConfigurationError(f'{where}: it is no JSON ({first[:100]})') from None
    line: _Line = check(content, _Line, where, 'is no task of SMART-LLM')
    return line


@lru_cache(maxsize=32)
def _lines_of(file: Path) -> tuple[str, ...]:
    try:
        text = file.read_text() if file.stat().st_size <= _LARGEST else ''
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'{file} cannot be read: {error}') from None
    return tuple(line for line in text.splitlines() if line.strip())


def _folder_of(name: str) -> Path:
    path = path_of(name)
    if path is None or not path.is_dir():
        raise ConfigurationError(
            f'there is no folder {name[:200]!r}: {_FORM}, where FOLDER is data/final_test of '
            'SMART-LLM, or has files like its FloorPlan6.json'
        )
    return path


def check_scene(task: AlfredTask, start: Metadata) -> None:
    """Refuse a task of these files that its scene does not have, or that is done already.

    :raises ConfigurationError: a name is of nothing that is there, or the goal holds.
    """
    if not isinstance(task.goal, StatesGoal):
        return
    missing = task.goal.missing(start)
    if missing:
        raise ConfigurationError(f'{task.task_id} is left out: nothing there is named {missing!r}')
    if task.goal.progress(start).success:
        raise ConfigurationError(f'{task.task_id} is left out: its goal holds at the start')
