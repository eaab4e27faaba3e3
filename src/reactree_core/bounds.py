"""Numbers in skills: how they are written, and which of them a slot takes.

A number is written in ASCII digits, with a point and without an exponent: `50`, `-2.5`. NaN,
infinity, `1e9`, `1,000` and digits of other scripts are none. It is a decimal, so that limits and
steps are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, ROUND_CEILING
from functools import lru_cache

#: Most digits before the point, and behind it: with more it is no quantity, and overflows fields.
_WHOLE, _FRACTION = 15, 9
_NUMBER = rf'[-+]?[0-9]{{1,{_WHOLE}}}(?:\.[0-9]{{1,{_FRACTION}}})?'
_WRITTEN = re.compile(_NUMBER)
_BOUNDS = re.compile(
    rf'(?P<least>{_NUMBER})\.\.(?P<most>{_NUMBER})(?: step (?P<step>{_NUMBER}))?'
    r'(?: (?P<unit>(?!step\b)\S.*))?'
)
#: Places behind the point of the numbers that a model may write where no step is given.
_PLACES = 2


def read_number(text: str) -> Decimal | None:
    """The number that a text is; None for what is none."""
    return Decimal(text) if _WRITTEN.fullmatch(text) else None


def number_text(number: Decimal) -> str:
    """A number as it stands in skills and sentences: '10', never '1E+1' or '10.0'."""
    text = f'{number + 0:f}'
    return text.rstrip('0').rstrip('.') if '.' in text else text


@dataclass(frozen=True, slots=True)
class Bounds:
    """Numbers from `least` to `most`, both included.

    :param step: between two of them, from `least` on; None for any number.
    :param unit: for people, e.g. 'ml'.
    """

    least: Decimal
    most: Decimal
    step: Decimal | None = None
    unit: str = ''

    @property
    def fault(self) -> str:
        """Why there can be no such bounds, for a sentence; '' where all is well."""
        if self.least > self.most:
            return f'{number_text(self.least)} is more than {number_text(self.most)}'
        if self.step is not None and self.step <= 0:
            return f'a step is more than 0, not {number_text(self.step)}'
        if not self.takes(self.most):
            steps = f'steps of {number_text(self.step or self.most)}'
            return (
                f'{steps} from {number_text(self.least)} do not lead to {number_text(self.most)}'
            )
        return ''

    @property
    def ends(self) -> tuple[Decimal, ...]:
        """Numbers of which all the others are made: what holds these, holds them."""
        return (self.least, self.most, *([self.least + self.step] if self.step else []))

    @property
    def wording(self) -> str:
        """For sentences: '0 to 300 ml in steps of 10'."""
        unit = f' {self.unit}' if self.unit else ''
        step = '' if self.step is None else f' in steps of {number_text(self.step)}'
        return f'{number_text(self.least)} to {number_text(self.most)}{unit}{step}'

    @property
    def smallest(self) -> Decimal:
        """The least amount that can be meant, whatever its sign."""
        return max(self.least, -self.most, Decimal(0))

    def takes(self, number: Decimal) -> bool:
        """Whether a number is one of them."""
        is_within = self.least <= number <= self.most
        return is_within and (self.step is None or (number - self.least) % self.step == 0)

    def values(self, most: int) -> tuple[str, ...]:
        """All of them, as they are written; () where there are more, or no step says which."""
        if self.step is None or (self.most - self.least) // self.step >= most:
            return ()
        count = int((self.most - self.least) // self.step) + 1
        return tuple(number_text(self.least + self.step * place) for place in range(count))

    def signs_behind(self, written: str) -> str:
        """Signs with which the beginning of a number can go on so that it becomes one of them.

        :param written: '' or what such signs have made.
        """
        return ''.join(sign for sign in '-0123456789.' if self._may_become(written + sign))

    def _may_become(self, written: str) -> bool:
        if written == '-':
            return self._has_some(self.least, min(self.most, -self._grain))
        if not re.fullmatch(r'-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?', written):
            return False
        return any(self._has_some(low, high) for low, high in self._ranges(written))

    def _ranges(self, written: str) -> Iterator[tuple[Decimal, Decimal]]:
        """What numbers that begin so lie between."""
        whole, point, fraction = written.removeprefix('-').partition('.')
        begun = Decimal(f'{whole}.{fraction}0')
        if point:
            widths = [Decimal(1).scaleb(-len(fraction))] if self._grain < 1 else []
        else:
            widths = [Decimal(10) ** more for more in range(_WHOLE - len(whole) + 1)]
        for width in widths if whole != '0' else widths[:1]:
            low = begun if point else begun * width
            high = low + width - self._grain
            if high >= low and written[0] == '-':
                yield -high, -max(low, self._grain)
            elif high >= low:
                yield low, high

    @property
    def _grain(self) -> Decimal:
        """The difference below which nothing is written."""
        numbers = map(number_text, (self.least, self.most, self.step or Decimal(0)))
        places = max(len(one.partition('.')[2]) for one in numbers)
        return Decimal(1).scaleb(-(places if self.step else max(places, _PLACES)))

    def _has_some(self, low: Decimal, high: Decimal) -> bool:
        low, high = max(low, self.least), min(high, self.most)
        step, begin = (self.step, self.least) if self.step else (self._grain, Decimal(0))
        first = begin + ((low - begin) / step).to_integral_value(ROUND_CEILING) * step
        return low <= high and first <= high


@lru_cache(maxsize=1024)
def read_bounds(text: str) -> Bounds | None:
    """Bounds as a skill server writes them, e.g. '0..300 step 10 ml'; None for what is none."""
    match = _BOUNDS.fullmatch(' '.join(text.split()))
    if match is None:
        return None
    step = Decimal(match['step']) if match['step'] else None
    return Bounds(Decimal(match['least']), Decimal(match['most']), step, match['unit'] or '')
