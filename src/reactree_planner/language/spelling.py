"""How names may be written, and which of their words another word is a slip of.

A skill server may declare thousands of names: RapidFuzz compares a word with all of theirs, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from itertools import product

from rapidfuzz import process
from rapidfuzz.distance import OSA

#: The plurals of a word are tried, and those words are its forms.
_LEAST = 4


def forms_of(word: str) -> Iterator[str]:
    """A word and the singulars it may be a plural of."""
    yield word
    if word.endswith('ies'):
        yield word[:-3] + 'y'
    if word.endswith('es'):
        yield word[:-2]
    if word.endswith('ves'):
        yield word[:-3] + 'f'
        yield word[:-3] + 'fe'
    if word.endswith('s'):
        yield word[:-1]


class WaysToWrite(dict[tuple[str, ...], str]):
    """Every way in which names may be written, as words, and the name; not changed once made."""

    def __init__(self, names: Mapping[tuple[str, ...], str]) -> None:
        super().__init__(names)
        self._slips: dict[str, frozenset[str]] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all names."""
        return frozenset(word for words in self for word in words)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names."""
        return frozenset(self.values())

    @cached_property
    def joined(self) -> Mapping[str, frozenset[str]]:
        """Ways to write, without spaces, and the names that are written so."""
        found: dict[str, set[str]] = {}
        for words, name in self.items():
            found.setdefault(''.join(words), set()).add(name)
        return {letters: frozenset(names) for letters, names in found.items()}

    def misspelled(self, words: tuple[str, ...]) -> str:
        """The only name that some words are a slip of; '' for none."""
        if sum(map(len, words)) < _LEAST:
            return ''
        ways = product(*map(self._slips_of, words))
        found = {self[way] for way in ways if way != words and way in self}
        return found.pop() if len(found) == 1 else ''

    def _slips_of(self, word: str) -> frozenset[str]:
        """Words of names that a word is a slip of, or a form of."""
        if word not in self._slips:
            near = (one for form in forms_of(word) for one in self._near(form))
            self._slips[word] = frozenset(right for right in near if is_slip(word, right))
        return self._slips[word]

    def _near(self, word: str) -> Iterator[str]:
        """Words of names that two letters at most tell from a word."""
        found = process.extract(
            word, self._sorted, scorer=OSA.distance, score_cutoff=2, limit=None
        )
        yield from (right for right, _, _ in found)

    @cached_property
    def _sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self.words))


def is_slip(word: str, right: str) -> bool:
    """Whether a word is another with one letter wrong, left out, added or changed about."""
    for form in forms_of(word):
        if form == right:
            return True
        most = 1 if len(right) < 8 else 2
        alike = len(right) >= 3 and len(form) >= _LEAST and form[:1] == right[:1]
        if alike and OSA.distance(form, right) <= most:
            return True
    return len(right) >= 5 and OSA.distance(word, right) == 1
