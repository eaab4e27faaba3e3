"""The vectors of all experiences: exact search in one matrix, and candidates found with faiss."""

from __future__ import annotations

import importlib
import logging
import math
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_server.store.experience_store import IndexRows
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Termination
from reactree_core.ports import FloatMatrix

_FIRST_CAPACITY = 256
_NO_NAME = -1
_TASK_TYPE, _PLANNER, _RUN, _DOMAIN, _UNCONFIRMED = range(5)
_Number = TypeVar('_Number', bound=np.generic)


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as it was at one moment; later additions do not show.

    :param numbers: int64 (n,). :param vectors: float32 (n, d). :param terminations: uint8 (n,).
    :param tokens: int64 (n,).
    :param labels: int32 (n, 5), columns task type, planner, run, domain, and 1 for unconfirmed.
    :param first: bool (n,), whether an experience was the first stored of its run.
    """

    numbers: NDArray[np.int64]
    vectors: FloatMatrix
    terminations: NDArray[np.uint8]
    tokens: NDArray[np.int64]
    labels: NDArray[np.int32]
    first: NDArray[np.bool_]
    names: dict[str, int]

    @property
    def run_codes(self) -> NDArray[np.int32]:
        """Equal for experiences of one run: int32 (n,)."""
        return self.labels[:, _RUN]

    def similarities(
        self,
        query: FloatMatrix,
        task_type: str = '',
        planner: str = '',
        terminations: Collection[Termination] = (),
        domain: str = '',
    ) -> NDArray[np.float32]:
        """Cosines to a unit vector; -inf where a given label or the termination differs.

        So it is, whatever is asked for, where nobody has confirmed that the goal was met.

        :param query: float32 (d,).
        :param task_type: only this family; '' for all. :param planner: likewise.
        :param terminations: only these; empty for all.
        :param domain: only this one's, and those of no known domain; '' for all.
        """
        cosines = self.vectors @ query
        cosines[self.labels[:, _UNCONFIRMED] != 0] = -np.inf
        for column, name in ((_TASK_TYPE, task_type), (_PLANNER, planner)):
            if name:
                code = self.names.get(name, _NO_NAME)
                cosines[self.labels[:, column] != code] = -np.inf
        if domain:
            codes = [self.names.get(name, _NO_NAME) for name in (domain, '')]
            cosines[~np.isin(self.labels[:, _DOMAIN], codes)] = -np.inf
        if terminations:
            wanted = np.isin(self.terminations, [int(item) for item in terminations])
            cosines[~wanted] = -np.inf
        return cosines

    def at(self, positions: NDArray[np.int64]) -> IndexView:
        """Only these rows, as copies, in the order given."""
        return IndexView(
            self.numbers[positions],
            self.vectors[positions],
            self.terminations[positions],
            self.tokens[positions],
            self.labels[positions],
            self.first[positions],
            self.names,
        )


class VectorIndex:
    """Grows by doubling; a reader's view stays valid while others add.

    :param dimension: numbers in a vector.
    :param loners: run ids whose experiences do not belong together; each is a run of its own.
    """

    def __init__(self, dimension: int, loners: Collection[str] = ('',)) -> None:
        self._lock = threading.Lock()
        self._loners = frozenset(loners)
        self._size = 0
        self._names: dict[str, int] = {}
        self._runs: dict[str, int] = {}
        self._numbers = np.empty(_FIRST_CAPACITY, np.int64)
        self._vectors = np.empty((_FIRST_CAPACITY, dimension), np.float32)
        self._terminations = np.empty(_FIRST_CAPACITY, np.uint8)
        self._tokens = np.empty(_FIRST_CAPACITY, np.int64)
        self._labels = np.empty((_FIRST_CAPACITY, 5), np.int32)
        self._first = np.empty(_FIRST_CAPACITY, np.bool_)

    def __len__(self) -> int:
        return self._size

    @property
    def last_number(self) -> int:
        """Greatest number of the store that is in here; 0 when empty."""
        return int(self._numbers[self._size - 1]) if self._size else 0

    def add(self, rows: IndexRows) -> None:
        """Add rows whose numbers are greater than all in here."""
        with self._lock:
            end = self._size + len(rows.numbers)
            self._reserve(end)
            added = slice(self._size, end)
            self._numbers[added] = rows.numbers
            self._vectors[added] = rows.vectors
            # Near to no goal, so that they take no place among the candidates.
            self._vectors[added][np.array(rows.unconfirmed, bool)] = 0.0
            self._terminations[added] = rows.terminations
            self._tokens[added] = rows.tokens
            for column, names in (
                (_TASK_TYPE, rows.task_types),
                (_PLANNER, rows.planners),
                (_DOMAIN, rows.domains),
            ):
                self._labels[added, column] = [self._code(name) for name in names]
            self._labels[added, _UNCONFIRMED] = rows.unconfirmed
            for position, run_id in enumerate(rows.run_ids, self._size):
                self._join_run(position, run_id)
            self._size = end

    def view(self) -> IndexView:
        """What is in here now."""
        with self._lock:
            size = self._size
            return IndexView(
                self._numbers[:size],
                self._vectors[:size],
                self._terminations[:size],
                self._tokens[:size],
                self._labels[:size],
                self._first[:size],
                self._names,
            )

    def _code(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _join_run(self, position: int, run_id: str) -> None:
        # The position of a run's first experience is its code.
        first = position if run_id in self._loners else self._runs.setdefault(run_id, position)
        self._labels[position, _RUN] = first
        self._first[position] = first == position

    def _reserve(self, size: int) -> None:
        capacity = len(self._numbers)
        if size <= capacity:
            return
        while capacity < size:
            capacity *= 2
        # New arrays, never resized ones: views of the old ones are in use.
        self._numbers = _grown(self._numbers, capacity, self._size)
        self._vectors = _grown(self._vectors, capacity, self._size)
        self._terminations = _grown(self._terminations, capacity, self._size)
        self._tokens = _grown(self._tokens, capacity, self._size)
        self._labels = _grown(self._labels, capacity, self._size)
        self._first = _grown(self._first, capacity, self._size)


def _grown(old: NDArray[_Number], capacity: int, size: int) -> NDArray[_Number]:
    new = np.empty((capacity, *old.shape[1:]), old.dtype)
    new[:size] = old[:size]
    return new


_LOG = logging.getLogger(__name__)

#: Share of the exactly nearest ten that a finished index finds among its candidates.
WANTED_RECALL = 0.99
_NEIGHBOURS = 10
_SAMPLE = 200
_TRAINING_PER_LIST = 40
_SMALLEST = 2000
#: Rows are scored this many at a time when recall is measured: bounds the memory it takes.
_BLOCK = 100_000


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How an index turned out. :param seconds: of building. :param recall: at 10, 0.0 to 1.0."""

    size: int
    seconds: float
    recall: float
    lists: int
    probes: int
    bytes: int


