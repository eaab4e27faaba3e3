"""Hazards: what a skill may do to people and things, as rules over kinds, classes and states.

    metal in the microwave    put    a metal thing    onto a microwave       -> ask
    heat left on              switch on    a stove                           -> then switch it off

They are rules of permission (`Rule`), made for the skills that a server declares. What is known
counts, and not what may be: a rule of a person's file also means what is not known; a hazard
that did so would ask for every skill of a robot that tells little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field, field_validator

from reactree_core.bounds import read_number
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact
from reactree_core.permission.matching import (
    Binding,
    filled,
    is_name_of,
    Matcher,
    Moment,
    own_names,
    plain,
    SkillPattern,
    words_in,
)
from reactree_core.permission.rules import OtherWords, Rule, Verdict
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    plain_name,
    Relation,
    SkillKind,
    SkillType,
)
from reactree_core.written_files import path_of, read_file, Written

_KINDS = {kind.name.lower(): kind for kind in SkillKind}
_OPPOSITE = {
    SkillKind.SWITCH_ON: SkillKind.SWITCH_OFF,
    SkillKind.OPEN: SkillKind.CLOSE,
}
_Words = Annotated[str, Field(min_length=1, max_length=60)]
_List = Annotated[list[_Words], Field(max_length=200)]
#: What the parameter `hazards` may say besides a file and names to leave out.
ON, OFF = 'on', 'off'
_SHIPPED = 'hazards.yaml'
#: What a skill of a kind is called where no kind is declared.
_USUAL_VERBS = {
    SkillKind.PUT: ('put', 'place', 'set', 'insert', 'load', 'lay', 'leave', 'drop'),
    SkillKind.SWITCH_ON: ('turn on', 'switch on', 'start', 'activate'),
    SkillKind.OPEN: ('open',),
}
_BETWEEN_NAMES = re.compile(r'\s+(?:in|into|on|onto|to|at|over|inside|under|in front of|with)\s+')
#: Words of one text that are looked at, and of one name in it.
_MOST_WORDS, _LONGEST = 40, 3


class HazardEntry(Written):
    """One hazard: which skills, and what is done about them. What is left empty fits all.

    :param why: what may happen, for the person who is asked.
    :param kinds: that the skill server declares, or :param verbs: with which a skill begins.
    :param things: in the skill, or held; names or words of `classes`. :param but: not these.
    :param onto: where it leads, else where the robot is. :param states: that a thing is known in.
    :param inside: what is known to be in or on a thing. :param words: anywhere in the skill.
    :param more_than: a number in the skill.
    :param does: refuse, ask a person, or have it taken back before the run ends.
    """

    name: Annotated[str, Field(min_length=1, max_length=80)]
    why: Annotated[str, Field(min_length=1, max_length=200)]
    kinds: _List = Field(default_factory=list)
    verbs: _List = Field(default_factory=list)
    things: _List = Field(default_factory=list)
    but: _List = Field(default_factory=list)
    onto: _List = Field(default_factory=list)
    states: _List = Field(default_factory=list)
    inside: _List = Field(default_factory=list)
    words: _List = Field(default_factory=list)
    more_than: Annotated[float | int, Field(ge=0, le=1e9)] | None = None
    does: Literal['refuse', 'ask', 'then'] = 'ask'

    @field_validator('kinds')
    @classmethod
    def _are_kinds(cls, kinds: list[str]) -> list[str]:
        for kind in kinds:
            if kind not in _KINDS:
                raise ValueError(f'there is no kind "{kind}"; there are {", ".join(_KINDS)}')
        return kinds


class HazardsFile(Written):
    """Hazards, and the words for what they speak of. :param classes: e.g. metal: [fork, foil]."""

    classes: dict[_Words, _List] = Field(default_factory=dict)
    hazards: Annotated[list[HazardEntry], Field(max_length=200)]


@dataclass(frozen=True, slots=True)
class HazardSelector:
    """The skills of one hazard (a `Matcher`).

    :param pattern: of one declared skill; None for all. :param own: names that it has itself.
    :param other_words: of names. :param about: `things` as the file has them. The other fields
        are those of the entry.
    """

    name: str
    kinds: frozenset[SkillKind] = frozenset()
    verbs: tuple[str, ...] = ()
    things: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()
    onto: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    more_than: float | None = None
    pattern: SkillPattern | None = None
    own: tuple[str, ...] = ()
    other_words: tuple[tuple[str, ...], ...] = ()
    about: tuple[str, ...] = ()

    @property
    def wording(self) -> str:
        """For people."""
        if self.pattern is None:
            return self.name
        # What the skill names itself is what the hazard is about.
        is_narrow = bool(self.about) and bool(self.pattern.slots) and not self.own
        which = f', of a {" or ".join(self.about)}' if is_narrow else ''
        return f'{self.pattern.text} ({self.name}{which})'

    @property
    def patterns(self) -> tuple[SkillPattern, ...]:
        """The texts of the skill, where it is of one type."""
        return (self.pattern,) if self.pattern else ()

    @property
    def slots(self) -> frozenset[str]:
        """Names of slots that a condition may share."""
        return self.pattern.slots if self.pattern else frozenset()

    def readings(self, skill: str) -> Iterator[dict[str, str]]:
        """What may stand in its slots, of the things that are meant."""
        for values in self.pattern.readings(skill) if self.pattern else ():
            names = (*values.values(), *self.own)
            if not self.things or any(self._is(one, self.things) for one in names):
                yield values

    def may_concern(self, skill: SkillType) -> bool:
        """Test whether a skill can be about its things: by its own names, or by a slot that takes
        any name, or one of these.
        """
        slots = [slot.classes for slot in skill.slots if slot.type.is_name]
        named = (*own_names(skill), *(name for classes in slots for name in classes))
        takes_any = not all(slots)
        return not self.things or takes_any or any(self._is(one, self.things) for one in named)

    def bound(self, binding: Binding) -> HazardSelector:
        """The same with values in its slots."""
        if self.pattern is None:
            return self
        return replace(self, pattern=SkillPattern(filled(self.pattern.text, binding)))

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too: more than texts tells it."""
        return False

    def matches(self, moment: Moment) -> bool:
        """Whether the skill of this moment is known to be meant."""
        if not self.may_mean(moment):
            return False
        return any(self._fits(names, moment) for names in _ways(moment))

    def may_mean(self, moment: Moment) -> bool:
        """Whether the text of the skill fits, whatever is known of things; that never changes."""
        if not moment.skill or (self.pattern and not self.pattern.fits(moment.skill)):
            return False
        if not (self._is_done(moment) and self._has_words(moment.skill)):
            return False
        return self.more_than is None or self._is_more(moment)

    def _is_done(self, moment: Moment) -> bool:
        if not self.kinds and not self.verbs:
            return True
        kinds = {one.kind for one in moment.readings}
        if kinds & self.kinds:
            return True
        verbs = self.verbs
        if not kinds - {SkillKind.OTHER}:
            # No kind is declared: what is usually said for it.
            verbs += _usual_verbs(self.kinds)
        return bool(verbs) and f'{plain(moment.skill)} '.startswith(_beginnings(verbs))

    def _has_words(self, skill: str) -> bool:
        return not self.words or not self.words.isdisjoint(_parts(skill))

    def _is_more(self, moment: Moment) -> bool:
        values = (value for reading in moment.readings for value in reading.values)
        numbers = (read_number(value) for value in values)
        limit = self.more_than or 0
        return any(number is not None and float(abs(number)) > limit for number in numbers)

    def _fits(self, names: Sequence[str], moment: Moment) -> bool:
        """Whether the thing, and where it is brought, are meant. :param names: in the skill."""
        held = [name for name in moment.now.held if name not in names]
        for thing in (*names, *held) if self._speaks_of_things else ('',):
            if not self._is_meant(thing, moment):
                continue
            others = [name for name in names if name != thing]
            where = others or [moment.now.place]
            if not self.onto or any(self._is(place, self.onto) for place in where):
                return True
        return False

    @property
    def _speaks_of_things(self) -> bool:
        return bool(self.things or self.states or self.inside or self.onto or self.but)

    def _is_meant(self, name: str, moment: Moment) -> bool:
        if self.things and not self._is(name, self.things):
            return False
        if self.but and self._is(name, self.but):
            return False
        if self.states and self.states.isdisjoint(_states_of(name, moment)):
            return False
        if not self.inside:
            return True
        within = (
            one.name
            for one in moment.facts.values()
            if is_name_of(one.receptacle, name)
            and moment.weighed(Effect(Relation.IN, plain_name(one.name), name), True)
        )
        return any(self._is(one, self.inside) and not self._is(one, self.but) for one in within)

    def _is(self, name: str, words: frozenset[str]) -> bool:
        """Whether a name is one of these words, in its own words or those people have for it."""
        called = [name]
        own = plain(class_and_number(name)[0])
        for known, *others in self.other_words:
            if plain(known) == own:
                called += others
        return any(not words.isdisjoint(_parts(one)) for one in called)


