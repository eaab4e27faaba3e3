"""Arguments of actions, as clients of both generations send them: checked before use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim_bridge.worlds.thor.stand_in.scene import Place
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, MISSING

Arguments = Mapping[str, Any]

#: Largest number of metres, degrees or pixels that is taken for one.
_LARGEST = 1e6


def number(arguments: Arguments, name: str, default: float | None = None) -> float:
    """A number from -1,000,000 to 1,000,000.

    :param default: what stands for none; None where there has to be one.
    :raises ActionFailedError: it is missing or no number.
    """
    value = arguments.get(name)
    if value is None:
        if default is None:
            raise ActionFailedError(f'the argument {name} is missing', MISSING)
        return default
    # Comparing is safe with whole numbers of any length, which JSON may hold, and with NaN.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _fits(value):
        raise ActionFailedError(f'the argument {name} is no number', 'InvalidArgument')
    return float(value)


def flag(arguments: Arguments, name: str, default: bool = False) -> bool:
    """True or false; anything else counts as the default."""
    value = arguments.get(name)
    return value if isinstance(value, bool) else default


def text(arguments: Arguments, name: str) -> str:
    """A text that has to be there.

    :raises ActionFailedError: it is missing or no text.
    """
    value = arguments.get(name)
    if value is None or value == '':
        raise ActionFailedError(f'the argument {name} is missing', MISSING)
    if not isinstance(value, str):
        raise ActionFailedError(f'the argument {name} is no text', 'InvalidArgument')
    return value


def turn(arguments: Arguments, default: float) -> float:
    """The rotation about y: a number, or {x, y, z} as the client writes it."""
    value = arguments.get('rotation')
    if isinstance(value, Mapping):
        return number(value, 'y', default) % 360.0
    return number(arguments, 'rotation', default) % 360.0


def place(value: object) -> Place:
    """A place from {x, y, z}.

    :raises ActionFailedError: it is none.
    """
    if not isinstance(value, Mapping):
        raise ActionFailedError('a position is {x, y, z}', 'InvalidArgument')
    return number(value, 'x'), number(value, 'y'), number(value, 'z')


def rows(arguments: Arguments, name: str) -> list[Arguments]:
    """A list of tables.

    :raises ActionFailedError: it is none.
    """
    value = arguments.get(name)
    if value is None:
        raise ActionFailedError(f'the argument {name} is missing', MISSING)
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise ActionFailedError(f'{name} is a list of tables', 'InvalidArgument')
    return value


def _fits(value: float) -> bool:
    return -_LARGEST <= value <= _LARGEST
