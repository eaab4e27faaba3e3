"""Keeps experiences and finds those nearest to a goal."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace

import numpy as np

from memory_server.embedding.embedder import Embedder
from memory_server.episodic.selection import choose_examples
from memory_server.episodic.vector_index import VectorIndex
from memory_server.store.experience_store import ExperienceStore
from reactree_core.errors import ConfigurationError
from reactree_core.errors import MemoryStoreError
from reactree_core.experience import Experience

#: Longest goal, id or label, in characters.
NAME_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class Stored:
    """What a call of `store` did.

    :param stored: experiences that are new. :param known: ids that were there already.
    """

    stored: int
    known: int


class EpisodicMemory:
    """A store and an encoder, with the vectors of the store in memory. Thread-safe.

    :param reembed: when the store's vectors are of another encoder, make them anew.
    :param longest: most characters of one trajectory.
    :raises MemoryStoreError: the store cannot be read, or holds another encoder's vectors.
    """

    def __init__(
        self,
        store: ExperienceStore,
        embedder: Embedder,
        reembed: bool = False,
        longest: int = 65536,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._longest = longest
        self._index = VectorIndex(embedder.dimension)
        self._version = -1
        self._refreshing = threading.Lock()
        if reembed and store.encoder() not in ('', embedder.name):
            self._embed_anew()
        self._refresh()

    def __len__(self) -> int:
        return len(self._index)

    @property
    def location(self) -> str:
        """Where the experiences are kept, for people."""
        return self._store.location

    @property
    def read_only(self) -> bool:
        """Whether nothing can be stored."""
        return self._store.read_only

    def retrieve(
        self,
        goal: str,
        token_budget: int,
        limit: int = 0,
        seed: int = 0,
        task_type: str = '',
        planner: str = '',
        skip_unfit: bool = False,
    ) -> tuple[Experience, ...]:
        """Experiences whose goals are nearest to a goal, best first (ReAcTree section 4.2).

        :param token_budget: most tokens of all of them, 0 or more; trajectories that nobody
            counted are taken to have a token every 4 characters.
        :param limit: most experiences; 0 for no limit but the budget.
        :param seed: of the order among equally near ones, 0 or more.
        :param task_type: only this family; '' for all.
        :param planner: only this planner's; '' for all.
        :param skip_unfit: see `choose_examples`.
        :raises ConfigurationError: the goal is empty or no text.
        :raises MemoryStoreError: the store cannot be read.
        """
        _check_text('goal', goal, NAME_LIMIT)
        self._refresh()
        view = self._index.view()
        if not len(view.numbers):
            return ()
        similarities = view.similarities(self._embedder.embed([goal])[0], task_type, planner)
        chosen = choose_examples(
            similarities, view.terminations, view.tokens, token_budget, limit, seed, skip_unfit
        )
        found = self._store.load([int(view.numbers[index]) for index in chosen])
        return tuple(
            replace(experience, similarity=float(similarities[index]))
            for index, experience in zip(chosen, found, strict=True)
        )

    def store(self, experiences: Sequence[Experience]) -> Stored:
        """Keep experiences, all or none; returns when they are on disk.

        An id that is known already changes nothing, whatever comes with it.

        :raises ConfigurationError: an experience is incomplete or too long; none was kept.
        :raises MemoryStoreError: the store cannot be written.
        """
        for experience in experiences:
            self._check(experience)
        by_id: dict[str, Experience] = {}
        for experience in experiences:
            by_id.setdefault(experience.experience_id, experience)
        known = self._store.known(list(by_id))
        new = [item for key, item in by_id.items() if key not in known]
        stored = 0
        if new:
            vectors = self._embedder.embed([item.goal for item in new])
            stored = self._store.add(new, vectors, self._embedder.name)
            self._refresh()
        return Stored(stored, len(experiences) - stored)

    def replace_run(self, run_id: str, experiences: Sequence[Experience]) -> Stored:
        """Make these the only experiences of a run: what is missing is stored, the rest deleted.

        :raises ConfigurationError: an experience is incomplete or of another run.
        :raises MemoryStoreError: the store cannot be written, though it would have to be.
        """
        for experience in experiences:
            if experience.run_id != run_id:
                raise ConfigurationError(
                    f'an experience is of the run {experience.run_id!r}, not {run_id!r}'
                )
        result = self.store(experiences)
        kept = {experience.experience_id for experience in experiences}
        retired = self._store.ids_of_run(run_id) - kept
        if retired:
            self._store.forget(sorted(retired))
            self._refresh()
        return result

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _check(self, experience: Experience) -> None:
        _check_text('experience_id', experience.experience_id, NAME_LIMIT)
        _check_text('goal', experience.goal, NAME_LIMIT)
        _check_text('trajectory', experience.trajectory, self._longest)
        for name in ('run_id', 'task_type', 'planner', 'model'):
            _check_text(name, getattr(experience, name), NAME_LIMIT, may_be_empty=True)
        if experience.tokens < 0:
            raise ConfigurationError('an experience has less than 0 tokens: send 0 for unknown')

    def _refresh(self) -> None:
        """Take in what this process or another has stored since the last time."""
        version = self._store.version()
        if version == self._version:
            return
        with self._refreshing:
            # Read before the rows: what comes in between shows as a change next time.
            version = self._store.version()
            if version == self._version:
                return
            found = self._store.encoder()
            if found not in ('', self._embedder.name):
                raise MemoryStoreError(
                    f'the store {self.location} holds vectors of the encoder {found}, but the '
                    f'encoder is {self._embedder.name}: choose the one that fits with the '
                    'parameter encoder, or set reembed:=true once'
                )
            index = self._index
            for rows in self._store.rows_after(index.last_number):
                index.add(rows)
            if self._store.count() < len(index):  # somebody deleted
                index = VectorIndex(self._embedder.dimension)
                for rows in self._store.rows_after(0):
                    index.add(rows)
            self._index = index
            self._version = version

    def _embed_anew(self) -> None:
        numbers: list[int] = []
        parts = [np.empty((0, self._embedder.dimension), np.float32)]
        for batch in self._store.goals():
            numbers.extend(number for number, _ in batch)
            parts.append(self._embedder.embed([goal for _, goal in batch]))
        self._store.replace_vectors(numbers, np.concatenate(parts), self._embedder.name)


def _check_text(name: str, text: str, longest: int, may_be_empty: bool = False) -> None:
    if not text.strip() and not may_be_empty:
        raise ConfigurationError(f'the {name} is empty: send one')
    if len(text) > longest:
        raise ConfigurationError(
            f'the {name} has {len(text)} characters, more than {longest}: shorten it'
        )
    if not text.isascii():
        try:
            text.encode('utf-8')
        except UnicodeEncodeError as error:
            raise ConfigurationError(f'the {name} is no valid Unicode text: {error}') from error
