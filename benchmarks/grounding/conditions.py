"""Conditions that an instruction grounds to, as texts, and how many of them were found.

    2 crate in shelf            in or on; 'all crate in shelf' for every one
    pump is on                  a state
    holding 2 plank             the robot, or its inventory, has it
    at dock 1                   where the robot is
    unknown: glimmer crystal    words that stand where a name should and match none

No count is 1. What is wanted may have several texts that are as good: 'twine | rope'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import read_effect, Relation

#: Count of 'all' and 'every'.
ALL = 'all'
_UNKNOWN = 'unknown:'
_COUNTED = re.compile(rf'({ALL}|\d{{1,6}}) (.+)')


@dataclass(frozen=True, slots=True)
class Condition:
    """What shall hold at the end.

    :param relation: None for words that name nothing known.
    :param subject: '' for the robot. :param value: place, state, thing held, or unknown words.
    :param count: a number of 1 or more, or 'all'.
    """

    relation: Relation | None
    subject: str
    value: str
    count: str = '1'

    @property
    def text(self) -> str:
        """As it is written."""
        count = '' if self.count == '1' else f'{self.count} '
        if self.relation is None:
            return f'{_UNKNOWN} {self.value}'
        if self.subject:
            return f'{count}{self.subject} {self.relation.value} {self.value}'
        return f'{self.relation.value} {count}{self.value}'


def read_condition(text: str) -> Condition:
    """A condition from its text.

    :raises ConfigurationError: it is of another form.
    """
    text = ' '.join(text.split())
    if text.startswith(_UNKNOWN) and text != _UNKNOWN:
        return Condition(None, '', text.removeprefix(_UNKNOWN).strip().casefold())
    fact = read_effect(text)
    if fact is None or not fact.holds:
        raise ConfigurationError(
            f'{text!r} is no condition: write "2 crate in shelf", "pump is on", '
            '"holding 2 plank", "at dock 1" or "unknown: words"'
        )
    if fact.relation is Relation.AT:
        return Condition(fact.relation, '', fact.value)
    if fact.relation is Relation.HOLDING:
        count, value = _counted(fact.value)
        return Condition(fact.relation, '', value, count)
    count, subject = _counted(fact.subject)
    return Condition(fact.relation, subject, fact.value, count)


def _counted(name: str) -> tuple[str, str]:
    match = _COUNTED.fullmatch(name)
    if match is None:
        return '1', name
    return match[1] if match[1] == ALL else str(int(match[1])), match[2]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an instruction grounds to.

    :param conditions: of each, the texts that are as good. :param allowed: neither right nor
        wrong to be told, as 'fridge is open' for "open the fridge and take the milk".
    """

    conditions: tuple[frozenset[Condition], ...]
    allowed: frozenset[Condition] = frozenset()

    @property
    def text(self) -> str:
        """As it is written; '' when nothing is wanted."""
        return '; '.join(
            ' | '.join(sorted(condition.text for condition in options))
            for options in self.conditions
        )


def read_wanted(conditions: Iterable[str], allowed: Iterable[str] = ()) -> Wanted:
    """What is wanted, from texts; '|' stands between those that are as good.

    :raises ConfigurationError: one of them is no condition.
    """
    return Wanted(
        tuple(frozenset(map(read_condition, text.split('|'))) for text in conditions),
        frozenset(map(read_condition, allowed)),
    )


@dataclass(frozen=True, slots=True)
class Score:
    """How well one phrasing, or several together, were grounded.

    :param wanted: conditions on known names. :param told: those told that count.
    :param right: those told that were wanted.
    :param exact: phrasings with all that is wanted and no more, unknown words aside.
    :param exact_but_counts: the same, whatever the counts.
    :param unknown: unknown words that should be told. :param unknown_right: those that were.
    :param unknown_wrong: words told to be unknown that should not.
    :param whole: phrasings that were read whole. :param whole_right: those of them of which
        nothing at all is wrong.
    :param seconds: of the grounding.
    """

    phrasings: int = 0
    wanted: int = 0
    told: int = 0
    right: int = 0
    exact: int = 0
    exact_but_counts: int = 0
    unknown: int = 0
    unknown_right: int = 0
    unknown_wrong: int = 0
    whole: int = 0
    whole_right: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def precision(self) -> float | None:
        """Share of the conditions told that were wanted; None where none was told."""
        return self.right / self.told if self.told else None

    @property
    def recall(self) -> float | None:
        """Share of the conditions wanted that were told; None where none was wanted."""
        return self.right / self.wanted if self.wanted else None

    @property
    def whole_wrong(self) -> int:
        """Phrasings that were read whole, and wrong."""
        return self.whole - self.whole_right

    @property
    def flawless(self) -> bool:
        """Whether nothing at all was wrong, unknown words included."""
        unknown = self.unknown == self.unknown_right and not self.unknown_wrong
        return unknown and self.exact == self.phrasings

    def __add__(self, other: Score) -> Score:
        """Both together."""
        return Score(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


def score(
    told: Sequence[str], wanted: Wanted, seconds: float = 0.0, *, whole: bool = False
) -> Score:
    """How well what was told fits what is wanted.

    :param told: texts; one of another form counts as told and wrong.
    :param whole: whether the reader accounts for every word.
    """
    found = list(dict.fromkeys(map(_read_told, told)))
    facts = [one for one in found if one.relation is not None]
    words = [one.value for one in found if one.relation is None]
    known = tuple(each for each in wanted.conditions if all(one.relation for one in each))
    unknown = [each for each in wanted.conditions if each not in known]
    right, counted = _matches(facts, known, wanted.allowed)
    loose = tuple(dict.fromkeys(map(_uncounted, known)))
    loose_right, loose_counted = _matches(
        list(dict.fromkeys(replace(one, count='1') for one in facts)),
        loose,
        _uncounted(wanted.allowed),
    )
    named = _pairs(
        [[at for at, got in enumerate(words) if _same_words(got, each)] for each in unknown]
    )
    one = Score(
        1,
        len(known),
        counted,
        right,
        right == counted == len(known),
        loose_right == loose_counted == len(loose),
        len(unknown),
        named,
        len(words) - named,
        seconds=seconds,
    )
    return replace(one, whole=int(whole), whole_right=int(whole and one.flawless))


def _read_told(text: str) -> Condition:
    try:
        return read_condition(text)
    except ConfigurationError:
        # Nothing of this form is wanted anywhere.
        return Condition(Relation.IS, text, '')


def _uncounted(conditions: frozenset[Condition]) -> frozenset[Condition]:
    return frozenset(replace(condition, count='1') for condition in conditions)


def _same_words(told: str, wanted: Iterable[Condition]) -> bool:
    """Whether one names what the other does: "crystal" is right for "glimmer crystal"."""
    words = set(told.split())
    named = [set(one.value.split()) for one in wanted]
    return any(words <= one or words >= one for one in named)


def _matches(
    told: Sequence[Condition],
    wanted: Sequence[frozenset[Condition]],
    allowed: frozenset[Condition],
) -> tuple[int, int]:
    """How many of those told are right, and how many of them count."""
    idle = allowed.difference(*wanted)
    options = [[at for at, one in enumerate(told) if one in each] for each in wanted]
    return _pairs(options), sum(one not in idle for one in told)


def _pairs(options: Sequence[Sequence[int]]) -> int:
    """Most pairs of one that is wanted and one that was told, each in one pair only."""
    taken: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for told in options[wanted]:
            if told in tried:
                continue
            tried.add(told)
            if told not in taken or place(taken[told], tried):
                taken[told] = wanted
                return True
        return False

    return sum(place(wanted, set()) for wanted in range(len(options)))
