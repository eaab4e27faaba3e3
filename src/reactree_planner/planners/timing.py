"""Where the seconds of a run go."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal


@dataclass
class Timing:
    """Seconds spent waiting, by what was waited for."""

    model: float = 0.0
    skills: float = 0.0
    memory: float = 0.0
    waiting: float = 0.0

    @contextmanager
    def measure(self, part: Literal['skills', 'memory', 'waiting']) -> Iterator[None]:
        """Count the seconds until the block is left, however it is left."""
        began = time.monotonic()
        try:
            yield
        finally:
            setattr(self, part, getattr(self, part) + time.monotonic() - began)
