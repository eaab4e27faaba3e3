"""What the memory has done since it started, for diagnostics."""

from __future__ import annotations

import threading
from collections import deque

_WINDOW = 100


class Statistics:
    """Counts, and the mean time of the newest retrievals. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = {'retrievals': 0, 'hits': 0, 'stored': 0, 'errors': 0}
        self._latencies: deque[float] = deque(maxlen=_WINDOW)

    def retrieved(self, found: int, seconds: float) -> None:
        """A retrieval ended. :param found: experiences in the answer; 1 or more is a hit."""
        with self._lock:
            self._counts['retrievals'] += 1
            self._counts['hits'] += found > 0
            self._latencies.append(seconds)

    def stored(self, count: int) -> None:
        """So many new experiences are on disk."""
        with self._lock:
            self._counts['stored'] += count

    def failed(self) -> None:
        """A request was answered with an error."""
        with self._lock:
            self._counts['errors'] += 1

    def values(self) -> dict[str, str]:
        """For people and for diagnostics."""
        with self._lock:
            values = {name: str(count) for name, count in self._counts.items()}
            if self._latencies:
                mean = sum(self._latencies) / len(self._latencies)
                values[f'mean latency of the last {_WINDOW} retrievals [ms]'] = f'{mean * 1e3:.2f}'
        return values
