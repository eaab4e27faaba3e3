"""Amounts: which number a skill is done with, and how often, so that a number comes to be as it
is wanted.

The effect is what the server declares, "raises moisture of <plant> by about <ml>/10". It is only
an estimate: after each skill the number is looked at, and the rest reckoned anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, ROUND_CEILING

from reactree_core.bounds import number_text
from reactree_core.measures import Change, Comparison, MARGIN, Measure
from reactree_core.skill_types import Slot

#: Numbers that are tried for one slot, where the first ones are forbidden.
_MOST_TRIES = 60
#: A repetition that is farther away is not planned at all.
_MOST_TIMES = 200


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a slot, '' where there is none, and how often it takes a skill with it."""

    value: str
    times: int


def leads_towards(change: Change, wanted: Comparison) -> bool:
    """Whether a change may bring a number where it is wanted, from somewhere."""
    if change.name != wanted.name:
        return False
    signs = {sign[0] for sign, _ in wanted.tests}
    return change.sets or len(signs) == 2 or (change.factor > 0) == ('>' in signs)


def amounts(
    change: Change, slot: Slot | None, now: Measure, wanted: Comparison
) -> Iterator[Amount]:
    """Numbers for the slot of a change, the best first. :param now: that is to change."""
    missing = wanted.missing(now)
    if missing is None or wanted.holds(now):
        return
    if change.sets:
        yield from _ends(change, slot, now, wanted)
        return
    aim = missing + _beyond(missing, wanted)
    if aim * change.factor <= 0:
        return
    if slot is None or not change.slot:
        times = _rounded(aim / change.factor)
        if times <= _MOST_TIMES:
            yield Amount('', times)
        return
    value = aim / change.factor
    for one in _grid(slot, value):
        times = _rounded(value / one)
        if times <= _MOST_TIMES:
            yield Amount(number_text(one), times)


def _beyond(missing: Decimal, wanted: Comparison) -> Decimal:
    """How far beyond its limit a number is brought, so that it does not flap there."""
    limits = [limit for _, limit in wanted.tests]
    margin = max(abs(limit) for limit in limits) * MARGIN
    if len(limits) == 2:
        margin = min(margin, abs(limits[1] - limits[0]) / 2)
    # At the edge itself nothing is missing, and which way leads beyond it the sign tells.
    return margin.copy_sign(missing or Decimal(1 if wanted.tests[0][0] == '>' else -1))


def _rounded(times: Decimal) -> int:
    return int(times.to_integral_value(ROUND_CEILING))


def _fitting(slot: Slot, value: Decimal) -> tuple[Decimal, Decimal]:
    """The least number from a value on that fits a slot, or the most there is; and its steps."""
    bounds = slot.bounds
    unit = bounds.step if bounds is not None and bounds.step else None
    unit = unit or (Decimal('0.01') if 0 < value < 1 else Decimal(1))
    if bounds is None:
        return _rounded(value / unit) * unit, unit
    one = bounds.least + _rounded((value - bounds.least) / unit) * unit
    return max(bounds.least, min(one, bounds.most)), unit


def _grid(slot: Slot, value: Decimal) -> Iterator[Decimal]:
    """Numbers over 0 that fit a slot: the least from a value on, or the most; then less."""
    one, unit = _fitting(slot, value)
    for _ in range(_MOST_TRIES):
        if one <= 0:
            return
        if slot.bounds is None or slot.bounds.takes(one):
            yield one
        one -= unit


def _ends(change: Change, slot: Slot | None, now: Measure, wanted: Comparison) -> Iterator[Amount]:
    """Numbers to which one is set that are as wanted."""
    if slot is None or not change.slot:
        if wanted.holds(Measure(now.name, change.factor, now.unit)):
            yield Amount('', 1)
        return
    for _, limit in wanted.tests:
        first, unit = _fitting(slot, limit / change.factor)
        for one in (first, first + unit, first - unit):
            is_so = wanted.holds(Measure(now.name, one * change.factor, now.unit))
            if is_so and (slot.bounds is None or slot.bounds.takes(one)):
                yield Amount(number_text(one), 1)
