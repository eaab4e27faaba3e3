"""Recorded readings through the check: how many are whole, asked about and refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from benchmarks.reading.recorded import Recorded
from reactree_planner.reading.check import check


def ends_of(rows: Iterable[Recorded]) -> dict[str, Counter[str]]:
    """Set -> ends of the check, and of those with a published goal how many are like it.

    `exact` counts readings that are not refused and are as published; `whole, other` those that
    nobody is asked about and that are not.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        report = check(row.form, row.sentence, row.words)
        counts = found[row.set]
        counts[report.end.value] += 1
        if row.published is not None:
            counts['exact'] += row.is_exact and report.end.value != 'refused'
            counts['whole, other'] += not row.is_exact and report.end.value == 'whole'
    return found
