"""Keeps threads of an executor free for others."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.callback_groups import CallbackGroup


class AtMost(CallbackGroup):
    """Lets so many callbacks run at once; further requests wait in the middleware, not in threads.

    :param most: 1 or more.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._running = 0
        self._lock = threading.Lock()

    def can_execute(self, entity: Any) -> bool:
        """Whether one more may run."""
        with self._lock:
            return self._running < self._most

    def beginning_execution(self, entity: Any) -> bool:
        """Take a place, where there is one."""
        with self._lock:
            if self._running >= self._most:
                return False
            self._running += 1
            return True

    def ending_execution(self, entity: Any) -> None:
        """Give the place back."""
        with self._lock:
            self._running -= 1
