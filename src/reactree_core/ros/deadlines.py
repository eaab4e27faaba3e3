"""How long a planner still waits for an answer, by the steady clock of this process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any


def waits_until(request: Any, info: Mapping[str, int]) -> float:
    """When a request that has just arrived expires, in seconds of time.monotonic().

    A planner waits by a steady clock, and stamps by its node's, which may be simulated: only the
    difference of the stamps says how long it waits.

    :param request: a message with a `header` and a `deadline`.
    :param info: rclpy's information on the message: a message that was kept for late subscribers
        has its age in `source_timestamp`.
    """
    began, ends = request.header.stamp, request.deadline
    waits = ends.sec - began.sec + (ends.nanosec - began.nanosec) * 1e-9
    sent = info['source_timestamp']
    age = max(0, time.time_ns() - sent) * 1e-9 if sent else 0.0
    return time.monotonic() + waits - age
