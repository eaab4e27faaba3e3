"""The first reader of tasks: a sentence that is made of declared skills is these skills.

It compiles the templates and names of one server into an index by words, and knows no verbs:

    Please undock, then take a photo.      done undock; then done take a photo
    water the T01 with 100 ml              done water plant T01 with 100 ml
    open the lid                           lid is open: the effect that the skill declares

Upper and lower case, articles, and a name's first words may differ where one name is left. A word
that forbids is never part of such a sentence, but within a name, a template, or quotation marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count, pairwise

from reactree_core.bounds import number_text, read_number
from reactree_core.measures import converted, Measure
from reactree_core.skill_types import (
    class_and_number,
    is_of_class,
    SkillKind,
    SkillType,
    SLOT,
    Slot,
    SlotType,
)
from reactree_planner.language import lexicon
from reactree_planner.language.amounts import UNITS
from reactree_planner.language.names import NameKind, Names
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.tokens import MOST_CHARACTERS, tokens_of

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
_QUOTE = '"'
_SIGNS = frozenset({'.', ',', ':', '?', '\n', _QUOTE})
_ARTICLES = lexicon.ARTICLES | lexicon.DEFINITE
#: Words of a free text that may just as well say when, or whether, something is to be done.
_RISKY = (
    lexicon.FORBIDDING
    | lexicon.EXCEPTING
    | lexicon.words(
        'if when whenever until till before after while then once unless but instead rather only '
        'every'
    )
)
#: Words behind a clause that begin another, or say when this one is wanted.
_JOINING = lexicon.COORDINATORS | lexicon.TYING | lexicon.POLITE | lexicon.words('whenever every')
_TIMES = {'once': 1, 'twice': 2, 'thrice': 3}
#: Most times that one sentence asks for a skill, and most words of a free text.
_MOST_TIMES, _MOST_TEXT = 50, 60
#: Ways to read a text up to a word that are followed, and ways to fill one template.
_MOST_WAYS = 8
#: Costs: a clause, a word of courtesy, a slot, a word of a free text.
_CLAUSE, _FRAME, _SLOT, _TEXT = 4, 2, 1, 3


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign. :param start: :param end: where it stands, in characters."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[Token, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        word = match.group().casefold()
        if match.lastgroup == 'quote':
            word = _QUOTE
        found.append(Token(_SAME.get(word, word), match.start(), match.end()))
    return tuple(found)


def _key(text: str) -> tuple[str, ...]:
    """The words and signs of a declared text."""
    told = _TOKEN.finditer(unicodedata.normalize('NFC', text))
    words = (one.group().casefold() for one in told if one.lastgroup != 'quote')
    return tuple(_SAME.get(word, word) for word in words)


@dataclass(frozen=True, slots=True)
class SaidSkill:
    """A declared skill with its slots filled.

    :param values: of its slots, in order, as the server writes them.
    :param times: how often it is to be done; 0 where nothing is said.
    :param open: indices of slots whose value is a name without a number: any such thing.
    """

    type: SkillType
    values: tuple[str, ...] = ()
    times: int = 0
    open: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """As the server executes it."""
        return self.type.filled(self.values)


@dataclass(frozen=True, slots=True)
class Match:
    """A skill in a text. :param start: :param end: in characters.

    :param cost: less for a reading that leaves less to slots. :param later: "then".
    """

    skill: SaidSkill
    start: int
    end: int
    cost: int = 0
    later: bool = False


@dataclass(frozen=True, slots=True)
class SkillSentence:
    """A text made of skills alone, in their order.

    :param frames: where words of courtesy and order stand, in characters.
    """

    matches: tuple[Match, ...]
    frames: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A template. :param literals: the words around its slots, one more than slots.

    :param marks: for each slot whether signs enclose it, `search[<text>]`.
    :param units: for each slot the unit that is written behind its number, () for none; it is in
        no literal.
    """

    type: SkillType
    literals: tuple[tuple[str, ...], ...]
    slots: tuple[Slot, ...]
    marks: tuple[tuple[str, str], ...]
    units: tuple[tuple[str, ...], ...]


#: Index behind, values, open slots, cost.
_Filled = tuple[int, tuple[str, ...], tuple[int, ...], int]


def _enclosing(before: str, after: str) -> tuple[str, str]:
    """Brackets right before and behind a slot."""
    begin, end = before[-1:], after[:1]
    return (begin, end) if begin in ('[', '(', '{') and end in (']', ')', '}') else ('', '')


