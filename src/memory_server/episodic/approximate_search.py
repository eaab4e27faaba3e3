"""Finds candidates among very many vectors without looking at all of them, with faiss."""

from __future__ import annotations

import importlib
import logging
import math
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reactree_core.embedder import FloatMatrix
from reactree_core.errors import ConfigurationError

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
