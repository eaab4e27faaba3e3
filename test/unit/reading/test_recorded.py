"""Recorded readings of a strong model pass the check; their corruptions do not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.reading.corruptions import counts_of, KINDS
from benchmarks.reading.recorded import read_recorded, Recorded
from benchmarks.reading.strong import ends_of


@pytest.fixture(scope='module')
def rows(shared_data: Path) -> list[Recorded]:
    return list(read_recorded(shared_data))


def test_right_readings_are_whole_or_asked_about(rows: list[Recorded]) -> None:
    ends = ends_of(rows)
    published = ends['eb_alfred']
    assert published['exact'] >= 124
    assert published['whole, other'] <= 8
    assert published['to confirm'] <= 42
    assert published['refused'] <= 0.04 * 145
    others = sum((one for name, one in ends.items() if name != 'eb_alfred'), Counter())
    assert others['refused'] <= 23


def test_wrong_readings_are_caught(rows: list[Recorded]) -> None:
    found = counts_of(rows[::3])
    assert set(found) == set(KINDS)
    every = sum(found.values(), Counter())
    assert every['caught'] >= 0.92 * every.total()
    assert every['passes'] <= 0.005 * every.total()