class ApproximateSearch:
    """Inverted lists of 8-bit vectors; whoever asks compares the candidates exactly afterwards.

    It is built in a thread of its own, from what the index in memory holds; until it stands, there
    are no candidates, and search is exact. Later rows are added; when they have become as many as
    it was built from, it is built anew. Thread-safe.

    :param above: build from this many rows on.
    :param seed: of what the lists are trained on.
    :raises ConfigurationError: faiss is not installed.
    """

    def __init__(self, above: int, seed: int = 0) -> None:
        try:
            self._faiss: Any = importlib.import_module('faiss')
        except ImportError as error:
            raise ConfigurationError(
                'approximate search needs faiss: pip install -r requirements/approximate.txt, '
                'or set approximate_above:=0'
            ) from error
        self._above = max(above, _SMALLEST)
        self._seed = seed
        self._lock = threading.Lock()
        self._index: Any = None
        self._source: object = None
        self._built_from = 0
        self._builder: threading.Thread | None = None
        self.report: BuildReport | None = None

    def follow(self, source: object, vectors: FloatMatrix) -> None:
        """Take in what is new; returns soon.

        :param source: another object when rows before the end have changed.
        :param vectors: all rows there are: float32 (n, d), not changed afterwards.
        """
        with self._lock:
            if source is not self._source:
                self._source, self._index, self._built_from = source, None, 0
            count = len(vectors)
            if self._index is not None and count > self._index.ntotal:
                self._index.add(vectors[self._index.ntotal :])
            busy = self._builder is not None and self._builder.is_alive()
            if not busy and count >= max(self._above, 2 * self._built_from):
                self._builder = threading.Thread(
                    target=self._build, args=(source, vectors), name='approximate', daemon=True
                )
                self._builder.start()

    def candidates(
        self, source: object, size: int, query: FloatMatrix, count: int
    ) -> NDArray[np.int64] | None:
        """Rows that are likely the nearest, rising; None while there is no index.

        :param source: as given to `follow`. :param size: rows the caller knows of.
        :param query: float32 (d,). :param count: how many.
        """
        with self._lock:
            if self._index is None or source is not self._source:
                return None
            _, found = self._index.search(query[np.newaxis], count)
            known = self._index.ntotal
        positions = found[0][(found[0] >= 0) & (found[0] < size)]
        # What came after the index was last told is compared exactly.
        return np.concatenate([np.sort(positions), np.arange(known, size)]).astype(np.int64)

    def wait(self, seconds: float) -> bool:
        """Until nothing is being built; False when that takes longer."""
        builder = self._builder
        if builder is not None:
            builder.join(seconds)
            return not builder.is_alive()
        return True

    def _build(self, source: object, vectors: FloatMatrix) -> None:
        begin = time.perf_counter()
        faiss, (count, dimension) = self._faiss, vectors.shape
        lists = max(1, 2 ** round(math.log2(4.0 * math.sqrt(count))))
        random = np.random.default_rng(self._seed)
        index = faiss.index_factory(dimension, f'IVF{lists},SQ8', faiss.METRIC_INNER_PRODUCT)
        training = min(count, _TRAINING_PER_LIST * lists)
        index.train(vectors[np.sort(random.choice(count, training, replace=False))])
        index.add(vectors)
        queries = vectors[random.choice(count, min(_SAMPLE, count), replace=False)]
        exact = _exactly_nearest(vectors, queries)
        index.nprobe, recall = 1, 0.0
        while True:
            _, found = index.search(queries, 10 * _NEIGHBOURS)
            recall = _recall(exact, found)
            if recall >= WANTED_RECALL or index.nprobe >= lists:
                break
            index.nprobe = min(2 * index.nprobe, lists)
        size = index.ntotal * (dimension + 8) + 4 * lists * dimension
        with self._lock:
            if source is not self._source:
                return
            self._index, self._built_from = index, count
            self.report = BuildReport(
                count, time.perf_counter() - begin, recall, lists, index.nprobe, size
            )
        _LOG.info('approximate index of %d vectors: recall %.3f', count, recall)


def _exactly_nearest(vectors: FloatMatrix, queries: FloatMatrix) -> NDArray[np.int64]:
    """Rows of the ten greatest products for each query: (q, 10)."""
    best = np.full((len(queries), 0), 0.0, np.float32)
    rows = np.empty((len(queries), 0), np.int64)
    for start in range(0, len(vectors), _BLOCK):
        products = queries @ vectors[start : start + _BLOCK].T
        count = min(_NEIGHBOURS, products.shape[1])
        top = np.argpartition(-products, count - 1, axis=1)[:, :count]
        best = np.concatenate([best, np.take_along_axis(products, top, 1)], axis=1)
        rows = np.concatenate([rows, top + start], axis=1)
    order = np.argsort(-best, axis=1)[:, :_NEIGHBOURS]
    return np.take_along_axis(rows, order, 1)


def _recall(exact: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    hits = sum(len(np.intersect1d(one, two)) for one, two in zip(exact, found, strict=True))
    return hits / exact.size
