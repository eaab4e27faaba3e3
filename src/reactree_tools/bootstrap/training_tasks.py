"""From what a user writes after --tasks to single tasks, each with a name of its own."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError
from sim_bridge.tasks import FAMILIES
from sim_bridge.tasks.loading import GENERATED
from sim_bridge.tasks.loading import read_task_file

#: Most tasks of one range.
LONGEST_RANGE = 100_000
_SEEDED = re.compile(r'([a-z_]+):(\d{1,18})(?:-(\d{1,18}))?')
_SPACE = uuid.UUID('6e0d1c1e-6d0f-4e0c-9f52-3b1f3f9d5a70')


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One task in one home.

    :param scene: :param task: :param seed: as a world's `reset` takes them.
    :param identity: what tells it from all others, however it was written.
    """

    scene: str
    task: str
    seed: int
    identity: str

    def run_id(self, planner: str, model: str) -> str:
        """32 hexadecimal digits, always the same for this task, planner and model."""
        return uuid.uuid5(_SPACE, f'{planner}\n{model}\n{self.scene}\n{self.identity}').hex


def training_tasks(texts: Sequence[str], scene: str = '') -> tuple[TrainingTask, ...]:
    """The tasks that these texts name, each once, in order.

    :param texts: 'generated:<seed>', '<family>:<seed>', either with a range of seeds
        ('generated:1000-1030', both ends included), or a task file, all of it or `<path>#<id>`.
    :param scene: of all tasks; '' takes the generated home of each task's seed.
    :raises ConfigurationError: one cannot be used.
    """
    found: dict[TrainingTask, None] = {}
    for text in texts:
        match = _SEEDED.fullmatch(text)
        named = match is not None and match[1] in (GENERATED, *FAMILIES)
        if match is not None and named:
            tasks = _of_range(match[1], int(match[2]), int(match[3] or match[2]), scene)
        else:
            tasks = _of_file(text, scene)
        found.update(dict.fromkeys(tasks))
    return tuple(found)


def _of_range(kind: str, first: int, last: int, scene: str) -> Iterator[TrainingTask]:
    if not first <= last < first + LONGEST_RANGE:
        raise ConfigurationError(
            f'{kind}:{first}-{last} is no range of tasks: write the smaller seed first, and at '
            f'most {LONGEST_RANGE:,} seeds'
        )
    for seed in range(first, last + 1):
        task = f'{kind}:{seed}'
        yield TrainingTask(scene or f'{GENERATED}:{seed}', task, seed, task)


def _of_file(text: str, scene: str) -> Iterator[TrainingTask]:
    path, _, task_id = text.partition('#')
    place = Path(path).expanduser()
    if not path or not place.is_file():
        raise ConfigurationError(
            f'there are no tasks {text!r}: write generated:<seed>, one of {", ".join(FAMILIES)} '
            'with :<seed> or :<seed>-<seed>, or the path of a JSON or YAML task file'
        )
    if not scene:
        raise ConfigurationError(f'give --scene the home in which the tasks of {place} are to do')
    tasks = [
        (number, task)
        for number, task in enumerate(read_task_file(place))
        if task_id in ('', task.task_id)
    ]
    if not tasks:
        raise ConfigurationError(f'the task file {place} has no task {task_id!r}')
    for number, task in tasks:
        # The place in the file is not part of it: tasks may be added before.
        identity = json.dumps([task.task_id, task.instruction, task.goal], sort_keys=True)
        yield TrainingTask(scene, str(place), number, identity)
