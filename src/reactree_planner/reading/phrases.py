"""Words and phrases of the lists in `words/`, by file, section and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

#: Folder of the lists.
WORDS = Path(__file__).with_name('words')


class Phrases:
    """Phrases, found by their first word, the longest first.

    :param phrases: each as its words.
    """

    __slots__ = ('_all', '_by_first')

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        self._all = frozenset(filter(None, phrases))
        found: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted(self._all, key=lambda one: (-len(one), one)):
            found.setdefault(phrase[0], []).append(phrase)
        self._by_first = found

    @classmethod
    def named(cls, section: str, name: str, file: str = 'grammar') -> Phrases:
        """Phrases of a list. :param file: of `words/`, without its ending."""
        return cls.of(listed(file)[section][name])

    @classmethod
    def of(cls, text: str) -> Phrases:
        """Phrases that "|" parts."""
        return cls(tuple(one.split()) for one in text.split('|'))

    def __contains__(self, words: object) -> bool:
        return words in self._all

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._all)

    def __or__(self, other: Iterable[tuple[str, ...]]) -> Phrases:
        return Phrases((*self, *other))

    def at(self, words: Sequence[str], at: int) -> Iterator[int]:
        """Ends of the phrases that begin at a word, the longest first."""
        for one in self._by_first.get(words[at], ()) if 0 <= at < len(words) else ():
            if tuple(words[at : at + len(one)]) == one:
                yield at + len(one)

    def stand_in(self, words: Sequence[str]) -> bool:
        """Whether one of them stands in a row of words."""
        return any(any(True for _ in self.at(words, at)) for at in range(len(words)))


@cache
def listed(file: str) -> Mapping[str, Mapping[str, str]]:
    """A file of `words/`, by section. :param file: its name without ending."""
    with (WORDS / f'{file}.yaml').open(encoding='utf-8') as opened:
        found: Mapping[str, Mapping[str, str]] = yaml.safe_load(opened)
    return found


def words_named(section: str, name: str, file: str = 'grammar') -> frozenset[str]:
    """Words of a list. :param file: of `words/`, without its ending."""
    return frozenset(listed(file)[section][name].split())
