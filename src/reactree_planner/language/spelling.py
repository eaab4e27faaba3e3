"""How names may be written, and which of their words another word is a slip of.

A skill server may declare thousands of names: RapidFuzz compares a word with all of theirs, once.
What is a word of English is no slip of another: pyspellchecker knows those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker, WordFrequency

#: Letters of the shortest word of which one may be wrong.
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

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all names."""
        return frozenset(word for words in self for word in words)

    @cached_property
    def joined(self) -> Mapping[str, frozenset[str]]:
        """Ways to write, without spaces, and the names that are written so."""
        found: dict[str, set[str]] = {}
        for words, name in self.items():
            found.setdefault(''.join(words), set()).add(name)
        return {letters: frozenset(names) for letters, names in found.items()}


class Spelling:
    """Sets slips right. :param known: the words that a text may have."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._right: dict[str, str] = {}

    @cached_property
    def _sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self._known))

    def right(self, word: str) -> str:
        """The only known word that a word is a slip of; itself, where it is one of English."""
        if word not in self._right:
            self._right[word] = self._set_right(word) or word
        return self._right[word]

    def _set_right(self, word: str) -> str:
        forms = tuple(forms_of(word))
        if len(word) < 3 or not word.isalpha() or not self._known.isdisjoint(forms):
            return ''
        near = {right for form in forms for right in self._near(form) if is_slip(word, right)}
        if len(near) != 1 or word in _english():
            return ''
        right = near.pop()
        return right if right.endswith('s') or not word.endswith('s') else f'{right}s'

    def _near(self, word: str) -> Iterator[str]:
        """Known words that two letters at most tell from a word."""
        found = process.extract(
            word, self._sorted, scorer=OSA.distance, score_cutoff=2, limit=None
        )
        yield from (right for right, _, _ in found)


def is_common_english(word: str, least: int) -> bool:
    """Whether it is a word that English texts often have, in lower case.

    :param least: how often at least, in the texts that pyspellchecker counted.
    """
    return bool(_english()[word] >= least)


@cache
def _english() -> WordFrequency:
    """The words of English; loaded in half a second, when the first slip is met."""
    return SpellChecker(language='en').word_frequency


def is_slip(word: str, right: str) -> bool:
    """Whether a word is another with one letter wrong, left out, added or changed about."""
    for form in forms_of(word):
        most = 1 if len(right) < 8 else 2
        alike = len(form) >= _LEAST and form[:1] == right[:1]
        if alike and OSA.distance(form, right) <= most:
            return True
    is_turned = len(word) == 3 and sorted(word) == sorted(right)
    return is_turned or (len(right) >= 5 and OSA.distance(word, right) == 1)
