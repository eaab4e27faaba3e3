"""Recorded readings through the check: how many are whole, asked about and refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from benchmarks.reading.recorded import Recorded
from reactree_planner.reading.check import check, End


def ends_of(rows: Iterable[Recorded]) -> dict[str, Counter[str]]:
    """Set -> ends of the check, and of those with a published goal how many are like it.

    `exact` counts readings that are not refused and are as published; `whole, other` those that
    nobody is asked about and that are not. That more is forbidden than is certain asks nobody.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        report = check(row.form, row.sentence, row.words)
        counts = found[row.set]
        asks = any(one.end is report.end and not one.widens for one in report.findings)
        end = report.end if asks else End.WHOLE
        counts[end.value] += 1
        if row.published is not None:
            counts['exact'] += row.is_exact and end is not End.REFUSED
            counts['whole, other'] += not row.is_exact and end is End.WHOLE
    return found
