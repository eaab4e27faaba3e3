"""ALFRED's tasks, from its files: `traj_data.json`, folders of them, and indexes.

An index is a list of tasks without their poses, or ALFRED's own split file; whole files are looked
for beside it. What has none is played in the floor plan as the program has it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_core.written_files import check, path_of, read_file, Written
from sim_bridge.worlds.thor.goals import Goal, StatesGoal, TASK_TYPES

PREFIX = 'alfred:'
#: Decisions over a tree that the published evaluation allows.
DECISIONS = 100
_LARGEST = 64 * 1024**2
#: A whole task, in a folder of its trial in one of its task.
WHOLE = 'traj_data.json'
_MOST_FOLDERS = 20_000
_NO_POSES = 'no file with poses is there: things lie as the floor plan has them'


class _Loose(Written):
    """A file of ALFRED, of which only some fields are read."""

    model_config = ConfigDict(extra='ignore', strict=False, frozen=True)


class WrittenParams(_Loose):
    """What a goal is about; the names are ALFRED's."""

    object_target: str
    parent_target: str | None = ''
    mrecep_target: str | None = ''
    toggle_target: str | None = ''
    object_sliced: bool = False


class WrittenScene(_Loose):
    """How a scene is restored."""

    floor_plan: str = Field(pattern=r'FloorPlan[0-9]{1,3}')
    object_poses: list[dict[str, Any]] = Field(default_factory=list)
    object_toggles: list[dict[str, Any]] = Field(default_factory=list)
    dirty_and_empty: bool = False
    init_action: dict[str, Any] | None = None


class WrittenAction(_Loose):
    """A step of a gold plan."""

    class Discrete(_Loose):
        """Its name and the classes it is about, in lower case."""

        action: str
        args: list[str] = Field(default_factory=list)

    discrete_action: Discrete
    planner_action: dict[str, Any] = Field(default_factory=dict)


class WrittenPlan(_Loose):
    """A gold plan."""

    high_pddl: list[WrittenAction] = Field(default_factory=list)


class WrittenAnnotation(_Loose):
    """Words of one person for the task."""

    task_desc: str


class WrittenAnnotations(_Loose):
    """Words of several."""

    anns: list[WrittenAnnotation] = Field(min_length=1)


class WrittenTask(_Loose):
    """A `traj_data.json`."""

    task_type: str
    pddl_params: WrittenParams
    scene: WrittenScene
    plan: WrittenPlan = WrittenPlan()
    turk_annotations: WrittenAnnotations
    task_id: str = ''


class IndexEntry(_Loose):
    """A task of an index, without its poses."""

    task: str
    task_type: str
    pddl_params: WrittenParams
    floor_plan: str = Field(pattern=r'FloorPlan[0-9]{1,3}')
    task_descs: list[str] = Field(min_length=1)
    high_pddl: list[tuple[str, list[str]]] = Field(default_factory=list)
    split: str = ''


