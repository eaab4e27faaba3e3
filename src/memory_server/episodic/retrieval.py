"""Retrieval of experiences: nearest first, ties spread, up to a token budget.

ReAcTree section 4.2. Pure functions over arrays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_server.episodic.vector_index import IndexView
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, Termination

#: Cosines this close count as equal.
TIE = 1e-6
#: Order in which terminations take turns within a tie, as published.
TURNS = (Termination.EXPAND, Termination.SUCCESS, Termination.FAILURE)
_FIRST_CUT = 64


def choose_examples(
    similarities: NDArray[np.float32],
    terminations: NDArray[np.uint8],
    tokens: NDArray[np.int64],
    budget: int,
    limit: int = 0,
    seed: int = 0,
) -> list[int]:
    """Indices of the examples, best first.

    :param similarities: (n,) cosines to the query; -inf leaves an example out.
    :param terminations: (n,) `Termination` values.
    :param tokens: (n,) size of each example, 1 or more.
    :param budget: most tokens of all examples together, 0 or more.
    :param limit: most examples; 0 for no limit but the budget.
    :param seed: of the order among equals.
    """
    if not budget:
        return []
    order = by_nearness(similarities, terminations, seed)
    return fill_budget(order, tokens, budget, limit)


def fill_budget(
    order: Iterable[int],
    tokens: NDArray[np.int64],
    budget: int,
    limit: int = 0,
) -> list[int]:
    """The head of an order that fits a budget; the first that does not fit ends it, as published.

    Parameters as of `choose_examples`.
    """
    chosen: list[int] = []
    if not budget:
        return chosen
    for index in order:
        if tokens[index] > budget:
            break
        chosen.append(index)
        budget -= int(tokens[index])
        if len(chosen) == limit or not budget:
            break
    return chosen


def by_nearness(
    similarities: NDArray[np.float32], terminations: NDArray[np.uint8], seed: int
) -> Iterator[int]:
    """All indices with a finite similarity, best first, ties in turns of terminations.

    Sorts only as far as somebody reads: a budget usually ends after a handful of 100,000.
    """
    random = _Random(seed)
    cut = _FIRST_CUT
    below = np.float32(np.inf)  # everything from here up has been given out
    while True:
        rest = np.flatnonzero((similarities < below) & (similarities > -np.inf))
        if not len(rest):
            return
        values = similarities[rest]
        if len(rest) > cut:
            lowest_anchor = -np.partition(-values, cut - 1)[cut - 1]
            near = values >= lowest_anchor - np.float32(2 * TIE)
            rest, values = rest[near], values[near]
        else:
            lowest_anchor = values.min()
        order = np.lexsort((rest, -values))
        rest, values = rest[order], values[order]
        # Single steps over arrays are slow.
        steps, anchors = values.tolist(), np.searchsorted(-values, -lowest_anchor, 'right')
        floors = (values - np.float32(TIE)).tolist()
        start = 0
        while start < anchors:
            # A tie is measured from its best member, so that near values cannot chain.
            end = start + 1
            while end < len(steps) and steps[end] >= floors[start]:
                end += 1
            if end == start + 1:
                yield int(rest[start])
            else:
                yield from _take_turns(rest[start:end], terminations, random.generator)
            start = end
        below = values[start - 1]
        cut *= 4


class _Random:
    """A generator that is made when the first tie needs it: it takes longer than a choice."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    @cached_property
    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self._seed)


def _take_turns(
    tied: NDArray[np.intp], terminations: NDArray[np.uint8], random: np.random.Generator
) -> list[int]:
    """Equals, shuffled, one of each termination in turn while there are any."""
    shuffled = random.permutation(np.sort(tied))
    queues = [shuffled[terminations[shuffled] == turn].tolist() for turn in TURNS]
    longest = max(len(queue) for queue in queues)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


NONE = 'none'
WORDS = 'words'
RERANKERS = (NONE, WORDS)
_WORD = re.compile(r'[^\W\d_]+')


class Reranker(Protocol):
    """Judges how well experiences fit a goal; may be called from any thread."""

    @property
    def name(self) -> str:
        """For messages."""

    def score(self, goal: str, experiences: Sequence[Experience]) -> Sequence[float]:
        """One number an experience; greater fits better. Equal scores keep their order."""


class WordReranker:
    """Counts shared words, rare ones more: 'drain valve' is not 'inlet valve'.

    Sentence encoders find such goals alike, because most of their words are. The score is the
    share of the goal's words, 0.0 to 1.0, that the experience's goal has, each weighted by how few
    of the compared experiences have it; numbers do not count, since rooms and things of another
    home are numbered otherwise.
    """

    @property
    def name(self) -> str:
        """As the parameter names it."""
        return WORDS

    def score(self, goal: str, experiences: Sequence[Experience]) -> list[float]:
        """One share an experience; all 0.0 for a goal without words."""
        words = _words(goal)
        compared = [_words(experience.goal) for experience in experiences]
        holders = Counter(word for found in compared for word in found)
        weights = {word: math.log1p(len(compared) / (1 + holders[word])) for word in words}
        total = math.fsum(weights.values())
        if not total:
            return [0.0] * len(compared)
        return [math.fsum(weights[word] for word in words & found) / total for found in compared]


def choose_reranker(name: str) -> Reranker | None:
    """The reranker of a name; None for 'none'.

    :raises ConfigurationError: unknown name.
    """
    if name not in RERANKERS:
        raise ConfigurationError(f'reranker {name!r} is none of {", ".join(RERANKERS)}')
    return WordReranker() if name == WORDS else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


SUBGOAL = 'subgoal'
TASK = 'task'
UNITS = (SUBGOAL, TASK)


@dataclass(frozen=True, slots=True)
class Variant:
    """How experiences are retrieved; as published by default.

    :param unit: 'subgoal' finds nodes with goals like the query; 'task' finds runs whose first
        node has a goal like the query, and gives all their nodes, in the order stored.
    :param terminations: only nodes that ended so; empty for all.
    :param duplicate_similarity: leave out a node whose goal has this cosine or more to that of one
        chosen before with the same termination; 0.0 keeps all.
    :param reranker: orders the nearest anew; None leaves them as they are.
    :param rerank_count: how many of the nearest it gets, 1 or more.
    :raises ConfigurationError: one of these cannot be used.
    """

    unit: str = SUBGOAL
    terminations: tuple[Termination, ...] = ()
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
