"""EB-ALFRED: EmbodiedBench's instructions for ALFRED's tasks, in six splits.

`eb_alfred:FOLDER#SPLIT/NUMBER` names one. FOLDER is EmbodiedBench's `envs/eb_alfred` as it is
published, or one with `splits.json` and `tasks/TASK/TRIAL/traj_data.json`. Its limits are those
of `EBAlfEnv.py` (commit b2479360): an episode ends when the goal is met, after 30 actions, or
after 10 that failed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import path_of, read_file
from sim_bridge.worlds.thor.tasks import AlfredTask, Ends, SplitEntry, WHOLE, whole_task

PREFIX = 'eb_alfred:'
SPLITS = (
    'base',
    'common_sense',
    'complex_instruction',
    'spatial',
    'visual_appearance',
    'long_horizon',
)
ALL = 'all'
#: Actions of an episode, and how many of them may fail.
ENDS = Ends(30, 10)
_NAME = re.compile(rf'(.+)#({"|".join(SPLITS)})/([0-9]{{1,6}})')
_LARGEST = 16 * 1024**2
#: Where files are in the folder: as published, or as a few of them are passed on.
_INDEXES = ('splits.json', 'data/splits/splits.json')
_TASKS = ('tasks', 'data/json_2.1.0', 'json_2.1.0', '')
_LAYOUTS = ('gen/layouts', 'layouts', '../layouts', '../alfred_layouts')
_FORM = 'write eb_alfred:FOLDER#SPLIT/NUMBER'


def names_of(folder: str, split: str) -> tuple[str, ...]:
    """Names of all tasks of a split, in order.

    :param folder: as people write it. :param split: one of `SPLITS`.
    :raises ConfigurationError: there is no such folder or split.
    """
    if split not in SPLITS:
        raise ConfigurationError(
            f'EB-ALFRED has no split {split!r}: there are {", ".join(SPLITS)}, or {ALL}'
        )
    count = len(_index_of(_folder_of(folder)).get(split, ()))
    return tuple(f'{PREFIX}{folder}#{split}/{number}' for number in range(count))


def eb_task(name: str) -> AlfredTask:
    """A task by its name.

    :raises ConfigurationError: there is none, or its files cannot be used.
    """
    found = _NAME.fullmatch(name.removeprefix(PREFIX))
    if found is None:
        raise ConfigurationError(f'there is no task {name[:200]!r}: {_FORM}')
    folder, split, number = _folder_of(found[1]), found[2], int(found[3])
    entries = _index_of(folder).get(split, [])
    if number >= len(entries):
        raise ConfigurationError(f'{split} of {folder} has {len(entries)} tasks, from 0')
    entry = entries[number]
    words = ' '.join(entry.instruction.split())
    return replace(
        whole_task(_file_of(folder, entry)),
        task_id=f'{split}/{number} {entry.task}',
        instruction=words,
        instructions=(words,),
        # A decision is no action, and only actions are limited.
        decisions=0,
        ends=ENDS,
    )


def trajectories_of(name: str) -> Path:
    """The folder of all tasks, which tell where things and furniture are.

    :raises ConfigurationError: there is none.
    """
    folder = _folder_of(name.removeprefix(PREFIX).partition('#')[0])
    return next(one for place in _TASKS if (one := folder / place).is_dir())


def layouts_of(name: str) -> Path | None:
    """The floor plans' layouts in or beside the folder; None where there are none."""
    folder = _folder_of(name.removeprefix(PREFIX).partition('#')[0])
    places = (folder / place for place in _LAYOUTS)
    return next((one.resolve() for one in places if any(one.glob('*-layout.npy'))), None)


def _folder_of(name: str) -> Path:
    path = path_of(name)
    if path is None or not path.is_dir():
        raise ConfigurationError(
            f'there is no folder {name[:200]!r}: {_FORM}, where FOLDER is envs/eb_alfred of '
            f'EmbodiedBench, or has splits.json and tasks/TASK/TRIAL/{WHOLE}'
        )
    return path


@lru_cache(maxsize=4)
def _index_of(folder: Path) -> Mapping[str, list[SplitEntry]]:
    file = next((one for name in _INDEXES if (one := folder / name).is_file()), None)
    if file is None:
        raise ConfigurationError(f'the folder {folder} has no splits.json of EmbodiedBench in it')
    found: dict[str, list[SplitEntry]] = read_file(
        file, dict[str, list[SplitEntry]], form='must be a splits.json of EmbodiedBench',
        largest=_LARGEST,
    )  # fmt: skip
    return found


def _file_of(folder: Path, entry: SplitEntry) -> Path:
    for place in _TASKS:
        for name in (WHOLE, f'pp/ann_{entry.repeat_idx}.json'):
            file = folder / place / entry.task / name
            if '..' not in entry.task and file.is_file():
                return file
    raise ConfigurationError(f'{folder} has no {WHOLE} of the task {entry.task}')