@lru_cache(maxsize=1024)
def _usual_verbs(kinds: frozenset[SkillKind]) -> tuple[str, ...]:
    return tuple(verb for kind in kinds for verb in _USUAL_VERBS.get(kind, ()))


@lru_cache(maxsize=1024)
def _beginnings(verbs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f'{verb} ' for verb in verbs)


@lru_cache(maxsize=8192)
def _parts(name: str) -> frozenset[str]:
    """The words of a name, alone and as they follow each other, also in the singular.

    "wine_glasses 2" has "wine glasses", "glass", "wineglasses" and more.
    """
    words = words_in(name)[:_MOST_WORDS]
    found = set()
    for begin in range(len(words)):
        for end in range(begin + 1, min(len(words), begin + _LONGEST) + 1):
            part = ' '.join(words[begin:end])
            found |= {part, part.removesuffix('s'), part.removesuffix('es')}
    return frozenset(found)


def _ways(moment: Moment) -> list[tuple[str, ...]]:
    """The names of a skill, by each of its readings; its words where no declared type fits."""
    ways = [(*reading.names, *reading.own) for reading in moment.readings]
    return ways or [tuple(_BETWEEN_NAMES.split(plain(moment.skill).partition(' ')[2]))]


def _states_of(name: str, moment: Moment) -> set[str]:
    """What a thing is known to be, and what its name says of it: "hot pan 1"."""
    known: list[ObjectFact] = [f for f in moment.facts.values() if is_name_of(f.name, name)]
    words = {
        plain(word)
        for fact in known
        for word in fact.state.split(', ')
        if word and moment.weighed(Effect(Relation.IS, plain_name(fact.name), word), True)
    }
    return words | _parts(name)


