"""A sentence with what it says literally: names of the server, and marks of negation and order.

No grammar of any language: names are matched, marks are looked up in lists by language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import product

from reactree_planner.reading.languages import ENGLISH, language, language_of
from reactree_planner.reading.phrases import listed, words_named
from reactree_planner.reading.tokens import plain_text, Token, tokens_of
from reactree_planner.reading.vocabulary import Mention, ServerWords

#: First and last index of characters, the last one excluded.
Span = tuple[int, int]


class Sign(Enum):
    """What a mark of a sentence says; the values are the fields of `marks.yaml`."""

    NEGATION = 'negation'
    CONDITION = 'condition'
    THEN = 'then'
    FIRST = 'first'
    BEFORE = 'before'
    AFTER = 'after'
    EVERY = 'every'
    BESIDE = 'beside'
    NARROWING = 'narrowing'
    KEEPING = 'keeping'
    AMOUNT = 'amount'
    GOAL = 'goal'
    DENYING = 'denying'
    NUMBER = 'number'


ORDERING = (Sign.THEN, Sign.FIRST, Sign.BEFORE, Sign.AFTER)
_NUMBERS: dict[str, float] = {
    word: number
    for number, words in (
        *enumerate(
            (
                'zero', 'one single once', 'two both pair couple twice', 'three thrice', 'four',
                'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve dozen',
                'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen',
            )
        ),
        (20, 'twenty'), (30, 'thirty'), (40, 'forty'), (50, 'fifty'), (60, 'sixty'),
        (70, 'seventy'), (80, 'eighty'), (90, 'ninety'),
        (100, 'hundred'), (0.5, 'half'),
    )
    for word in words.split()
}  # fmt: skip


def number_at(words: Sequence[str], at: int) -> tuple[int, float]:
    """Index behind the English number that begins at a word, and its value; (at, 0) for none.

    "21", "twenty-one", "two dozen", "three hundred", "2.5".
    """
    word = words[at] if at < len(words) else ''
    if tuple(words[at : at + 3]) == ('half', 'a', 'dozen'):
        return at + 3, 6.0
    if re.fullmatch(r'\d+(?:[.,]\d+)?', word):
        thousands = re.fullmatch(r'\d{1,3},\d{3}', word)
        end, value = at + 1, float(word.replace(',', '' if thousands else '.'))
    elif word in _NUMBERS:
        end, value = at + 1, float(_NUMBERS[word])
    else:
        return at, 0.0
    unit = end + (list(words[end : end + 1]) == ['-'])
    ones = _NUMBERS.get(words[unit], 0) if unit < len(words) else 0
    if value in range(20, 100, 10) and 0 < ones < 10 and words[unit].isalpha():
        end, value = unit + 1, value + ones
    if words[end : end + 1] and words[end] in ('dozen', 'hundred') and word not in ('dozen',):
        end, value = end + 1, value * _NUMBERS[words[end]]
    return end, value


_QUESTION = re.compile(r'[^.!?;\n]*\?')
_AUXILIARY = frozenset(
    ['is', 'are', 'was', 'were', 'do', 'does', 'did', 'has', 'have', 'can', 'could', 'should',
     'would', 'will', 'must', 'may', 'might', 'need']
)  # fmt: skip
#: Ends what a denial is about.
_DENIAL_END = re.compile(r'\s*[.!?;:\n]|,?\s+(?:but|just)\b')


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that negate, condition, order or count. :param value: of a number."""

    sign: Sign
    span: Span
    value: float = 0.0


