"""Seeded choices that come out the same in every process and Python version.

Only `random.Random.random` is promised to be stable over versions, so everything builds on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar('T')


class SeededRandom:
    """A seeded source of choices.

    :param seed: a whole number.
    :param purpose: what is diced; different purposes with one seed are independent.
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._random = Random(f'{purpose} {int(seed)}').random

    def chance(self, probability: float) -> bool:
        """True with this probability, 0..1."""
        return self._random() < probability

    def between(self, low: float, high: float) -> float:
        """A number from low (included) to high."""
        return low + (high - low) * self._random()

    def integer(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return min(high, low + int(self._random() * (high - low + 1)))

    def choose(self, options: Sequence[T]) -> T:
        """One of one or more options, all alike."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[T, float]]) -> T:
        """One of one or more (option, weight) pairs; weights are 0 or more, not all 0."""
        # Not sum(): Python 3.12 adds floats up in another way than 3.11.
        total = 0.0
        for _, weight in options:
            total += weight
        mark = self._random() * total
        for option, weight in options:
            mark -= weight
            if mark < 0.0:
                return option
        return options[-1][0]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """A new list in another order."""
        rest = list(options)
        for last in range(len(rest) - 1, 0, -1):
            other = self.integer(0, last)
            rest[last], rest[other] = rest[other], rest[last]
        return rest
