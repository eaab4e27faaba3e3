"""How names may be written, and which of their words another word is a slip of.

A skill server may declare thousands of names: all that a text is compared with is looked up, and
never gone through for every word of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from itertools import product

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
            near = dict.fromkeys(self._candidates(word))
            self._slips[word] = frozenset(right for right in near if is_slip(word, right))
        return self._slips[word]

    @cached_property
    def _by_first(self) -> Mapping[tuple[str, int], list[tuple[str, int]]]:
        """Words by their first letter and length, each with a bit for each of its letters."""
        found: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for word in self.words:
            found.setdefault((word[0], len(word)), []).append((word, _letters(word)))
        return found

    @cached_property
    def _by_rest(self) -> Mapping[str, list[str]]:
        """Words by what stands behind their first letter."""
        found: dict[str, list[str]] = {}
        for word in self.words:
            found.setdefault(word[1:], []).append(word)
        return found

    def _candidates(self, word: str) -> Iterator[str]:
        for form in forms_of(word):
            if form in self.words:
                yield form
            if len(form) < _LEAST:
                continue
            letters = _letters(form)
            for length in range(len(form) - 2, len(form) + 3):
                # A slip changes at most two letters that a word has.
                most = 2 if length < 8 else 4
                for right, others in self._by_first.get((form[0], length), ()):
                    if (letters ^ others).bit_count() <= most:
                        yield right
        # With another first letter: changed, left out, added, or changed about.
        yield from self._by_rest.get(word[1:], ())
        yield from self._by_rest.get(word, ())
        for right in (word[1:], word[1:2] + word[:1] + word[2:]):
            if right in self.words:
                yield right


def _letters(word: str) -> int:
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) % 61)
    return bits


def is_slip(word: str, right: str) -> bool:
    """Whether a word is another with one letter wrong, left out, added or changed about."""
    for form in forms_of(word):
        if form == right:
            return True
        most = 1 if len(right) < 8 else 2
        alike = len(right) >= 3 and len(form) >= _LEAST and form[:1] == right[:1]
        if alike and _distance(form, right) <= most:
            return True
    return len(right) >= 5 and _distance(word, right) == 1


def _distance(left: str, right: str) -> int:
    """Letters to change, add, leave out, or change about; 3 for "more than two"."""
    if abs(len(left) - len(right)) > 2:
        return 3
    before: list[int] = []
    rows = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        row = [i]
        for j, b in enumerate(right, start=1):
            cost = min(rows[j] + 1, row[j - 1] + 1, rows[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > 2:
            return 3
        before, rows = rows, row
    return min(rows[-1], 3)
