"""Carries out the episodes of a study, one after another, wherever it is: here or in a worker."""

from __future__ import annotations

import math
import traceback
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import SEED_RUN
from memory_server.store.experience_store import ExperienceStore
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.experience import Experience
from reactree_core.observation import Observation, Progress
from reactree_core.ports import LanguageModel
from reactree_core.record.events import Decision, DecisionKind, Event, NodeKind, NodeStatus
from reactree_core.record.journal_lines import encode_event
from reactree_core.record.outcome import ErrorCode
from reactree_core.record.questions import NOBODY
from reactree_core.record.run_settings import Limits
from reactree_core.record.trajectory import FAILURE
from reactree_core.usage import LlmUsage
from reactree_core.world import ExpertWorld, TaskWorld
from reactree_planner.llm.registry import load_model
from reactree_planner.llm.two_models import parts_of
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.bench.goal_questions import GoalQuestioner
from reactree_tools.bench.rows import Cell, EpisodeRow
from reactree_tools.bench.study import MEMORIES, ModelEntry, Price, TEACHER
from reactree_tools.episode import Episode, InProcessMemory, plan_episode, shipped_memory
from reactree_tools.memory.opening import EncoderChoice, open_existing, open_memory
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.worlds.registry import close_world, make_task_world

_SPACE = uuid.UUID('0d3d8f0b-6f1e-4a55-8a58-6a0b1f1f4a11')
#: Ends of a run that tell of the machine, not of the planner: nothing is recorded.
_BROKEN = (ErrorCode.LLM_UNAVAILABLE, ErrorCode.CANCELED, ErrorCode.INTERNAL_ERROR)
#: Ends that a tree comes to by itself.
_BY_ITSELF = {ErrorCode.NONE: NodeStatus.SUCCESS, ErrorCode.TASK_FAILED: NodeStatus.FAILURE}
#: Kinds of models that go through a file, so that every episode has one of its own.
_FROM_ITS_START = ('scripted:', 'recorded:')
#: Notice of an episode that says nothing about new tasks.
TRAINED = 'the memory holds a run of this task: it was trained on'
#: Hexadecimal digits of a task in the id of a run.
_MARK = 16
#: Longest reason that is told of an episode that could not be run.
_LONGEST = 500


@dataclass(frozen=True)
class Finished:
    """An episode that came to its end.

    :param journal: lines of its events. :param experiences: what is worth keeping of it.
    """

    row: EpisodeRow
    journal: tuple[str, ...]
    experiences: tuple[Experience, ...] = ()


@dataclass(frozen=True)
class Unfinished:
    """An episode that did not.

    :param reason: a sentence. :param place: of the model that is gone; '' for another cause.
    :param lasting: whether trying again is of no use.
    """

    cell: Cell
    reason: str
    place: str = ''
    lasting: bool = False


def run_id_of(cell: Cell) -> str:
    """The name of its journal: 32 hexadecimal digits, always the same for the same episode.

    It begins with its `task_mark`.
    """
    return task_mark(cell) + uuid.uuid5(_SPACE, repr(sorted(asdict(cell).items()))).hex[:_MARK]


def task_mark(cell: Cell) -> str:
    """16 hexadecimal digits of a task, wherever it is set and however it is planned."""
    return uuid.uuid5(_SPACE, repr((cell.world, cell.task, cell.world_seed))).hex[:_MARK]


def lesson_of(cell: Cell) -> Cell:
    """What an episode is to a memory: its task and the way it is planned, and not what helped.

    A memory keeps at most one run of each.
    """
    return replace(cell, tasks='', store='', store_size=0)


