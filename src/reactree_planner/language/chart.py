"""A chart: what each rule of a grammar finds at each token, worked out once.

A rule is a method that yields `(end, value, cost)`: it read the tokens from where it was asked
up to `end` as `value`. What it yields is kept for each place, so that ambiguity costs no more
than its results. No rule may ask itself at the same token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from reactree_planner.language.lexicon import Phrases

#: Index behind what was read, what it means, and how little it is liked.
Found = tuple[int, Any, int]
#: A rule, or a rule and what else it is asked.
Rule = Callable[..., Iterable[Found]] | tuple[Any, ...]
#: What may stand in a row: a word, some words of which one stands there, phrases, or a rule.
Part = str | frozenset[str] | Phrases | Rule
#: Readings of one rule at one token that are kept: the best ones.
_MOST = 24
#: Signs between sentences, and what stands before the first and behind the last word.
SENTENCE_ENDS = frozenset({'.', '?', '\n', ''})
Parameters = ParamSpec('Parameters')
Self = TypeVar('Self', bound='Chart')


class Maybe(frozenset[str]):
    """Words of which one may stand there, or none."""


def maybe(text: str) -> Maybe:
    """Words that may stand there."""
    return Maybe(text.split())


class Chart:
    """Keeps what rules find. :param words: texts of the tokens, signs included."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self._found: dict[tuple[Any, ...], tuple[Found, ...]] = {}

    def word(self, at: int) -> str:
        """The token there; '' behind the last."""
        return self.words[at] if 0 <= at < len(self.words) else ''

    def says(self, at: int, phrases: Iterable[tuple[str, ...]]) -> Iterator[int]:
        """Ends of those phrases that stand there, the longest first."""
        told = phrases if isinstance(phrases, Phrases) else Phrases(phrases)
        return told.at(self.words, at)

    def sentence(self, at: int, end: int) -> tuple[int, int]:
        """Where the sentence of some tokens begins, and the sign that ends it."""
        while self.word(at - 1) not in SENTENCE_ENDS:
            at -= 1
        while self.word(end) not in SENTENCE_ENDS:
            end += 1
        return at, end

    def row(self, at: int, *parts: Part) -> Iterator[Found]:
        """Parts one behind the other, as a list of what the rules among them read."""
        first, *rest = parts
        found = self._part(at, first)
        if not rest:
            yield from found
            return
        for end, values, cost in found:
            for behind, others, more in self.row(end, *rest):
                yield behind, [*values, *others], cost + more

    def _part(self, at: int, part: Part) -> Iterator[tuple[int, list[Any], int]]:
        if isinstance(part, Phrases):
            for end in part.at(self.words, at):
                yield end, [], 0
        elif isinstance(part, str | frozenset):
            word = self.word(at)
            if word == part or (isinstance(part, frozenset) and word in part):
                yield at + 1, [], 0
            elif isinstance(part, Maybe):
                yield at, [], 0
        else:
            read, *asked = part if isinstance(part, tuple) else (part,)
            for end, value, cost in read(at, *asked):
                yield end, [value], cost

    def longest(self, at: int, phrases: Iterable[tuple[str, ...]]) -> int:
        """The end of the longest of these phrases that stands there; `at` where none does."""
        return next(self.says(at, phrases), at)


def rule(
    read: Callable[Concatenate[Self, int, Parameters], Iterable[Found]],
) -> Callable[Concatenate[Self, int, Parameters], tuple[Found, ...]]:
    """Keep what a rule yields for a token: each reading once, with its least cost."""

    name = read.__qualname__

    @wraps(read)
    def kept(
        self: Self, at: int, *args: Parameters.args, **options: Parameters.kwargs
    ) -> tuple[Found, ...]:
        key = (name, at, *args, *options.items())
        found = self._found.get(key)
        if found is None:
            # Should the rule come back here, it finds nothing rather than no end.
            self._found[key] = ()
            best: dict[tuple[int, Any], int] = {}
            for end, value, cost in read(self, at, *args, **options):
                if cost < best.get((end, value), 1 << 30):
                    best[end, value] = cost
            if not best:
                return ()
            ranked = sorted(best.items(), key=lambda one: (one[1], -one[0][0]))[:_MOST]
            found = tuple((end, value, cost) for (end, value), cost in ranked)
            self._found[key] = found
        return found

    return kept  # type: ignore[return-value]
