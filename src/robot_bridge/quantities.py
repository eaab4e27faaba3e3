"""Times, lengths and angles as people write them: plain numbers, or a number with its unit."""

from __future__ import annotations

import math
import re
import sys
from typing import Annotated

from pydantic import BeforeValidator, Field

from reactree_core.measures import ANGLES, LENGTHS, TIMES

_WRITTEN = re.compile(r'([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)')


def quantity(value: object, units: dict[str, float], what: str) -> float:
    """A number in the first of these units whose factor is 1.

    :param value: a number, or a text such as '2 min'. :param what: for the sentence, e.g. 'time'.
    :raises ValueError: it is neither.
    """
    base = next(unit for unit, factor in units.items() if factor == 1.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Comparing is safe with whole numbers of any length, and with NaN.
    if is_number and abs(value) <= sys.float_info.max:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    match = _WRITTEN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match and (not match[2] or match[2] in units):
        found = float(match[1]) * units.get(match[2], 1.0)
        if math.isfinite(found):
            return found
    shown = f'"{value:.40}"' if isinstance(value, str) else f'{value!r:.40}'
    raise ValueError(
        f'{shown} is no {what}: write a number in {base}, or one with its unit '
        f'({", ".join(units)}), e.g. "2 {next(unit for unit in reversed(units))}"'
    )


def seconds(value: object) -> float:
    """A time in s. :raises ValueError: it is none."""
    return quantity(value, TIMES, 'time')


def metres(value: object) -> float:
    """A length in m. :raises ValueError: it is none."""
    return quantity(value, LENGTHS, 'length')


def radians(value: object) -> float:
    """An angle in rad. :raises ValueError: it is none."""
    return quantity(value, ANGLES, 'angle')


def number(value: object) -> float:
    """What may stand in a field for a number: one, or a time, length or angle with its unit.

    :raises ValueError: it is none.
    """
    return quantity(value, {**LENGTHS, **TIMES, **ANGLES}, 'number')


Seconds = Annotated[float, BeforeValidator(seconds), Field(gt=0, le=1e6)]
SecondsOrNone = Annotated[float, BeforeValidator(seconds), Field(ge=0, le=1e6)]
Metres = Annotated[float, BeforeValidator(metres), Field(ge=-1e7, le=1e7)]
Radians = Annotated[float, BeforeValidator(radians), Field(ge=-100, le=100)]
