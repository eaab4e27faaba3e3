"""The working memories of several runs and of robots together; the oldest ones make room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from memory_server.working.working_file import Update, WorkingFile
from reactree_core.errors import MemoryStoreError
from reactree_core.observation import ObjectFact, Observation
from reactree_core.working_memory import WorkingMemory

_Content = tuple[tuple[ObjectFact, ...], dict[str, str]]


def shared(name: str) -> str:
    """The id under which robots that share a memory find it, beside those of runs."""
    return f'shared:{name}'


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a run knows about a class. :param text: in the published wording."""

    text: str
    facts: tuple[ObjectFact, ...]
    looked_at: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkingSnapshot:
    """Everything a run knows."""

    run_id: str
    facts: tuple[ObjectFact, ...]
    looked_at: tuple[str, ...]


class RunMemories:
    """One `WorkingMemory` a run, or a shared name; the ones used last are kept. Thread-safe.

    :param runs_kept: 1 or more.
    :param facts_kept: most facts taken from one observation, and most instances a run may
        remember before only known ones are brought up to date; also most places looked at, of
        which the oldest make room; a broken bridge cannot fill the memory.
    :param file: keeps them, so that a new process goes on with them; None keeps nothing.
    :param on_fault: called once when the file fails; memory goes on without it.
    :raises MemoryStoreError: the file cannot be read.
    """

    def __init__(
        self,
        runs_kept: int = 8,
        facts_kept: int = 4096,
        file: WorkingFile | None = None,
        on_fault: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._runs_kept = runs_kept
        self._facts_kept = facts_kept
        self._file = file
        self._on_fault = on_fault
        self._runs: OrderedDict[str, WorkingMemory] = OrderedDict()
        if file is not None:
            self._runs.update(file.load(runs_kept))
        self._lock = threading.Lock()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Runs that are remembered, the one used last at the end."""
        with self._lock:
            return tuple(self._runs)

    def update(self, run_id: str, observation: Observation, robot: str = '') -> int:
        """Take over what a run has seen; returns how many instances it remembers now.

        :param robot: who saw it, for memories of several robots.
        """
        if robot:
            observation = replace(
                observation,
                facts=tuple(replace(fact, seen_by=robot) for fact in observation.facts),
            )
        with self._lock:
            memory = self._runs.setdefault(run_id, WorkingMemory())
            self._runs.move_to_end(run_id)
            forgotten = list(self._runs)[: -self._runs_kept]
            for old in forgotten:
                del self._runs[old]
            before = memory.content()
            memory.update(self._bounded(memory, observation))
            memory.tidy(self._facts_kept)
            after = memory.content()
            self._keep(run_id, before, after)
            self._forget(forgotten)
            return len(after[0])

    def recall(self, run_id: str, object_class: str, robot: str = '') -> Recollection:
        """What a run knows about a class; nothing for an unknown run.

        :param robot: who asks.
        """
        with self._lock:
            memory = self._runs.get(run_id, WorkingMemory())
            return Recollection(
                memory.recall(object_class, robot), memory.facts(object_class), memory.looked_at()
            )

    def snapshot(self, run_id: str) -> WorkingSnapshot:
        """Everything a run knows; nothing for an unknown run."""
        with self._lock:
            memory = self._runs.get(run_id, WorkingMemory())
            return WorkingSnapshot(run_id, memory.facts(), memory.looked_at())

    def clear(self, run_id: str | None = None) -> int:
        """Forget one run, or all; returns how many were forgotten."""
        with self._lock:
            forgotten = [name for name in self._runs if run_id in (None, name)]
            for name in forgotten:
                del self._runs[name]
            self._forget(forgotten)
            return len(forgotten)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _keep(self, name: str, before: _Content, after: _Content) -> None:
        if self._file is None:
            return
        (old_facts, old_places), (facts, places) = before, after
        known = set(old_facts)
        named = {(fact.object_class, fact.instance) for fact in facts}
        update = Update(
            [fact for fact in facts if fact not in known],
            [fact for fact in old_facts if (fact.object_class, fact.instance) not in named],
            {place: room for place, room in places.items() if old_places.get(place) != room},
            [place for place in old_places if place not in places],
        )
        try:
            self._file.keep(name, update)
        except MemoryStoreError as error:
            self._give_up(error)

    def _forget(self, names: list[str]) -> None:
        if self._file is None or not names:
            return
        try:
            self._file.forget(names)
        except MemoryStoreError as error:
            self._give_up(error)

    def _give_up(self, error: MemoryStoreError) -> None:
        """Half a file is worse than none: what it lacks would be taken for not seen."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._on_fault(f'working memory will not outlive this process: {error}')

    def _bounded(self, memory: WorkingMemory, observation: Observation) -> Observation:
        room = self._facts_kept - len(memory.facts())
        if len(observation.facts) <= room:
            return observation
        known = {(fact.object_class, fact.instance) for fact in memory.facts()}
        old = (fact for fact in observation.facts if (fact.object_class, fact.instance) in known)
        new = (
            fact for fact in observation.facts if (fact.object_class, fact.instance) not in known
        )
        facts = (*islice(old, self._facts_kept), *islice(new, max(0, room)))
        return replace(observation, facts=facts)
