"""Names that a text has in other letters: written together or apart, shortened, misspelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from reactree_planner.instructions.spelling import forms_of
from reactree_planner.instructions.spelling import WaysToWrite
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import word_spans
from reactree_planner.instructions.words import words_of

_LONGEST_TIE = 120
#: Words of a quantity, in front of "of".
_PORTIONS = word_set(
    'bottle can jar glass cup piece slice pack packet box bag tin stack set pair bunch '
    'carton lot load pile roll bar sheet kind sort type couple dozen number rest portion some all '
    'both each one two three four'
)
BEFORE_NAMES = word_set(
    'the a an my our your his her their some any all both each every another of'
)


class TieKind(Enum):
    """How words came to stand for a name."""

    SPELLING = 'misspelled'
    JOINED = 'written together or apart'
    SHORT = 'the only one of that sort'
    PORTION = 'a portion of it'
    MEANING = 'nearest in meaning'
    OTHER_WORDS = 'nearest to what else is said'
    AS_WRITTEN = 'as it is written'
    PERSON = 'chosen by a person'
    UNKNOWN = 'unknown here'
    #: Names are near, and nobody told whether one of them is meant.
    UNSURE = 'unknown here (no known name is surely meant)'
    #: A verb that no skill has; it stands for no name.
    NO_SKILL = 'no skill of this robot'


@dataclass(frozen=True, slots=True)
class Tie:
    """Words of an instruction and the name that they stand for.

    :param words: as written. :param name: '' where nothing is known by these words.
    :param start: index of the first word. :param end: index behind the last.
    :param others: names that the words could stand for as well.
    """

    words: str
    name: str
    kind: TieKind
    start: int
    end: int
    others: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """For people and events, e.g. `"boxes" is crate (nearest in meaning)`."""
        if not self.name:
            return f'"{self.words}" is {self.kind.value}'
        others = f'; not {" or ".join(self.others)}' if self.others else ''
        return f'"{self.words}" is {self.name} ({self.kind.value}{others})'


class WrittenNames:
    """A text, and the names that it has in other letters.

    :param known: every way in which a name may be written, as words, and the name.
    """

    def __init__(self, text: str, known: WaysToWrite) -> None:
        self._text = text
        self._known = known
        self.words = words_of(text)
        self.spans = word_spans(text)

    def ties(self) -> list[Tie]:
        """Names written together or apart, as portions, and without the head that another has."""
        return [*self._joined(), *self._portions(), *self._shared_heads()]

    def phrase(self, start: int, end: int) -> str:
        """The words from one to before another, as written."""
        return self._text[self.spans[start][0] : self.spans[end - 1][1]][:_LONGEST_TIE]

    def is_one_phrase(self, start: int, end: int) -> bool:
        """Whether nothing but blanks and hyphens stands between the words."""
        gaps = (self._text[self.spans[k - 1][1] : self.spans[k][0]] for k in range(start + 1, end))
        return not any(gap.strip(' -') for gap in gaps)

    def _joined(self) -> Iterator[Tie]:
        """Names written together ("handcart") or apart ("hand cart") where known otherwise."""
        joined = self._known.joined
        count, i = len(self.words), 0
        while i < count:
            for length in (3, 2, 1):
                end = i + length
                if end > count or not self.is_one_phrase(i, end):
                    continue
                words = tuple(self.words[i:end])
                if any((*words[:-1], form) in self._known for form in forms_of(words[-1])) or (
                    length > 1 and any((word,) in self._known for word in words[:-1])
                ):
                    continue
                named = {
                    name
                    for form in forms_of(''.join(words))
                    if len(form) > 4
                    for name in joined.get(form, ())
                }
                if len(named) == 1:
                    yield Tie(self.phrase(i, end), named.pop(), TieKind.JOINED, i, end)
                    i = end - 1
                    break
            i += 1

    def _portions(self) -> Iterator[Tie]:
        """ "a crate of ore" where only ore is known; "a crate of ore" for "ore crate"."""
        for i in range(1, len(self.words) - 1):
            if self.words[i] != 'of' or not self.is_one_phrase(i - 1, i + 2):
                continue
            whole = self._match_at(i - 1)
            if whole is not None and whole[0] > i:
                continue
            behind = self._match_at(i + 1)
            unit = self.words[i - 1]
            for form in forms_of(unit):
                joined = (self.words[i + 1], form)
                if joined in self._known and not (
                    behind
                    and behind[1] in self._known.names
                    and form in _PORTIONS
                    and (form,) not in self._known
                ):
                    yield Tie(
                        self.phrase(i - 1, i + 2), self._known[joined], TieKind.PORTION, i - 1,
                        i + 2,
                    )  # fmt: skip
                    break
            else:
                singular = [form for form in forms_of(unit) if form in _PORTIONS]
                if behind and singular and not any(
                    (form,) in self._known for form in forms_of(unit)
                ) and unit not in NUMBERS and singular[-1] not in (
                    'pair', 'couple', 'dozen', 'set', 'rest', 'all', 'both', 'each', 'one', 'two',
                    'three', 'four', 'some', 'number', 'lot',
                ):  # fmt: skip
                    yield Tie(
                        self.phrase(i - 1, behind[0]), behind[1], TieKind.PORTION, i - 1,
                        behind[0],
                    )  # fmt: skip

    def _match_at(self, start: int) -> tuple[int, str] | None:
        """A known name that begins at a word: the index behind it, and the name."""
        for end in range(min(start + 4, len(self.words)), start, -1):
            for form in forms_of(self.words[end - 1]):
                name = self._known.get((*self.words[start : end - 1], form))
                if name is not None:
                    return end, name
        return None

    def _shared_heads(self) -> Iterator[Tie]:
        """ "steel and copper pipes": the first of two names without its head."""
        for i in range(1, len(self.words) - 2):
            if self.words[i] not in ('and', 'or'):
                continue
            begin = i + 2 if self.words[i + 1] in BEFORE_NAMES else i + 1
            match = self._match_at(begin)
            if match is None or match[0] - begin < 2:
                continue
            for form in forms_of(self.words[match[0] - 1]):
                name = self._known.get((self.words[i - 1], form))
                if name is not None:
                    yield Tie(self.phrase(i - 1, i), name, TieKind.SHORT, i - 1, i)
                    break

    def misspelled(self, start: int, end: int) -> str:
        """The only name that these words are a slip of; '' for none."""
        return self._known.misspelled(tuple(self.words[start:end]))
