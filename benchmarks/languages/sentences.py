"""Sentences in several languages, what each asks for, and what a strong model would write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from reactree_planner.facts.conditions import read_condition
from reactree_planner.language.domain import Domain
from reactree_planner.language.quoted_lines import milestones_of

LANGUAGES = ('de', 'es', 'fr', 'ru', 'ja', 'zh')
#: Of household.yaml; `alfred` is a file of its own.
SETS = ('instructions', 'prohibitions', 'alfred')
_QUOTE = re.compile(r'([^][]*)(?:(\[)|](\d?))')
_FORBIDS = 'must not'
_THEN = 'then'
#: A thing that the world has no name for, and that must stay unread.
UNKNOWN = 'unknown'
Asked = tuple[tuple[frozenset[str], ...], frozenset[str]]


@dataclass(frozen=True)
class Part:
    """One thing that a sentence asks for. :param start: :param end: its words, in characters."""

    asks: str
    start: int
    end: int

    @property
    def forbids(self) -> bool:
        """Whether it is forbidden."""
        return self.asks.startswith(_FORBIDS)


@dataclass(frozen=True)
class Sentence:
    """A sentence in one language. :param english: what it is a translation of, or its index."""

    language: str
    text: str
    parts: tuple[Part, ...]
    english: str
    asks: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names that it asks for."""
        found: set[str] = set()
        for one in self.asks:
            condition = read_condition(one)
            if one.startswith(_FORBIDS):
                found |= {*one.partition(') ')[2].split(' at ')} - {'anything'}
            elif condition is not None:
                found |= {*condition.names}
        return frozenset(found)

    def lines(self) -> str:
        """What a strong model would write."""
        quoted = (f'"{self.text[one.start : one.end]}" -> {one.asks}\n' for one in self.parts)
        return ''.join(quoted) + 'end\n'

    def asked(self, domain: Domain) -> Asked:
        """Conditions of every milestone, and what is forbidden, as texts."""
        steps: list[list[str]] = [[]]
        for one in self.asks:
            if one == _THEN:
                steps.append([])
            elif one != UNKNOWN and not one.startswith(_FORBIDS):
                steps[-1].append(one)
        told = [[read for one in step if (read := read_condition(one))] for step in steps if step]
        milestones = tuple(
            frozenset(one.text for one in step) for step in milestones_of(told, domain)
        )
        return milestones, frozenset(forbidden(one) for one in self.asks if _FORBIDS in one)


def forbidden(line: str) -> str:
    """The wording of what a line forbids: 'must not (open) fridge' is 'open fridge'."""
    return line.removeprefix(f'{_FORBIDS} (').replace(') ', ' ', 1)


def read_sentences(name: str, languages: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of one of `SETS`, by language."""
    file = 'alfred' if name == 'alfred' else 'household'
    rows = yaml.safe_load(Path(__file__).with_name(f'{file}.yaml').read_text(encoding='utf-8'))
    for code in languages:
        for row in rows[name]:
            yield _sentence(code, row)


def _sentence(code: str, row: dict[str, object]) -> Sentence:
    asks = tuple(map(str, row['asks']))  # type: ignore[call-overload]
    told = [one for one in asks if one != _THEN]
    text = ''
    parts: list[Part] = []
    begun: list[int] = []
    for piece, sign, which in _QUOTE.findall(f'{row[code]}['):
        text += piece
        if sign == '[':
            begun.append(len(text))
        else:
            number = int(which) - 1 if which else len(parts)
            parts.append(Part(told[number], begun.pop(), len(text)))
    if sorted(one.asks for one in parts) != sorted(told):
        raise ValueError(f'{code}: the quotes of {row[code]!r} are not those of {told}')
    return Sentence(code, text, tuple(parts), str(row['en']), asks)
