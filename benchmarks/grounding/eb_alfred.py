"""EB-ALFRED: six kinds of instructions for the same tasks, and whether their target is read.

Files are the user's: EmbodiedBench's `splits.json` (kind -> tasks with an instruction) and
`tasks/TASK/TRIAL/traj_data.json`, beside ALFRED's floor plans. Only the target object and its
place (for light to look by: the lamp) are compared: many of these sentences tell no more.
All of these instructions may be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.grounding.alfred import vocabulary_of
from benchmarks.grounding.conditions import read_condition
from benchmarks.grounding.measured_reader import Read, Reading
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary

_HEAD = (
    '| kind | instructions | target object | target place | whole | whole, both | '
    'whole without the target object |\n' + '|---' * 7 + '|'
)


@dataclass(frozen=True, slots=True)
class EbTask:
    """One instruction. :param kind: of the six. :param target: class of the object it is about.

    :param place: where it shall be, or the lamp that shall be on.
    """

    text: str
    kind: str
    target: str
    place: str
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class EbResult:
    """An instruction, what it was read as, and which targets are among the conditions."""

    task: EbTask
    reading: Reading
    has_target: bool
    has_place: bool

    @property
    def whole_without_target(self) -> bool:
        """Whether it was read whole, and is not about the object that is wanted."""
        return self.reading.whole and not self.has_target


def read_eb_alfred(folder: Path, layouts: Path) -> tuple[EbTask, ...]:
    """All instructions of all kinds, each with the classes of its floor plan.

    :param folder: with `splits.json` and `tasks`. :param layouts: with the floor plans' classes.
    :raises ConfigurationError: a file is missing.
    """
    try:
        kinds = json.loads((folder / 'splits.json').read_text(encoding='utf-8'))
        return tuple(
            _task(entry, kind, folder, layouts)
            for kind, entries in kinds.items()
            for entry in entries
        )
    except OSError as error:
        raise ConfigurationError(
            f'{error.filename} cannot be read: name the folder of EB-ALFRED with --eb-alfred and '
            'that of its floor plans with --layouts'
        ) from error


def _task(entry: dict[str, str], kind: str, folder: Path, layouts: Path) -> EbTask:
    file = folder / 'tasks' / entry['task'] / 'traj_data.json'
    told = json.loads(file.read_text(encoding='utf-8'))
    goal = {name: str(value).lower() for name, value in told['pddl_params'].items()}
    return EbTask(
        ' '.join(entry['instruction'].split()),
        kind,
        goal['object_target'],
        goal['parent_target'] or goal['toggle_target'],
        vocabulary_of(layouts / f'{told["scene"]["floor_plan"]}-objects.json'),
    )


def results_of(tasks: Iterable[EbTask], read: Read) -> list[EbResult]:
    """Each instruction as it is read."""
    return [_result(task, read(task.text, task.vocabulary)) for task in tasks]


def _result(task: EbTask, reading: Reading) -> EbResult:
    told = [read_condition(text) for text in reading.conditions]
    facts = [one for one in told if one.relation is not None]
    objects = {one.subject or one.value for one in facts}
    places = {name for one in facts for name in (one.subject, one.value)}
    return EbResult(task, reading, task.target in objects, task.place in places)


def table_of(results: Sequence[EbResult]) -> str:
    """A row for each kind and one for all, and below it what was read whole without the target."""
    kinds = dict.fromkeys(one.task.kind for one in results)
    rows = [_row(kind, [one for one in results if one.task.kind == kind]) for kind in kinds]
    lines = [_HEAD, *rows, _row('all', results)]
    for one in results:
        if one.whole_without_target:
            lines.append(
                f'\n{one.task.text} ({one.task.kind})\n    got:    {one.reading.steps}\n'
                f'    target: {one.task.target}, {one.task.place}'
            )
    return '\n'.join(lines)


def _row(name: str, results: Sequence[EbResult]) -> str:
    counts = (
        len(results),
        sum(one.has_target for one in results),
        sum(one.has_place for one in results),
        sum(one.reading.whole for one in results),
        sum(one.reading.whole and one.has_target and one.has_place for one in results),
        sum(one.whole_without_target for one in results),
    )
    return f'| {name} | {" | ".join(map(str, counts))} |'
