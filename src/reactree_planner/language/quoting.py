"""A sentence in any language as words that can be quoted, and what the quotes account for.

    "stell die Milch" -> ...      the quote is some words of the sentence, one behind the other

In languages without spaces each letter counts as a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from rapidfuzz.distance import OSA

from reactree_planner.language.listed_languages import Language

#: Most quotes that are offered at a time, most words of one, and how far ahead they begin.
_MOST_QUOTES = 240
_LONGEST = {True: 14, False: 24}
_AHEAD = 48
_BOTH = 2
#: Letters of the shortest word that forbids with one letter wrong.
_LEAST_SLIP = 5
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
        #: Words that forbid or except.
        self.forbidding = self._turning(language.forbidding) | frozenset(self._slips())
        #: These, and words that contrast or make conditions.
        self.turning = self._turning(language.turning) | self.forbidding
        self._contrasting = self._turning(language.contrasting)
        joining = frozenset() if language.is_english else language.joining
        self._joining = self._turning(joining) if joining else frozenset()
        #: Words such as "before".
        self.before = frozenset(self._phrases_of(language.before))
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
        self._clause = self._joined(self._numbered(_CLAUSE_END, self._parting()))

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
        """Words that forbid, except or make conditions, in the clauses of some words.

        "Before" alone does not: it tells an order, where nothing else of its sentence is turned.
        """
        clauses = set(self._clause[start:end])
        inside = frozenset(at for at in self.turning if self._clause[at] in clauses)
        others = {self._sentence[at] for at in self.turning - self.before}
        return inside - frozenset(at for at in self.before if self._sentence[at] not in others)

    def may_forbid(self, turned: frozenset[int]) -> bool:
        """Whether words may tell what is forbidden: always where what does is not known so well.

        :param turned: see `turned`.
        """
        if turned & self.forbidding or not self.is_listed:
            return True
        return not self._language.is_english and turned <= self._contrasting

    def comes_last(self, start: int, end: int) -> bool:
        """Whether some words have a "before", so that they come behind the rest."""
        return not self.before.isdisjoint(range(start, end))

    def joints(self, start: int, end: int) -> frozenset[int]:
        """Words such as "and" inside some words, which one line can hardly say all of.

        Of English the names are counted, and none are told here.
        """
        content = [at for at in range(start, end) if self.is_content(at)]
        return frozenset(at for at in self._joining if content and content[0] < at < content[-1])

    def in_sentence_of(self, index: int) -> range:
        """The words of the sentence that a word stands in."""
        inside = [at for at in range(len(self)) if self._sentence[at] == self._sentence[index]]
        return range(inside[0], inside[-1] + 1)

    def clauses_of(self, words: Collection[int]) -> tuple[str, ...]:
        """The clauses in which some words stand."""
        wanted = dict.fromkeys(self._clause[at] for at in sorted(words))
        inside = ([at for at in range(len(self)) if self._clause[at] == one] for one in wanted)
        return tuple(self.words(one[0], one[-1] + 1) for one in inside)

    def quotes(self, fresh: Collection[int]) -> dict[str, tuple[int, int]]:
        """What may be quoted, and where it stands: from the first sentence with a fresh word.

        :param fresh: words of which a quote has one at least; where one of them turns its clause,
            the quote has that one.
        """
        if not fresh:
            return {}
        begin = min(fresh)
        inside = [at for at in range(len(self)) if self._sentence[at] == self._sentence[begin]]
        first = inside[0]
        if len(inside) > _AHEAD:
            # Its clause begins there, unless that is too far back.
            back = range(begin, max(begin - _AHEAD, first) - 1, -1)
            first = next(filter(self._begins, back), begin)
        last = min(inside[-1] + 1, first + 2 * _AHEAD)
        new = [0]
        for index in range(len(self)):
            new.append(new[-1] + (index in fresh))
        turning = {self._clause[at]: at for at in sorted(self.turning & set(fresh), reverse=True)}
        turned = {self._clause[at] for at in self.turning}
        longest = _LONGEST[self._language.spaced]
        found = [
            (start, end)
            for start in range(first, last)
            for end in range(start + 1, last + 1)
            if new[end] > new[start]
            if end - start <= longest or self._edges(start, end, fresh) == _BOTH
            if self._may_stand_together(start, end, turned)
            if all(
                start <= turning.get(clause, start) < end
                for clause in set(self._clause[start:end])
            )
        ]
        # Of many, those that begin or end as clauses do, or where the last one ended; then short
        # ones.
        found.sort(key=lambda one: (-self._edges(one[0], one[1], fresh), one[1] - one[0]))
        quotes: dict[str, tuple[int, int]] = {}
        for start, end in sorted(found[:_MOST_QUOTES]):
            quotes.setdefault(self.words(start, end), (start, end))
        return quotes

    def _may_stand_together(self, start: int, end: int, turned: Collection[int]) -> bool:
        """Whether one line can say all of some words: what forbids stands in no other's line."""
        clauses = {self._clause[at] for at in range(start, end) if self.is_content(at)}
        return len(clauses) < 2 or clauses.isdisjoint(turned)

    def _begins(self, index: int) -> bool:
        return not index or self._clause[index - 1] != self._clause[index]

    def _ends(self, end: int) -> bool:
        return end == len(self) or self._clause[end - 1] != self._clause[end]

    def _edges(self, start: int, end: int, fresh: Collection[int]) -> int:
        """How many of its two ends are natural ones."""
        is_begin = self._begins(start) or (start in fresh and start - 1 not in fresh)
        return is_begin + self._ends(end)

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

    def _slips(self) -> Iterator[int]:
        """Words that are a word that forbids but for its accents, or for a letter."""
        known = self._language.function_words | self._language.turning
        wanted = {_plain(one): one for one in self._language.forbidding}
        for index in range(len(self)) if self._language.spaced else ():
            word = self.word(index)
            if word in known:
                continue
            is_near = any(
                len(one) >= _LEAST_SLIP and word[:1] == one[:1] and OSA.distance(word, one) == 1
                for one in wanted.values()
            )
            if is_near or _plain(word) in wanted:
                yield index

    def _phrases_of(self, phrases: Iterable[str]) -> Iterator[int]:
        """The first words of phrases, or their letters, where no spaces part them."""
        if not self._language.spaced:
            yield from self._within(frozenset(phrases))
            return
        words = [_APOSTROPHE.split(self.word(index)) for index in range(len(self))]
        for phrase in phrases:
            told = phrase.split()
            for index in range(len(self)):
                parts = [part for each in words[index : index + len(told)] for part in each]
                if parts[: len(told)] == told:
                    yield index

    def _parting(self) -> frozenset[int]:
        """Words that begin a clause without a sign.

        They are "without" and "before", a "nor", and an "and" behind which what forbids begins:
        nothing before it is forbidden.
        """
        if not self._language.spaced:
            return frozenset()
        language = self._language
        found = {at for at in self.forbidding if self._parts(at) & language.without}
        found |= self.before
        nor: dict[int, list[int]] = {}
        for at in sorted(self.forbidding):
            if self.word(at) in language.nor:
                nor.setdefault(self._sentence[at], []).append(at)
        for sentence, places in nor.items():
            first = min(at for at in self.forbidding if self._sentence[at] == sentence)
            # "No abras el armario ni la caja", "N'ouvre ni le placard | ni la caisse".
            found.update(places[1:] if len(places) > 1 else [at for at in places if at > first])
        for at in range(len(self) - 1):
            if self.word(at) in language.joining:
                inside = {one for one in self.forbidding if self._clause[one] == self._clause[at]}
                is_next = at + 1 in inside
                begins = self.word(at + 1) in language.commands and inside
                if is_next or (begins and min(inside) > at):
                    found.add(at)
        return frozenset(found)

    def _joined(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """Clauses, of which one that says nothing but what forbids belongs to its neighbour.

        "It is forbidden, to open it"; "open it, never!"
        """
        found = list(numbers)
        for number in dict.fromkeys(numbers):
            inside = [at for at in range(len(self)) if numbers[at] == number]
            says = any(at not in self._small and at not in self.turning for at in inside)
            if says or self.forbidding.isdisjoint(inside):
                continue
            start, end = inside[0], inside[-1] + 1
            if end < len(self) and self._sentence[end] == self._sentence[start]:
                found[start:end] = [numbers[end]] * len(inside)
            elif start and self._sentence[start - 1] == self._sentence[start]:
                found[start:end] = [found[start - 1]] * len(inside)
        return tuple(found)

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

    def _numbered(self, end: re.Pattern[str], parting: Collection[int] = ()) -> tuple[int, ...]:
        """For every word the number of its sentence, or of its clause.

        :param parting: words that begin one too.
        """
        numbers = []
        number = 0
        for index, (start, _) in enumerate(self.spans):
            before = self.spans[index - 1][1] if index else start
            number += bool(end.search(self.text[before:start])) or index in parting
            numbers.append(number)
        return tuple(numbers)


def _plain(word: str) -> str:
    """A word without accents."""
    apart = unicodedata.normalize('NFD', word)
    return ''.join(letter for letter in apart if not unicodedata.combining(letter))


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
