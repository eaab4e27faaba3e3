"""Answers of a robot's belief about one fact, for tests."""

from __future__ import annotations

from typing import NamedTuple

from reactree_core.belief import holds
from reactree_core.skill_types import Effect, read_effect
from robot_bridge.belief import Belief, sources_of


class Known(NamedTuple):
    """A verdict. :param by: the sources that sense it; None where it follows from others."""

    holds: bool | None
    by: str | None


def known(belief: Belief, fact: str | Effect) -> Known:
    """The verdict on a fact now."""
    what = read_effect(fact) if isinstance(fact, str) else fact
    assert isinstance(what, Effect)
    verdict = holds(belief, what, belief.now)
    senses = all(one.source.kind.senses and one.is_fresh(belief.now) for one in verdict.evidence)
    return Known(verdict.holds, sources_of(verdict) if senses and verdict.evidence else None)
