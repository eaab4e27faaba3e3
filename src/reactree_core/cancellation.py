"""One object to stop a wait: a cancel from outside, or a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from reactree_core.errors import CanceledError


class CancelToken:
    """Cancelled once for all its users: model requests, skills and waits poll it or wait on it.

    :param deadline: seconds of time.monotonic() after which `expired` holds; None for never.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._event = threading.Event()
        self._woken: list[threading.Event] = []
        self.deadline = deadline

    def cancel(self) -> None:
        """Ask everything that waits on this to stop; may be called from any thread, often."""
        self._event.set()
        for one in self._woken:
            one.set()

    def wakes(self, event: threading.Event) -> None:
        """Set an event with the cancel, so that one wait serves for that too."""
        self._woken.append(event)
        if self.canceled:
            event.set()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let no time run out until the block is left: what comes after it has what was left."""
        deadline, self.deadline = self.deadline, None
        began = time.monotonic()
        try:
            yield
        finally:
            if deadline is not None and self.deadline is None:
                self.deadline = deadline + time.monotonic() - began

    @property
    def canceled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def stopped(self) -> bool:
        """Whether to stop, for either reason. Cheap: called from inner loops."""
        return self._event.is_set() or self.expired

    def remaining(self, longest: float) -> float:
        """Seconds a wait may take: at most `longest`, less when the deadline is nearer."""
        if self.deadline is None:
            return longest
        return max(0.0, min(longest, self.deadline - time.monotonic()))

    def wait(self, seconds: float) -> bool:
        """Wait until canceled, at most `seconds`; True when canceled."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Return quietly while wanted.

        :raises CanceledError: when canceled or past the deadline.
        """
        if self.canceled:
            raise CanceledError('canceled by request')
        if self.expired:
            raise CanceledError('the time limit ran out')
