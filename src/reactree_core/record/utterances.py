"""What people say while a run is under way: a port, and who says nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

#: Longest text that is said at once, in characters.
LONGEST_SAID = 500


@dataclass(frozen=True, slots=True)
class Said:
    """Something that a person said. :param by: who, as they told; '' where they did not."""

    text: str
    by: str = ''


class Listening(Protocol):
    """Where a run hears what people say to it."""

    @property
    def is_said(self) -> bool:
        """Whether there is something to take."""

    @property
    def halts(self) -> bool:
        """Whether something that is to be taken wants the skill under way canceled at once."""

    def take(self) -> Said | None:
        """The oldest that was not taken yet; None for nothing. Never waits."""

    def listen(self, listener: Callable[[], None]) -> None:
        """Have somebody told, from any thread, when there is something to take."""


class _Silence:
    """Port `Listening` where nobody says anything."""

    is_said = halts = False

    def take(self) -> Said | None:
        """Nothing."""
        return None

    def listen(self, listener: Callable[[], None]) -> None:
        """Nobody is ever told."""


SILENCE: Listening = _Silence()