@dataclass
class EpisodeRunner:
    """Loads models, memories and worlds when they are first needed, and keeps them.

    :param models: of the study, by what rows call them. :param limits: of every episode.
    :param keeps: whether experiences are given back. :param threads: of a model in this process
        that says nothing of it; 0 takes all cores. :param encoder: of the stores.
    """

    models: dict[str, ModelEntry]
    limits: Limits
    keeps: bool = False
    threads: int = 0
    load: Callable[..., LanguageModel] = load_model
    encoder: EncoderChoice = EncoderChoice()  # noqa: RUF009 (frozen)
    _loaded: dict[tuple[str, str], LanguageModel] = field(default_factory=dict)
    _memories: dict[tuple[str, int], EpisodicMemory] = field(default_factory=dict)
    _learned: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    _world: tuple[str, TaskWorld] | None = None
    _experts: dict[tuple[str, str, str, int], int | None] = field(default_factory=dict)

    def run(
        self,
        cell: Cell,
        place: str,
        cancel: CancelToken | None = None,
        watch: Callable[[Event], None] = lambda event: None,
    ) -> Finished | Unfinished:
        """Carry out one episode.

        :param place: name or address of its model.
        :param cancel: ends it without a trace. :param watch: called with every event.
        """
        try:
            return self._run(cell, place, cancel or CancelToken(), watch)
        except ConfigurationError as error:
            return Unfinished(cell, str(error), lasting=True)
        except Exception as error:  # noqa: BLE001 (a planner or world of anybody may raise it)
            at = traceback.extract_tb(error.__traceback__)[-1]
            text = f'{type(error).__name__} at {at.filename}:{at.lineno}: {error}'
            return Unfinished(cell, text[:_LONGEST])

    def close(self) -> None:
        """Give back what was loaded."""
        for model in self._loaded.values():
            model.close()
        for memory in self._memories.values():
            memory.close()
        if self._world is not None:
            close_world(self._world[1])
        self._loaded, self._memories, self._world = {}, {}, None

    def _run(
        self, cell: Cell, place: str, cancel: CancelToken, watch: Callable[[Event], None]
    ) -> Finished | Unfinished:
        working, episodic = MEMORIES[cell.memory]
        world = self._world_of(cell.world)
        expert_steps = self._expert(world, cell)
        world.reset(cell.scene, cell.task, cell.world_seed)
        task, goal = world.task(), world.progress()
        people = GoalQuestioner(goal.conditions if goal is not None else ())
        counts = _Counts(world.progress, goal)
        journal: list[str] = []

        def see(event: Event) -> None:
            counts.see(event)
            journal.append(encode_event(event))
            watch(event)

        episode = plan_episode(
            world,
            self._model(cell.model, place, world),
            InProcessMemory(self._memory(cell) if episodic else None),
            replace(
                settings_of_preset(cell.preset, cell.planner),
                working_memory=working,
                seed=cell.seed,
            ),
            self.limits,
            cell.planner,
            cancel,
            see,
            restart=lambda: world.reset(cell.scene, cell.task, cell.world_seed),
            people=people if goal is not None else NOBODY,
        )
        if episode.outcome.code in _BROKEN:
            gone = place if episode.outcome.code is ErrorCode.LLM_UNAVAILABLE else ''
            return Unfinished(cell, episode.outcome.message, gone)
        by_itself = _BY_ITSELF.get(episode.outcome.code)
        if by_itself is not None:
            episode.run.finish(by_itself, '')
        else:
            episode.run.finish(NodeStatus.CANCELED, episode.outcome.message)
        price = self.models[cell.model].price
        row = _row(cell, episode, counts, people.asked, expert_steps, price)
        row = replace(row, run=run_id_of(cell))
        if episodic and task_mark(cell) in self._learned[cell.store, cell.store_size]:
            row = replace(row, notices=(*row.notices, TRAINED))
        lesson = run_id_of(lesson_of(cell))
        kept = episode.experiences(lesson) if self.keeps and task and episode.worth_keeping else ()
        return Finished(row, tuple(journal), kept)

    def _world_of(self, name: str) -> TaskWorld:
        """One at a time: some have a process of their own."""
        if self._world is not None and self._world[0] != name:
            close_world(self._world[1])
            self._world = None
        if self._world is None:
            self._world = (name, make_task_world(name))
        return self._world[1]

    def _model(self, label: str, place: str, world: TaskWorld) -> LanguageModel:
        if place == TEACHER:
            return teacher_for(world)
        if any(part.startswith(_FROM_ITS_START) for part in parts_of(place)):
            return self.load(place, self.models[label].options)
        if (label, place) not in self._loaded:
            options = self.models[label].options
            options = replace(options, threads=options.threads or self.threads)
            self._loaded[label, place] = self.load(place, options)
        return self._loaded[label, place]

    def _memory(self, cell: Cell) -> EpisodicMemory:
        key = (cell.store, cell.store_size)
        if key not in self._memories:
            self._memories[key] = (
                first_runs(*key, self.encoder) if cell.store else shipped_memory()
            )
            self._learned[key] = learned_tasks(*key) if cell.store else frozenset()
        return self._memories[key]

    def _expert(self, world: TaskWorld, cell: Cell) -> int | None:
        """Skills that the world's expert needs; None where it has none, or finds no way."""
        key = (cell.world, cell.task, cell.scene, cell.world_seed)
        if key not in self._experts:
            self._experts[key] = None
            if isinstance(world, ExpertWorld):
                world.reset(cell.scene, cell.task, cell.world_seed)
                try:
                    self._experts[key] = len(world.expert())
                except (ConfigurationError, SkillError):
                    pass
        return self._experts[key]


class _Counts:
    """What is counted of a run's events while they come."""

    def __init__(self, progress: Callable[[], Progress | None], start: Progress | None) -> None:
        self._progress = progress
        self.best = 0 if start is None else start.met
        self.repairs = self.unasked = self.failed = self.corrected = self.most_tokens = 0

    def see(self, event: Event) -> None:
        """Take in one event."""
        if isinstance(event, Decision):
            self.repairs += event.kind is DecisionKind.REPAIR and bool(event.subgoals)
            self.unasked += event.is_unasked
            # Its requests present the same prompt, each a little longer than the one before.
            prompt = event.usage.prompt_tokens / max(1, event.usage.requests)
            self.most_tokens = max(self.most_tokens, math.ceil(prompt))
            # Another step was tried after those that failed before; to give up is none.
            if event.is_refusal or (event.kind is DecisionKind.ACT and event.skill != FAILURE):
                self.corrected = self.failed
            self.failed += event.is_refusal
        elif isinstance(event, Observation) and event.skill:
            self.failed += not event.succeeded
            progress = self._progress()
            if progress is not None:
                self.best = max(self.best, progress.met)


