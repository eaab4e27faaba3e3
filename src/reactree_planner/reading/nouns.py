"""Concrete nouns of English and how their senses relate, from WordNet 3.0.

"Lorry" and "truck" are one sense; "dump truck" is a kind of it, "vehicle" stands above all.
The table holds 25,000 senses of things, food, substances, plants and places (NOTICE beside it).
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

from reactree_planner.reading.phrases import Phrases
from reactree_planner.reading.tokens import singulars_of

_TABLE = Path(__file__).with_name('noun_senses.tsv.gz')
#: Senses of a noun that count, by frequency.
_COMMON = 3
#: Steps up the hierarchy; further up everything is an artifact.
_STEPS = 4
#: Senses that stand above too much to say anything.
_TOO_WIDE = frozenset(' '.join(one) for one in Phrases.named('nouns', 'wide'))


class Likeness(IntEnum):
    """How near two nouns are; the nearer is the greater."""

    NONE = 0
    #: One stands above the other: "vehicle" and "truck".
    KIND = 1
    #: One sense, or directly above in a frequent one: "lorry" for "truck".
    SAME = 2


@dataclass(frozen=True)
class _Table:
    words: tuple[tuple[tuple[str, int], ...], ...]
    above: tuple[tuple[int, ...], ...]
    senses: dict[str, tuple[int, ...]]
    wide: frozenset[int]


@cache
def _table() -> _Table:
    words, above = [], []
    senses: dict[str, list[tuple[int, int]]] = defaultdict(list)
    wide = set()
    with gzip.open(_TABLE, 'rt', encoding='utf-8') as file:
        for number, line in enumerate(file):
            names, _, higher = line.rstrip('\n').partition('\t')
            pairs = tuple(
                (n, int(r)) for n, _, r in (one.rpartition(':') for one in names.split(','))
            )
            words.append(pairs)
            above.append(tuple(map(int, filter(None, higher.split(',')))))
            for name, rank in pairs:
                senses[name].append((rank, number))
                if name in _TOO_WIDE:
                    wide.add(number)
    ordered = {name: tuple(number for _, number in sorted(one)) for name, one in senses.items()}
    return _Table(tuple(words), tuple(above), ordered, frozenset(wide))


def is_noun(words: str) -> bool:
    """Whether some words, or their singular, are a concrete noun."""
    return bool(_senses(words))


@cache
def likeness(one: str, other: str) -> Likeness:
    """How near a noun that is said is to a name; NONE where one of them is not in the table.

    "Lorry" says the same as a truck's name; "wok" is only a kind of pan.
    """
    first, second = _senses(one)[:_COMMON], _senses(other)[:_COMMON]
    if not first or not second:
        return Likeness.NONE
    table = _table()
    # What a name means most often: a "lift" is a ride only now and then.
    if set(first) & set(second[:1]):
        return Likeness.SAME
    # A frequent sense directly below: "lorry", and the server's "dump truck" is one.
    if (set(table.above[second[0]]) & set(first[:1])) - table.wide:
        return Likeness.SAME
    shared = set(first) & set(second)
    if shared or set(first) & set(_above(other)) or set(second) & set(_above(one)):
        return Likeness.KIND
    return Likeness.NONE


@cache
def related(words: str) -> frozenset[int]:
    """Senses of a noun and those above it: what is like another shares one with it."""
    return frozenset((*_senses(words)[:_COMMON], *_above(words)))


@cache
def split_name(name: str) -> tuple[str, ...]:
    """The words of a name that is written as one: 'butterknife' -> ('butter', 'knife').

    Of several ways the one with the longest last word that is a noun; () where there is none.
    """
    if is_noun(name) and _senses(name):
        return ()
    for cut in range(2, len(name) - 2):
        first, last = name[:cut], name[cut:]
        if is_noun(f'{first} {last}'):
            return first, last
    for cut in range(3, len(name) - 2):
        first, last = name[:cut], name[cut:]
        if is_noun(first) and is_noun(last):
            return first, last
    return ()


@cache
def _senses(words: str) -> tuple[int, ...]:
    """Senses of a noun, the most frequent first; of a phrase without its own those of its end."""
    table = _table().senses
    head, _, last = words.casefold().rpartition(' ')
    for form in singulars_of(last):
        whole = f'{head} {form}'.strip()
        if whole in table:
            return table[whole]
    return ()


@cache
def _above(words: str) -> tuple[int, ...]:
    """Senses above a noun's frequent ones, those that say too little left out."""
    return tuple(dict.fromkeys(one for sense in _senses(words)[:_COMMON] for one in _climb(sense)))


def _climb(sense: int) -> Iterator[int]:
    table = _table()
    level = {sense}
    for _ in range(_STEPS):
        level = {up for one in level for up in table.above[one]} - table.wide
        yield from sorted(level)
