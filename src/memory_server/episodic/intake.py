"""How many experiences a memory takes from whoever can reach it: so many in all, and in a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from reactree_core.errors import MemoryStoreError

#: So many seconds of quiet are saved up: the experiences of whole runs come at once.
SAVED_SECONDS = 100.0


class Intake:
    """A token bucket before a memory, counted in seconds, so that its rate may change any time.

    :param clock: seconds, steady.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._saved = SAVED_SECONDS
        self._looked = clock()

    def admit(self, new: int, kept: int, most: int, rate: float) -> None:
        """Let new experiences in, all or none.

        :param new: how many, 1 or more. :param kept: how many there are.
        :param most: how many there may be; 0 for any number.
        :param rate: how many may come in a second, over time; 0 for any number.
        :raises MemoryStoreError: they are too many.
        """
        if most and kept + new > most:
            raise MemoryStoreError(
                f'the memory holds {kept} experiences and may hold {most}: delete some with '
                '`reactree memory delete`, or raise the parameter store_limit_count'
            )
        now = self._clock()
        self._saved = min(SAVED_SECONDS, self._saved + now - self._looked)
        self._looked = now
        needed = new / rate if rate else 0.0
        if needed > SAVED_SECONDS:
            raise MemoryStoreError(
                f'{new} new experiences are more than the {SAVED_SECONDS * rate:.0f} that this '
                'node takes at once: send fewer, raise the parameter store_rate, or take them in '
                'with `reactree memory import`'
            )
        if needed > self._saved:
            raise MemoryStoreError(
                f'more experiences come than the {rate:g} a second that this node takes: try '
                f'again in {needed - self._saved:.0f} s, raise the parameter store_rate, or take '
                'them in with `reactree memory import`'
            )
        self._saved -= needed