def _pattern(skill: SkillType, template: str) -> _Pattern:
    first, *parts = SLOT.split(template)[::2]
    marks = tuple(_enclosing(a, b) for a, b in pairwise((first, *parts)))
    literals, units = [_key(first)], []
    for slot, part in zip(skill.slots, parts, strict=True):
        unit, literal = _unit_and_rest(slot, _key(part))
        literals.append(literal)
        units.append(unit)
    return _Pattern(skill, tuple(literals), skill.slots, marks, tuple(units))


def _unit_and_rest(
    slot: Slot, literal: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unit of a slot, and the words behind the slot without it."""
    if slot.type is not SlotType.NUMBER:
        return (), literal
    declared = _key(slot.bounds.unit) if slot.bounds is not None else ()
    if declared and literal[: len(declared)] == declared:
        return declared, literal[len(declared) :]
    if literal and literal[0] in UNITS:
        return literal[:1], literal[1:]
    return declared, literal


class _NameIndex:
    """Names by all the words that stand for them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._by_key: dict[tuple[str, ...], list[str]] = {}
        self._short: dict[tuple[str, ...], list[str]] = {}
        written = {**{_key(name): name for name in names.all_words().values()}}
        for words, name in names.all_words().items():
            written.setdefault(_key(' '.join(words)), name)
        for key, name in written.items():
            self._by_key.setdefault(key, []).append(name)
            plain = tuple(word for word in key if word not in _SIGNS)
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
            if not (short[0] in lexicon.CLOSED or read_number(short[0]) is not None):
                yield short
        for form in forms_of(key[-1]) if len(key[-1]) > 3 else ():
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
        """Whether a slot takes a name: by its classes, by the class it is called after, or by the
        kind of name that stands there.
        """
        if slot.classes:
            return any(is_of_class(name, one) for one in slot.classes)
        if self.names.kind(slot.name) is not None:
            return is_of_class(name, slot.name) or f' {name}'.endswith(f' {slot.name}')
        kind, taken = self.names.kind(name), self.names.kind_in(slot)
        return taken in (None, NameKind.OTHER, kind) or kind is NameKind.OTHER


class SkillMatcher:
    """Finds the skills of one server in texts.

    :param names: of the server, with its skill types.
    """

    def __init__(self, names: Names) -> None:
        self._index = _NameIndex(names)
        self._by_word: dict[str, list[_Pattern]] = {}
        for one in names.skill_types:
            templates = [one.template]
            if one.verb:
                rest = one.template[len(one.verb) :]
                templates += [f'{words}{rest}' for words in one.other_words]
            for template in dict.fromkeys(templates):
                pattern = _pattern(one, template)
                first = next((w for w in pattern.literals[0] if w not in _ARTICLES), '')
                self._by_word.setdefault(first, []).append(pattern)

    # One skill ---------------------------------------------------------------------------------

    def find(self, text: str) -> Iterator[Match]:
        """Skills anywhere in a text, up to where a clause may end."""
        if text != unicodedata.normalize('NFC', text):
            return
        reading = _Reading(self, text)
        for at in range(len(reading.words)):
            for end, match in reading.skills(at):
                if reading.may_end(end):
                    yield match

    def names_of(self, slot: Slot) -> list[str]:
        """Names that may stand in a slot."""
        return [one for one in dict.fromkeys(self._index.all) if self._index.fits(slot, one)]

    def names_in(self, text: str, slot: Slot) -> Iterator[str]:
        """Names that a text has, with their numbers, and that may stand in a slot."""
        reading = _Reading(self, unicodedata.normalize('NFC', text))
        at = 0
        while at < len(reading.words):
            found = max(reading.names_at(at, slot), default=None)
            if found is not None and not slot.objection(found[1]):
                yield found[1]
            at = max(at + 1, found[0] if found is not None else 0)

    def patterns_at(self, words: Sequence[str], at: int) -> Iterable[_Pattern]:
        """Templates that may begin there."""
        first = at
        while first + 1 < len(words) and words[first] in _ARTICLES:
            first += 1
        found = [*self._by_word.get(words[first], ()), *self._by_word.get('', ())]
        if first > at:
            found += self._by_word.get(words[at], ())
        return found

    # A whole text ------------------------------------------------------------------------------

    def read(self, text: str) -> SkillSentence | None:
        """The skills of which a text is made; None where it says anything else, or where two ways
        to read it are equally good.
        """
        text = unicodedata.normalize('NFC', text)
        return None if len(text) > MOST_CHARACTERS else _Reading(self, text).best()


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to read a text up to a token. :param asks: whether it is worded as a request."""

    matches: tuple[Match, ...] = ()
    frames: tuple[tuple[int, int], ...] = ()
    later: bool = False
    asks: bool = False
    questions: bool = False


#: What may stand next: a skill; a skill or the end; what joins two skills.
_BEGIN, _OPEN, _BEHIND = range(3)


def _without_prohibitions(phrases: Iterable[tuple[str, ...]]) -> lexicon.Phrases:
    found = (one for one in phrases if lexicon.FORBIDDING.isdisjoint(one))
    return lexicon.Phrases(tuple(w for w in one) for one in found)


_REQUESTS = _without_prohibitions(lexicon.REQUESTS)
_LEADS = _without_prohibitions(
    [*lexicon.GREETINGS, *lexicon.FIRST, *((w,) for w in (*lexicon.POLITE, *lexicon.ADVERBS))]
)
_TAILS = _without_prohibitions(
    [*lexicon.GREETINGS, *((w,) for w in (*lexicon.POLITE, *lexicon.ADVERBS))]
)


@dataclass
class _Reading:
    """Reads one text."""

    matcher: SkillMatcher
    text: str
    tokens: tuple[Token, ...] = ()
    words: tuple[str, ...] = ()
    _risky: frozenset[int] = field(default=frozenset())

    def __post_init__(self) -> None:
        self.tokens = _tokens(self.text)
        self.words = tuple(one.text for one in self.tokens)
        self._risky = frozenset(one.start for one in tokens_of(self.text) if one.text in _RISKY)

    # Skills ------------------------------------------------------------------------------------

    def skills(self, at: int) -> list[tuple[int, Match]]:
        """Skills that begin at a token: index behind, and the skill with how often."""
        found: dict[tuple[int, SaidSkill], int] = {}
        for pattern in self.matcher.patterns_at(self.words, at):
            for begin in self._literal(at, pattern.literals[0], is_first=True):
                for end, values, gaps, cost in self._filled(pattern, 0, begin):
                    for behind, times in self._times(end):
                        skill = SaidSkill(pattern.type, values, times, gaps)
                        known = found.get((behind, skill), cost)
                        found[behind, skill] = min(cost, known)
        ranked = sorted(found.items(), key=lambda one: (one[1], -one[0][0]))
        start = self.tokens[at].start
        return [
            (end, Match(skill, start, self.tokens[end - 1].end, cost))
            for (end, skill), cost in ranked
            if end > at
        ]

    def _literal(self, at: int, words: tuple[str, ...], is_first: bool = False) -> Iterator[int]:
        """Behind the fixed words of a template; articles may be more, fewer or others."""
        found = 0
        while found < len(words):
            said = self.words[at] if at < len(self.words) else ''
            if said == words[found]:
                at, found = at + 1, found + 1
            elif words[found] in _ARTICLES:
                found += 1
            elif (said in _ARTICLES or said == _QUOTE) and not is_first:
                at += 1
            elif words[found] in _SIGNS:
                found += 1
            else:
                return
            is_first = False
        yield at

    def _filled(self, pattern: _Pattern, number: int, at: int) -> Iterator[_Filled]:
        """Values of the slots from a number on, and what stands behind the last."""
        if number == len(pattern.slots):
            yield at, (), (), 0
            return
        literal = pattern.literals[number + 1]
        for end, value, is_open, cost in self._value(pattern, number, at):
            is_last = number + 1 == len(pattern.slots)
            for begin in self._literal(end, literal):
                if not is_last or begin == len(self.words) or begin >= end:
                    for behind, values, gaps, more in self._filled(pattern, number + 1, begin):
                        opened = (number, *gaps) if is_open else gaps
                        yield behind, (value, *values), opened, cost + more

    def _value(
        self, pattern: _Pattern, number: int, at: int
    ) -> Iterator[tuple[int, str, bool, int]]:
        """What may fill a slot there: index behind, value, whether it leaves open which, cost."""
        slot = pattern.slots[number]
        if slot.fault or at >= len(self.words):
            return
        if slot.type is SlotType.NUMBER:
            written = pattern.units[number]
            unit = slot.bounds.unit if slot.bounds is not None else ''
            unit = unit or ' '.join(written)
            for end, value in self._number(at, UNITS.get(unit, unit)):
                if not slot.objection(value):
                    behind = end + len(written)
                    follows = self.words[end:behind] == written
                    yield behind if follows else end, value, False, _SLOT
        elif slot.type is SlotType.TEXT:
            for end, value, words in self._free_text(at, pattern, number):
                yield end, value, False, _SLOT + _TEXT * words
        else:
            for begin in self._behind_articles(at):
                for end, value, is_open in self.names_at(begin, slot):
                    if not slot.objection(value):
                        yield end, value, is_open, _SLOT

    def _behind_articles(self, at: int) -> Iterator[int]:
        yield at
        while at + 1 < len(self.words) and self.words[at] in _ARTICLES | {_QUOTE}:
            at += 1
            yield at

    def names_at(self, at: int, slot: Slot) -> Iterator[tuple[int, str, bool]]:
        """A known name, with its number: index behind, name, whether it has none."""
        for end, name in self.matcher._index.at(self.words, at, slot):
            close = end + (end < len(self.words) and self.words[end] == _QUOTE)
            yield close, name, not any(map(str.isdigit, name))
            if not class_and_number(name)[1] and close == end:
                number = self._instance(end)
                if number:
                    yield end + 1, f'{name} {number}', False

    def _instance(self, at: int) -> str:
        """The number that tells one thing of a class from the others; '' for none."""
        word = self.words[at] if at < len(self.words) else ''
        if word.isascii() and word.isdecimal() and len(word) < 10:
            return word
        number = lexicon.NUMBERS.get(word) if word != 'both' else None
        return '' if number is None else str(number)

    def _number(self, at: int, unit: str) -> Iterator[tuple[int, str]]:
        """A number, converted into the unit of its slot."""
        number, end = read_number(self.words[at]), at + 1
        if number is None:
            for end in (at + 2, at + 1):
                told = lexicon.number_of(self.words[at:end]) if self._is_number(at, end) else None
                if told is not None:
                    number = Decimal(told)
                    break
        if number is None:
            return
        said = UNITS.get(self.words[end], '') if end < len(self.words) else ''
        if end < len(self.words) and self.words[end] == '%':
            said = '%'
        if said:
            value = converted(Measure('', number, said), unit) if unit else None
            if value is not None:
                yield end + 1, number_text(value)
                return
        yield end, number_text(number)

    def _is_number(self, at: int, end: int) -> bool:
        told = self.words[at:end]
        return len(told) == end - at and all(word in lexicon.NUMBERS for word in told)

    def _free_text(
        self, at: int, pattern: _Pattern, number: int
    ) -> Iterator[tuple[int, str, int]]:
        """Quoted words, or all up to a sign or to the next words of the template."""
        begin, end = pattern.marks[number]
        if begin and not self.text[: self.tokens[at].start].rstrip().endswith(begin):
            return
        if self.words[at] == _QUOTE:
            for close in range(at + 1, len(self.words)):
                if self.words[close] == _QUOTE:
                    inside = self.text[self.tokens[at].end : self.tokens[close].start]
                    if value := ' '.join(inside.split()):
                        yield close + 1, value, 0
                    return
            return
        if pattern.type.kind is SkillKind.ASK:
            # "Ask Tom to bring the cup": who shall bring it?
            return
        behind = pattern.literals[number + 1]
        for close in range(at + 1, min(len(self.words), at + _MOST_TEXT) + 1):
            last = self.tokens[close - 1]
            if last.start in self._risky or last.text in ('\n', _QUOTE):
                return
            if last.text in _SIGNS:
                continue
            follows = self.words[close] if close < len(self.words) else ''
            ends = not follows or follows in _SIGNS or follows in lexicon.POLITE | {'and', 'then'}
            told = self.text[self.tokens[at].start : last.end]
            if end:
                ends = self.text[last.end :].lstrip().startswith(end)
            if ends or (behind and follows == behind[0]):
                yield close, ' '.join(told.split()), close - at

    def _times(self, at: int) -> Iterator[tuple[int, int]]:
        """How often; 0 where nothing is said."""
        yield at, 0
        if at >= len(self.words):
            return
        if self.words[at] in _TIMES:
            yield at + 1, _TIMES[self.words[at]]
        for end, value in self._number(at, ''):
            if end < len(self.words) and self.words[end] == 'times' and value.isdecimal():
                if 0 < int(value) <= _MOST_TIMES:
                    yield end + 1, int(value)

    def may_end(self, at: int) -> bool:
        """Whether a clause may end there: at a sign, or at a word that joins clauses."""
        follows = self.words[at] if at < len(self.words) else '.'
        return follows in _SIGNS or follows in _JOINING

    # The whole text ----------------------------------------------------------------------------

    def best(self) -> SkillSentence | None:
        """The cheapest way to read all of it; None where there is none, or more than one."""
        size, order = len(self.words), count()
        begin = _Way()
        seen: dict[tuple[int, int], list[tuple[int, _Way]]] = {}
        heap = [(0, next(order), 0, _BEGIN, begin)]
        found: list[tuple[int, _Way]] = []
        while heap:
            cost, _, at, state, way = heappop(heap)
            if found and cost > found[0][0]:
                break
            if at == size and state != _BEGIN:
                found.append((cost, way))
                continue
            known = seen.setdefault((at, state), [])
            if len(known) >= _MOST_WAYS or any(one == way for _, one in known):
                continue
            known.append((cost, way))
            for more, end, next_state, new in self._steps(at, state, way):
                heappush(heap, (cost + more, next(order), end, next_state, new))
        ways = {tuple((m.skill, m.later) for m in way.matches): way for _, way in found}
        if len(ways) != 1:
            return None
        way = next(iter(ways.values()))
        if way.questions and not way.asks:
            # "Take a photo?" is none of its own; "could you take a photo?" is a request.
            return None
        return SkillSentence(way.matches, way.frames)

    def _steps(self, at: int, state: int, way: _Way) -> Iterator[tuple[int, int, int, _Way]]:
        """What may stand next: cost, index behind, state, and the way with it."""
        if at >= len(self.words):
            return
        if state == _BEHIND:
            yield from self._behind(at, way)
            return
        for end, match in self.skills(at):
            told = Match(match.skill, match.start, match.end, match.cost, way.later)
            new = _Way((*way.matches, told), way.frames, False, way.asks, way.questions)
            yield _CLAUSE + match.cost, end, _BEHIND, new
        for phrases, asks in ((_REQUESTS, True), (_LEADS, False)):
            for end in phrases.at(self.words, at):
                asked = asks or not lexicon.ASKING.isdisjoint(self.words[at:end])
                yield _FRAME * (end - at), end, _BEGIN, self._framed(way, at, end, asks=asked)
        for end in lexicon.THEN.at(self.words, at):
            if way.matches:
                yield _FRAME, end, _BEGIN, self._framed(way, at, end, later=True)
        if self.words[at] in (',', '\n', _QUOTE) or (at == 0 and self.words[at] == ':'):
            yield 0, at + 1, state, way

    def _behind(self, at: int, way: _Way) -> Iterator[tuple[int, int, int, _Way]]:
        word = self.words[at]
        if word in ('.', '\n', '?'):
            new = _Way(way.matches, way.frames, False, way.asks, way.questions or word == '?')
            yield 0, at + 1, _OPEN, new
        if word in (',', 'and'):
            yield 0, at + 1, _BEGIN, way
        if word in (',', _QUOTE):
            yield 0, at + 1, _BEHIND, way
        for end in _TAILS.at(self.words, at):
            asked = not lexicon.ASKING.isdisjoint(self.words[at:end])
            yield _FRAME * (end - at), end, _BEHIND, self._framed(way, at, end, asks=asked)
        for end in lexicon.THEN.at(self.words, at):
            yield _FRAME, end, _BEGIN, self._framed(way, at, end, later=True)

    def _framed(
        self, way: _Way, at: int, end: int, later: bool = False, asks: bool = False
    ) -> _Way:
        span = self.tokens[at].start, self.tokens[end - 1].end
        return _Way(
            way.matches,
            (*way.frames, span),
            way.later or later,
            way.asks or asks,
            way.questions,
        )


def matcher_of(names: Names) -> SkillMatcher:
    """The matcher of these names, made anew once more of them are known."""
    return _matcher_of(names, names.size)


@lru_cache(maxsize=16)
def _matcher_of(names: Names, size: int) -> SkillMatcher:
    return SkillMatcher(names)
