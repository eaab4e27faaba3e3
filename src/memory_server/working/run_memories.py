"""The working memories of several runs; the oldest ones make room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from dataclasses import replace
from itertools import islice

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.working_memory import WorkingMemory


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
    """One `WorkingMemory` a run, kept for the runs used last. Thread-safe.

    :param runs_kept: 1 or more.
    :param facts_kept: most facts taken from one observation, and most instances a run may
        remember before only known ones are brought up to date; a broken bridge cannot fill
        the memory.
    """

    def __init__(self, runs_kept: int = 8, facts_kept: int = 10_000) -> None:
        self._runs_kept = runs_kept
        self._facts_kept = facts_kept
        self._runs: OrderedDict[str, WorkingMemory] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Runs that are remembered, the one used last at the end."""
        with self._lock:
            return tuple(self._runs)

    def update(self, run_id: str, observation: Observation) -> int:
        """Take over what a run has seen; returns how many instances it remembers now."""
        with self._lock:
            memory = self._runs.setdefault(run_id, WorkingMemory())
            self._runs.move_to_end(run_id)
            while len(self._runs) > self._runs_kept:
                self._runs.popitem(last=False)
            memory.update(self._bounded(memory, observation))
            return len(memory.facts())

    def recall(self, run_id: str, object_class: str) -> Recollection:
        """What a run knows about a class; nothing for an unknown run."""
        with self._lock:
            memory = self._runs.get(run_id, WorkingMemory())
            return Recollection(
                memory.recall(object_class), memory.facts(object_class), memory.looked_at()
            )

    def snapshot(self, run_id: str) -> WorkingSnapshot:
        """Everything a run knows; nothing for an unknown run."""
        with self._lock:
            memory = self._runs.get(run_id, WorkingMemory())
            return WorkingSnapshot(run_id, memory.facts(), memory.looked_at())

    def clear(self, run_id: str | None = None) -> int:
        """Forget one run, or all; returns how many were forgotten."""
        with self._lock:
            if run_id is not None:
                return 0 if self._runs.pop(run_id, None) is None else 1
            forgotten = len(self._runs)
            self._runs.clear()
            return forgotten

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
