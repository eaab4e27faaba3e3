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
from reactree_planner.reading.phrases import listed
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
    NUMBER = 'number'


ORDERING = (Sign.THEN, Sign.FIRST, Sign.BEFORE, Sign.AFTER)
_TO_TWENTY = (
    *('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'),
    *('twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen'),
    *('nineteen', 'twenty'),
)
_NUMBERS = dict(
    zip(
        _TO_TWENTY,
        range(1, 21),
        strict=True,
    ),
    thirty=30, forty=40, fifty=50, sixty=60, seventy=70, eighty=80, ninety=90, hundred=100,
    both=2, pair=2, couple=2, dozen=12, twice=2, thrice=3, single=1, once=1, half=0.5,
)  # fmt: skip


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
        """Its marks in order; a negation that affirms ("don't forget to") is none."""
        signs = _signs(self.code)
        affirming = list(self._find(_affirming(self.code)))
        found = []
        for sign, phrases in signs.items():
            for span in self._find(phrases):
                if sign is Sign.NEGATION and any(overlap(span, one) for one in affirming):
                    continue
                found.append(Mark(sign, span))
        found += self._numbers()
        return tuple(sorted(found, key=lambda mark: mark.span))

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
        known = dict(_NUMBERS) if self.is_english else {}
        known.update({word: float(n) for n, word in enumerate(self.language.numbers, start=2)})
        if not self.language.spaced:
            for word, number in known.items():
                for match in re.finditer(re.escape(word), self.text):
                    yield Mark(Sign.NUMBER, match.span(), float(number))
        for token in self.tokens:
            span = (token.start, token.end)
            value = known.get(token.word)
            if value is None and re.fullmatch(r'\d+(?:[.,]\d+)?', token.word):
                value = float(token.word.replace(',', '.'))
            if value is not None and not any(inside(span, one) for one in named):
                yield Mark(Sign.NUMBER, span, float(value))


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
_FUNCTION = frozenset(
    [
        'good',
        'morning',
        'evening',
        'afternoon',
        'cheers',
        'thx',
        'sorry',
        'bother',
        'pretty',
        'step',
        "'s",
        'own',
        'very',
        'really',
        'quite',
        'maybe',
        'perhaps',
        'go',
        'ahead',
        'make',
        'sure',
        'be',
        'being',
        'been',
        'get',
        'got',
        'getting',
        'it',
        'one',
        'ones',
        'thing',
        'things',
        'something',
        'everything',
        'anything',
        'somewhere',
        'there',
        'here',
        'away',
        'well',
        'ready',
        'kindly',
        'dear',
        'robot',
        'much',
        'lot',
        'bit',
        'little',
        'please',
        'okay',
        'alright',
        'right',
        'so',
        'such',
        'like',
        'want',
        'wish',
        'need',
        'needs',
        'needed',
        'wants',
        'would',
        'love',
        'if',
        'possible',
        'time',
        'today',
        'tonight',
        'soon',
        'quickly',
        'now',
        'again',
        'same',
        'mind',
        'different',
        'another',
        'other',
        'others',
        'rest',
        'top',
        'side',
        'end',
        'going',
        'while',
        'using',
        'use',
        'with',
        'but',
        'aber',
        'altogether',
        'else',
        'otherwise',
        'instead',
        'still',
        'already',
        'yet',
        'service',
        'following',
        'step',
        'second',
        'third',
        'also',
        'robots',
        'sir',
        'hey',
        'day',
    ]
)
