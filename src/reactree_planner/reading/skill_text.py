"""A text as tokens, with the names, numbers and amounts of one server in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from reactree_core.bounds import number_text, read_number
from reactree_core.measures import converted, Measure
from reactree_core.skill_types import class_and_number, Slot
from reactree_planner.reading.skill_templates import ARTICLES, NameIndex, QUOTE, scan
from reactree_planner.reading.small_words import number_of, NUMBERS
from reactree_planner.reading.units import UNITS


class SkillText:
    """Of one text. :param text: made one with the names of the server (NFC)."""

    def __init__(self, index: NameIndex, text: str) -> None:
        self.index = index
        self.text = unicodedata.normalize('NFC', text)
        self.tokens = scan(self.text)
        self.words = tuple(one.text for one in self.tokens)

    def word(self, at: int) -> str:
        """The word at a token; '' outside the text."""
        return self.words[at] if 0 <= at < len(self.words) else ''

    def behind_articles(self, at: int) -> Iterator[int]:
        """The index, and those behind each article there."""
        yield at
        while at + 1 < len(self.words) and self.words[at] in ARTICLES | {QUOTE}:
            at += 1
            yield at

    def names_at(self, at: int, slot: Slot) -> Iterator[tuple[int, str, bool]]:
        """A known name, with its number: index behind, name, whether it has none."""
        for end, name in self.index.at(self.words, at, slot):
            close = end + (self.word(end) == QUOTE)
            yield close, name, not any(map(str.isdigit, name))
            if not class_and_number(name)[1] and close == end:
                number = self._instance(end)
                if number:
                    yield end + 1, f'{name} {number}', False

    def _instance(self, at: int) -> str:
        """The number that tells one thing of a class from the others; '' for none."""
        word = self.word(at)
        if word.isascii() and word.isdecimal() and len(word) < 10:
            return word
        number = NUMBERS.get(word) if word != 'both' else None
        return '' if number is None else str(number)

    def number(self, at: int, unit: str) -> Iterator[tuple[int, str]]:
        """A number, converted into the unit of its slot."""
        number, end = read_number(self.word(at)), at + 1
        if number is None:
            for end in (at + 2, at + 1):
                told = number_of(self.words[at:end]) if self._is_number(at, end) else None
                if told is not None:
                    number = Decimal(told)
                    break
        if number is None:
            return
        said = '%' if self.word(end) == '%' else UNITS.get(self.word(end), '')
        if said:
            value = converted(Measure('', number, said), unit) if unit else None
            if value is not None:
                yield end + 1, number_text(value)
                return
        yield end, number_text(number)

    def _is_number(self, at: int, end: int) -> bool:
        told = self.words[at:end]
        return len(told) == end - at and all(word in NUMBERS for word in told)
