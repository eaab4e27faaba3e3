"""Texts of skills and of facts that rules mean, and the moment they are held against."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from reactree_core.belief import Evidence, judge
from reactree_core.measures import Comparison, is_so, read_comparison
from reactree_core.observation import ObjectFact, Observation
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    plain_name,
    read_effect,
    Relation,
    SkillKind,
    SkillType,
    SlotType,
)

#: Skills of these kinds move nothing; those of a kind that is not given may.
STILL = frozenset({SkillKind.LOOK, SkillKind.ASK, SkillKind.END})
#: Stands for any name in a pattern that is held against another pattern.
_SOMETHING = '\N{REPLACEMENT CHARACTER}'
_NO_PATTERN = str.maketrans(dict.fromkeys('<>*', _SOMETHING))
#: Of a name, with anything else between them: `knife_1`, `knife-1` and `knife1` have two.
_WORD = re.compile(r'[^\W\d_]+|\d+')
#: Signs without a look that Unicode counts as letters or marks: fillers, selectors of variants.
_FILLERS = frozenset('\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0') | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
#: Letters of a skill that are looked at.
_LONGEST_SKILL = 1000

#: Values of the slots that two patterns of a rule share.
Binding = tuple[tuple[str, str], ...]


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A text without what only looks different: case, widths, invisible signs, spaces."""
    if not text.isascii():
        # Before the letters are counted: who sends the skill leaves these out as well.
        text = ''.join(c for c in text if c not in _FILLERS and not _is_hidden(c))
    text = ' '.join(text.split())[:_LONGEST_SKILL]
    return ' '.join(unicodedata.normalize('NFKC', text).casefold().split())


@lru_cache(maxsize=4096)
def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in ('Cf', 'Cn')


@lru_cache(maxsize=4096)
def is_name_of(name: str, wanted: str) -> bool:
    """Whether a name is the one that a rule names, or one of the class that it names."""
    name, wanted = plain(plain_name(name)), plain(plain_name(wanted))
    return name == wanted or class_and_number(name)[0] == wanted


@lru_cache(maxsize=16_384)
def _words(text: str) -> str:
    return f' {" ".join(words_in(text))} '


def words_in(text: str) -> list[str]:
    """Its words and numbers, however they are joined: `table_knife-1`."""
    return [word.lstrip('0') or '0' for word in _WORD.findall(plain(text))]


def may_name(text: str, wanted: str) -> bool:
    """Whether the words of a name stand in a text, however they are joined: `table_knife-1`."""
    words = _words(wanted)
    return bool(words.strip()) and words in _words(text)


@dataclass(frozen=True, slots=True)
class Reading:
    """A skill by one of the declared types. :param values: of its slots, :param names: of those
    in which names stand. :param own: names that its template has, "stove" of "light the stove".
    """

    kind: SkillKind
    values: tuple[str, ...]
    names: tuple[str, ...]
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A skill that is about to be done; '' at the end of a run.

    :param now: what was seen last. :param facts: what is known of things, by name.
    :param types: that the skill server declares. :param when: by the clock on the wall.
    :param edges: conditions on numbers that hold, or do no more, although the number is near their
        limit (`edges.Edges`).
    :param evidence: facts with sources and times; None: `facts` are all that is known.
    :param clock: s, the time of `evidence`. :param regions: that the skill server names.
    """

    skill: str
    now: Observation = field(default_factory=lambda: Observation(''))
    facts: Mapping[str, ObjectFact] = field(default_factory=dict)
    types: tuple[SkillType, ...] = ()
    when: datetime = datetime.min
    edges: Mapping[tuple[str, str, bool], bool] = field(default_factory=dict)
    evidence: Evidence | None = None
    clock: float = 0.0
    regions: tuple[str, ...] = ()
    #: What the skill is read as, once somebody asks: every rule does.
    _read: list[tuple[Reading, ...]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    _named: list[dict[str, ObjectFact]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def weighed(self, what: Effect, shown: bool | None) -> bool | None:
        """The verdict of evidence on a proposition. :param shown: what `facts` say, without it."""
        about = self.evidence.about(what) if self.evidence is not None else ()
        if not about or self.evidence is None:
            return shown
        return judge(about, what, self.clock, self.evidence.began).holds

    @property
    def by_name(self) -> Mapping[str, ObjectFact]:
        """Facts by plain names."""
        if not self._named:
            facts = self.facts.values()
            self._named.append({plain(plain_name(fact.name)): fact for fact in facts})
        return self._named[0]

    @property
    def kinds(self) -> frozenset[SkillKind]:
        """What the skill may be; empty where no declared type fits."""
        return frozenset(one.kind for one in self.readings)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that stand in the skill's slots."""
        return tuple(dict.fromkeys(name for one in self.readings for name in one.names))

    @property
    def readings(self) -> tuple[Reading, ...]:
        """By the declared types; several where words of one stand in the slots of another."""
        if not self._read:
            self._read.append(_readings(plain(self.skill), self.types))
        return self._read[0]

    @property
    def moves(self) -> bool:
        """Whether the skill may move something."""
        return bool(self.skill) and not (self.kinds and self.kinds <= STILL)


