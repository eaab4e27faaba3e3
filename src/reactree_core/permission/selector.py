"""Skills that a rule of a file selects: by text, kind, things, places and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time

from reactree_core.permission.matching import (
    Binding,
    FactPattern,
    filled,
    is_name_of,
    Matcher,
    may_name,
    Moment,
    SkillPattern,
)
from reactree_core.skill_types import SkillKind

DAYS = ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')


@dataclass(frozen=True, slots=True)
class Selector:
    """Skills that all of these fit; what is left empty fits all.

    :param patterns: one of them fits. :param kinds: that the skill server declares.
    :param things: names or classes in the skill. :param places: where it is done, or whither it
        leads; names or classes. :param between: hours of the day, :param days: 0 for Monday.
    :param facts: that hold as it is to begin, about what stands in its slots.
    :param events: one of these it brings about.
    """

    patterns: tuple[SkillPattern, ...] = ()
    kinds: frozenset[SkillKind] = frozenset()
    things: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    between: tuple[time, time] | None = None
    days: frozenset[int] = frozenset()
    facts: tuple[FactPattern, ...] = ()
    events: tuple[Matcher, ...] = ()

    @property
    def wording(self) -> str:
        """For people."""
        kinds = ' or '.join(sorted(kind.name.lower() for kind in self.kinds))
        parts = [
            ' or '.join(pattern.text for pattern in self.patterns)
            or kinds
            or ('' if self.events else 'anything'),
            ' or '.join(one.wording for one in self.events),
            f'({kinds})' if self.patterns and kinds else '',
            f'with {" or ".join(self.things)}' if self.things else '',
            f'at {" or ".join(self.places)}' if self.places else '',
            f'from {self.between[0]:%H:%M} to {self.between[1]:%H:%M}' if self.between else '',
            f'on {", ".join(DAYS[day] for day in sorted(self.days))}' if self.days else '',
            f'while {" and ".join(one.wording for one in self.facts)}' if self.facts else '',
        ]
        return ' '.join(filter(None, parts))

    @property
    def slots(self) -> frozenset[str]:
        """Names of slots that a condition may share."""
        return frozenset().union(*(one.slots for one in self.patterns))

    @property
    def needs_clock(self) -> bool:
        """Whether it depends on the time of day."""
        return self.between is not None or bool(self.days)

    def readings(self, skill: str) -> Iterator[dict[str, str]]:
        """What may stand in its slots; nothing for another skill."""
        for pattern in self.patterns:
            yield from pattern.readings(skill)

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too; False where more than texts tells."""
        where = (self.places, self.between, self.days)
        rest = (self.kinds, self.things, *where, self.facts, self.events)
        return (
            bool(other.patterns)
            and not any(rest)
            and all(
                any(one.includes(pattern) for one in self.patterns) for pattern in other.patterns
            )
        )

    def bound(self, binding: Binding) -> Selector:
        """The same with values in its slots; with a strange one it means more, never less."""
        patterns = tuple(SkillPattern(filled(one.text, binding)) for one in self.patterns)
        facts = tuple(one.bound(binding) for one in self.facts)
        return replace(self, patterns=patterns, facts=facts)

    def matches(self, moment: Moment) -> bool | None:
        """Whether the skill of this moment is meant; None where that is not known."""
        if not moment.skill:
            return False
        answers = [
            self._has_text(moment),
            self._is_of_kind(moment),
            self._names_thing(moment),
            self._is_there(moment),
            self._is_time(moment.when),
            self._is_so(moment),
            self._brings_about(moment),
        ]
        if False in answers:
            return False
        return None if None in answers else True

    def _has_text(self, moment: Moment) -> bool | None:
        if not self.patterns:
            return True
        answers = [one.matches(moment) for one in self.patterns]
        return True if True in answers else None if None in answers else False

    def _brings_about(self, moment: Moment) -> bool | None:
        if not self.events:
            return True
        answers = [one.matches(moment) for one in self.events]
        return True if True in answers else None if None in answers else False

    def _names(self, moment: Moment) -> tuple[str, ...]:
        """Names in the skill, by the server's templates and by the rule's own."""
        read = (value for one in self.readings(moment.skill) for value in one.values())
        return (*moment.names, *read)

    def _is_of_kind(self, moment: Moment) -> bool | None:
        if not self.kinds:
            return True
        kinds = moment.kinds
        if kinds and kinds <= self.kinds:
            return True
        # It can be read as several skills, or one of them does what nobody reports.
        may_be = not kinds or kinds & {*self.kinds, SkillKind.OTHER}
        return None if may_be else False

    def _names_thing(self, moment: Moment) -> bool | None:
        if not self.things:
            return True
        if _any_is(self._names(moment), self.things):
            return True
        # In another name, in a text, or written in another way, it may be meant.
        return None if _any_may_be([moment.skill], self.things) else False

    def _is_there(self, moment: Moment) -> bool | None:
        if not self.places:
            return True
        names = self._names(moment)
        if _any_is(names, self.places):
            return True
        where: list[str] = []
        near = [moment.skill]
        # Where a move leads counts, and not from where.
        if moment.kinds != {SkillKind.MOVE}:
            where += [moment.now.place, moment.now.room]
            for fact in moment.facts.values():
                if any(is_name_of(fact.name, name) for name in names):
                    where += [fact.receptacle, fact.room]
                elif may_name(moment.skill, fact.name):
                    near += [fact.receptacle, fact.room]
            where = [place for place in where if place]
            if _any_is(where, self.places):
                return True
        is_known = bool(where or (moment.kinds == {SkillKind.MOVE} and names))
        return None if not is_known or _any_may_be([*near, *where], self.places) else False

    def _is_so(self, moment: Moment) -> bool | None:
        """Whether all its facts hold, of the names in some reading of the skill."""
        if not self.facts:
            return True
        slots = frozenset[str]().union(*(one.slots for one in self.facts))
        readings = list(self.readings(moment.skill)) if slots else [{}]
        answers = []
        for reading in readings:
            binding = tuple((name, reading[name]) for name in sorted(slots) if name in reading)
            known = [one.bound(binding).known(moment) for one in self.facts]
            answers.append(False if False in known else None if None in known else True)
        return True if True in answers else None if None in answers or not answers else False

    def _is_time(self, when: datetime) -> bool:
        if self.days and when.weekday() not in self.days:
            return False
        if self.between is None:
            return True
        begin, end = self.between
        now = when.time()
        return begin <= now < end if begin <= end else now >= begin or now < end


def _any_is(names: Iterable[str], wanted: Sequence[str]) -> bool:
    return any(is_name_of(name, one) for name in names for one in wanted)


def _any_may_be(texts: Iterable[str], wanted: Sequence[str]) -> bool:
    return any(may_name(text, one) for text in texts for one in wanted)