@dataclass(frozen=True, slots=True)
class Hazards:
    """Those that are on. :param everywhere: also in a simulated world. :param source: the file."""

    entries: tuple[HazardEntry, ...] = ()
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    everywhere: bool = False
    source: str = ''

    def rules(
        self, types: Sequence[SkillType], other_words: OtherWords = ()
    ) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
        """What follows for a skill server: rules that ask or refuse, and rules in time.

        :param types: that it declares. :param other_words: for its names.
        """
        asking, later = [], []
        for one in self.entries:
            selector = self._selector(one, other_words)
            if one.does != 'then':
                verdict = Verdict.DENY if one.does == 'refuse' else Verdict.ASK
                asking.append(Rule(one.name, selector, verdict, of_hazard=True, why=one.why))
                continue
            for kind in types:
                if kind.kind not in selector.kinds:
                    continue
                back = _taken_back(kind, types)
                if back and selector.may_concern(kind):
                    pattern, own = SkillPattern(kind.template), own_names(kind)
                    narrow = replace(selector, pattern=pattern, own=own)
                    then = (SkillPattern(back),)
                    rule = Rule(one.name, narrow, then=then, of_hazard=True, why=one.why)
                    later.append(rule)
        return tuple(asking), tuple(later)

    def _selector(self, one: HazardEntry, other_words: OtherWords) -> HazardSelector:
        return HazardSelector(
            one.name,
            frozenset(_KINDS[kind] for kind in one.kinds),
            tuple(one.verbs),
            self._expanded(one.things),
            self._expanded(one.but),
            self._expanded(one.onto),
            frozenset(plain(state) for state in one.states),
            self._expanded(one.inside),
            self._expanded(one.words),
            one.more_than,
            other_words=tuple(map(tuple, other_words)),
            about=tuple(one.things),
        )

    def _expanded(self, words: Iterable[str]) -> frozenset[str]:
        """Words, with those of a class of the file in its place; also written as one word."""
        names = [name for word in words for name in self.classes.get(word, (word,))]
        parts = [words_in(name) for name in names]
        return frozenset(join.join(one) for one in parts for join in (' ', ''))


NO_HAZARDS = Hazards()


def _taken_back(kind: SkillType, types: Sequence[SkillType]) -> str:
    """The template of what takes a skill back, with the same slots; '' where there is none."""
    if kind.inverse:
        return kind.inverse
    opposite = _OPPOSITE.get(kind.kind)

    def about(skill: SkillType) -> tuple[list[str], tuple[str, ...]]:
        return [slot.name for slot in skill.slots], own_names(skill)

    found = (one.template for one in types if one.kind is opposite and about(one) == about(kind))
    return next(found, '')


def read_hazards(text: str) -> Hazards:
    """The hazards of a parameter: a file, 'on' (also in a simulated world), 'off', and names to
    leave out, e.g. "my_hazards.yaml, -blocking an exit"; '' for the shipped ones, on robots.

    :raises ConfigurationError: there is no such file or name, or the file has a mistake.
    """
    parts = [part for one in text.split(',') if (part := one.strip())]
    if OFF in parts:
        if len(parts) > 1:
            raise ConfigurationError(f'hazards "{text[:80]}": off stands alone.')
        return NO_HAZARDS
    left_out = {one[1:].strip() for one in parts if one.startswith('-')}
    named = [one for one in parts if not one.startswith('-') and one != ON]
    if len(named) > 1:
        raise ConfigurationError(f'hazards "{text[:80]}": name one file.')
    file: HazardsFile
    if named:
        path = path_of(named[0])
        if path is None:
            raise ConfigurationError(
                f'hazards: there is no file {named[0][:200]}. Name a file, or write on or off, '
                'and names to leave out behind "-".'
            )
        file = read_file(path, HazardsFile, form='is no file of hazards: see docs/permission.md')
        source = str(path)
    else:
        file = read_file(files(__package__).joinpath(_SHIPPED), HazardsFile)
        source = 'the shipped hazards'
    names = {one.name for one in file.hazards}
    strange = sorted(left_out - names)
    if strange:
        raise ConfigurationError(
            f'hazards: there is none named "{strange[0][:80]}"; there are '
            f'{", ".join(sorted(names))}.'
        )
    classes = {name: tuple(words) for name, words in file.classes.items()}
    kept = tuple(one for one in file.hazards if one.name not in left_out)
    return Hazards(kept, classes, ON in parts, source)