@lru_cache(maxsize=8192)
def _readings(skill: str, types: tuple[SkillType, ...]) -> tuple[Reading, ...]:
    readings = []
    for one in types:
        lowered = replace(one, template=plain(one.template))
        for values in lowered.splits(skill):
            pairs = zip(one.slots, values, strict=True)
            names = tuple(value for slot, value in pairs if slot.type.is_name)
            readings.append(Reading(one.kind, values, names, own_names(one)))
    return tuple(readings)


@lru_cache(maxsize=1024)
def own_names(skill: SkillType) -> tuple[str, ...]:
    """Names that a template has itself: what its effects are about, else all behind its verb."""
    slots = {slot.text for slot in skill.slots}
    subjects = dict.fromkeys(
        plain(fact.subject) for fact in skill.facts if fact.subject and fact.subject not in slots
    )
    if subjects or slots:
        return tuple(subjects)
    rest = plain(skill.template).partition(' ')[2]
    return (rest,) if rest else ()


class Matcher(Protocol):
    """What says whether a skill is meant."""

    @property
    def wording(self) -> str:
        """For people."""

    @property
    def patterns(self) -> tuple[SkillPattern, ...]:
        """Texts of which a skill that is meant has one; () where nothing says so."""

    @property
    def slots(self) -> frozenset[str]:
        """Names of slots that a condition may share."""

    def matches(self, moment: Moment) -> bool | None:
        """Whether the skill of this moment is meant; None where that is not known."""

    def readings(self, skill: str) -> Iterable[dict[str, str]]:
        """What may stand in its slots; nothing for another skill."""

    def bound(self, binding: Binding) -> Matcher:
        """The same with values in its slots."""

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too; False where nothing says so."""


@dataclass(frozen=True, slots=True)
class SkillPattern:
    """A skill by its text: `load <crate> onto truck 2`, `lift *`; a slot stands for any name."""

    text: str

    @property
    def wording(self) -> str:
        """For people."""
        return self.text

    @property
    def patterns(self) -> tuple[SkillPattern, ...]:
        """Texts of which a skill that is meant has one."""
        return (self,)

    @property
    def slots(self) -> frozenset[str]:
        """Names of its slots."""
        return frozenset(slot.name for slot in _pattern(self.text).slots if slot.name[:1] != '*')

    def readings(self, skill: str) -> Iterator[dict[str, str]]:
        """What may stand in its slots; nothing for another skill."""
        pattern = _pattern(self.text)
        for values in pattern.splits(plain(skill)):
            yield {slot.name: value for slot, value in zip(pattern.slots, values, strict=True)}

    def fits(self, skill: str) -> bool:
        """Whether it is the text of this skill."""
        return any(True for _ in self.readings(skill))

    def matches(self, moment: Moment) -> bool | None:
        """Whether the skill of this moment is meant; None where it can be read as another one, of
        which words would stand in a slot.
        """
        found = list(self.readings(moment.skill)) if moment.skill else []
        if not found or len(moment.readings) < 2:
            return bool(found)
        agree = all(any(_are_within(one, other) for one in found) for other in moment.readings)
        return True if agree else None

    def bound(self, binding: Binding) -> SkillPattern:
        """The same with values in its slots; with a strange one it means no skill at all."""
        return SkillPattern(filled(self.text, _as_names(binding)))

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too."""
        return bool(other.patterns) and all(self.fits(one.example) for one in other.patterns)

    @property
    def example(self) -> str:
        """A skill that it means."""
        pattern = _pattern(self.text)
        return pattern.filled([_SOMETHING] * len(pattern.slots))

    @property
    def is_one_skill(self) -> bool:
        """Whether it means one text only."""
        return not _pattern(self.text).slots


def _are_within(found: Mapping[str, str], reading: Reading) -> bool:
    """Whether what stands in slots of a pattern, `*` apart, holds no fixed word of a reading."""
    named = (value for name, value in found.items() if name[:1] != '*')
    return all(any(value in other for other in reading.values) for value in named)


