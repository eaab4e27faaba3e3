"""Numbers that a robot reports: of itself, and of the things that it sees.

A number is known from its report until it is too old. Words follow from it ("dry"), and stay
until it is clear of their limit, so that one at the edge does not flap. What is not known is no
ground for anything: neither a word nor its opposite follows from it. Nor is a number that cannot
be, and once one shows that its source counts in another scale, that source says no number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.measures import Measure, read_comparison
from reactree_core.skill_types import Effect, Relation
from robot_bridge.sources import NumberReader, ReportedNumber


@dataclass(frozen=True, slots=True)
class _Kept:
    """A number that is known. :param words: those that follow from it."""

    measure: Measure
    words: tuple[str, ...]
    report: ReportedNumber

    @property
    def until(self) -> float:
        """When it is too old, s."""
        return self.report.when + self.report.reader.lasts


class Numbers:
    """The numbers of all things that are known now."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, _Kept]] = {}
        #: Words that followed last, to tell whether one is to end.
        self._words: dict[tuple[str, str], tuple[str, ...]] = {}
        #: Of each thing, which numbers and which words sources can report.
        self._readers: dict[str, dict[str, NumberReader]] = {}
        #: Source and field -> the number by which it counts in another scale than the file says.
        self._misscaled: dict[tuple[str, str], str] = {}
        #: Why a number is not known, as its source and a clause.
        self.faults: dict[tuple[str, str], str] = {}

    def take(self, thing: str, measured: Iterable[ReportedNumber]) -> None:
        """Take what a source reports of a thing."""
        for one in measured:
            one = self._trusted(one)
            self.faults.pop((thing, one.reader.name), None)
            if one.fault:
                self.faults[thing, one.reader.name] = f'{one.by} {one.fault}'
            name = one.reader.name
            self._readers.setdefault(thing, {})[name] = one.reader
            kept = self._kept.setdefault(thing, {})
            if one.number is None:
                kept.pop(name, None)
                continue
            measure = Measure(name, one.number, one.reader.unit)
            words = tuple(self._words_of(thing, one.reader, measure))
            self._words[thing, name] = words
            kept[name] = _Kept(measure, words, one)

    def _trusted(self, one: ReportedNumber) -> ReportedNumber:
        """A report, without its number where the source has shown another scale."""
        source = one.by, one.reader.path.text
        if one.misscaled:
            self._misscaled[source] = one.fault
        elif one.number is not None and source in self._misscaled:
            return replace(one, number=None, fault=f'once {self._misscaled[source]}')
        return one

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
        self.faults.pop((thing, name), None)
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
        self.faults = {key: why for key, why in self.faults.items() if key[0] in self._readers}

    def evidence(self, now: float) -> Iterator[Fact]:
        """The numbers as facts, with their sources and times. :param now: s."""
        for thing, kept in self._kept.items():
            for one in kept.values():
                fact = self._fact(one, Effect(Relation.IS, thing, one.measure.text))
                # A number without an age is reported all the time.
                yield replace(fact, time=now) if fact.age == math.inf else fact

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

    def about(self, thing: str, state: str) -> Iterator[Fact]:
        """Facts for and against a state that follows from a number that is known now."""
        kept = self._kept.get(thing, {})
        comparison = read_comparison(state)
        if comparison is not None:
            one = kept.get(comparison.name)
            if one is not None:
                yield self._fact(one, Effect(Relation.IS, thing, one.measure.text))
            return
        for name, reader in self._readers.get(thing, {}).items():
            one = kept.get(name)
            if one is not None and state in (word for word, _ in reader.words):
                yield self._fact(one, Effect(Relation.IS, thing, state, state in one.words))
                return

    def _fact(self, one: _Kept, what: Effect) -> Fact:
        source = Source(SourceKind.SENSOR, one.report.by)
        return Fact(what, source, one.report.when, one.report.reader.lasts)
