"""Sentences in several languages, what each asks for, and what a strong model would write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from reactree_core.permission.acts import Act
from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL, Condition, EVERYTHING, read_condition
from reactree_planner.reading.form import (
    Count,
    FormCondition,
    FormMilestone,
    GoalForm,
    Prohibition,
    Remainder,
)
from reactree_planner.reading.form import Relation as FormRelation
from reactree_planner.reading.goal import accumulated, act_of
from reactree_planner.reading.names import Names

LANGUAGES = ('de', 'es', 'fr', 'ru', 'ja', 'zh')
#: Of household.yaml; `alfred` is a file of its own.
SETS = ('instructions', 'prohibitions', 'alfred')
_QUOTE = re.compile(r'([^][]*)(?:(\[)|](\d?))')
_FORBIDS = 'must not'
_THEN = 'then'
#: A thing that the world has no name for, and that must stay unread.
UNKNOWN = 'unknown'
_ACTS = {
    'pick up': 'take', 'take': 'take', 'put down': 'put', 'go to': 'go', 'turn on': 'switch on',
    'turn off': 'switch off', 'use': 'touch',
}  # fmt: skip
_RELATIONS: dict[Relation, FormRelation] = {
    Relation.IN: 'in', Relation.IS: 'is', Relation.HOLDING: 'holding', Relation.AT: 'at',
}  # fmt: skip
Asked = tuple[tuple[frozenset[str], ...], frozenset[Act]]


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

    def form(self) -> GoalForm:
        """The form that a strong model would write."""
        steps: list[list[FormCondition]] = [[]]
        never: list[Prohibition] = []
        cannot: list[Remainder] = []
        parts = iter(sorted(self.parts, key=lambda one: self.asks.index(one.asks)))
        for one in self.asks:
            if one == _THEN:
                steps.append([])
                continue
            part = next(parts)
            quote = self.text[part.start : part.end]
            condition = read_condition(one)
            if part.forbids:
                never.append(replace(forbidden(one), words=quote))
            elif condition is not None:
                steps[-1].append(_form_condition(condition, quote))
            else:
                cannot.append(Remainder(quote, 'it is not known here'))
        return GoalForm(
            self.language,
            tuple(FormMilestone(tuple(step)) for step in steps if step),
            tuple(never),
            cannot_say=tuple(cannot),
        )

    def asked(self, names: Names) -> Asked:
        """Conditions of every milestone, and acts that are forbidden."""
        steps: list[list[str]] = [[]]
        for one in self.asks:
            if one == _THEN:
                steps.append([])
            elif one != UNKNOWN and not one.startswith(_FORBIDS):
                steps[-1].append(one)
        told = [
            tuple(read for one in step if (read := read_condition(one))) for step in steps if step
        ]
        milestones = tuple(
            frozenset(one.text for one in step) for step in accumulated(told, names.words)
        )
        return milestones, frozenset(
            act_of(forbidden(one)) for one in self.asks if one.startswith(_FORBIDS)
        )


def forbidden(line: str) -> Prohibition:
    """The prohibition of a line: 'must not (open) fridge'."""
    doing, _, names = line.removeprefix(f'{_FORBIDS} (').partition(') ')
    thing, _, place = names.partition(' at ')
    act = _ACTS.get(doing, doing)
    if act == 'go':
        return Prohibition('go', None, thing, 'to')
    return Prohibition(act, None if thing == 'anything' else thing, place or None)


def _form_condition(one: Condition, quote: str) -> FormCondition:
    count: Count = 'all' if one.count == ALL else one.count
    thing = None if one.relation is Relation.AT or one.subject == EVERYTHING else one.subject
    return FormCondition(_RELATIONS[one.relation], thing, one.value or None, count, words=quote)


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
