"""Fields of messages: times, ids, and texts and numbers of a bounded size.

Neither a world, a model nor a foreign skill server is trusted, and the middleware takes over-long
or broken texts badly: what is sent is bounded here. The texts of it are `foreign_text`, which is
offered here too.
"""

from __future__ import annotations

import math
import uuid

from builtin_interfaces.msg import Duration, Time
from unique_identifier_msgs.msg import UUID

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.foreign_text import bounded as bounded
from reactree_core.foreign_text import bounded_name as bounded_name
from reactree_core.foreign_text import bounded_names as bounded_names
from reactree_core.foreign_text import CONTROL_CHARACTER as CONTROL_CHARACTER
from reactree_core.foreign_text import ELLIPSIS as ELLIPSIS
from reactree_core.foreign_text import LIST_LIMIT as LIST_LIMIT
from reactree_core.foreign_text import NAME_LIMIT as NAME_LIMIT

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


_NO_RUN = bytes(16)


def run_id_to_message(run_id: str) -> UUID:
    """A run's id as a UUID message.

    :param run_id: 32 hexadecimal digits, with or without dashes; '' becomes zeros (no run).
    :raises ConfigurationError: anything else.
    """
    if not run_id:
        return UUID()
    try:
        data = uuid.UUID(run_id).bytes
    except ValueError:
        raise ConfigurationError(
            f'{bounded(run_id, 80)!r} is not a run id; give its 32 hexadecimal digits'
        ) from None
    return UUID(uuid=list(data))


def run_id_from_message(message: UUID) -> str:
    """32 hexadecimal digits, or '' for zeros."""
    data = bytes(message.uuid)
    return '' if data == _NO_RUN else data.hex()


def skill_goal_id(run_id: str, sequence: int) -> UUID:
    """Goal id of a run's skill: the same number of the same run can never be executed twice.

    :raises ConfigurationError: `run_id` is not 32 hexadecimal digits.
    """
    namespace = uuid.UUID(bytes=bytes(run_id_to_message(run_id).uuid))
    return UUID(uuid=list(uuid.uuid5(namespace, str(sequence)).bytes))


#: Longest trajectory of an experience, in bytes.
TRAJECTORY_LIMIT = 262_144


def unsigned(number: int, bits: int, what: str) -> int:
    """The number itself, for a field of that many bits.

    :raises SkillError: it does not fit; the middleware would take it silently, or crash.
    """
    if 0 <= number < 1 << bits:
        return number
    raise SkillError(f'{what} is {number}, which is not between 0 and {(1 << bits) - 1}')