def _row(
    cell: Cell,
    episode: Episode,
    counts: _Counts,
    questions: int,
    expert_steps: int | None,
    price: Price | None,
) -> EpisodeRow:
    run = episode.run
    progress = episode.progress or Progress(0, 0)
    nodes = run.tree.snapshot().nodes
    team = episode.team
    return EpisodeRow(
        cell,
        run.task,
        episode.task_type,
        episode.goal_met,
        progress.met,
        progress.total,
        episode.ended,
        best_met=max(counts.best, progress.met),
        score=progress.score,
        verified=run.aims.ending.verified,
        missing=run.aims.ending.missing,
        unknown=run.aims.ending.unknown,
        assumed=run.aims.ending.assumed,
        reason=reason_of(episode),
        notices=tuple(run.notices),
        decisions=run.tree.decisions,
        # Facts share the work of a team.
        unasked=counts.unasked if team is None else run.tree.decisions,
        steps=run.tree.steps,
        failed_steps=counts.failed,
        robots=1 if team is None else len(team.worked),
        makespan=None if team is None else team.now,
        idle=None if team is None else round(team.idle_share, 4),
        corrections=counts.corrected,
        repairs=counts.repairs,
        questions=questions,
        expert_steps=expert_steps,
        nodes=len(nodes),
        depth=max((node.depth for node in nodes), default=0),
        requests=run.budget.usage.requests,
        prompt_tokens=run.budget.usage.prompt_tokens,
        cached_tokens=run.budget.usage.cached_tokens,
        evaluated_tokens=run.budget.usage.evaluated_tokens,
        completion_tokens=run.budget.usage.completion_tokens,
        most_tokens=counts.most_tokens,
        seconds=round(episode.seconds, 4),
        model_seconds=round(run.budget.usage.latency, 4),
        cost=None if price is None else _cost(run.budget.usage, price),
    )


def _cost(usage: LlmUsage, price: Price) -> float:
    return usage.priced(price.prompt, price.cached, price.completion)


def reason_of(episode: Episode) -> str:
    """Why a run did not meet its goal; '' when it did."""
    if episode.goal_met:
        return ''
    progress = episode.progress
    unmet = '' if progress is None else '; '.join(progress.conditions) or str(progress)
    if episode.ended == 'success':
        return f'the planner held the goal for met, but: {unmet}'
    if episode.ended != 'failure':
        return f'{episode.outcome.message} Conditions: {unmet}'
    failed = [
        f'"{node.goal}" ({node.detail})'
        for node in episode.run.tree.snapshot().nodes
        if node.kind is NodeKind.AGENT and node.status is NodeStatus.FAILURE
    ]
    return f'gave up at {failed[-1] if failed else "its beginning"}. Conditions: {unmet}'


def first_runs(path: str, most: int = 0, encoder: EncoderChoice | None = None) -> EpisodicMemory:
    """A memory as it is now, whatever is added to its store later.

    :param path: of the store. :param most: runs that are taken, oldest first, the shipped examples
        not counted and left out; 0 takes all there is. :param encoder: of the store.
    :raises ConfigurationError: there is no such store, or its encoder cannot be made.
    :raises MemoryStoreError: it cannot be read.
    """
    store = open_existing(path)
    kept, _ = open_memory(store, encoder or EncoderChoice())
    if not most:
        return kept
    wanted = frozenset(runs_of(store, most))
    try:
        numbers = [
            int(number)
            for rows in store.rows_after(0)
            for number, run in zip(rows.numbers, rows.run_ids, strict=True)
            if run in wanted
        ]
        taken = store.load(numbers)
    finally:
        kept.close()
    memory = kept.with_store(SqliteStore(None))
    memory.store(taken)
    return memory


def runs_of(store: ExperienceStore, most: int = 0) -> list[str]:
    """The runs of a store, oldest first, without the shipped examples and what is unconfirmed.

    :param most: how many; 0 for all.
    """
    runs = dict.fromkeys(
        run
        for rows in store.rows_after(0)
        for run, unconfirmed in zip(rows.run_ids, rows.unconfirmed, strict=True)
        if not unconfirmed
    )
    runs.pop(SEED_RUN, None)
    return list(runs)[: most or None]


def learned_tasks(path: str, most: int = 0) -> frozenset[str]:
    """Marks of the tasks that the runs of a store come from, see `task_mark`.

    Parameters and errors as of `first_runs`.
    """
    with closing(open_existing(path)) as store:
        return frozenset(run[:_MARK] for run in runs_of(store, most))
