"""Ctrl-C, SIGTERM and SIGHUP as something that a loop can look at."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from reactree_core.cancellation import CancelToken

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """While this is entered, the signals that ask for an end only set a flag.

    A second one while the first is being obeyed sets `again`, for "stop being polite".
    Only the main thread may enter it.

    :param at_once: canceled by the second one, for work that looks at nothing else.
    """

    def __init__(self, at_once: CancelToken | None = None) -> None:
        self._at_once = at_once
        self.requested = threading.Event()
        self.again = threading.Event()
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *reason: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested.is_set():
            self.again.set()
            if self._at_once is not None:
                self._at_once.cancel()
        self.requested.set()

    def wait(self, seconds: float) -> bool:
        """Wait for a request, at most so long; True when there was one."""
        return self.requested.wait(seconds)