class Sentence:
    """A text with its tokens, the names it says, and its marks.

    :param text: word for word. :param words: of the skill server.
    :param code: ISO 639-1 code of its language; '' to tell it from its small words.
    """

    def __init__(self, text: str, words: ServerWords, code: str = '') -> None:
        self.text = plain_text(text)
        self.words = words
        self.tokens: tuple[Token, ...] = words.spelled(tokens_of(text))
        self.code = code or language_of(self.text) or ENGLISH
        self.language = language(self.code)

    @property
    def is_english(self) -> bool:
        """Whether its language is English."""
        return self.code == ENGLISH

    def part(self, span: Span) -> str:
        """The text of a span."""
        return self.text[slice(*span)]

    def span_of(self, mention: Mention) -> Span:
        """The characters of a mention."""
        return self.tokens[mention.start].start, self.tokens[mention.end - 1].end

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Names that it says; of those that overlap, exact ones and then the longest."""
        found = [
            m for at in range(len(self.tokens)) for m in self.words.mentions_at(self.tokens, at)
        ]
        kept: list[Mention] = []
        for one in sorted(found, key=lambda m: (not m.exact, m.start - m.end, m.start)):
            if not any(one.start < other.end and other.start < one.end for other in kept):
                kept.append(one)
        return tuple(sorted(kept, key=lambda m: m.start))

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Its marks in order; a negation that affirms ("don't forget to") is none.

        Nor is a condition of which that is so: "the light provided by the lamp".
        """
        signs = _signs(self.code)
        affirming = list(self._find((*_affirming(self.code), *signs.get(Sign.DENYING, ()))))
        affirming += self._negative_questions()
        found = []
        for sign, phrases in signs.items():
            for span in self._find(phrases):
                looks = sign in (Sign.NEGATION, Sign.CONDITION)
                if looks and any(overlap(span, one) for one in affirming):
                    continue
                found.append(Mark(sign, span))
        found += self._numbers()
        return tuple(sorted(found, key=lambda mark: mark.span))

    def _negative_questions(self) -> Iterator[Span]:
        """The begin of "shouldn't the cup be in the sink?": it asks, and forbids nothing."""
        for match in _QUESTION.finditer(self.text if self.is_english else ''):
            inner = [one for one in self.tokens if inside((one.start, one.end), match.span())]
            words = [one.word for one in inner[:2]]
            if len(words) == 2 and words[0] in _AUXILIARY and words[1] == 'not':
                yield inner[0].start, inner[1].end

    @cached_property
    def denied(self) -> tuple[Span, ...]:
        """Clauses that say that something need not be done, each from its mark to its end."""
        ends = [match.start() for match in _DENIAL_END.finditer(self.text)] + [len(self.text)]
        marks = (mark.span for mark in self.marked(Sign.DENYING))
        return tuple((at, min(one for one in ends if one >= end)) for at, end in marks)

    def marked(self, *signs: Sign) -> tuple[Mark, ...]:
        """Its marks of some signs, in order."""
        return tuple(mark for mark in self.marks if mark.sign in signs)

    def is_function(self, token: Token) -> bool:
        """Whether a token says nothing of things, places and states."""
        return token.word in self.language.function_words or token.word in _FUNCTION

    def _find(self, phrases: Iterable[tuple[str, ...]]) -> Iterator[Span]:
        if not self.language.spaced or self.language.has_endings:
            for phrase in phrases:
                pattern = re.escape(' '.join(phrase))
                yield from (match.span() for match in re.finditer(pattern, self.text.casefold()))
            return
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted(phrases, key=len, reverse=True):
            by_first.setdefault(phrase[0], []).append(phrase)
        at = 0
        words = [token.word for token in self.tokens]
        while at < len(words):
            fits = (p for p in by_first.get(words[at], ()) if tuple(words[at : at + len(p)]) == p)
            phrase = next(fits, ())
            if phrase:
                end = at + len(phrase)
                yield self.tokens[at].start, self.tokens[end - 1].end
                at = end
            else:
                at += 1

    def _numbers(self) -> Iterator[Mark]:
        named = [self.span_of(one) for one in self.mentions if one.exact]
        named += [(token.start, token.end) for token in list_numbers(self.tokens)]
        known = {word: float(n) for n, word in enumerate(self.language.numbers, start=2)}
        if not self.language.spaced:
            for word, number in known.items():
                for match in re.finditer(re.escape(word), self.text):
                    yield Mark(Sign.NUMBER, match.span(), number)
        words = [token.word for token in self.tokens]
        at = 0
        while at < len(words):
            end, value = number_at(words, at)
            if end > at and not self.is_english and words[at] in _NUMBERS:
                end = at
            if end == at and words[at] in known:
                end, value = at + 1, known[words[at]]
            span = (self.tokens[at].start, self.tokens[max(end - 1, at)].end)
            if end > at and not any(inside(span, one) for one in named):
                yield Mark(Sign.NUMBER, span, value)
            at = max(end, at + 1)


def list_numbers(tokens: Sequence[Token]) -> Iterator[Token]:
    """Numbers that count the items of a list: "1. fetch it", "2) wash it", "step 3:"."""
    for at, token in enumerate(tokens):
        if not token.word.isdecimal():
            continue
        behind = tokens[at + 1].word if at + 1 < len(tokens) else ''
        before = tokens[at - 1].word if at else '\n'
        opens = before in ('\n', '.', ';', '!', 'step')
        if (behind in ('.', ':') and opens and at + 2 < len(tokens)) or (
            behind == ')' and before != '('
        ):
            yield token


def may_forbid(text: str) -> bool:
    """Whether an English text has a word with which a negation begins, whatever it names."""
    signs = _signs(ENGLISH)
    first = {phrase[0] for sign in (Sign.NEGATION, Sign.KEEPING) for phrase in signs[sign]}
    return any(token.word in first for token in tokens_of(text))


def inside(inner: Span, outer: Span) -> bool:
    """Whether a span lies within another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def inside_any(inner: Span, outer: Iterable[Span]) -> bool:
    """Whether a span lies within one of several."""
    return any(inside(inner, one) for one in outer)


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Phrases that "|" parts; "/" parts words of which any may stand at a place."""
    told = (
        tuple(token.word for token in tokens_of(' '.join(words)))
        for one in text.split('|')
        for words in product(*(word.split('/') for word in one.split()))
    )
    return tuple(phrase for phrase in told if phrase)


@cache
def _signs(code: str) -> Mapping[Sign, tuple[tuple[str, ...], ...]]:
    marks = listed('marks').get(code)
    if marks is not None:
        return {sign: _phrases(marks[sign.value]) for sign in Sign if sign.value in marks}
    told = language(code)
    fields = {
        Sign.NEGATION: told.forbidding,
        Sign.CONDITION: told.turning - told.forbidding - told.contrasting - set(told.before),
        Sign.THEN: told.order,
        Sign.BEFORE: told.before,
        Sign.EVERY: told.every,
    }
    return {
        sign: tuple(tuple(one.split()) for one in sorted(each)) for sign, each in fields.items()
    }


@cache
def _affirming(code: str) -> tuple[tuple[str, ...], ...]:
    return _phrases(listed('marks').get(code, {}).get('affirming', ''))


#: English words beside those of `languages.yaml` that say nothing of things, places and states.
_FUNCTION = words_named('function', 'beside', 'marks')
