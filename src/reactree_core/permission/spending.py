"""What runs spend: skills, distance, time, tokens and money; limits of a run and of an hour."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field
from decimal import Decimal

from reactree_core.errors import ConfigurationError
from reactree_core.usage import LlmUsage

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Amounts:
    """So much was spent, or may be; a limit of 0 is none.

    :param distance: in the unit of the places' coordinates. :param seconds: in which skills ran.
    :param cost: in the money of the prices.
    """

    skills: int = 0
    distance: float = 0.0
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


NOTHING = Amounts()
#: How sentences tell an amount.
_UNITS = {
    'skills': '{:.0f} skills',
    'distance': 'a distance of {:g}',
    'seconds': '{:g} s of skills',
    'tokens': '{:.0f} tokens',
    'cost': 'a cost of {:g}',
}


@dataclass(frozen=True, slots=True)
class Price:
    """In any money, for a million tokens: prompt evaluated, prompt known before, written."""

    prompt: float = 0.0
    cached: float = 0.0
    completion: float = 0.0

    def of(self, usage: LlmUsage) -> float:
        """What this usage costs."""
        return usage.priced(self.prompt, self.cached, self.completion)


FREE_OF_CHARGE = Price()


def read_price(text: str) -> Price:
    """A price as it is written: "2.5 0.25 10"; '' for none.

    :raises ConfigurationError: it is none.
    """
    if not text.strip():
        return FREE_OF_CHARGE
    try:
        numbers = [float(part) for part in text.replace('/', ' ').split()]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not all(0 <= number < math.inf for number in numbers):
        raise ConfigurationError(
            f'"{text[:80]}" is no price: write what a million tokens cost, of the prompt, of a '
            'cached prompt and of the completion, e.g. "2.5 0.25 10".'
        )
    return Price(*numbers)


@dataclass(frozen=True, slots=True)
class Limits:
    """Most of everything. :param places: coordinates by name, :param price: of the model."""

    per_run: Amounts = NOTHING
    per_hour: Amounts = NOTHING
    places: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    price: Price = field(default_factory=Price)

    @property
    def is_none(self) -> bool:
        """Whether nothing is limited."""
        return self.per_run == NOTHING and self.per_hour == NOTHING


class Ledger:
    """What was spent, and which rules counted a skill, within the last hour.

    :param clock: seconds that only grow.
    """

    #: Whether it outlives its process.
    is_kept = False

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: deque[tuple[float, Amounts]] = deque()
        self._counted: dict[str, deque[float]] = {}
        #: When, by which rule, of what, how much.
        self._summed: deque[tuple[float, str, str, Decimal]] = deque()

    def spend(self, amounts: Amounts) -> None:
        """Note what was spent just now."""
        self._forget()
        self._spent.append((self._clock(), amounts))

    def count(self, rule: str) -> None:
        """Note that a rule of an hour counts a skill."""
        self._counted.setdefault(rule, deque()).append(self._clock())

    def add(self, rule: str, amounts: Mapping[str, Decimal]) -> None:
        """Note what a rule of an hour adds up. :param amounts: of each name."""
        self._forget()
        self._summed.extend((self._clock(), rule, name, one) for name, one in amounts.items())

    def _forget(self) -> None:
        before = self._clock() - HOUR
        while self._summed and self._summed[0][0] <= before:
            self._summed.popleft()
        while self._spent and self._spent[0][0] <= before:
            self._spent.popleft()

    def spent(self) -> Amounts:
        """What was spent in the last hour."""
        self._forget()
        return sum((amounts for _, amounts in self._spent), NOTHING)

    def counted(self) -> dict[str, int]:
        """How many skills each rule has counted in the last hour."""
        before = self._clock() - HOUR
        for times in self._counted.values():
            while times and times[0] <= before:
                times.popleft()
        return {rule: len(times) for rule, times in self._counted.items()}

    def summed(self) -> dict[str, Mapping[str, Decimal]]:
        """What each rule has added up in the last hour, of each name."""
        self._forget()
        found: dict[str, dict[str, Decimal]] = {}
        for _, rule, name, amount in self._summed:
            sums = found.setdefault(rule, {})
            sums[name] = sums.get(name, Decimal(0)) + amount
        return dict(found)


def exceeded(limit: Amounts, spent: Amounts, further: Amounts) -> str:
    """The amount of a limit that leaves no room, for a sentence; '' for none.

    :param further: what is about to be spent: a skill and its distance, or nothing but the model's
        work.
    """
    left = ('tokens', 'cost', *(('skills', 'distance', 'seconds') if further.skills else ()))
    for one in left:
        most, have = getattr(limit, one), getattr(spent, one)
        more = getattr(further, one)
        # How long a skill takes and what the model will cost is known afterwards only.
        is_known = one in ('skills', 'distance')
        if most and (have + more > most if is_known else have >= most):
            return _UNITS[one].format(most)
    return ''


def distance(begin: tuple[float, ...] | None, end: tuple[float, ...] | None) -> float:
    """Between two coordinates; 0 where one is not known."""
    return math.dist(begin, end) if begin is not None and end is not None else 0.0
