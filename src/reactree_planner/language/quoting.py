"""A sentence in any language as words that can be quoted, and what the quotes account for.

    "stell die Milch" -> ...      the quote is some words of the sentence, one behind the other

In languages without spaces each letter counts as a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from reactree_planner.language.languages import Language

#: Most quotes that are offered at a time, most words of one, and how far ahead they begin.
_MOST_QUOTES = 240
_LONGEST = {True: 14, False: 24}
_AHEAD = 48
_APOSTROPHE = re.compile("['’]")
_SENTENCE_END = re.compile(r'[.!?;\n。！？؟।]')
_CLAUSE_END = re.compile(r'[.!?;\n。！？؟।,:，、；：،()—–]')


class QuotedText:
    """A sentence, its words, and which of them say something.

    :param text: of the sentence. :param language: that it is in, as far as it is known.
    """

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self._language = language
        #: Where the words are, in characters.
        self.spans = tuple(_spans(text, language.spaced))
        spaced = language.spaced
        #: Words that forbid, except, or make conditions.
        self.turning = self._turning(language.turning)
        #: Those of them that forbid or except.
        self.forbidding = self._turning(language.forbidding)
        self._small = (
            frozenset(self._small_words() if spaced else self._within(language.function_words))
            - self.turning
        )
        #: Words such as "then".
        self.order = (
            frozenset(at for at in range(len(self)) if self.word(at) in language.order)
            if spaced
            else frozenset(self._within(language.order))
        )
        self._sentence = self._numbered(_SENTENCE_END)
        self._clause = self._numbered(_CLAUSE_END)

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def is_listed(self) -> bool:
        """Whether the language's small words are known."""
        return self._language.is_listed

    @property
    def tells_order(self) -> bool:
        """Whether the language's words such as "then" are known."""
        return bool(self._language.order)

    def word(self, index: int) -> str:
        """A word, in small letters."""
        start, end = self.spans[index]
        return self.text[start:end].casefold()

    def words(self, start: int, end: int) -> str:
        """Words in a row as one line of text."""
        return ' '.join(self.text[self.spans[start][0] : self.spans[end - 1][1]].split())

    def is_content(self, index: int) -> bool:
        """Whether a word says something by itself, as far as that can be told."""
        return index not in self._small

    def turned(self, start: int, end: int) -> frozenset[int]:
        """Words that forbid, except or make conditions, in the clauses of some words."""
        clauses = set(self._clause[start:end])
        return frozenset(at for at in self.turning if self._clause[at] in clauses)

    def quotes(self, fresh: Collection[int]) -> dict[str, tuple[int, int]]:
        """What may be quoted, and where it stands: from the first sentence with a fresh word.

        :param fresh: words of which a quote has one at least; where one of them turns its clause,
            the quote has that one.
        """
        if not fresh:
            return {}
        begin = min(fresh)
        inside = [at for at in range(len(self)) if self._sentence[at] == self._sentence[begin]]
        first = inside[0] if len(inside) <= _AHEAD else begin
        last = min(inside[-1] + 1, begin + _AHEAD)
        new = [0]
        for index in range(len(self)):
            new.append(new[-1] + (index in fresh))
        found: list[tuple[int, int]] = []
        for longest in range(_LONGEST[self._language.spaced], 0, -1):
            found = [
                (start, end)
                for start in range(first, last)
                for end in range(start + 1, min(start + longest, last) + 1)
                if new[end] > new[start]
            ]
            if len(found) <= _MOST_QUOTES:
                break
        turning = {self._clause[at]: at for at in sorted(self.turning & set(fresh), reverse=True)}
        found = [
            (start, end)
            for start, end in found
            if all(
                start <= turning.get(clause, start) < end
                for clause in set(self._clause[start:end])
            )
        ]
        quotes: dict[str, tuple[int, int]] = {}
        for start, end in found[:_MOST_QUOTES]:
            quotes.setdefault(self.words(start, end), (start, end))
        return quotes

    def phrases(self, unread: Iterable[int]) -> tuple[str, ...]:
        """Words as phrases of the sentence: those in a row, with small words between them."""
        found: list[tuple[int, int]] = []
        for index in sorted(unread):
            joined = found and all(at in self._small for at in range(found[-1][1], index))
            if joined and self._sentence[found[-1][0]] == self._sentence[index]:
                found[-1] = (found[-1][0], index + 1)
            else:
                found.append((index, index + 1))
        return tuple(self.words(*span) for span in found)

    def at(self, start: int, end: int) -> frozenset[int]:
        """Words that lie between two characters of the text."""
        return frozenset(index for index, (a, b) in enumerate(self.spans) if a < end and b > start)

    def _small_words(self) -> Iterator[int]:
        """Words that are function words, in all their parts: "l'", "I'll"."""
        for index in range(len(self)):
            if self._parts(index) <= self._language.function_words:
                yield index

    def _turning(self, wanted: frozenset[str]) -> frozenset[int]:
        """Words that are turning words, or have one in them, or before their ending."""
        if not self._language.spaced:
            return frozenset(self._within(wanted))
        begins = tuple(wanted) if self._language.has_endings else ()
        return frozenset(
            index
            for index in range(len(self))
            if {self.word(index), *self._parts(index)} & wanted
            or self.word(index).startswith(begins)
        )

    def _parts(self, index: int) -> frozenset[str]:
        return frozenset(filter(None, _APOSTROPHE.split(self.word(index))))

    def _within(self, wanted: frozenset[str]) -> Iterator[int]:
        """Letters that are part of one of some words, where no spaces part them."""
        text = self.text.casefold()
        longest = max(map(len, wanted), default=0)
        index = 0
        while index < len(self):
            start = self.spans[index][0]
            lengths = (n for n in range(longest, 0, -1) if text[start : start + n] in wanted)
            end = start + next(lengths, 0)
            begun = index
            while index < len(self) and self.spans[index][0] < end:
                yield index
                index += 1
            index = max(index, begun + 1)

    def _numbered(self, end: re.Pattern[str]) -> tuple[int, ...]:
        """For every word the number of its sentence, or of its clause."""
        numbers = []
        number = 0
        for index, (start, _) in enumerate(self.spans):
            before = self.spans[index - 1][1] if index else start
            number += bool(end.search(self.text[before:start]))
            numbers.append(number)
        return tuple(numbers)


def _spans(text: str, spaced: bool) -> Iterator[tuple[int, int]]:
    """Words of a text in any script; an apostrophe between letters does not part them."""
    start = -1
    for at, letter in enumerate(text + ' '):
        kind = unicodedata.category(letter)[0]
        joins = letter in "'’" and start >= 0 and text[at + 1 : at + 2].isalpha()
        alone = not spaced and kind == 'L' and not letter.isascii()
        if start >= 0 and (alone or not (kind in 'LNM' or joins)):
            yield start, at
            start = -1
        if start < 0 and kind in 'LN':
            start = at
