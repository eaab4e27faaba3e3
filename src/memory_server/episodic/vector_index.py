"""The vectors of all experiences in one matrix, for exact search."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_server.embedding.embedder import FloatMatrix
from memory_server.store.experience_store import IndexRows

_FIRST_CAPACITY = 256
_NO_NAME = -1
_Number = TypeVar('_Number', bound=np.generic)


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as it was at one moment; later additions do not show.

    :param numbers: int64 (n,). :param vectors: float32 (n, d). :param terminations: uint8 (n,).
    :param tokens: int64 (n,). :param labels: int32 (n, 2), columns task type and planner.
    """

    numbers: NDArray[np.int64]
    vectors: FloatMatrix
    terminations: NDArray[np.uint8]
    tokens: NDArray[np.int64]
    labels: NDArray[np.int32]
    names: dict[str, int]

    def similarities(
        self, query: FloatMatrix, task_type: str = '', planner: str = ''
    ) -> NDArray[np.float32]:
        """Cosines to a unit vector; -inf where a given label differs.

        :param query: float32 (d,).
        :param task_type: only this family; '' for all. :param planner: likewise.
        """
        cosines = self.vectors @ query
        for column, name in enumerate((task_type, planner)):
            if name:
                code = self.names.get(name, _NO_NAME)
                cosines[self.labels[:, column] != code] = -np.inf
        return cosines


class VectorIndex:
    """Grows by doubling; a reader's view stays valid while others add.

    :param dimension: numbers in a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._lock = threading.Lock()
        self._size = 0
        self._names: dict[str, int] = {}
        self._numbers = np.empty(_FIRST_CAPACITY, np.int64)
        self._vectors = np.empty((_FIRST_CAPACITY, dimension), np.float32)
        self._terminations = np.empty(_FIRST_CAPACITY, np.uint8)
        self._tokens = np.empty(_FIRST_CAPACITY, np.int64)
        self._labels = np.empty((_FIRST_CAPACITY, 2), np.int32)

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
            for column, names in enumerate((rows.task_types, rows.planners)):
                self._labels[added, column] = [self._code(name) for name in names]
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
                self._names,
            )

    def _code(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

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


def _grown(old: NDArray[_Number], capacity: int, size: int) -> NDArray[_Number]:
    new = np.empty((capacity, *old.shape[1:]), old.dtype)
    new[:size] = old[:size]
    return new
