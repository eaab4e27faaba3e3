"""Waiting for ROS futures outside the executor: with a deadline, and deaf to nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.task import Future

from reactree_core.cancellation import CancelToken

#: How often a wait looks for a cancel or a lost server, in seconds.
POLL = 0.02


def wait_for(
    future: Future,
    timeout: float,
    cancel: CancelToken | None = None,
    lost: Callable[[], bool] = lambda: False,
) -> Any | None:
    """Result of a future, or None when it is not there in time, or its server is lost.

    :param timeout: seconds.
    :raises CanceledError: stopped while waiting.
    """
    finished = threading.Event()
    future.add_done_callback(lambda _: finished.set())
    deadline = time.monotonic() + timeout
    while not finished.wait(min(POLL, max(0.0, deadline - time.monotonic()))):
        if cancel is not None:
            cancel.check()
        if lost() or time.monotonic() >= deadline:
            return future.result() if future.done() else None
    return future.result()


def wait_until(condition: Callable[[], bool], timeout: float, cancel: CancelToken) -> bool:
    """Whether a condition came to hold in time. :raises CanceledError: stopped."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= deadline:
            return False
        cancel.wait(POLL)
        cancel.check()
    return True
