"""Mutations of the check by which an end is verified: each must call something false verified.

Where two parts of the check guard against the same lie, a mutation leaves both out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, ExitStack
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any
from unittest import mock

from benchmarks.lying_robots.lies import (
    Disagree,
    Echo,
    Frozen,
    Lie,
    MovedAway,
    MovedBetween,
    Silent,
    StuckDoor,
    Swapped,
    WrongUnit,
)
from reactree_core import belief
from reactree_core.belief import Fact, SourceKind
from robot_bridge import provenance


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of the check. :param lies: kinds of which one must be falsely verified then."""

    name: str
    lies: tuple[type[Lie], ...]
    patch: Callable[[], Any]

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Have it in force for a while."""
        with self.patch():
            yield


def _without(doubt: str) -> Callable[[], Any]:
    """A mutation that has no doubts of some wording."""
    original = belief._doubt

    def blind(*given: Any) -> str:
        found = original(*given)
        return '' if doubt in found else found

    return lambda: mock.patch.object(belief, '_doubt', blind)


def _one_wins() -> Any:
    original = belief._latest
    return mock.patch.object(belief, '_latest', lambda fresh: original(fresh)[:1])


def _echo_measures() -> Any:
    measured = provenance.Provenance.MEASURED
    original = provenance.provenances

    def all_measured(*given: Any) -> Iterator[provenance.SourceProvenance]:
        for one in original(*given):
            yield provenance.SourceProvenance(one.source, measured, one.why)

    return mock.patch.object(provenance, 'provenances', all_measured)


def _effects_sense() -> Any:
    original = belief.Belief.tell

    def as_sight(self: belief.Belief, fact: Fact) -> None:
        # A bridge's belief is of no run; it is the planner's that says what an end rests on.
        is_effect = fact.source.kind is SourceKind.EFFECT and isfinite(self.began)
        original(self, replace(fact, source=belief.SIGHT) if is_effect else fact)

    return mock.patch.object(belief.Belief, 'tell', as_sight)


def _ages_forever() -> Any:
    return mock.patch.object(Fact, 'is_fresh', lambda fact, now: True)


def _earlier_runs_count() -> Any:
    return mock.patch.object(belief, '_is_earlier', lambda fact, began, now: False)


def _all(*patches: Callable[[], Any]) -> Callable[[], Any]:
    @contextmanager
    def applied() -> Iterator[None]:
        with ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch())
            yield

    return applied


_UNTESTED = _without('has followed no act')

MUTATIONS = (
    Mutation('age is ignored', (MovedAway, Silent), _ages_forever),
    Mutation('effects count as sensed', (StuckDoor, MovedAway), _effects_sense),
    Mutation('one of two sources wins', (Disagree,), _all(_one_wins, _UNTESTED)),
    Mutation('what may be an echo counts as measured', (Echo,), _echo_measures),
    Mutation(
        'earlier runs count as this one',
        (MovedBetween,),
        _all(_earlier_runs_count, _ages_forever, _UNTESTED),
    ),
    Mutation('no act need be followed', (Frozen, Silent), _UNTESTED),
    Mutation('a scale need not be shown', (WrongUnit,), _without('its scale')),
    Mutation('any change of a number shows its scale', (WrongUnit,), _without('not followed')),
    Mutation('one source may name things', (Swapped,), _without('says which')),
)
