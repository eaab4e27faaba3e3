"""Plans training tasks one after another and keeps what led to a met goal."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

import platformdirs

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.exchange.json_lines import check_limits
from memory_server.store.experience_store import ExperienceStore
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import MemoryStoreError
from reactree_core.errors import ModelError
from reactree_core.experience import Experience
from reactree_core.observation import Progress
from reactree_core.ports import LanguageModel
from reactree_core.ports import World
from reactree_planner.runs.outcome import ErrorCode
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.events import Event
from reactree_planner.tree.run_settings import Limits
from reactree_tools.bootstrap.training_tasks import TrainingTask
from reactree_tools.episode import Episode
from reactree_tools.episode import InProcessMemory
from reactree_tools.episode import plan_episode
from sim_bridge.worlds.registry import given_back
from sim_bridge.worlds.registry import make_world


@dataclass(frozen=True)
class BootstrapConfig:
    """How the tasks are planned.

    :param model: the model for a world that has been reset; asked before each task.
    :param model_name: as the user gave it; part of a run's id.
    """

    model: Callable[[World], LanguageModel]
    model_name: str
    limits: Limits
    planner: str = 'reactree'
    settings: PlannerSettings = PlannerSettings()  # noqa: RUF009 (frozen)


@dataclass(frozen=True)
class Unusable:
    """A task that cannot be set. :param reason: a sentence."""

    task: TrainingTask
    reason: str


class Bootstrap:
    """Fills a memory; every task starts from what the tasks before have left in it.

    :param store: that of `memory`.
    """

    def __init__(
        self,
        memory: EpisodicMemory,
        store: ExperienceStore,
        ledger: Ledger,
        config: BootstrapConfig,
    ) -> None:
        self._memory = memory
        self._store = store
        self._ledger = ledger
        self._config = config

    def run_id(self, task: TrainingTask) -> str:
        """The id of the run of a task."""
        return task.run_id(self._config.planner, self._config.model_name)

    def pending(self, tasks: Sequence[TrainingTask], again: bool = False) -> list[TrainingTask]:
        """The tasks that are still to be planned.

        :param again: with those whose goal was not met.
        """
        return [task for task in tasks if not self._is_done(self.run_id(task), again)]

    def run(
        self,
        tasks: Sequence[TrainingTask],
        stop: Callable[[], bool],
        cancel: CancelToken,
        begin: Callable[[TrainingTask], None] = lambda task: None,
        watch: Callable[[Event], None] = lambda event: None,
    ) -> Iterator[Entry | Unusable]:
        """Plan the tasks; each is kept and on record when it is given out.

        :param stop: asked before each task. :param cancel: ends a task at once, without a trace.
        :param begin: told of each task. :param watch: told of every event.
        :raises ModelError: the model is gone.
        :raises MemoryStoreError: the store or the ledger cannot be written.
        :raises ConfigurationError: no planner has this name.
        """
        for task in tasks:
            if stop() or cancel.canceled:
                return
            with given_back(make_world(task.world)) as world:
                try:
                    world.reset(task.scene, task.task, task.seed)
                except ConfigurationError as error:
                    yield Unusable(task, str(error))
                    continue
                begin(task)
                episode = plan_episode(
                    world,
                    self._config.model(world),
                    InProcessMemory(self._memory),
                    self._config.settings,
                    self._config.limits,
                    self._config.planner,
                    cancel,
                    watch,
                )
            if episode.outcome.code is ErrorCode.CANCELED:
                return
            _refuse_to_go_on(episode)
            yield self._keep(task, episode)

    def _is_done(self, run_id: str, again: bool) -> bool:
        entry = self._ledger.entries.get(run_id)
        if entry is not None and (entry.experiences or not again):
            return True
        # Killed between the store and the ledger.
        return bool(self._store.ids_of_run(run_id))

    def _keep(self, task: TrainingTask, episode: Episode) -> Entry:
        run_id = self.run_id(task)
        stored = 0
        if episode.worth_keeping:
            nodes = [node for node in episode.experiences(run_id) if _fits(node)]
            stored = self._memory.store(nodes).stored
        progress = episode.progress or Progress(0, 0, (), float(episode.goal_met))
        entry = Entry(
            run_id,
            task.scene,
            episode.task_id,
            self._config.planner,
            self._config.model_name,
            episode.ended,
            progress.met,
            progress.total,
            stored,
            episode.run.tree.decisions,
            episode.tokens,
            round(episode.seconds, 3),
            progress.score,
        )
        self._ledger.add(entry)
        return entry


def _fits(node: Experience) -> bool:
    """Whether a store takes a node; a search through a whole home may be too long."""
    try:
        check_limits(node, 'node')
    except ConfigurationError:
        return False
    return True


def _refuse_to_go_on(episode: Episode) -> None:
    """What ended this task would end all others too."""
    if episode.outcome.code is ErrorCode.LLM_UNAVAILABLE:
        raise ModelError(episode.outcome.message)
    if episode.outcome.code is ErrorCode.INTERNAL_ERROR:
        raise MemoryStoreError(episode.outcome.message)


_ENDING = '.bootstrap.jsonl'


@dataclass(frozen=True, slots=True)
class Entry:
    """What a training task came to; a line of the file.

    :param ended: how its tree ended, or the error that ended it.
    :param met: goal conditions met at the end, 0..total.
    :param experiences: how many of its nodes were kept; 0 when its goal was not met.
    :param tokens: evaluated or written by the model. :param seconds: wall time.
    :param score: what the world gave, 0..1, or, where it judges nothing, the planner held; None
        where there are only conditions.
    """

    run_id: str
    scene: str
    task: str
    planner: str
    model: str
    ended: str
    met: int
    total: int
    experiences: int
    decisions: int
    tokens: int
    seconds: float
    score: float | None = None

    @property
    def progress(self) -> Progress:
        """How much of the goal was met."""
        return Progress(self.met, self.total, (), self.score)

    @property
    def success(self) -> bool:
        """Whether the goal was met."""
        return self.progress.success


def ledger_file(file: Path | None, location: str) -> Path:
    """Where the ledger of a store is.

    :param file: of the store; None for a database, whose ledger is in the user's state folder.
    :param location: of the store, for people; without passwords.
    """
    if file is not None:
        return file.with_name(file.name + _ENDING)
    digest = hashlib.sha256(location.encode()).hexdigest()[:16]
    return platformdirs.user_state_path('reactree') / f'{digest}{_ENDING}'


class Ledger:
    """The entries of a file; a torn line, of a run that was killed, is left out.

    While it is open nobody else can open it: two would plan the same tasks.

    :param path: made with its folder when missing.
    :raises ConfigurationError: somebody else has it open.
    :raises MemoryStoreError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open('a+b')
        except OSError as error:
            raise MemoryStoreError(f'cannot open {path}: {error.strerror}') from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise ConfigurationError(
                f'another `reactree memory bootstrap` has {path} open: wait until it has ended'
            ) from error
        self._file.seek(0)
        content = self._file.read()
        self._torn = bool(content) and not content.endswith(b'\n')
        self.entries = {entry.run_id: entry for entry in _entries(content)}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let somebody else open it."""
        self._file.close()

    def add(self, entry: Entry) -> None:
        """Take a task down; on disk when this returns.

        :raises MemoryStoreError: it cannot be written.
        """
        line = json.dumps(asdict(entry)).encode() + b'\n'
        try:
            self._file.write(b'\n' + line if self._torn else line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise MemoryStoreError(
                f'cannot write {self.path}: {error.strerror}; free some space and start again'
            ) from error
        self._torn = False
        self.entries[entry.run_id] = entry


def _entries(content: bytes) -> list[Entry]:
    entries = []
    for line in content.split(b'\n'):
        try:
            entries.append(Entry(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return entries
