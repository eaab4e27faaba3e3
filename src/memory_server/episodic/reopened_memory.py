"""The way to an episodic memory whose store or encoder may not be there yet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from memory_server.episodic.episodic_memory import EpisodicMemory
from reactree_core.errors import ConfigurationError, MemoryStoreError, UnusableStoreError


class ReopenedMemory:
    """Opens a memory, and tries again when it is asked for and could not be opened. Thread-safe.

    A server may start after its robots; a damaged file, or one of a newer release, stays shut
    until somebody has looked at it.

    :param opener: makes the memory, as often as it is called.
    :param retry_period: shortest time between two tries, s.
    :param clock: seconds, steady.
    :raises ConfigurationError: something given by the user cannot be used.
    """

    def __init__(
        self,
        opener: Callable[[], EpisodicMemory],
        retry_period: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._opener = opener
        self._retry_period = retry_period
        self._clock = clock
        self._memory: EpisodicMemory | None = None
        self._fault = ''
        self._final = False
        self._next_try = 0.0
        self._trying = threading.Lock()
        self._try()

    @property
    def memory(self) -> EpisodicMemory | None:
        """None as long as it could not be opened."""
        return self._memory

    @property
    def fault(self) -> str:
        """Why it could not be opened the last time; '' when it is open."""
        return self._fault

    def enter(self) -> EpisodicMemory:
        """The memory, opened now when it is time for another try.

        Whoever asks while somebody else tries is not kept waiting.

        :raises MemoryStoreError: it cannot be opened.
        """
        if self._memory is None and not self._final and self._trying.acquire(blocking=False):
            try:
                if self._memory is None and self._clock() >= self._next_try:
                    self._try_again()
            finally:
                self._trying.release()
        if self._memory is None:
            raise MemoryStoreError(self._fault)
        return self._memory

    def close(self) -> None:
        """Let go of the memory; nothing is opened any more."""
        with self._trying:
            self._final = True
            if self._memory is not None:
                self._memory.close()

    def _try_again(self) -> None:
        try:
            self._try()
        except ConfigurationError as error:
            # At the start it would have ended the program.
            self._fault, self._final = str(error), True

    def _try(self) -> None:
        try:
            self._memory = self._opener()
            self._fault = ''
        except UnusableStoreError as error:
            self._fault, self._final = str(error), True
        except MemoryStoreError as error:
            self._fault = str(error)
        finally:
            # From the end of a try: one that takes long must not follow upon the other.
            self._next_try = self._clock() + self._retry_period
