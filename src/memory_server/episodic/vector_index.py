"""The vectors of all experiences in one matrix, for exact search."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_server.store.experience_store import IndexRows
from reactree_core.embedder import FloatMatrix
from reactree_core.experience import Termination

_FIRST_CAPACITY = 256
_NO_NAME = -1
_TASK_TYPE, _PLANNER, _RUN, _DOMAIN = range(4)
_Number = TypeVar('_Number', bound=np.generic)


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as it was at one moment; later additions do not show.

    :param numbers: int64 (n,). :param vectors: float32 (n, d). :param terminations: uint8 (n,).
    :param tokens: int64 (n,).
    :param labels: int32 (n, 4), columns task type, planner, run and domain.
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

        :param query: float32 (d,).
        :param task_type: only this family; '' for all. :param planner: likewise.
        :param terminations: only these; empty for all.
        :param domain: only this one's, and those of no known domain; '' for all.
        """
        cosines = self.vectors @ query
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
        self._labels = np.empty((_FIRST_CAPACITY, 4), np.int32)
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
            self._terminations[added] = rows.terminations
            self._tokens[added] = rows.tokens
            for column, names in (
                (_TASK_TYPE, rows.task_types),
                (_PLANNER, rows.planners),
                (_DOMAIN, rows.domains),
            ):
                self._labels[added, column] = [self._code(name) for name in names]
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
