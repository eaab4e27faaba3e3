"""Fills a memory by rounds of training tasks (ReAcTree section 5.1, bootstrapping).

Each round is a study in a folder of its own. All its tasks are helped by the memory as it was when
the round began, so that what comes of it depends neither on their order nor on who runs them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.exchange.json_lines import check_limits
from memory_server.seed.loader import SEED_RUN
from memory_server.store.experience_store import ExperienceStore
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_tools.bench.episodes import (
    Finished,
    learned_tasks,
    lesson_of,
    run_id_of,
    runs_of,
    task_mark,
)
from reactree_tools.bench.rows import Cell, read_rows, ROWS, STUDY
from reactree_tools.bench.running import study_folder
from reactree_tools.bench.study import make_study, MEMORIES, read_study, Study, TaskEntry
from reactree_tools.bench.task_sources import part_of, StudyTask
from reactree_tools.memory.opening import open_existing
from reactree_tools.plain_text import count

#: In the folder of a round: the memory as it was when the round began.
FROZEN = 'memory.sqlite'
_ROUND = 'round-'
_ENDING = '.bootstrap'


@dataclass(frozen=True)
class Round:
    """Training tasks that are helped by the same memory.

    :param number: from 1. :param cells: what is still to be run of it.
    """

    number: int
    folder: Path
    study: Study
    cells: tuple[Cell, ...]


def folder_of(file: Path | None, location: str) -> Path:
    """Where the rounds that fill a store are kept.

    :param file: of the store; None for a database, whose rounds are in the user's state folder.
    :param location: of the store, for people; without passwords.
    """
    if file is not None:
        return file.with_name(file.name + _ENDING)
    digest = hashlib.sha256(location.encode()).hexdigest()[:16]
    return platformdirs.user_state_path('reactree') / f'{digest}{_ENDING}'


def next_round(
    study: Study,
    folder: Path,
    store: ExperienceStore,
    tries: int,
    left_out: Collection[Cell] = (),
) -> Round | None:
    """What is to be run next: the rest of the last round, or a new one; None for nothing.

    A task is in no more rounds once the store holds a run of it.

    :param study: all training tasks; its stores do not matter. :param folder: of the rounds.
    :param tries: most rounds of a task, 1 or more.
    :param left_out: lessons that cannot be run, see `lesson_of`.
    :raises ConfigurationError: the file of a round is broken.
    :raises MemoryStoreError: the store cannot be read.
    """
    known = set(runs_of(store))
    lessons = dict.fromkeys(map(lesson_of, study.cells()))
    unmet = [one for one in lessons if run_id_of(one) not in known and one not in left_out]
    folders = _rounds(folder)
    if folders:
        last = folders[-1]
        begun = read_study(last / STUDY, {})
        done = {lesson_of(row.cell) for row in read_rows(last / ROWS)}
        rest = [one for one in unmet if one not in done]
        if begun.limits == study.limits and (found := _round(begun, last, rest)).cells:
            return found
    tried = tries_of(folder)
    pending = [one for one in unmet if tried[one] < tries]
    if not pending:
        return None
    new = folder / f'{_ROUND}{_number(folders[-1]) + 1 if folders else 1}'
    return _round(_with_tasks(study, pending), new, pending)


def tries_of(folder: Path) -> Counter[Cell]:
    """In how many rounds each lesson was."""
    return Counter(lesson_of(row.cell) for one in _rounds(folder) for row in read_rows(one / ROWS))


def _rounds(folder: Path) -> list[Path]:
    """Folders of rounds that have begun, in order."""
    found = [path.parent for path in folder.glob(f'{_ROUND}*/{STUDY}')]
    return sorted((path for path in found if _number(path)), key=_number)


def _number(folder: Path) -> int:
    text = folder.name.removeprefix(_ROUND)
    return int(text) if text.isdecimal() else 0


def _round(study: Study, folder: Path, lessons: Iterable[Cell]) -> Round:
    store = str(folder / FROZEN)
    whole = replace(study, file=study.file.model_copy(update={'stores': [store]}))
    wanted = set(lessons)
    cells = tuple(cell for cell in whole.cells() if lesson_of(cell) in wanted)
    return Round(_number(folder), folder, whole, cells)


def _with_tasks(study: Study, lessons: Iterable[Cell]) -> Study:
    """A study with these of its tasks alone."""
    wanted = {StudyTask(one.world, '', one.task, one.scene, one.world_seed) for one in lessons}
    entries = []
    for entry in study.file.tasks:
        tasks_entry = TaskEntry(tasks=entry) if isinstance(entry, str) else entry
        text = part_of(
            tasks_entry.tasks,
            tasks_entry.world,
            tasks_entry.scenes,
            lambda task: replace(task, tasks='') in wanted,
        )
        if text:
            entries.append(tasks_entry.model_copy(update={'tasks': text}))
    return make_study(study.file.model_copy(update={'tasks': entries}))


@contextmanager
def begun(part: Round, store: ExperienceStore) -> Iterator[None]:
    """The folder of a round, for this process alone, with the memory as it was at its beginning.

    :raises ConfigurationError: another process is at this round, or it cannot be written.
    :raises MemoryStoreError: the memory cannot be copied.
    """
    with study_folder(part.folder, part.study):
        if not (part.folder / FROZEN).exists():
            _copy(store, part.folder / FROZEN)
        yield


def _copy(store: ExperienceStore, path: Path) -> None:
    whole = path.with_suffix('.new')
    try:
        whole.unlink(missing_ok=True)
        with closing(SqliteStore(whole)) as copy:
            for rows in store.rows_after(0):
                numbers = [int(number) for number in rows.numbers]
                copy.add(store.load(numbers), rows.vectors, store.encoder())
        whole.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f'the memory cannot be copied to {path} ({error.strerror}): free some space, or name '
            'another folder with --out'
        ) from error


def keep_in(memory: EpisodicMemory) -> Callable[[Finished], None]:
    """What puts the experiences of episodes into a memory, one run a lesson."""

    def keep(result: Finished) -> None:
        # A search through a whole home may be longer than a store takes.
        lessons = [one for one in result.experiences if _fits(one)]
        if lessons:
            memory.replace_run(lessons[0].run_id, lessons)

    return keep


def _fits(experience: Experience) -> bool:
    try:
        check_limits(experience, 'experience')
    except ConfigurationError:
        return False
    return True


def trained_on(cells: Iterable[Cell]) -> list[str]:
    """A sentence for each store that holds runs of tasks that are to be evaluated with it."""
    tasks: dict[tuple[str, int], set[str]] = {}
    for cell in cells:
        if cell.store and MEMORIES[cell.memory][1]:
            tasks.setdefault((cell.store, cell.store_size), set()).add(task_mark(cell))
    said = []
    for (path, size), marks in tasks.items():
        try:
            known = len(marks & learned_tasks(path, size))
        except ConfigurationError:  # given by the episodes, where workers do not find it either
            continue
        if known:
            runs = f' (its first {count(size, "run")})' if size else ''
            said.append(
                f'the memory {path}{runs} holds runs of {known} of {count(len(marks), "task")}: '
                'what they come to says nothing about new tasks'
            )
    return said


def check_published_stores(cells: Iterable[Cell]) -> None:
    """The shipped examples are in no store of a study as published: the papers do not have them.

    :raises ConfigurationError: one holds them.
    """
    stores = {
        cell.store
        for cell in cells
        if cell.store and MEMORIES[cell.memory][1] and cell.preset.startswith('published')
    }
    for path in sorted(stores):
        try:
            opened = open_existing(path)
        except ConfigurationError:  # given by the episodes, as above
            continue
        with closing(opened) as store:
            shipped = len(store.ids_of_run(SEED_RUN))
        if shipped:
            raise ConfigurationError(
                f'{path} holds {count(shipped, "experience")} of the shipped examples, which no '
                'paper has: collect with --no-examples, take them out with `reactree memory '
                f'delete --run {SEED_RUN} --store {path}`, or say --with-examples.'
            )
