"""What the page of a study is given: sums over everything, and one page of its episodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_tools.bench.following import Episode, FollowedStudy, Group, Task
from reactree_tools.bench.rows import Cell
from reactree_tools.bench.study import StudyFile
from reactree_tools.plain_text import count, seconds, visible
from reactree_tools.viewer.sources import LISTED_RUNS

#: Tasks of one page, and groups that have a column.
TASKS_OF_A_PAGE = 50
COLUMNS = 60
#: Values of an axis that are given, and their longest text in characters.
_VALUES = 12
_LONGEST = 120
#: Which tasks are shown -> in words, for a list to choose from.
SHOWN = {
    'all': 'all tasks',
    'failed': 'not solved by all',
    'differ': 'solved by some only',
    'waiting': 'not run by all yet',
}


class StudyPage:
    """A study that is looked at. Methods may be called from any thread.

    :raises ConfigurationError: there is no study in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._study = FollowedStudy(folder)

    def newest_runs(self) -> Iterator[str]:
        """Ids of the episodes that ended last, the last first."""
        with self._lock:
            self._study.look()
            episodes = reversed(self._study.episodes.values())
            newest = [one.run for one, _ in zip(episodes, range(LISTED_RUNS), strict=False)]
        return filter(None, newest)

    def answer(self, known: str, page: int, search: str, shown: str) -> dict[str, Any] | None:
        """Everything that the page shows; None where it has that already.

        :param known: `mark` of what it has, or ''. :param page: of the tasks, from 0; past the
            last, the last. :param search: words that tasks are to have. :param shown: of `SHOWN`.
        :raises ConfigurationError: there is no such choice.
        """
        if shown not in SHOWN:
            raise ConfigurationError(f'there is no choice "{shown[:40]}": {", ".join(SHOWN)}')
        with self._lock:
            study = self._study
            # Before the look: what comes meanwhile is given the next time.
            mark = study.mark
            if mark == known:
                return None
            study.look()
            axes = [name for name, values in _values_of(study).items() if len(values) > 1]
            columns = list(study.groups)[:COLUMNS]
            tasks = _found(study, columns, search, shown)
            pages = max(1, -(-len(tasks) // TASKS_OF_A_PAGE))
            page = min(page, pages - 1)
            part = tasks[page * TASKS_OF_A_PAGE : (page + 1) * TASKS_OF_A_PAGE]
            return {
                'mark': mark,
                'folder': visible(str(study.folder.resolve())),
                'running': study.running,
                'asked': _axes(study.file),
                'done': study.done,
                'total': study.total,
                'left': study.left,
                'at_once': study.at_once,
                'spent': sum(tally.seconds for tally in study.tallies.values()),
                'beside': len(study.episodes) - study.done,
                'troubles': study.troubles,
                'axes': [name.replace('_', ' ') for name in axes] or ['planner'],
                'groups': _lines(study, axes),
                'columns': [_group_name(group, axes) for group in columns],
                'all_columns': len(study.groups),
                'shown': SHOWN,
                'page': page,
                'pages': pages,
                'found': len(tasks),
                'all_tasks': len(study.tasks),
                'first': page * TASKS_OF_A_PAGE + 1,
                'tasks': [_row(study, task, columns) for task in part],
            }


def _values_of(study: FollowedStudy) -> dict[str, set[Any]]:
    """Of each axis of groups what there is; of several stores an empty one is none."""
    values = {name: {getattr(group, name) for group in study.groups} for name in Group._fields}
    # Where no episodic memory is read there is no store to tell of.
    for name, nothing in (('store', ''), ('store_size', 0)):
        if len(values[name]) == 2 and len(values['memory']) > 1:
            values[name] -= {nothing}
    return values


def _group_name(group: Group, axes: list[str]) -> str:
    """What distinguishes a group from the others."""
    parts = {
        'planner': group.planner,
        'preset': group.preset,
        'model': _short(group.model),
        'memory': group.memory,
        'store': _short(group.store),
        'store_size': f'{group.store_size} runs' if group.store_size else '',
    }
    name = ' · '.join(parts[name] for name in axes if parts[name])
    return visible(name or group.planner, _LONGEST)


def _short(place: str) -> str:
    """A file without its folders; an address as it is."""
    return place if '://' in place else place.rstrip('/').rpartition('/')[2]


def _lines(study: FollowedStudy, axes: list[str]) -> list[dict[str, Any]]:
    """A line for each group in each world, those of a world together."""
    worlds = dict.fromkeys(world for world, _ in study.tallies)
    numbers = {group: number for number, group in enumerate(study.groups, start=1)}
    lines = []
    for world in worlds:
        for group in study.groups:
            tally = study.tallies.get((world, group))
            if tally is None:
                continue
            number = tally.number
            lines.append(
                {
                    'number': numbers[group],
                    'world': visible(world, _LONGEST) if len(worlds) > 1 else '',
                    'name': _group_name(group, axes),
                    'about': visible(', '.join(str(value) for value in group if value)),
                    'done': number,
                    'asked': number + tally.waiting,
                    'solved': tally.solved,
                    'share': tally.share / number if number else None,
                    'decisions': tally.decisions / number if number else None,
                    'seconds': tally.seconds / number if number else None,
                }
            )
    return lines


def _axes(file: StudyFile) -> list[dict[str, Any]]:
    """What was asked for: names with their values."""
    stores = [entry if isinstance(entry, str) else entry.path for entry in file.stores]
    limits = [f'{value:g} {name}' for name, value in file.limits.model_dump().items() if value]
    axes: dict[str, Sequence[object]] = {
        'tasks': [entry if isinstance(entry, str) else entry.tasks for entry in file.tasks],
        'planners': file.planners,
        'presets': file.presets,
        'models': [entry if isinstance(entry, str) else entry.known_as for entry in file.models],
        'memories': file.memories,
        'stores': stores,
        'seeds': [file.seeds] if isinstance(file.seeds, int) else file.seeds,
        'limits': limits,
    }
    return [
        {
            'name': name,
            'values': [visible(str(value), _LONGEST) for value in values[:_VALUES]],
            'more': max(0, len(values) - _VALUES),
        }
        for name, values in axes.items()
        if values
    ]


def _found(study: FollowedStudy, columns: list[Group], search: str, shown: str) -> list[Task]:
    words = search.lower().split()
    found = []
    for task in study.tasks:
        if words:
            text = _text_of(study, task)
            # A number means that number, not 12 for 2, as elsewhere on the page.
            if not all((f' {one} ' if one.isdecimal() else one) in text for one in words):
                continue
        if shown == 'all' or _is_shown(study, task, columns, shown):
            found.append(task)
    return found


def _text_of(study: FollowedStudy, task: Task) -> str:
    said = (*task[:5], task.task.replace(':', ' '), study.instructions.get(task, ''))
    return f' {" ".join(map(str, said))} '.lower()


def _is_shown(study: FollowedStudy, task: Task, columns: list[Group], shown: str) -> bool:
    cells = [_cell(task, group) for group in columns]
    ended = [study.episodes[cell].success for cell in cells if cell in study.episodes]
    if shown == 'failed':
        return not all(ended)
    if shown == 'differ':
        return any(ended) and not all(ended)
    return any(study.asks_for(cell) and cell not in study.episodes for cell in cells)


def _cell(task: Task, group: Group) -> Cell:
    return Cell(**task._asdict(), **group._asdict())


def _row(study: FollowedStudy, task: Task, columns: list[Group]) -> dict[str, Any]:
    cells = [_cell(task, group) for group in columns]
    about = [task.world, task.tasks, task.scene, f'world seed {task.world_seed}']
    seeds = study.file.seeds
    several = seeds > 1 if isinstance(seeds, int) else len(seeds) > 1
    return {
        'name': visible(cells[0].task_name, _LONGEST) + (f' seed {task.seed}' if several else ''),
        'about': visible(' · '.join(filter(None, [task.task, *about]))),
        'instruction': study.instructions.get(task, ''),
        'cells': [_told(study, cell) for cell in cells],
    }


def _told(study: FollowedStudy, cell: Cell) -> dict[str, str] | None:
    """An episode, or that it waits; None for one that nobody asks for."""
    episode = study.episodes.get(cell)
    if episode is None:
        return {'state': 'waiting'} if study.asks_for(cell) else None
    state = 'met' if episode.success else 'part' if episode.share > 0 else 'not'
    return {'state': state, 'met': episode.met, 'run': episode.run, 'words': _words(episode)}


def _words(episode: Episode) -> str:
    ended = f'ended: {episode.ended}'
    if episode.false_success:
        ended = 'said to be done, and is not'
    figures = [
        'solved' if episode.success else 'not solved',
        episode.judged,
        ended,
        count(episode.decisions, 'decision'),
        count(episode.steps, 'skill'),
        seconds(episode.seconds),
    ]
    return ' · '.join(filter(None, figures)) + (f'. {episode.reason}' if episode.reason else '')
