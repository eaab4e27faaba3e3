"""Robots whose skills and sensors lie: what is false is never called verified."""

from __future__ import annotations

import pytest

from benchmarks.lying_robots.__main__ import is_noticed, remedies, tally
from benchmarks.lying_robots.lies import KINDS, Lie
from benchmarks.lying_robots.mutations import Mutation, MUTATIONS
from benchmarks.lying_robots.robots import Sensing
from benchmarks.lying_robots.runs import plays
from reactree_core.belief import Status

#: Of each kind of lie; 12 kinds.
RUNS = 9
FIRST = 700
#: Mutation -> seed at which it is noticed at once, and most runs of each of its kinds from there.
SEEDS = {
    'age is ignored': 27,
    'effects count as sensed': 113,
    'one of two sources wins': 62,
    'what may be an echo counts as measured': 0,
    'earlier runs count as this one': 12,
    'no act need be followed': 18,
    'a scale need not be shown': 4,
    'any change of a number shows its scale': 12,
    'one source may name things': 7,
}
MOST = 60


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)
def test_nothing_false_is_verified_whatever_lies(kind: type[Lie]) -> None:
    outcomes = list(plays(kind, FIRST, RUNS))
    assert len(outcomes) == RUNS
    assert [one for one in outcomes if one.false] == []


def test_a_robot_that_is_well_sensed_and_does_not_lie_mostly_ends_verified() -> None:
    verified = [
        one.status is Status.VERIFIED for one in plays(Lie, FIRST, 20, 'none', Sensing.TWO)
    ]
    assert sum(verified) >= 12, sum(verified)
    poor = plays(Lie, FIRST, 5, 'none', Sensing.NOTHING)
    assert all(one.status is not Status.VERIFIED for one in poor)


def test_a_robot_that_does_not_lie_ends_truly_and_what_is_assumed_has_a_reason() -> None:
    outcomes = list(plays(Lie, FIRST, 20))
    counts = tally(outcomes)
    assert counts['verified, true'] > 0 and counts['assumed, true'] > 0
    assert not counts['FALSE VERIFIED'] and not counts['assumed, false']
    for one in outcomes:
        assert (one.status is Status.ASSUMED) <= bool(one.reasons), one
    assert all(' x - ' not in line for line in remedies(outcomes)), 'a reason without a remedy'


@pytest.mark.parametrize('mutation', MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_of_the_check_is_noticed(mutation: Mutation) -> None:
    assert is_noticed(mutation, SEEDS[mutation.name], MOST)
