"""The chart: a sentence with what may begin at each token, each rule tried once at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TypeVar

from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.sentence import inside, number_at, Sentence, Sign
from reactree_planner.reading.vocabulary import Mention, ServerWords, Verb

Value = TypeVar('Value')
#: Index behind what was parsed, its value, and its cost: lower is better.
Parse = tuple[int, Value, int]


#: Words that may stand between a verb and its particle or preposition and say nothing.
_FILLING = words_named('chart', 'filling')


#: Verbs whose participle is their base form.
_INVARIANT = frozenset(['put', 'set', 'cut', 'shut', 'let', 'hit'])


class Chart:
    """Tokens of a sentence, and what rules have found at them.

    :param sentence: in English.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.server: ServerWords = sentence.words
        self.words = tuple(token.word for token in sentence.tokens)
        #: Tokens of negations, and of conditions.
        self.negated, self.conditional = (
            frozenset(
                i
                for i, token in enumerate(sentence.tokens)
                for mark in sentence.marked(sign)
                if inside((token.start, token.end), mark.span)
            )
            for sign in (Sign.NEGATION, Sign.CONDITION)
        )
        self.found: dict[tuple[object, int], tuple[Parse[object], ...]] = {}

    def __len__(self) -> int:
        return len(self.words)

    def word(self, at: int) -> str:
        """The word at a token; '' outside the sentence."""
        return self.words[at] if 0 <= at < len(self.words) else ''

    def text(self, start: int, end: int) -> str:
        """The text of some tokens, as written."""
        tokens = self.sentence.tokens
        return self.sentence.text[tokens[start].start : tokens[end - 1].end] if start < end else ''

    def phrase(self, at: int, phrases: Phrases) -> int:
        """The index behind the longest phrase that begins at a token; `at` for none."""
        return next(phrases.at(self.words, at), at)

    def number(self, at: int) -> tuple[int, float]:
        """The index behind a number and its value; (`at`, 0) for none."""
        return number_at(self.words, at)

    def skip(self, at: int, words: Iterable[str] = _FILLING) -> int:
        """The index behind words that say nothing."""
        while at < len(self) and self.word(at) in words:
            at += 1
        return at

    def mentions(self, at: int) -> tuple[Mention, ...]:
        """Names that begin at a token."""
        return self.server.mentions_at(self.sentence.tokens, at) if at < len(self) else ()

    def verbs(self, at: int, *sorts: str) -> Iterator[Parse[Verb]]:
        """Verbs of some forms that begin at a token; longer ones cost less.

        The end of a verb with a particle that does not follow at once is behind its first word:
        `Verb.words[1:]` has to follow the thing.
        """
        for verb in self.server.verbs.get(self.word(at), ()):
            is_participle = 'participle' in sorts and verb.words[0] in _INVARIANT
            if verb.sort in sorts or (verb.sort == 'base' and is_participle):
                end = at + len(verb.words)
                if self.words[at:end] == verb.words:
                    yield end, verb, 0
                elif len(verb.words) == 2:
                    yield at + 1, verb, 1


def rule(
    function: Callable[[Chart, int], Iterable[Parse[Value]]],
) -> Callable[[Chart, int], tuple[Parse[Value], ...]]:
    """Remember what a rule finds at a place; a rule that comes back to itself finds nothing."""

    @wraps(function)
    def remembered(chart: Chart, at: int) -> tuple[Parse[Value], ...]:
        key = (function, at)
        if key not in chart.found:
            chart.found[key] = ()
            chart.found[key] = _best(function(chart, at)) if at < len(chart) else ()
        return chart.found[key]  # type: ignore[return-value]

    return remembered


#: Parses of a rule that are kept for one end, the cheapest first.
_MOST_ALIKE = 3


def _best(parses: Iterable[Parse[Value]]) -> tuple[Parse[Value], ...]:
    """The cheapest parses for each end; the longest first."""
    found: dict[int, dict[object, Parse[Value]]] = {}
    for end, value, cost in parses:
        alike = found.setdefault(end, {})
        if value not in alike or cost < alike[value][2]:
            alike[value] = (end, value, cost)
    return tuple(
        parse
        for end in sorted(found, reverse=True)
        for parse in sorted(found[end].values(), key=lambda one: one[2])[:_MOST_ALIKE]
    )
