"""Names that a text has in other letters: written together or apart, shortened, misspelled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class TieKind(Enum):
    """How words came to stand for a name."""

    SHORT = 'the only one of that sort'
    MEANING = 'nearest in meaning'
    PERSON = 'chosen by a person'
    UNKNOWN = 'unknown here'
    #: Names are near, and nobody told whether one of them is meant.
    UNSURE = 'unknown here (no known name is surely meant)'


@dataclass(frozen=True, slots=True)
class Tie:
    """Words of an instruction and the name that they stand for.

    :param words: as written. :param name: '' where nothing is known by these words.
    :param start: index of the first word. :param end: index behind the last.
    """

    words: str
    name: str
    kind: TieKind
    start: int
    end: int

    @property
    def text(self) -> str:
        """For people and events, e.g. `"boxes" is crate (nearest in meaning)`."""
        if not self.name:
            return f'"{self.words}" is {self.kind.value}'
        return f'"{self.words}" is {self.name} ({self.kind.value})'
