"""Templates and names of one server, compiled for finding them in texts.

    fold down <part>       fold down <part>; fold <part> down
    stir <vessel> for <n> min    the head "stir", and the phrases "<vessel>" and "for <n>"

A phrase that begins with a word of its own may stand elsewhere in its clause.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from reactree_core.bounds import read_number
from reactree_core.skill_types import is_of_class, Relation, SkillType, SLOT, Slot, SlotType
from reactree_planner.reading.names import Names
from reactree_planner.reading.small_words import ARTICLES as INDEFINITE
from reactree_planner.reading.small_words import CLOSED, DEFINITE, PREPOSITIONS, word_set
from reactree_planner.reading.tokens import singulars_of
from reactree_planner.reading.units import UNITS
from reactree_planner.reading.vocabulary import NameKind

#: A letter: all but spaces and signs, so that marks of every script stay in their words.
_LETTER = (
    r'[^\s\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xa9\xab-\xaf\xb1\xb4\xb6-\xb8\xbb-\xbf\xd7\xf7'
    r'\u2000-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]'
)
_TOKEN = re.compile(
    rf'(?P<number>(?:(?<![^\s("])[-+])?[0-9]+(?:\.[0-9]+)?)|(?P<word>(?![0-9]){_LETTER}+)'
    r'|(?P<quote>["“”„«»]|(?<!\S)[\'‘](?=\S)|(?<=\S)[\'’](?!\w))'
    r'|(?P<sign>[.,;:?!\n%&。，！？])'
)
_SAME = {
    '&': 'and', 'percent': '%', '!': '.', ';': '.', '。': '.', '！': '.', '，': ',', '？': '?',
}  # fmt: skip
QUOTE = '"'
SIGNS = frozenset({'.', ',', ':', '?', '\n', QUOTE})
ARTICLES = INDEFINITE | DEFINITE
#: Words that belong to a verb and may stand before or behind what it is about.
_PARTICLES = word_set('up down on off out in over away apart together')


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign. :param start: :param end: where it stands, in characters."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=64)
def scan(text: str) -> tuple[Token, ...]:
    """The tokens of a text."""
    found = []
    for match in _TOKEN.finditer(text):
        word = match.group().casefold()
        if match.lastgroup == 'quote':
            word = QUOTE
        found.append(Token(_SAME.get(word, word), match.start(), match.end()))
    return tuple(found)


def key_of(text: str) -> tuple[str, ...]:
    """The words and signs of a declared text."""
    told = _TOKEN.finditer(unicodedata.normalize('NFC', text))
    words = (one.group().casefold() for one in told if one.lastgroup != 'quote')
    return tuple(_SAME.get(word, word) for word in words)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A slot with the words before it; or words behind the last slot.

    :param lead: words before the slot. :param slot: None for words alone.
    :param number: of the slot in its template, from 0; -1 for words alone.
    :param marks: signs that enclose the slot, `search[<text>]`.
    :param unit: that is written behind a number, () for none; it is in no lead.
    """

    lead: tuple[str, ...]
    slot: Slot | None = None
    number: int = -1
    marks: tuple[str, str] = ('', '')
    unit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template in one order of its words.

    :param head: words before the first slot.
    """

    type: SkillType
    head: tuple[str, ...]
    phrases: tuple[Phrase, ...]

    @property
    def is_countable(self) -> bool:
        """Test that doing it twice makes two: it brings no certain thing into a state."""
        return not any(fact.relation is Relation.IS for fact in self.type.facts)


def _enclosing(before: str, after: str) -> tuple[str, str]:
    """Brackets right before and behind a slot."""
    begin, end = before[-1:], after[:1]
    return (begin, end) if begin in ('[', '(', '{') and end in (']', ')', '}') else ('', '')


def _unit_and_rest(
    slot: Slot, literal: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unit of a slot, and the words behind the slot without it."""
    if slot.type is not SlotType.NUMBER:
        return (), literal
    declared = key_of(slot.bounds.unit) if slot.bounds is not None else ()
    if declared and literal[: len(declared)] == declared:
        return declared, literal[len(declared) :]
    if literal and literal[0] in UNITS:
        return literal[:1], literal[1:]
    return declared, literal


