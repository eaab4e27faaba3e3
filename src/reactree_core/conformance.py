"""Contracts as clauses that are tried: the frame of the suites for models and skill servers.

A clause is a sentence, and a function that tries it: it says what it saw, and raises where the
sentence does not hold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from reactree_core.errors import ReactreeError

Trial = TypeVar('Trial')


class Verdict(Enum):
    """What came of a clause."""

    KEPT = 'ok'
    BROKEN = 'BROKEN'
    NOT_TRIED = 'not tried'


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """One clause of a contract.

    :param clause: a sentence. :param seen: what was seen, or how the clause was broken.
    :param seconds: how long that took.
    """

    clause: str
    verdict: Verdict
    seen: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the clause was tried and holds."""
        return self.verdict is Verdict.KEPT

    def __str__(self) -> str:
        return f'{self.verdict.value:<9} {self.clause} [{self.seen}] {self.seconds:.2f} s'


class BrokenClauseError(Exception):
    """A clause does not hold; the text says what was seen."""


class NotTried(Exception):
    """A clause that could not be tried here; the text says why."""


def expect(holds: bool, seen: str) -> None:
    """Break the clause unless something holds."""
    if not holds:
        raise BrokenClauseError(seen)


def try_clauses(
    clauses: Sequence[tuple[str, Callable[[Trial], str]]],
    trial: Callable[[], Trial],
    say: Callable[[ClauseResult], object],
) -> list[ClauseResult]:
    """Try every clause, in order, also after one is broken.

    :param trial: called before each clause: what it is tried with.
    :param say: called with each result as it comes.
    """
    results = []
    for clause, check in clauses:
        began = time.monotonic()
        try:
            verdict, seen = Verdict.KEPT, check(trial())
        except BrokenClauseError as broken:
            verdict, seen = Verdict.BROKEN, str(broken)
        except NotTried as reason:
            verdict, seen = Verdict.NOT_TRIED, str(reason)
        except ReactreeError as error:
            verdict, seen = Verdict.BROKEN, f'{type(error).__name__}: {error}'
        results.append(ClauseResult(clause, verdict, seen, time.monotonic() - began))
        say(results[-1])
    return results
