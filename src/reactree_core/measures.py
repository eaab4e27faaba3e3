"""Numbers as facts: what is measured of a thing, and conditions on it.

A number stands among the states of its thing, as text: `moisture 23 %` of a plant, `80 %` of the
battery, which is nothing but its number. A condition is a state that follows from it:

    battery < 20 %               moisture of plant 3 > 40 %          between 10 and 20 %

A condition on a number that nobody reports is not known: it neither holds nor fails.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from reactree_core.bounds import number_text, read_number

#: Units with the factor to the first of their sort.
TIMES = {'ms': 1e-3, 's': 1.0, 'min': 60.0, 'h': 3600.0}
LENGTHS = {'mm': 1e-3, 'cm': 1e-2, 'm': 1.0, 'km': 1e3}
ANGLES = {'rad': 1.0, 'deg': math.pi / 180.0}
_VOLUMES = {'ml': 1e-3, 'cl': 1e-2, 'l': 1.0}
_WEIGHTS = {'mg': 1e-6, 'g': 1e-3, 'kg': 1.0}
_SORTS = (TIMES, LENGTHS, ANGLES, _VOLUMES, _WEIGHTS)
#: Share of a limit by which a number must be clear of it, where nothing else is given.
MARGIN = Decimal('0.05')
_COMPARED = {
    '<=': operator.le, '>=': operator.ge, '<': operator.lt, '>': operator.gt,
}  # fmt: skip
_SAID = {
    'below': '<', 'under': '<', 'less than': '<', 'above': '>', 'over': '>', 'more than': '>',
    'at least': '>=', 'at most': '<=',
}  # fmt: skip
_NUMBER = r'[-+]?\d+(?:\.\d+)?'
_UNIT = r'(?:[%°A-Za-zµ][\w%°/³²]*)'
_NAME = r'[^\d\s<>=%,][^<>=%,]*?'
_MEASURE = re.compile(rf'(?:(?P<name>{_NAME}) )?(?P<number>{_NUMBER})(?: ?(?P<unit>{_UNIT}))?')
_ONE = re.compile(
    rf'(?:(?P<name>{_NAME}) )?(?P<sign>[<>]=?) ?(?P<number>{_NUMBER})(?: ?(?P<unit>{_UNIT}))?'
)
_BETWEEN = re.compile(
    rf'(?:(?P<name>{_NAME}) )?between (?P<low>{_NUMBER})(?: ?(?P<first>{_UNIT}))?'
    rf' and (?P<high>{_NUMBER})(?: ?(?P<unit>{_UNIT}))?'
)
_SIGN = re.compile(
    rf'(?:\bis )?(?:\b(?P<said>{"|".join(_SAID)}) (?={_NUMBER})'
    rf'|(?P<sign>[<>]=? ?(?={_NUMBER})|between (?={_NUMBER})))'
)
#: "moisture of <plant> > 40 %" and "plant 3 moisture > 40 %".
_REST = r' (?P<rest>(?:[<>]=?|between ).*)'
_OF = re.compile(rf'(?P<name>[^<>=]+?) of (?P<subject>\S.*?){_REST}')
_BEHIND = re.compile(rf'(?P<subject>(?:.*?<[^<>]+>|.*?\S*\d\S*))(?: (?P<name>[^\d<>=]+?))?{_REST}')
_PLAIN = re.compile(rf'(?P<subject>[^\d<>=]+?){_REST}')
_CHANGE = re.compile(
    r'(?P<verb>raises|lowers|sets) (?:(?P<name>[^<>=]+?) of )?(?P<subject>\S.*?) '
    r'(?:by|to)(?: about)? (?P<amount>\S+)(?: \S+)?'
)
_AMOUNT = re.compile(
    rf'(?:(?P<slot><[^<>]+>)(?:(?P<sign>[*/])(?P<part>{_NUMBER}))?|(?P<fixed>{_NUMBER}))'
)


#: Number of a place: how many robots of a team can be there at once.
SEATS = 'seats'


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a thing. :param name: what is measured; '' where the thing is its number."""

    name: str
    number: Decimal
    unit: str = ''

    @property
    def text(self) -> str:
        """As it stands among states: 'moisture 23 %'."""
        return ' '.join(filter(None, (self.name, number_text(self.number), self.unit)))


