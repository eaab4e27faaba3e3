"""Which examples an agent node gets: nearest first, ties spread, up to a token budget.

ReAcTree section 4.2. Pure functions over arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reactree_core.experience import Termination

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
    skip_unfit: bool = False,
) -> list[int]:
    """Indices of the examples, best first.

    :param similarities: (n,) cosines to the query; -inf leaves an example out.
    :param terminations: (n,) `Termination` values.
    :param tokens: (n,) size of each example, 1 or more.
    :param budget: most tokens of all examples together, 0 or more.
    :param limit: most examples; 0 for no limit but the budget.
    :param seed: of the order among equals.
    :param skip_unfit: pass over an example that does not fit and try the next; otherwise the
        first that does not fit ends the list, as published.
    """
    if not budget:
        return []
    order = by_nearness(similarities, terminations, seed)
    return fill_budget(order, tokens, budget, limit, skip_unfit)


def fill_budget(
    order: Iterable[int],
    tokens: NDArray[np.int64],
    budget: int,
    limit: int = 0,
    skip_unfit: bool = False,
) -> list[int]:
    """The head of an order that fits a budget; reads no further than it must.

    Parameters as of `choose_examples`.
    """
    chosen: list[int] = []
    if not budget:
        return chosen
    for index in order:
        if tokens[index] <= budget:
            chosen.append(index)
            budget -= int(tokens[index])
            if len(chosen) == limit or not budget:
                break
        elif not skip_unfit:
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