class SplitEntry(_Loose):
    """An instruction of ALFRED's own split file; EmbodiedBench's has words of its own."""

    task: str
    repeat_idx: int
    instruction: str = ''


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of a gold plan.

    :param action: e.g. 'PickupObject'. :param classes: what it is about, in lower case.
    :param object_id: the thing, as it is called at first; '' where no file says.
    :param receptacle_id: where it goes; for treatments, what treats it.
    """

    action: str
    classes: tuple[str, ...] = ()
    object_id: str = ''
    receptacle_id: str = ''


@dataclass(frozen=True, slots=True)
class Ends:
    """When an episode is over besides by its goal, which then ends it as soon as it is met.

    :param steps: skills that were tried. :param failed: how many of them did not succeed.
    """

    steps: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlfredTask(WorldTask):
    """A task, with how its scene is restored and solved.

    :param floor_plan: e.g. 'FloorPlan10'.
    :param poses: for `SetObjectPoses`; () leaves things where they are.
    :param toggles: for `SetObjectToggles`. :param dirty_and_empty: see `WrittenScene`.
    :param begin: the first action; None leaves the robot where it is.
    :param plan: the gold plan. :param ends: None: the planner ends the episode.
    """

    goal: Goal | StatesGoal
    floor_plan: str
    poses: tuple[Mapping[str, Any], ...] = ()
    toggles: tuple[Mapping[str, Any], ...] = ()
    dirty_and_empty: bool = False
    begin: Mapping[str, Any] | None = None
    plan: tuple[PlanStep, ...] = ()
    ends: Ends | None = None


def alfred_task(text: str, seed: int) -> AlfredTask:
    """A task by its text.

    :param text: a file, folder or index, with '#<task>/<annotation>', '#<task>', '#<annotation>'
        or '#<split>' behind it; the name of a task may be a part of it.
    :param seed: chooses among what is left.
    :raises ConfigurationError: there is none, or its file cannot be used.
    """
    name, _, wanted = text.removeprefix(PREFIX).partition('#')
    path = path_of(name)
    if path is None:
        raise ConfigurationError(
            f'there is no {name[:200]}: after alfred: write a traj_data.json, a folder of them, '
            'or an index, as in alfred:json_2.1.0/valid_unseen#<task>/<annotation>'
        )
    refs = _refs(path)
    found = _chosen(refs, wanted.strip().strip('/'))
    if not found:
        few = ', '.join(ref.name for ref in refs[:3])
        raise ConfigurationError(f'{path} has no task {wanted!r}; it has {len(refs)}: {few}, ...')
    ref, annotation = found[seed % len(found)]
    return ref.load(annotation)


def tasks_of_file(path: Path) -> tuple[AlfredTask, ...]:
    """All instructions of a file, folder or index, in order."""
    return tuple(task for ref in _refs(path) for task in ref.load_all())


def whole_task(file: Path) -> AlfredTask:
    """A task by its file, in the words of its first annotation.

    :raises ConfigurationError: it cannot be read.
    """
    return _Ref(_name_of(file), file, None).load(0)


class _Ref:
    """A task that can be loaded. :param name: e.g. 'pick_..-10/trial_T2019...'."""

    def __init__(
        self, name: str, file: Path | None, entry: IndexEntry | None, only: int | None = None
    ) -> None:
        self.name = name
        self.split = entry.split if entry else ''
        #: The only annotation that is meant; None for all.
        self.only = only
        self._file = file
        self._entry = entry

    @property
    def count(self) -> int:
        """Annotations."""
        if self._entry is not None:
            return len(self._entry.task_descs)
        return len(self._written.turk_annotations.anns)

    @property
    def _written(self) -> WrittenTask:
        assert self._file is not None
        written: WrittenTask = read_file(
            self._file, WrittenTask, form='must be a traj_data.json of ALFRED', largest=_LARGEST
        )
        return written

    def load_all(self) -> list[AlfredTask]:
        """One task for each annotation."""
        numbers = range(self.count) if self.only is None else (self.only,)
        source = self._written if self._file is not None else self._entry
        return [self._made(source, number) for number in numbers]

    def load(self, annotation: int) -> AlfredTask:
        """The task in the words of one annotation."""
        return self._made(self._written if self._file is not None else self._entry, annotation)

    def _made(self, source: WrittenTask | IndexEntry | None, number: int) -> AlfredTask:
        if isinstance(source, WrittenTask):
            words = tuple(one.task_desc for one in source.turk_annotations.anns)
        else:
            assert source is not None
            words = tuple(source.task_descs)
        if not 0 <= number < len(words):
            raise ConfigurationError(
                f'{self.name} has no annotation {number}: it has 0 to {len(words) - 1}'
            )
        _check_type(source.task_type, self.name)
        said = tuple(' '.join(one.split()) for one in words)
        common: dict[str, Any] = {
            'task_id': f'{self.name}/{number}',
            'task_type': source.task_type,
            'instruction': said[number],
            'instructions': said,
            'decisions': DECISIONS,
            'goal': _goal_of(source.task_type, source.pddl_params),
        }
        if isinstance(source, WrittenTask):
            scene = source.scene
            return AlfredTask(
                **common,
                floor_plan=scene.floor_plan,
                poses=tuple(scene.object_poses),
                toggles=tuple(scene.object_toggles),
                dirty_and_empty=scene.dirty_and_empty,
                begin=scene.init_action,
                plan=tuple(map(_step_of, source.plan.high_pddl)),
            )
        return AlfredTask(
            **common,
            notes=(_NO_POSES,),
            floor_plan=source.floor_plan,
            plan=tuple(PlanStep(name, tuple(args)) for name, args in source.high_pddl),
        )


def _check_type(task_type: str, name: str) -> None:
    if task_type not in TASK_TYPES:
        raise ConfigurationError(
            f'{name}: task_type {task_type!r:.80} is none of {", ".join(TASK_TYPES)}'
        )


def _goal_of(task_type: str, params: WrittenParams) -> Goal:
    return Goal(
        task_type,
        params.object_target,
        params.parent_target or '',
        params.toggle_target or '',
        params.mrecep_target or '',
        params.object_sliced,
    )


def _step_of(written: WrittenAction) -> PlanStep:
    written_action = written.planner_action
    thing, receptacle = (
        written_action.get('objectId', ''),
        written_action.get('receptacleObjectId', ''),
    )
    treats = written.discrete_action.action in ('CleanObject', 'HeatObject', 'CoolObject')
    if treats and not receptacle:
        # Of these the file says what treats, and in which the thing is put.
        thing, receptacle = '', thing
    return PlanStep(
        written.discrete_action.action,
        tuple(written.discrete_action.args),
        str(thing or ''),
        str(receptacle or ''),
    )


# Files ---------------------------------------------------------------------------------------


def _refs(path: Path) -> list[_Ref]:
    """What a path names.

    :raises ConfigurationError: it is not there, or holds no task.
    """
    if path.is_dir():
        found = [_Ref(_name_of(file), file, None) for file in _files_in(path)]
        if not found:
            raise ConfigurationError(f'the folder {path} has no {WHOLE} of ALFRED in it')
        return found
    content = read_file(path, largest=_LARGEST)
    if isinstance(content, list):
        return _of_index(path, check(content, list[IndexEntry], str(path)))
    if isinstance(content, dict) and 'task_type' not in content:
        return _of_splits(path, content)
    return [_Ref(_name_of(path), path, None)]


def _of_index(path: Path, entries: Sequence[IndexEntry]) -> list[_Ref]:
    return [_Ref(one.task, _whole_file(path.parent, one.split, one.task), one) for one in entries]


def _of_splits(path: Path, content: Mapping[str, Any]) -> list[_Ref]:
    """ALFRED's split file: instructions by split; whole files have to be there."""
    splits: dict[str, list[SplitEntry]] = check(
        content,
        dict[str, list[SplitEntry]],
        str(path),
        'must be a traj_data.json, an index, or a split file of ALFRED',
    )
    found = []
    for split, entries in splits.items():
        for entry in entries:
            file = _whole_file(path.parent, split, entry.task)
            if file is not None:
                ref = _Ref(entry.task, file, None, entry.repeat_idx)
                ref.split = split
                found.append(ref)
    if not found:
        raise ConfigurationError(f'beside {path} there is none of the {WHOLE} that it names')
    return found


