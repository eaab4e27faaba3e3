"""From what a user writes after --tasks to single tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError
from reactree_core.world import TaskWorld
from reactree_core.written_files import path_of
from sim_bridge.worlds.registry import make_task_world

#: Most tasks of one range.
LONGEST_RANGE = 100_000
_SEEDED = re.compile(r'([a-z0-9_]+):(\d{1,18})(?:-(\d{1,18}))?')
#: Names a task of any family.
GENERATED = 'generated'


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One task in one scene of a world.

    :param scene: :param task: :param seed: as a world's `reset` takes them.
    """

    scene: str
    task: str
    seed: int
    world: str = 'household'


def training_tasks(
    texts: Sequence[str], scene: str = '', world: str = 'household'
) -> tuple[TrainingTask, ...]:
    """The tasks that these texts name, each once, in order.

    :param texts: 'generated:<seed>', '<family>:<seed>', '<split>:<seed>', with a range of seeds
        ('generated:1000-1030', both ends included), a split that is counted ('validation'), the
        name of a task where the world has such, or a task file, or a folder of tasks where the
        world reads such, all of it or `<path>#<id>`.
    :param scene: of all tasks; '' takes the one of each task's file or seed.
    :raises ConfigurationError: one cannot be used, or the world sets no tasks by number.
    """
    made = make_task_world(world)
    found: dict[TrainingTask, None] = {}
    sizes = getattr(made, 'split_sizes', {})
    is_task = getattr(made, 'names_task', None)
    for text in texts:
        if text in sizes:
            text = f'{text}:0-{sizes[text] - 1}'
        match = _SEEDED.fullmatch(text)
        splits = getattr(made, 'splits', ())
        named = match is not None and match[1] in (GENERATED, *splits, *made.task_families())
        if match is not None and named:
            tasks = _of_range(match[1], int(match[2]), int(match[3] or match[2]), scene, made)
        elif is_task is not None and is_task(text):
            tasks = iter((TrainingTask(scene, text, 0, made.name),))
        else:
            tasks = _of_file(text, scene, made)
        found.update(dict.fromkeys(tasks))
    return tuple(found)


def _of_range(
    kind: str, first: int, last: int, scene: str, world: TaskWorld
) -> Iterator[TrainingTask]:
    if not first <= last < first + LONGEST_RANGE:
        raise ConfigurationError(
            f'{kind}:{first}-{last} is no range of tasks: write the smaller seed first, and at '
            f'most {LONGEST_RANGE:,} seeds'
        )
    for seed in range(first, last + 1):
        task = f'{kind}:{seed}'
        yield TrainingTask(scene or world.scene_of(seed), task, seed, world.name)


def _of_file(text: str, scene: str, world: TaskWorld) -> Iterator[TrainingTask]:
    path, _, task_id = text.partition('#')
    place = path_of(path)
    if place is None:
        raise ConfigurationError(
            f'there are no tasks {text!r}: write generated:<seed>, one of '
            f'{", ".join(world.task_families())} '
            'with :<seed> or :<seed>-<seed>, or the path of a JSON or YAML task file'
        )
    tasks = [
        (number, task)
        for number, task in enumerate(world.tasks_of_file(place))
        if task_id in ('', task.task_id)
    ]
    if not tasks:
        raise ConfigurationError(f'the task file {place} has no task {task_id!r}')
    for number, task in tasks:
        in_scene = scene or task.scene
        if not in_scene and world.scene_of(0):
            raise ConfigurationError(f'give --scene where the tasks of {place} are to be done')
        yield TrainingTask(in_scene, str(place), number, world.name)
