"""Keeps experiences and finds those nearest to a goal."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from memory_server.episodic.retrieval import (
    by_nearness,
    fill_budget,
    rerank,
    SUBGOAL,
    TASK,
    task_order,
    Variant,
    without_duplicates,
)
from memory_server.episodic.vector_index import ApproximateSearch, IndexView, VectorIndex
from memory_server.seed.loader import SEED_RUN
from memory_server.store.experience_store import experience_of, ExperienceStore, FIELDS
from memory_server.trajectory import ExperienceEncoder, GOAL
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.experience import Experience, ExperienceQuery, LONGEST_TRAJECTORY
from reactree_core.ports import Embedder

#: Longest goal, id or label, in characters.
NAME_LIMIT = 4096
#: Longest query, which may hold an observation too.
QUERY_LIMIT = 65536
#: Nearest experiences that an approximate search proposes, at least.
_CANDIDATES = 256
_PUBLISHED = Variant()
_KEPT = attrgetter(*FIELDS)


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
    :param similarity: 'goal' or 'goal_and_observation', see `ExperienceEncoder`.
    :param approximate_above: look at likely candidates only once there are more experiences than
        this; 0 looks at all, always.
    :raises MemoryStoreError: the store cannot be read, or holds another encoder's vectors.
    :raises ConfigurationError: unknown similarity, or a package for large memories is missing.
    """

    def __init__(
        self,
        store: ExperienceStore,
        embedder: Embedder,
        reembed: bool = False,
        longest: int = LONGEST_TRAJECTORY,
        similarity: str = GOAL,
        approximate_above: int = 0,
    ) -> None:
        self._store = store
        self._encoder = ExperienceEncoder(embedder, similarity)
        self._longest = longest
        self._approximate = ApproximateSearch(approximate_above) if approximate_above else None
        self._index = self._empty_index()
        self._version = -1
        self._refreshing = threading.Lock()
        if reembed and store.encoder() not in ('', self._encoder.name):
            embed_anew(store, self._encoder)
        self._refresh()

    def __len__(self) -> int:
        return len(self._index)

    def with_store(self, store: ExperienceStore) -> EpisodicMemory:
        """Another memory by the same encoder."""
        encoder = self._encoder
        return EpisodicMemory(store, encoder.embedder, similarity=encoder.similarity)

    @property
    def location(self) -> str:
        """Where the experiences are kept, for people."""
        return self._store.location

    @property
    def read_only(self) -> bool:
        """Whether nothing can be stored."""
        return self._store.read_only

    @property
    def approximate(self) -> ApproximateSearch | None:
        """The search for candidates; None when all experiences are compared."""
        return self._approximate

    def retrieve(
        self, asked: ExperienceQuery, variant: Variant = _PUBLISHED
    ) -> tuple[Experience, ...]:
        """Experiences whose goals are nearest to a goal, best first (ReAcTree section 4.2).

        :param asked: a trajectory that nobody counted is taken to have a token every 4
            characters; the observation is read with 'goal_and_observation' only.
        :param variant: how else to retrieve; its unit where the query names none.
        :raises ConfigurationError: the goal is empty or no text.
        :raises MemoryStoreError: the store cannot be read, or the encoder does not answer.
        """
        goal = asked.goal
        _check_text('goal', goal, QUERY_LIMIT if self._encoder.reads_observations else NAME_LIMIT)
        variant = replace(variant, unit=asked.unit or variant.unit)
        self._refresh()
        index = self._index
        view = index.view()
        if not len(view.numbers):
            return ()
        query = self._encoder.query(goal, asked.observation[:QUERY_LIMIT])
        anything = not (asked.task_type or asked.planner or asked.domain or variant.terminations)
        if self._approximate is not None and anything and variant.unit == SUBGOAL:
            wanted = max(_CANDIDATES, 4 * asked.limit, variant.rerank_count)
            near = self._approximate.candidates(index, len(view.numbers), query, wanted)
            view = view if near is None else view.at(near)
        terminations = variant.terminations if variant.unit == SUBGOAL else ()
        similarities = view.similarities(
            query, asked.task_type, asked.planner, terminations, asked.domain
        )
        order = self._order(goal, view, similarities, asked.seed, variant)
        chosen = fill_budget(order, view.tokens, asked.token_budget or sys.maxsize, asked.limit)
        found = self._load(view, chosen)
        return tuple(
            experience_of(_KEPT(experience), float(similarities[index]))
            for index, experience in zip(chosen, found, strict=True)
        )

    def store(
        self,
        experiences: Sequence[Experience],
        admit: Callable[[int, int], None] = lambda new, kept: None,
    ) -> Stored:
        """Keep experiences, all or none; returns when they are on disk.

        An id that is known already changes nothing, whatever comes with it.

        :param admit: called first with how many are new and how many are kept; may refuse.
        :raises ConfigurationError: an experience is incomplete or too long; none was kept.
        :raises MemoryStoreError: the store cannot be written, or they were refused.
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
            self._refresh()
            admit(len(new), len(self))
            vectors = self._encoder.experiences(new)
            stored = self._store.add(new, vectors, self._encoder.name)
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
        _check_text('context', experience.context, self._longest, may_be_empty=True)
        for name in ('run_id', 'task_type', 'planner', 'model', 'domain'):
            _check_text(name, getattr(experience, name), NAME_LIMIT, may_be_empty=True)
        if experience.tokens < 0:
            raise ConfigurationError('an experience has less than 0 tokens: send 0 for unknown')

    def _order(
        self,
        goal: str,
        view: IndexView,
        similarities: NDArray[np.float32],
        seed: int,
        variant: Variant,
    ) -> Iterator[int]:
        order = (
            task_order(view, similarities, variant.terminations, seed)
            if variant.unit == TASK
            else by_nearness(similarities, view.terminations, seed)
        )
        if variant.reranker is not None:
            head = list(itertools.islice(order, variant.rerank_count))
            again = rerank(head, goal, variant.reranker, self._load(view, head))
            order = itertools.chain(again, order)
        if variant.duplicate_similarity:
            order = without_duplicates(order, view, variant.duplicate_similarity)
        return order

    def _load(self, view: IndexView, positions: Sequence[int]) -> list[Experience]:
        return self._store.load([int(view.numbers[position]) for position in positions])

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
            if found not in ('', self._encoder.name):
                raise MemoryStoreError(
                    f'the store {self.location} holds vectors of the encoder {found}, but the '
                    f'encoder is {self._encoder.name}: choose the one that fits with the '
                    'parameters encoder and similarity, or set reembed:=true once'
                )
            index = self._index
            for rows in self._store.rows_after(index.last_number):
                index.add(rows)
            if self._store.count() < len(index):  # somebody deleted
                index = self._empty_index()
                for rows in self._store.rows_after(0):
                    index.add(rows)
            self._index = index
            if self._approximate is not None:
                self._approximate.follow(index, index.view().vectors)
            self._version = version

    def _empty_index(self) -> VectorIndex:
        return VectorIndex(self._encoder.dimension, ('', SEED_RUN))


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


#: So many seconds of quiet are saved up: the experiences of whole runs come at once.
SAVED_SECONDS = 100.0


class Intake:
    """A token bucket before a memory, counted in seconds, so that its rate may change any time.

    :param clock: seconds, steady.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._saved = SAVED_SECONDS
        self._looked = clock()

    def admit(self, new: int, kept: int, most: int, rate: float) -> None:
        """Let new experiences in, all or none.

        :param new: how many, 1 or more. :param kept: how many there are.
        :param most: how many there may be; 0 for any number.
        :param rate: how many may come in a second, over time; 0 for any number.
        :raises MemoryStoreError: they are too many.
        """
        if most and kept + new > most:
            raise MemoryStoreError(
                f'the memory holds {kept} experiences and may hold {most}: delete some with '
                '`reactree memory delete`, or raise the parameter store_limit_count'
            )
        now = self._clock()
        self._saved = min(SAVED_SECONDS, self._saved + now - self._looked)
        self._looked = now
        needed = new / rate if rate else 0.0
        if needed > SAVED_SECONDS:
            raise MemoryStoreError(
                f'{new} new experiences are more than the {SAVED_SECONDS * rate:.0f} that this '
                'node takes at once: send fewer, raise the parameter store_rate, or take them in '
                'with `reactree memory import`'
            )
        if needed > self._saved:
            raise MemoryStoreError(
                f'more experiences come than the {rate:g} a second that this node takes: try '
                f'again in {needed - self._saved:.0f} s, raise the parameter store_rate, or take '
                'them in with `reactree memory import`'
            )
        self._saved -= needed


def embed_anew(
    store: ExperienceStore,
    encoder: ExperienceEncoder,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Put an encoder's vectors in place of all there are, or of none; returns how many.

    Whoever retrieves meanwhile finds the old vectors until the end.

    :param progress: called with the experiences done and their number, after each batch.
    :raises EncoderError: the encoder does not answer.
    :raises MemoryStoreError: not written, or somebody else stored or deleted in the meantime.
    """
    total = store.count()
    numbers: list[int] = []
    parts = [np.empty((0, encoder.dimension), np.float32)]
    for batch in store.goals():
        found = [number for number, _ in batch]
        if encoder.reads_observations:
            parts.append(encoder.experiences(store.load(found)))
        else:
            parts.append(encoder.goals([goal for _, goal in batch]))
        numbers.extend(found)
        progress(len(numbers), max(total, len(numbers)))
    store.replace_vectors(numbers, np.concatenate(parts), encoder.name)
    return len(numbers)