def _whole_file(folder: Path, split: str, task: str) -> Path | None:
    """The file of a task with its poses, where it is: as ALFRED has it, or flat."""
    if '..' in task or '..' in split:
        return None
    flat = task.replace('/', '__') + '.json'
    for place in (folder / split, folder, folder.parent / split):
        for file in (place / task / WHOLE, place / flat):
            if file.is_file():
                return file
    return None


def _files_in(folder: Path) -> list[Path]:
    """Tasks of a folder and of those in it, in order."""
    found = []
    for count, (place, _, names) in enumerate(os.walk(folder)):
        if count == _MOST_FOLDERS:
            raise ConfigurationError(
                f'the folder {folder} has more than {_MOST_FOLDERS} others in it: name the one '
                'with the tasks'
            )
        found += [
            Path(place, name)
            for name in names
            if name == WHOLE or ('__trial_' in name and name.endswith('.json'))
        ]
    return sorted(found)


def _name_of(file: Path) -> str:
    """The name of a task by where its file is."""
    if file.name == WHOLE:
        return '/'.join(part for part in (file.parent.parent.name, file.parent.name) if part)
    return file.stem.replace('__', '/')


def _chosen(refs: Sequence[_Ref], wanted: str) -> list[tuple[_Ref, int]]:
    """What a text behind '#' chooses: tasks, each with one of its annotations."""
    if not wanted:
        return _in_all_words(refs)
    exact = [ref for ref in refs if wanted in (ref.name, ref.split)]
    if exact:
        return _in_all_words(exact)
    head, _, last = wanted.rpartition('/')
    if last.isascii() and last.isdigit() and len(last) < 6:
        named = [ref for ref in refs if ref.name == head] or [
            ref for ref in refs if head in ref.name
        ]
        return [(ref, int(last)) for ref in named if ref.only in (None, int(last))]
    return _in_all_words([ref for ref in refs if wanted in ref.name])


def _in_all_words(refs: Sequence[_Ref]) -> list[tuple[_Ref, int]]:
    return [
        (ref, number)
        for ref in refs
        for number in (range(ref.count) if ref.only is None else (ref.only,))
    ]
