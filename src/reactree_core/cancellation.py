"""One object to stop a wait: a cancel from outside, or a deadline; of all work, or a part."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from reactree_core.errors import CanceledError

#: Seconds between two looks of a part of the work whether the whole was canceled.
_POLL = 0.02


class CancelToken:
    """Cancelled once for all its users: model requests, skills and waits poll it or wait on it.

    :param deadline: seconds of time.monotonic() after which `expired` holds; None for never.
    :param whole: of the work that this is a part of: the part ends with it, and may end alone.
    """

    def __init__(self, deadline: float | None = None, whole: CancelToken | None = None) -> None:
        self._event = threading.Event()
        self._woken: list[threading.Event] = []
        self._whole = whole
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
        return self._event.is_set() or (self._whole is not None and self._whole.canceled)

    @property
    def whole(self) -> CancelToken:
        """The token of the whole work: itself, where it is no part."""
        return self if self._whole is None else self._whole

    @property
    def ends_alone(self) -> bool:
        """Whether this part was canceled, and the whole goes on."""
        return self._whole is not None and self._event.is_set() and not self._whole.stopped

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        if self._whole is not None and self._whole.expired:
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def stopped(self) -> bool:
        """Whether to stop, for either reason. Cheap: called from inner loops."""
        return self.canceled or self.expired

    def remaining(self, longest: float) -> float:
        """Seconds a wait may take: at most `longest`, less when the deadline is nearer."""
        if self._whole is not None:
            longest = self._whole.remaining(longest)
        if self.deadline is None:
            return longest
        return max(0.0, min(longest, self.deadline - time.monotonic()))

    def wait(self, seconds: float) -> bool:
        """Wait until canceled, at most `seconds`; True when canceled."""
        if self._whole is None:
            return self._event.wait(seconds)
        until = time.monotonic() + seconds
        while not self.canceled and (left := until - time.monotonic()) > 0:
            self._event.wait(min(_POLL, left))
        return self.canceled

    def check(self) -> None:
        """Return quietly while wanted.

        :raises CanceledError: when canceled or past the deadline.
        """
        if self.canceled:
            raise CanceledError('canceled by request')
        if self.expired:
            raise CanceledError('the time limit ran out')
