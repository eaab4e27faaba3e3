"""From the text of a reset request to a task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Discriminator, Field, model_validator, StringConstraints, Tag

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import path_of, read_file, Written
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks.generator import generate_task
from sim_bridge.worlds.household.tasks.home import Home
from sim_bridge.worlds.household.tasks.task import Task
from sim_bridge.worlds.household.tasks.wah import load_wah_task
from sim_bridge.worlds.household.tasks.wah_files import PREFIX
from sim_bridge.worlds.household.tasks.wording import FAMILIES, list_things
from sim_bridge.worlds.task_names import family_and_seed, GENERATED

LARGEST_FILE = 8 * 1024 * 1024
_LONGEST_SENTENCE = 4000


_Sentence = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_SENTENCE)
]


class WrittenTask(Written):
    """A task of a file; names that are not read here are for other programs."""

    model_config = ConfigDict(extra='ignore')

    task_id: str | int | None = None
    task_type: str | int = 'custom'
    instruction: _Sentence | None = None
    instructions: list[_Sentence] | None = None
    goal: Annotated[dict[str, Any], Field(min_length=1)]

    @model_validator(mode='after')
    def _has_a_sentence(self) -> Self:
        if not self.sentences:
            raise ValueError('give an instruction')
        return self

    @property
    def sentences(self) -> tuple[str, ...]:
        """All ways to say it, the first of them first."""
        first = [self.instruction] if self.instruction else []
        return tuple(dict.fromkeys([*first, *(self.instructions or [])]))

    def task(self, name: str) -> Task:
        """:param name: for one that has no id."""
        return Task(
            task_id=name if self.task_id is None else str(self.task_id),
            task_type=str(self.task_type),
            instruction=self.sentences[0],
            goal=self.goal,
            instructions=self.sentences,
        )


class WrittenTasks(Written):
    """Several tasks."""

    model_config = ConfigDict(extra='ignore')

    tasks: list[WrittenTask]


def _kind(content: Any) -> str:
    if isinstance(content, list):
        return 'list'
    return 'tasks' if isinstance(content, dict) and 'tasks' in content else 'task'


_WRITTEN = Annotated[
    Annotated[WrittenTask, Tag('task')]
    | Annotated[WrittenTasks, Tag('tasks')]
    | Annotated[list[WrittenTask], Tag('list')],
    Discriminator(_kind),
]


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
    drawn = family_and_seed(text, FAMILIES, seed)
    if drawn:
        family, number = drawn
        return generate_task(graph, None if family == GENERATED else family, number)
    path, _, task_id = text.partition('#')
    place = path_of(path)
    if place is None or not place.is_file():
        raise ConfigurationError(
            f'there is no task {text!r}: write generated:<seed>, one of {", ".join(FAMILIES)} '
            'with :<seed>, the path of a JSON or YAML task file, or wah:<path>#<task id>'
        )
    return _check_home(_read_file(place, task_id, seed), Home(graph))


def read_task_file(place: Path) -> list[Task]:
    """All tasks of a JSON or YAML file, in order; whether they fit a home is not looked at.

    :raises ConfigurationError: the file cannot be read, or is no task file.
    """
    form = 'must be a task with "instruction" and "goal", a list of such, or "tasks:" with a list'
    written = read_file(place, _WRITTEN, form=form, largest=LARGEST_FILE)
    tasks = written.tasks if isinstance(written, WrittenTasks) else written
    entries = tasks if isinstance(tasks, list) else [tasks]
    return [entry.task(f'task {index}') for index, entry in enumerate(entries)]


def _read_file(place: Path, task_id: str, seed: int) -> Task:
    tasks = read_task_file(place)
    if task_id:
        tasks = [task for task in tasks if task.task_id == task_id]
    if not tasks:
        wanted = f' with the id {task_id!r}' if task_id else ''
        raise ConfigurationError(f'the task file {place} has no task{wanted}')
    return tasks[seed % len(tasks)]


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