def patterns_of(skill: SkillType) -> Iterator[Pattern]:
    """A skill's template, and the same with other words for its verb and a particle moved."""
    templates = [skill.template]
    if skill.verb:
        rest = skill.template[len(skill.verb) :]
        templates += [f'{words}{rest}' for words in skill.other_words]
    for template in dict.fromkeys(templates):
        first, *parts = SLOT.split(template)[::2]
        marks = tuple(_enclosing(a, b) for a, b in pairwise((first, *parts)))
        literals, units = [key_of(first)], []
        for slot, part in zip(skill.slots, parts, strict=True):
            unit, literal = _unit_and_rest(slot, key_of(part))
            literals.append(literal)
            units.append(unit)
        has_name = bool(skill.slots) and skill.slots[0].type.is_name
        for head, *behind in dict.fromkeys(_with_particle_moved(tuple(literals), has_name)):
            told = zip(((), *behind), skill.slots, marks, units, strict=False)
            phrases = [Phrase(lead, slot, n, m, u) for n, (lead, slot, m, u) in enumerate(told)]
            phrases += [Phrase(one) for one in behind[-1:] if one]
            yield Pattern(skill, head, tuple(phrases))


def _with_particle_moved(
    literals: tuple[tuple[str, ...], ...], has_name: bool
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Words around slots as declared, then "fold <part> down" for "fold down <part>", and back.

    :param has_name: whether a name stands in the first slot.
    """
    yield literals
    head, *others = literals
    for at, particle in enumerate(head[1:], 1):
        if particle not in _PARTICLES:
            continue
        noun = noun_at(head, at + 1)
        if noun > at + 1:
            yield ((*head[:at], *head[at + 1 : noun], particle, *head[noun:]), *others)
        elif at + 1 == len(head) and has_name:
            yield (head[:at], (particle, *others[0]), *others[1:])
        if at > 1:
            yield ((head[0], particle, *head[1:at], *head[at + 1 :]), *others)
    if len(head) == 1 and has_name and others[0] and others[0][0] in _PARTICLES:
        yield ((*head, others[0][0]), others[0][1:], *others[1:])


def noun_at(words: Sequence[str], at: int) -> int:
    """Index behind the noun phrase that begins at a word of a template; the same for none."""
    end = at
    while end < len(words) and words[end] not in PREPOSITIONS | _PARTICLES | SIGNS:
        if words[end] in ('for', 'with', 'by', 'of'):
            break
        end += 1
    return end if any(word not in ARTICLES for word in words[at:end]) else at


class NameIndex:
    """Names by all the words that stand for them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._by_key: dict[tuple[str, ...], list[str]] = {}
        self._short: dict[tuple[str, ...], list[str]] = {}
        written = {**{key_of(name): name for name in names.all_words().values()}}
        for words, name in names.all_words().items():
            written.setdefault(key_of(' '.join(words)), name)
        for key, name in written.items():
            self._by_key.setdefault(key, []).append(name)
            plain = tuple(word for word in key if word not in SIGNS)
            if plain != key:
                self._by_key.setdefault(plain, []).append(name)
        for key, name in written.items():
            for short in self._shortened(key):
                known = self._short.setdefault(short, [])
                if name not in known:
                    known.append(name)
        self.all = tuple(written.values())
        self.longest = max(map(len, self._by_key), default=0)

    def _shortened(self, key: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Its last words, and its last word in the singular."""
        for begin in range(1, len(key)):
            short = key[begin:]
            if not (short[0] in CLOSED or read_number(short[0]) is not None):
                yield short
        for form in singulars_of(key[-1]) if len(key[-1]) > 3 else ():
            if form != key[-1]:
                yield (*key[:-1], form)

    def at(self, words: Sequence[str], at: int, slot: Slot) -> Iterator[tuple[int, str]]:
        """Names that stand there and may stand in a slot, the longest first."""
        for length in range(min(self.longest, len(words) - at), 0, -1):
            key = tuple(words[at : at + length])
            known = [one for one in self._by_key.get(key, ()) if self.fits(slot, one)]
            if not known:
                # The T01: by its last words, where one name is left that fits.
                known = [one for one in self._short.get(key, ()) if self.fits(slot, one)]
                known = known if len(known) == 1 else []
            for name in known:
                yield at + length, name

    def fits(self, slot: Slot, name: str) -> bool:
        """Test that a slot takes a name: by its classes, by the class it is called after, or by
        the kind of name that stands there.
        """
        if slot.classes:
            return slot.may_name(name)
        if self.names.kind(slot.name) is not None:
            return is_of_class(name, slot.name) or f' {name}'.endswith(f' {slot.name}')
        kind, taken = self.names.kind(name), self.names.kind_in(slot)
        if kind is NameKind.OTHER and name in self.names.own_numbers:
            # "steam" is measured, and no place.
            return taken in (None, kind)
        return taken in (None, NameKind.OTHER, kind) or kind is NameKind.OTHER

    def length_at(self, words: Sequence[str], at: int) -> int:
        """The length of the name that begins there, in words; 0 for none."""
        for length in range(min(self.longest, len(words) - at), 0, -1):
            key = tuple(words[at : at + length])
            if key in self._by_key or len(self._short.get(key, ())) == 1:
                return length
        return 0
