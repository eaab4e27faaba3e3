"""What a study asks for: its file, and the episodes that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, model_validator

from reactree_core.errors import ConfigurationError
from reactree_core.record.run_settings import Limits
from reactree_core.written_files import check, read_file, Written
from reactree_planner.llm.models import DEFAULT_MODEL
from reactree_planner.llm.openai_server.thinking import EFFORTS
from reactree_planner.llm.registry import check_model_file, ModelOptions
from reactree_planner.llm.two_models import PLANS_BY
from reactree_planner.planners.registry import general_planners, planner_names
from reactree_planner.runs.presets import DEFAULT, settings_of_preset
from reactree_tools.bench.rows import Cell
from reactree_tools.bench.task_sources import StudyTask, tasks_of

#: Which memories a run has (ReAcTree section 5): name -> (working, episodic).
MEMORIES = {
    'none': (False, False),
    'working': (True, False),
    'episodic': (False, True),
    'both': (True, True),
}
#: In the place of every planner's name.
ALL = 'all'
#: Stands in for a model in the household: fast, and it knows the goals.
TEACHER = 'teacher'
_OPTIONS = ModelOptions()
_EFFORT = f'^({"|".join(EFFORTS)})$'
_Count = Annotated[int, Field(ge=0, le=10**9)]
_Seconds = Annotated[float, Field(gt=0, le=1e6)]
_Names = Annotated[list[str], Field(min_length=1, max_length=200)]


class TaskEntry(Written):
    """A task source with more than its text; see `task_sources.tasks_of`."""

    tasks: str
    world: str = ''
    scenes: str = ''


class Price(Written):
    """In any money, for a million tokens.

    :param prompt: of the prompt, evaluated. :param cached: of the prompt, not evaluated again.
    :param completion: written.
    """

    prompt: Annotated[float, Field(ge=0)] = 0.0
    cached: Annotated[float, Field(ge=0)] = 0.0
    completion: Annotated[float, Field(ge=0)] = 0.0


class ModelEntry(Written):
    """A model and what its back end is given; see `ModelOptions`.

    :param name: as the parameter `model`: of the catalogue, a file, an address.
    :param label: how rows and tables call it; '' for the name.
    :param servers: addresses that serve the same model, taken in turn; in place of `name`.
    :param requests: most episodes at one server at once, 1..10,000.
    :param price: for the column `cost`.
    """

    name: str = ''
    label: str = ''
    servers: list[str] = Field(default_factory=list)
    requests: Annotated[int, Field(ge=1, le=10_000)] = 1
    price: Price | None = None
    context_tokens: Annotated[int, Field(ge=512, le=2**20)] = _OPTIONS.context_tokens
    threads: _Count = 0
    device: str = ''
    chat_template: str = _OPTIONS.chat_template
    draft_tokens: Annotated[int, Field(ge=0, le=16)] = _OPTIONS.draft_tokens
    server_model: str = ''
    api_key_variable: str = ''
    api_key_over_http: bool = False
    reasoning_effort: Annotated[str, Field(pattern=_EFFORT)] = _OPTIONS.reasoning_effort
    thinking_tokens: _Count = 0
    options_in_prompt: bool = True
    connect_timeout: _Seconds = _OPTIONS.connect_timeout
    request_timeout: _Seconds = _OPTIONS.request_timeout

    @model_validator(mode='after')
    def _one_place(self) -> ModelEntry:
        if bool(self.name) == bool(self.servers):
            raise ValueError('a model has a name, or a list of servers')
        return self

    @property
    def known_as(self) -> str:
        """How rows call it."""
        return self.label or self.name or self.server_model or self.servers[0]

    @property
    def places(self) -> tuple[str, ...]:
        """Where it can be asked: one name, or its servers."""
        return tuple(self.servers) or (self.name,)

    def check_files(self) -> None:
        """Find the files of a model that runs on this machine.

        :raises ConfigurationError: one is missing; says how to get it.
        """
        for place in self.places:
            if place != TEACHER:
                check_model_file(place)

    @property
    def options(self) -> ModelOptions:
        """For `load_model`."""
        return ModelOptions(
            **{
                option.name: getattr(self, option.name)
                for option in fields(ModelOptions)
                if option.name in type(self).model_fields
            }
        )


class StoreEntry(Written):
    """An episodic memory.

    :param path: as of `reactree memory bootstrap`. :param sizes: most of its runs, oldest first,
        for learning curves; 0 for all.
    """

    path: str
    sizes: list[_Count] = Field(default_factory=lambda: [0])


class LimitsEntry(Written):
    """Most of everything in an episode; see `Limits`. 0: no limit."""

    decisions: _Count = Limits().decisions
    steps: _Count = Limits().steps
    depth: _Count = Limits().depth
    tokens: _Count = 0
    seconds: Annotated[float, Field(ge=0, le=1e7)] = 0.0


class StudyFile(Written):
    """A file `study.yaml`. Every task meets every planner, preset, model, memory, store and seed.

    :param tasks: e.g. ['household:20@1401', {tasks: 'wah:tasks.json[0:20]', scenes: 'g/*.json'}].
    :param presets: each with overrides after commas, e.g. 'default,repairs=0'.
    :param memories: none, working, episodic, both.
    :param stores: of episodic memories; none: the shipped examples.
    :param seeds: how many, from 0, or which.
    """

    tasks: list[str | TaskEntry] = Field(default_factory=list)
    planners: _Names = Field(default_factory=lambda: ['reactree'])
    presets: _Names = Field(default_factory=lambda: ['default'])
    models: Annotated[list[str | ModelEntry], Field(min_length=1)] = Field(
        default_factory=lambda: [DEFAULT_MODEL]  # type: ignore[arg-type]
    )
    memories: _Names = Field(default_factory=lambda: ['both'])
    stores: list[str | StoreEntry] = Field(default_factory=list)
    seeds: Annotated[int, Field(ge=1, le=1000)] | list[_Count] = 1
    limits: LimitsEntry = LimitsEntry()


@dataclass(frozen=True)
class Study:
    """A study that can be run. :param models: by what rows call them."""

    file: StudyFile
    models: dict[str, ModelEntry]
    tasks: tuple[StudyTask, ...]

    @property
    def limits(self) -> Limits:
        """Of every episode."""
        written = self.file.limits
        return Limits(
            written.decisions, written.steps, written.depth, written.tokens, written.seconds
        )

    def cells(self) -> Iterator[Cell]:
        """All episodes. A task for everyone before the next: a table of a part is fair too."""
        file = self.file
        seeds = range(file.seeds) if isinstance(file.seeds, int) else file.seeds
        stores = [
            (entry.path, size)
            for entry in map(_store_entry, file.stores)
            for size in dict.fromkeys(entry.sizes)
        ] or [('', 0)]
        for task, seed in product(self.tasks, dict.fromkeys(seeds)):
            for planner, preset, model, memory in product(
                file.planners, file.presets, self.models, file.memories
            ):
                # Without an episodic memory no store is read, so one episode is all of them.
                for store, size in stores if MEMORIES[memory][1] else [('', 0)]:
                    yield Cell(
                        task.world,
                        task.tasks,
                        task.task,
                        task.scene,
                        task.seed,
                        planner,
                        preset,
                        model,
                        memory,
                        store,
                        size,
                        seed,
                    )

    def text(self) -> str:
        """The study as a file."""
        return yaml.safe_dump(
            self.file.model_dump(exclude_defaults=True), sort_keys=False, allow_unicode=True
        )


def read_model(text: str) -> ModelEntry | str:
    """A model of the command line: its name, then perhaps options after commas.

    :param text: e.g. 'qwen2.5-coder-1.5b,threads=1', or 'A,planner=B', of which B writes plans.
    :return: the text itself where it has no options.
    :raises ConfigurationError: no such option, or a wrong value.
    """
    name, *parts = text.split(',')
    said: dict[str, Any] = {}
    for part in parts:
        option, equals, value = part.partition('=')
        if not equals or f',{option}=' == PLANS_BY:
            name += f',{part}'
        else:
            said[option.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    return check({**said, 'name': name}, ModelEntry, f'--model {text}') if said else text


def read_study(path: Path | None, changes: dict[str, Any]) -> Study:
    """The study of a file with what the command line says in place of it.

    :param path: YAML; None: the command line says all. :param changes: fields of `StudyFile`.
    :raises ConfigurationError: something in it is wrong; says what there is.
    """
    # The file first, alone: what is wrong in it is given with its line.
    file: StudyFile = (read_file(path, StudyFile) if path else None) or StudyFile()
    if 'limits' in changes:
        limits = file.limits.model_dump(exclude_unset=True)
        changes = {**changes, 'limits': {**limits, **changes['limits']}}
    said = check(changes, StudyFile, 'the command line')
    return make_study(
        file.model_copy(update={name: getattr(said, name) for name in said.model_fields_set})
    )


def make_study(file: StudyFile) -> Study:
    """A study whose names all exist.

    :raises ConfigurationError: one does not.
    """
    if not file.tasks:
        raise ConfigurationError('name tasks: in the study file, or --tasks household:10')
    known = planner_names()
    if file.planners == [ALL]:
        file = file.model_copy(update={'planners': list(general_planners())})
    for planner in file.planners:
        if planner not in known:
            raise ConfigurationError(
                f'there is no planner "{planner}"; there are: {", ".join(known)}, or {ALL} alone'
            )
        for preset in file.presets:
            try:
                settings_of_preset(preset, planner)
            except ValueError as error:
                raise ConfigurationError(str(error)) from None
    for memory in file.memories:
        if memory not in MEMORIES:
            raise ConfigurationError(
                f'there is no memory "{memory}"; there are: {", ".join(MEMORIES)}'
            )
    models: dict[str, ModelEntry] = {}
    for entry in map(_model_entry, file.models):
        if entry.known_as in models:
            raise ConfigurationError(
                f'two models are called "{entry.known_as}": give one of them a label'
            )
        models[entry.known_as] = entry
    tasks: dict[StudyTask, None] = {}
    for source in file.tasks:
        task_entry = TaskEntry(tasks=source) if isinstance(source, str) else source
        tasks.update(
            dict.fromkeys(tasks_of(task_entry.tasks, task_entry.world, task_entry.scenes))
        )
    if any(TEACHER in entry.places for entry in models.values()):
        _check_teacher(file, tasks)
    return Study(file, models, tuple(tasks))


def _check_teacher(file: StudyFile, tasks: Iterable[StudyTask]) -> None:
    worlds = {task.world for task in tasks}
    if not {'reactree', 'oracle'}.issuperset(file.planners) or worlds != {'household'}:
        raise ConfigurationError(
            'the model teacher works only with planner reactree or oracle, in the world household'
        )
    if not all(preset.startswith(DEFAULT) for preset in file.presets):
        raise ConfigurationError(
            'the model teacher needs the preset default: leave other presets out; every preset '
            'can use the experiences that it collects'
        )


def _model_entry(entry: str | ModelEntry) -> ModelEntry:
    return ModelEntry(name=entry) if isinstance(entry, str) else entry


def _store_entry(entry: str | StoreEntry) -> StoreEntry:
    return StoreEntry(path=entry) if isinstance(entry, str) else entry
