"""Variants of retrieval: whole tasks, rerankers, and lists without near-duplicates.

ReAcTree section 4.2 retrieves single nodes by their goals; the older way retrieves whole tasks.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_server.episodic.reranker import Reranker
from memory_server.episodic.selection import by_nearness
from memory_server.episodic.vector_index import IndexView
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience
from reactree_core.experience import Termination

SUBGOAL = 'subgoal'
TASK = 'task'
UNITS = (SUBGOAL, TASK)


@dataclass(frozen=True, slots=True)
class Variant:
    """How experiences are retrieved; as published by default.

    :param unit: 'subgoal' finds nodes with goals like the query; 'task' finds runs whose first
        node has a goal like the query, and gives all their nodes, in the order stored.
    :param terminations: only nodes that ended so; empty for all.
    :param skip_unfit: see `choose_examples`.
    :param duplicate_similarity: leave out a node whose goal has this cosine or more to that of one
        chosen before with the same termination; 0.0 keeps all.
    :param reranker: orders the nearest anew; None leaves them as they are.
    :param rerank_count: how many of the nearest it gets, 1 or more.
    :raises ConfigurationError: one of these cannot be used.
    """

    unit: str = SUBGOAL
    terminations: tuple[Termination, ...] = ()
    skip_unfit: bool = False
    duplicate_similarity: float = 0.0
    reranker: Reranker | None = None
    rerank_count: int = 32

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ConfigurationError(f'unit {self.unit!r} is none of {", ".join(UNITS)}')
        if not 0.0 <= self.duplicate_similarity <= 1.0:
            raise ConfigurationError('duplicate_similarity must be 0.0 to 1.0')
        if self.rerank_count < 1:
            raise ConfigurationError('rerank_count must be 1 or more')


def task_order(
    view: IndexView,
    similarities: NDArray[np.float32],
    terminations: Collection[Termination],
    seed: int,
) -> Iterator[int]:
    """All nodes of runs, in the order stored, the run with the nearest first node first.

    :param similarities: (n,) cosines to the query; -inf leaves a node out, and with the first node
        its whole run.
    :param terminations: only nodes that ended so; empty for all. The first may have ended
        otherwise: the root of a task nearly always expands.
    """
    wanted = similarities > -np.inf
    if terminations:
        wanted &= np.isin(view.terminations, [int(item) for item in terminations])
    of_tasks = np.where(view.first, similarities, np.float32(-np.inf))
    for first in by_nearness(of_tasks, view.terminations, seed):
        members = np.flatnonzero(view.run_codes == view.run_codes[first])
        yield from members[wanted[members]].tolist()


def without_duplicates(
    order: Iterable[int], view: IndexView, duplicate_similarity: float
) -> Iterator[int]:
    """An order without what is nearly the same as something before it.

    Equal goals that ended differently are not the same: one shows how to succeed, the other how
    to expand.

    :param duplicate_similarity: smallest cosine of near-duplicates, over 0.0.
    """
    kept: dict[int, list[int]] = {}
    for index in order:
        alike = kept.setdefault(int(view.terminations[index]), [])
        if alike:
            cosines = view.vectors[alike] @ view.vectors[index]
            # Rounding must not make a copy differ from its original.
            if float(cosines.max()) >= duplicate_similarity - 1e-6:
                continue
        alike.append(index)
        yield index


def rerank(
    head: Sequence[int], goal: str, reranker: Reranker, experiences: Sequence[Experience]
) -> list[int]:
    """The head of an order by its scores, best first; among equals the nearer stays first.

    :param experiences: what the head stands for, in its order.
    :raises ConfigurationError: the reranker gave another number of scores.
    """
    scores = reranker.score(goal, experiences)
    if len(scores) != len(head):
        raise ConfigurationError(
            f'the reranker {reranker.name} gave {len(scores)} scores for {len(head)} experiences: '
            'correct it or choose reranker:=none'
        )
    return [head[place] for place in sorted(range(len(head)), key=lambda i: -scores[i])]
