"""Names that a text has in other letters: written together or apart, shortened, misspelled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from reactree_planner.instructions.words import word_set

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