@lru_cache(maxsize=4096)
def read_measure(text: str) -> Measure | None:
    """The number that a state says; None for a word."""
    match = _MEASURE.fullmatch(text)
    number = read_number(match['number']) if match else None
    if match is None or number is None:
        return None
    return Measure(match['name'] or '', number, match['unit'] or '')


def measures_of(state: str) -> dict[str, Measure]:
    """The numbers among states that are joined by ', ', by what is measured."""
    read = (read_measure(word) for word in state.split(', '))
    return {one.name: one for one in read if one is not None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a number.

    :param name: what is measured, as of a `Measure`. :param tests: signs and numbers; all hold.
    """

    name: str
    tests: tuple[tuple[str, Decimal], ...]
    unit: str = ''

    @property
    def text(self) -> str:
        """As a state: 'moisture > 40 %', '< 20 %', 'between 10 and 20 %'."""
        return ' '.join(filter(None, (self.name, self.wording)))

    @property
    def wording(self) -> str:
        """Without what is measured."""
        numbers = [number_text(number) for _, number in self.tests]
        if len(self.tests) == 2:
            words = f'between {numbers[0]} and {numbers[1]}'
        else:
            words = f'{self.tests[0][0]} {numbers[0]}'
        return f'{words} {self.unit}'.strip()

    def holds(self, measure: Measure | None) -> bool | None:
        """Whether a number is so; None where none is given, or one in another unit."""
        number = None if measure is None else converted(measure, self.unit)
        if number is None:
            return None
        return all(_COMPARED[sign](number, limit) for sign, limit in self.tests)

    def widened(self, margin: Decimal | None = None) -> Comparison:
        """The same for numbers that lie farther out. :param margin: None: a share of the limit."""
        tests = tuple(
            (sign, limit + _outwards(sign) * (abs(limit) * MARGIN if margin is None else margin))
            for sign, limit in self.tests
        )
        return replace(self, tests=tests)

    def implies(self, other: Comparison) -> bool:
        """Whether every number that is so is also as the other says."""
        factor = _factor(self.unit, other.unit)
        if self.name != other.name or factor is None:
            return False
        return all(
            any(
                mine[0] == sign[0]
                and (_COMPARED[sign](number * factor, limit)
                     or (number * factor == limit and '=' not in mine))
                for mine, number in self.tests
            )
            for sign, limit in other.tests
        )  # fmt: skip

    def excludes(self, other: Comparison) -> bool:
        """Whether no number is so and as the other says."""
        factor = _factor(self.unit, other.unit)
        if self.name != other.name or factor is None:
            return False
        mine = [(sign, number * factor) for sign, number in self.tests]
        return any(
            upper[0] == '<' and lower[0] == '>'
            and (most < least or (most == least and not ('=' in upper and '=' in lower)))
            for some, others in ((mine, other.tests), (other.tests, mine))
            for upper, most in some
            for lower, least in others
        )  # fmt: skip

    def missing(self, measure: Measure) -> Decimal | None:
        """How much is to be added to a number for it to be at the edge: 0 where it is so.

        :returns: in the unit of the number; None where the two do not compare.
        """
        factor = _factor(self.unit, measure.unit)
        if factor is None:
            return None
        if self.holds(measure):
            return Decimal(0)
        for sign, limit in self.tests:
            if not _COMPARED[sign](measure.number, limit * factor):
                return limit * factor - measure.number
        return Decimal(0)


def _outwards(sign: str) -> int:
    return 1 if sign[0] == '<' else -1


def _factor(unit: str, other: str) -> Decimal | None:
    """What a number in one unit is multiplied by to be in another; None where that is no number.

    A condition without a unit takes the unit of the number.
    """
    if unit == other or not unit or not other:
        return Decimal(1)
    for sort in _SORTS:
        if unit in sort and other in sort:
            return Decimal(repr(sort[unit])) / Decimal(repr(sort[other]))
    return None


def converted(measure: Measure, unit: str) -> Decimal | None:
    """A number in a unit; None where it cannot be."""
    factor = _factor(measure.unit, unit)
    return None if factor is None else measure.number * factor


@lru_cache(maxsize=4096)
def read_comparison(text: str) -> Comparison | None:
    """A condition on a number, as it is written among states; None for a word.

    `< 20 %`, `moisture > 40 %`, `is below 3 m`, `between 10 and 20 %`.
    """
    text = _with_signs(text)
    match = _BETWEEN.fullmatch(text)
    if match is not None:
        low, high = Decimal(match['low']), Decimal(match['high'])
        unit = match['unit'] or match['first'] or ''
        if low > high or match['first'] not in (None, unit):
            return None
        return Comparison(match['name'] or '', (('>=', low), ('<=', high)), unit)
    match = _ONE.fullmatch(text)
    if match is None or read_number(match['number']) is None:
        return None
    tests = ((match['sign'], Decimal(match['number'])),)
    return Comparison(match['name'] or '', tests, match['unit'] or '')


def _with_signs(text: str) -> str:
    """'is below 20 %' as '< 20 %'."""
    return _SIGN.sub(
        lambda match: f'{_SAID[match["said"]]} ' if match['said'] else match['sign'],
        ' '.join(text.split()),
    )


def read_fact(text: str) -> tuple[str, Comparison] | None:
    """A condition on a number with its thing: 'battery < 20 %', 'moisture of plant 3 > 40 %'.

    :returns: thing, or slot, and condition; None for a text of another form.
    """
    plain = _with_signs(text)
    for form in (_OF, _BEHIND, _PLAIN):
        match = form.fullmatch(plain)
        if match is None:
            continue
        comparison = read_comparison(match['rest'])
        if comparison is not None and not comparison.name:
            name = match.groupdict().get('name') or ''
            return match['subject'], replace(comparison, name=name)
    return None


def fact_text(subject: str, state: str) -> str:
    """The text of a thing's state, as `read_fact` reads it where the state is on a number."""
    comparison = read_comparison(state)
    if comparison is None:
        return f'{subject} is {state}'
    return (
        f'{comparison.name} of {subject} {comparison.wording}'
        if comparison.name
        else f'{subject} {comparison.wording}'
    )


@dataclass(frozen=True, slots=True)
class Change:
    """What a skill does to a number: 'raises moisture of <plant> by about <ml>/10'.

    :param subject: slot or name. :param name: what is measured of it.
    :param slot: number slot that says how much; '' for a fixed amount.
    :param factor: of that number, or the amount; less than 0 where it lowers.
    :param sets: whether it brings the number there, and not by so much.
    """

    subject: str
    name: str
    slot: str
    factor: Decimal
    sets: bool = False

    def of(self, value: Decimal) -> Decimal:
        """How much it does with a number in its slot."""
        return self.factor * value if self.slot else self.factor


@lru_cache(maxsize=1024)
def read_change(text: str) -> Change | None:
    """What an effect does to a number; None for an effect of another sort."""
    match = _CHANGE.fullmatch(' '.join(text.split()))
    amount = _AMOUNT.fullmatch(match['amount']) if match else None
    if match is None or amount is None:
        return None
    factor = Decimal(amount['part'] or amount['fixed'] or 1)
    if amount['sign'] == '/':
        if not factor:
            return None
        factor = 1 / factor
    factor = -factor if match['verb'] == 'lowers' else factor
    sets = match['verb'] == 'sets'
    return Change(match['subject'], match['name'] or '', amount['slot'] or '', factor, sets)


class Past:
    """How things were, at any time since one began to look."""

    def __init__(self) -> None:
        self._words: dict[str, set[str]] = {}
        #: The least and the most of each number.
        self._ends: dict[tuple[str, str], tuple[Measure, Measure]] = {}

    def note(self, thing: str, state: str) -> None:
        """Take what is told of a thing. :param state: as facts show it, joined by ', '."""
        self._words.setdefault(thing, set()).update(word for word in state.split(', ') if word)
        for name, measure in measures_of(state).items():
            least, most = self._ends.get((thing, name), (measure, measure))
            number = converted(measure, least.unit)
            if number is not None:
                least = measure if number < least.number else least
                most = measure if number > most.number else most
            self._ends[thing, name] = least, most

    def was_so(self, thing: str, state: str) -> bool:
        """Whether a thing was once in a state, or its number as a condition says."""
        comparison = read_comparison(state)
        if comparison is None:
            return state in self._words.get(thing, ())
        return any(map(comparison.holds, self._ends.get((thing, comparison.name), ())))


def is_so(states: Iterable[str], comparison: Comparison) -> bool | None:
    """Whether a condition holds of a thing with these states; None where no number tells."""
    measures = (read_measure(word) for word in states)
    one = next((one for one in measures if one is not None and one.name == comparison.name), None)
    return comparison.holds(one)
