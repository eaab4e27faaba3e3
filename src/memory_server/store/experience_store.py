"""The seam to databases of experiences, and the rows that retrieval needs of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reactree_core.experience import Experience, Termination
from reactree_core.ports import FloatMatrix

#: What databases keep of an experience: everything but its similarity to a query.
FIELDS = (
    'experience_id',
    'goal',
    'trajectory',
    'termination',
    'run_id',
    'task_type',
    'planner',
    'model',
    'tokens',
    'domain',
    'context',
    'unconfirmed',
)
#: Those of them that are texts.
TEXTS = tuple(name for name in FIELDS if name not in ('termination', 'tokens', 'unconfirmed'))


def experience_of(values: Sequence[Any], similarity: float = 0.0) -> Experience:
    """An experience from the values of `FIELDS`."""
    named = dict(zip(FIELDS, values, strict=True))
    named['termination'] = Termination(named['termination'])
    named['unconfirmed'] = bool(named['unconfirmed'])
    return Experience(**named, similarity=similarity)


@dataclass(frozen=True, slots=True)
class IndexRows:
    """What retrieval keeps in memory of n experiences, in the order they were stored.

    :param numbers: int64 (n,), rising; the store's own numbers.
    :param vectors: float32 (n, d), rows of length 1.
    :param terminations: uint8 (n,), `Termination` values.
    :param tokens: int64 (n,), 1 or more: counted, or estimated from the length.
    """

    numbers: NDArray[np.int64]
    vectors: FloatMatrix
    terminations: NDArray[np.uint8]
    tokens: NDArray[np.int64]
    task_types: tuple[str, ...]
    planners: tuple[str, ...]
    run_ids: tuple[str, ...]
    domains: tuple[str, ...]
    unconfirmed: tuple[bool, ...]

    @classmethod
    def read(cls, rows: Sequence[Sequence[Any]], number: str, header: int = 0) -> IndexRows:
        """Rows of a database: the fields in their order, but for the vectors, which come last.

        :param number: how vectors are written. :param header: bytes before each of them.
        """
        numbers, terminations, tokens, *texts, vectors = zip(*rows, strict=True)
        joined = np.frombuffer(b''.join(vector[header:] for vector in vectors), number)
        return cls(
            np.array(numbers, np.int64),
            joined.astype(np.float32).reshape(len(rows), -1),
            np.array(terminations, np.uint8),
            np.array(tokens, np.int64),
            *texts,
        )


class ExperienceStore(Protocol):
    """Keeps experiences and the vectors of their goals, all by one encoder.

    May be called from any thread. Every method raises MemoryStoreError when the database
    cannot do it; what was acknowledged before stays.
    """

    @property
    def location(self) -> str:
        """Where it is, for people."""

    @property
    def read_only(self) -> bool:
        """Whether `add` is refused."""

    def encoder(self) -> str:
        """Name of the encoder of all vectors; '' while there are none."""

    def add(self, experiences: Sequence[Experience], vectors: FloatMatrix, encoder: str) -> int:
        """Keep all of these or none, skipping known ids; returns how many are new.

        Returned only when they are on disk.
        """

    def known(self, experience_ids: Sequence[str]) -> set[str]:
        """Which of these ids are kept already."""

    def stored_at(self, experience_id: str) -> float | None:
        """When it was stored, in seconds since 1970; None for an unknown id."""

    def ids_of_run(self, run_id: str) -> set[str]:
        """Ids of everything that came from a run."""

    def confirm(self, run_id: str) -> int:
        """Make what a run left unconfirmed count like all else; returns how many that were.

        They get new numbers, as if they were stored now: whoever reads on finds them.
        """

    def forget(self, experience_ids: Sequence[str]) -> int:
        """Delete all of these or none; returns how many there were."""

    def rows_after(self, number: int) -> Iterator[IndexRows]:
        """Rows with greater numbers, in batches; 0 for all."""

    def load(self, numbers: Sequence[int]) -> list[Experience]:
        """Whole experiences by the store's numbers, in the order asked; none missing."""

    def goals(self) -> Iterator[list[tuple[int, str]]]:
        """Numbers and goals of everything, in batches: what an encoder must read again."""

    def replace_vectors(self, numbers: Sequence[int], vectors: FloatMatrix, encoder: str) -> None:
        """Put the vectors of another encoder in place of all of the old ones, or none."""

    def version(self) -> int:
        """Changes when anybody wrote, in this process or another; cheap."""

    def count(self) -> int:
        """Experiences kept."""

    def close(self) -> None:
        """Let go of the database; nothing else may be called after."""
