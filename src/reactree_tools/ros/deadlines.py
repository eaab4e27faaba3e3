"""Until when a planner waits for an answer, by a clock of one's own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any


def waits_until(request: Any, info: Mapping[str, int]) -> float:
    """When the time of a request is over that has just come, in seconds of time.monotonic().

    A planner waits by a steady clock, and stamps by its node's, which may be simulated: only the
    difference of the stamps tells how long it waits.

    :param request: a message with a `header` and a `deadline`.
    :param info: what rclpy tells of its coming: by `source_timestamp`, one that was kept for who
        comes late is as old as it is.
    """
    began, ends = request.header.stamp, request.deadline
    waits = ends.sec - began.sec + (ends.nanosec - began.nanosec) * 1e-9
    sent = info['source_timestamp']
    age = max(0, time.time_ns() - sent) * 1e-9 if sent else 0.0
    return time.monotonic() + waits - age
