"""Numbers that a robot reports: of itself, and of the things that it sees.

A number is known from its report until it is too old. Words follow from it ("dry"), and stay
until it is clear of their limit, so that one at the edge does not flap. What is not known is no
ground for anything: neither a word nor its opposite follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reactree_core.measures import Comparison, Measure, read_comparison
from robot_bridge.interface_types import FieldPath, NotReportedError
from robot_bridge.quantities import PARTS_OF_ONE
from robot_bridge.state_file import NumberEntry


@dataclass(frozen=True, slots=True, eq=False)
class NumberReader:
    """Where a number is, and what follows from it.

    :param name: what is measured; '' of what is nothing but its number.
    :param lasts: s for which it is known once it was given; inf for always.
    :param words: each with the condition from which it follows.
    """

    name: str
    path: FieldPath
    unit: str
    scale: float
    digits: int
    lasts: float
    margin: Decimal | None
    words: tuple[tuple[str, Comparison], ...]

    def read(self, holder: Any, by: str, when: float) -> ReportedNumber:
        """The number in a message or its element; none where it is not there, or not finite.

        :param when: s, when the message came.
        """
        try:
            value = float(self.path.read_known(holder)) * self.scale
        except NotReportedError:
            return ReportedNumber(self, None, by, when)
        if not math.isfinite(value) or abs(value) >= 1e15:
            return ReportedNumber(self, None, by, when)
        return ReportedNumber(self, round(Decimal(repr(value)), self.digits), by, when)


def reader_of(
    name: str, entry: NumberEntry, path: FieldPath, scale: float, age: float
) -> NumberReader:
    """What reads a number of the file. :param age: of its source, s; 0 for any age."""
    lasts = age if entry.lasts is None else entry.lasts
    comparisons = ((word, read_comparison(written)) for word, written in entry.words.items())
    return NumberReader(
        name,
        path,
        entry.unit,
        scale,
        entry.digits,
        lasts or math.inf,
        None if entry.margin is None else Decimal(str(entry.margin)),
        tuple((word, one) for word, one in comparisons if one is not None),
    )


@dataclass(frozen=True, slots=True)
class ReportedNumber:
    """What a source reports of one number. :param number: None where it reports none.

    :param when: s, when it was given.
    """

    reader: NumberReader
    number: Decimal | None
    by: str
    when: float


@dataclass(frozen=True, slots=True)
class _Kept:
    """A number that is known. :param words: those that follow from it. :param until: s."""

    measure: Measure
    words: tuple[str, ...]
    until: float
    by: str


class Numbers:
    """The numbers of all things that are known now."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, _Kept]] = {}
        #: Words that followed last, to tell whether one is to end.
        self._words: dict[tuple[str, str], tuple[str, ...]] = {}
        #: Of each thing, which numbers and which words sources can report.
        self._readers: dict[str, dict[str, NumberReader]] = {}

    def take(self, thing: str, measured: Iterable[ReportedNumber]) -> None:
        """Take what a source reports of a thing."""
        for one in measured:
            name = one.reader.name
            self._readers.setdefault(thing, {})[name] = one.reader
            kept = self._kept.setdefault(thing, {})
            if one.number is None:
                kept.pop(name, None)
                continue
            measure = Measure(name, one.number, one.reader.unit)
            words = tuple(self._words_of(thing, one.reader, measure))
            self._words[thing, name] = words
            kept[name] = _Kept(measure, words, one.when + one.reader.lasts, one.by)

    def _words_of(self, thing: str, reader: NumberReader, measure: Measure) -> Iterator[str]:
        before = self._words.get((thing, reader.name), ())
        for word, comparison in reader.words:
            if word in before:
                # It ends only where another begins, or where the number is clear of its limit.
                comparison = comparison.widened(reader.margin)
            if comparison.holds(measure):
                yield word

    def forget(self, thing: str, name: str = '') -> None:
        """Know a number no more."""
        self._kept.get(thing, {}).pop(name, None)

    def forget_old(self, when: float) -> None:
        """Know no more what is too old. :param when: now, s."""
        for kept in self._kept.values():
            for name in [name for name, one in kept.items() if one.until < when]:
                del kept[name]

    def keep(self, things: Iterable[str]) -> None:
        """Know only of these things."""
        for thing in self._readers.keys() - set(things):
            del self._readers[thing]
            self._kept.pop(thing, None)

    def states(self, thing: str) -> list[str]:
        """What follows from the numbers of a thing, and the numbers, as states."""
        kept = self._kept.get(thing, {}).values()
        words = dict.fromkeys(word for one in kept for word in one.words)
        return [*words, *(one.measure.text for one in kept)]

    def tells(self, thing: str, state: str) -> bool:
        """Whether numbers alone say if a thing is in a state."""
        return read_comparison(state) is not None or any(
            state in (word for word, _ in reader.words)
            for reader in self._readers.get(thing, {}).values()
        )

    def says(self, thing: str, state: str) -> tuple[bool, str] | None:
        """Whether a thing is so, and by which source; None where that is not known."""
        kept = self._kept.get(thing, {})
        comparison = read_comparison(state)
        if comparison is not None:
            one = kept.get(comparison.name)
            holds = comparison.holds(one.measure) if one else None
            return None if one is None or holds is None else (holds, one.by)
        for name, reader in self._readers.get(thing, {}).items():
            one = kept.get(name)
            if one is not None and state in (word for word, _ in reader.words):
                return state in one.words, one.by
        return None


def scale_of(entry: NumberEntry, message: str, field: str) -> float:
    """What a number is multiplied by: as told, or by what its message defines."""
    if 'scale' in entry.model_fields_set:
        return float(entry.scale)
    return 100.0 if entry.unit == '%' and (message, field) in PARTS_OF_ONE else 1.0
