"""Seconds to the times and durations of messages, and back."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Duration
from builtin_interfaces.msg import Time

from reactree_core.errors import SkillError

_NANOSECONDS = 1_000_000_000


def time_to_message(seconds: float) -> Time:
    """Seconds of whatever clock.

    :raises SkillError: not a number of 32 bits before the point.
    """
    return Time(**_split(seconds))


def time_from_message(message: Time) -> float:
    """Seconds, exact to about a microsecond for times since 1970."""
    return float(message.sec + message.nanosec / _NANOSECONDS)


def duration_to_message(seconds: float) -> Duration:
    """Seconds; 0 stands for "no limit" wherever a duration limits something.

    :raises SkillError: not a number of 32 bits before the point.
    """
    return Duration(**_split(seconds))


def duration_from_message(message: Duration) -> float:
    """Seconds."""
    return float(message.sec + message.nanosec / _NANOSECONDS)


def _split(seconds: float) -> dict[str, int]:
    if not -(2.0**31) <= seconds < 2.0**31 - 1:
        raise SkillError(f'a time of {seconds} seconds does not fit into a message')
    whole = math.floor(seconds)
    nanoseconds = round((seconds - whole) * _NANOSECONDS)
    carry, rest = divmod(nanoseconds, _NANOSECONDS)
    return {'sec': whole + carry, 'nanosec': rest}
