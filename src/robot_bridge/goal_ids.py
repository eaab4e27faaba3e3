"""Ids of the goals that bridges send to a robot: computed, and known as theirs again."""

from __future__ import annotations

import uuid

#: The last bytes of every id that a bridge makes, whenever it lived.
_MARK = b'rtre'


def goal_id_of(skill: bytes | None, number: int) -> bytes:
    """Id of a step's goal: the same for the same skill of the same run.

    :param skill: goal id of the skill; None outside a run. :param number: of the step.
    """
    made = uuid.uuid4() if skill is None else uuid.uuid5(uuid.UUID(bytes=skill), str(number))
    return made.bytes[: -len(_MARK)] + _MARK


def is_ours(goal_id: bytes) -> bool:
    """Whether a bridge has made an id."""
    return goal_id.endswith(_MARK)
