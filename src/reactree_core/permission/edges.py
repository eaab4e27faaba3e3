"""Numbers at the edge of a rule: what held goes on to hold until the number is clear of the limit.

A rule that denies or asks ends only where the number is clear of its limit; one that allows begins
again only there. So the stricter of two answers stays, and none flaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from reactree_core.measures import Comparison, MARGIN, measures_of, read_comparison
from reactree_core.observation import ObjectFact
from reactree_core.permission.matching import FactPattern, plain
from reactree_core.permission.rules import Rule
from reactree_core.permission.selector import Selector
from reactree_core.skill_types import read_effect


class Edges:
    """Whether conditions of rules on numbers hold, by thing and condition."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        facts = [
            fact for rule in rules if isinstance(rule.skill, Selector) for fact in rule.skill.facts
        ]
        read = ((_comparison(fact), fact.wide) for fact in facts)
        self._watched = {(one, wide) for one, wide in read if one is not None}
        #: Thing, condition, whether it is wide -> whether it holds.
        self.known: dict[tuple[str, str, bool], bool] = {}

    def see(self, facts: Iterable[ObjectFact]) -> None:
        """Take what numbers are given now; a number that is not given is not known."""
        for fact in facts if self._watched else ():
            numbers = measures_of(fact.state)
            for comparison, wide in self._watched:
                key = fact.name, comparison.text, wide
                now = comparison.holds(numbers.get(comparison.name))
                if now is None:
                    self.known.pop(key, None)
                    continue
                before = self.known.get(key)
                if wide and before and not now:
                    now = bool(comparison.widened().holds(numbers[comparison.name]))
                elif not wide and before is False and now:
                    now = bool(_narrowed(comparison).holds(numbers[comparison.name]))
                self.known[key] = now


def _comparison(fact: FactPattern) -> Comparison | None:
    effect = read_effect(plain(fact.text))
    return None if effect is None else read_comparison(effect.value)


def _narrowed(comparison: Comparison) -> Comparison:
    most = max((abs(limit) for _, limit in comparison.tests), default=Decimal(0))
    return comparison.widened(-most * MARGIN)
