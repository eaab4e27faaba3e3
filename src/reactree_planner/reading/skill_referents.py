"""Antecedents of pronouns: the only names said before that a slot takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reactree_core.skill_types import class_and_number, Slot
from reactree_planner.reading.skill_templates import ARTICLES, QUOTE, SIGNS
from reactree_planner.reading.skill_text import SkillText
from reactree_planner.reading.small_words import (
    EVERY,
    EXCEPTING,
    FORBIDDING,
    NUMBERS,
    SOME,
    word_set,
)
from reactree_planner.reading.tokens import tokens_of
from reactree_planner.reading.vocabulary import NameKind

SINGULAR = word_set('it this that')
PLURAL = word_set('them these those both')
THERE = 'there'
_JOINS = word_set('and then but or')
#: A clause with one of these asks for nothing that a later pronoun may stand for.
_DENYING = FORBIDDING | EXCEPTING | word_set('if when whenever unless instead rather')


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name in a text, in tokens. :param is_open: without its number.

    :param is_counted: behind a number or "all".
    """

    start: int
    end: int
    name: str
    is_open: bool
    is_counted: bool


class Referents:
    """Of one text."""

    def __init__(self, text: SkillText) -> None:
        self._text = text
        self._names = text.index.names
        self._denying = frozenset(t.start for t in tokens_of(text.text) if t.word in _DENYING)
        self._told: dict[Slot, list[_Mention]] = {}

    def of(self, at: int, slot: Slot, start: int) -> tuple[int, tuple[str, ...]]:
        """The antecedents of a pronoun: index behind, names; none where it is ambiguous.

        :param at: token of the pronoun. :param slot: that it stands in. :param start: token at
            which its clause begins.
        """
        word = self._text.word(at)
        if word == THERE:
            return at + 1, self._named_last(slot, start, places=True)
        if word in SINGULAR:
            return at + 1, self._named_last(slot, start)
        if word not in PLURAL:
            return at, ()
        behind = at + 3 if self._text.words[at + 1 : at + 3] == ('of', 'them') else at + 1
        names = self._named_together(slot, start)
        if word == 'both':
            return behind, names if len(names) == 2 else ()
        return behind, names if len(names) > 1 or all(n.endswith('s') for n in names) else ()

    def _before(self, slot: Slot, start: int) -> list[_Mention]:
        """Names that were said before the clause: of the kind that a slot takes, else any."""
        told = [one for one in self._mentions(slot) if one.end <= start]
        taken = self._names.kind_in(slot)
        return [one for one in told if self._kind(one.name) is taken] or told

    def _kind(self, name: str) -> NameKind | None:
        kind = self._names.kind
        return kind(name) or kind(class_and_number(name)[0])

    def _named_last(self, slot: Slot, start: int, places: bool = False) -> tuple[str, ...]:
        """The one name of the last clause that has any which a slot takes."""
        told = self._before(slot, start)
        if places:
            told = [one for one in told if self._kind(one.name) is not NameKind.THING]
        if not told:
            return ()
        segment = self._segment(told[-1].start)
        last = [one for one in told if self._segment(one.start) == segment]
        names = {one.name for one in last}
        is_clear = len(names) == 1 and not last[-1].is_counted and not self._denies(segment)
        return tuple(names) if is_clear else ()

    def _named_together(self, slot: Slot, start: int) -> tuple[str, ...]:
        """All names of the last clause that has several; else all that were named."""
        told = self._before(slot, start)
        if not told or any(one.is_counted for one in told):
            return ()
        if any(map(self._denies, {self._segment(one.start) for one in told})):
            return ()
        segment = self._segment(told[-1].start)
        last = dict.fromkeys(o.name for o in told if self._segment(o.start) == segment)
        return tuple(last if len(last) > 1 else dict.fromkeys(one.name for one in told))

    def _mentions(self, slot: Slot) -> list[_Mention]:
        """Names of the text that may stand in a slot, each word used once."""
        if slot not in self._told:
            found: list[_Mention] = []
            at = 0
            while at < len(self._text.words):
                longest = max(self._text.names_at(at, slot), default=None)
                if longest is not None:
                    begin = at - 1
                    while self._text.word(begin) in ARTICLES:
                        begin -= 1
                    many = EVERY | NUMBERS.keys() | SOME
                    counted = self._text.word(begin) in many or self._text.word(begin).isdecimal()
                    end, name, is_open = longest
                    found.append(_Mention(at, end, name, is_open, is_open and counted))
                at = max(at + 1, longest[0] if longest is not None else 0)
            self._told[slot] = found
        return self._told[slot]

    @cached_property
    def _bounds(self) -> tuple[int, ...]:
        """Tokens at which clauses begin: behind a sign or a word that joins, but within lists."""
        found = [0]
        for at, word in enumerate(self._text.words):
            behind = at + 1
            while self._text.word(behind) in ARTICLES | {'and'}:
                behind += 1
            lists = word in (',', 'and', 'or') and (
                self._text.index.length_at(self._text.words, behind) > 0
            )
            if (word in SIGNS - {QUOTE} or word in _JOINS) and not lists:
                found.append(at + 1)
        return tuple(found)

    def _segment(self, at: int) -> int:
        """Number of the clause, roughly, in which a token stands."""
        return sum(one <= at for one in self._bounds)

    def _denies(self, segment: int) -> bool:
        """Test for a word that forbids, or says when something is done."""
        inside = (t.start for n, t in enumerate(self._text.tokens) if self._segment(n) == segment)
        return not self._denying.isdisjoint(inside)