@lru_cache(maxsize=4096)
def _pattern(text: str) -> SkillType:
    parts = plain(text).split('*')
    # `*` is a slot that no other pattern can share.
    joined = parts[0] + ''.join(f'<*{n}>{part}' for n, part in enumerate(parts[1:]))
    # Whatever its name says in a skill server's template, a slot of a rule stands for anything.
    return SkillType(joined, (SlotType.NAME.value,) * joined.count('<'))


def filled(text: str, binding: Binding) -> str:
    """A pattern with values in its slots."""
    text = plain(text)
    for name, value in binding:
        text = text.replace(f'<{name}>', value)
    return text


def _as_names(binding: Binding) -> Binding:
    """Values that are no patterns, even where a model has written signs of such into a name."""
    return tuple((name, value.translate(_NO_PATTERN)) for name, value in binding)


@dataclass(frozen=True, slots=True)
class FactPattern:
    """A fact as effects are written: `<crate> is scanned`, `holding crate 1`, `not gate is open`.

    A fact that is not known does not hold; one with `not` holds only where the thing is known.
    A condition on a number, `battery < 20 %`, is known where the number is given.

    :param wide: whether a number that comes back over the limit has to be clear of it, so that the
        condition does not end at once; else so that it does not begin at once.
    """

    text: str
    wide: bool = True

    @property
    def wording(self) -> str:
        """For people."""
        return self.text

    @property
    def slots(self) -> frozenset[str]:
        """Names of its slots."""
        return frozenset(slot.name for slot in SkillType(plain(self.text)).slots)

    def bound(self, binding: Binding) -> FactPattern:
        """The same with values in its slots."""
        return FactPattern(filled(self.text, _as_names(binding)), self.wide)

    def matches(self, moment: Moment) -> bool | None:
        """Whether it is known to hold at this moment."""
        effect = read_effect(plain(self.text))
        if effect is None:
            return False
        value = effect.value
        comparison = read_comparison(value) if effect.relation is Relation.IS else None
        if comparison is not None:
            return self._of_number(moment, effect, comparison)
        if effect.relation is Relation.HOLDING:
            found = any(is_name_of(name, value) for name in moment.now.held)
            return found is effect.holds
        if effect.relation is Relation.AT:
            where = [place for place in (moment.now.place, moment.now.room) if place]
            found = any(is_name_of(place, value) for place in where)
            return found if effect.holds else bool(where) and not found
        answers = self._answers(moment, effect)
        if effect.holds:
            return True in answers
        return False in answers and True not in answers and None not in answers

    def _answers(self, moment: Moment, effect: Effect) -> list[bool | None]:
        """Of each thing of the name, whether the fact holds; None where that is not known."""
        value, found = effect.value, []
        for fact in moment.facts.values():
            if not is_name_of(fact.name, effect.subject):
                continue
            if effect.relation is Relation.IN:
                shown = [place for place in (fact.receptacle, fact.room) if place]
                so = any(is_name_of(place, value) for place in shown)
                where = plain_name(fact.receptacle) if fact.receptacle else value
            else:
                shown = [word for word in fact.state.split(', ') if word]
                so, where = value in map(plain, shown), value
            answer = (so if shown else None) if effect.holds or shown else None
            what = Effect(effect.relation, plain_name(fact.name), where)
            if so and not (effect.relation is Relation.IN and is_name_of(fact.room, value)):
                answer = moment.weighed(what, answer)
            found.append(answer)
        return found

    def _of_number(self, moment: Moment, effect: Effect, wanted: Comparison) -> bool | None:
        measures = []
        for fact in moment.facts.values():
            if is_name_of(fact.name, effect.subject):
                known = moment.edges.get((fact.name, wanted.text, self.wide))
                if known is None:
                    known = is_so(fact.state.split(', '), wanted)
                measures.append(known)
        if not measures or None in measures:
            return None
        return any(measures) is effect.holds

    def known(self, moment: Moment) -> bool | None:
        """Whether it holds; None where nobody says so."""
        found = self.matches(moment)
        effect = read_effect(plain(self.text))
        if found or found is None or effect is None:
            return found
        if effect.relation is Relation.AT:
            return False if moment.now.place or moment.now.room else None
        if effect.relation is Relation.HOLDING:
            return found
        answers = self._answers(moment, effect)
        return False if False in answers or (answers and None not in answers) else None


#: What may stand after `only_after` and `then`.
Condition = Matcher | FactPattern
