"""Ids of runs and skills: hexadecimal text on this side, UUID messages on the other."""

from __future__ import annotations

import uuid

from unique_identifier_msgs.msg import UUID

from reactree_core.errors import ConfigurationError
from reactree_core.ros.bounds import bounded

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
