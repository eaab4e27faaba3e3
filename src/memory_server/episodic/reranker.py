"""The seam to rerankers, which look closer at the nearest experiences, and one by words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience

NONE = 'none'
WORDS = 'words'
RERANKERS = (NONE, WORDS)
_WORD = re.compile(r'[^\W\d_]+')


class Reranker(Protocol):
    """Judges how well experiences fit a goal; may be called from any thread."""

    @property
    def name(self) -> str:
        """For messages."""

    def score(self, goal: str, experiences: Sequence[Experience]) -> Sequence[float]:
        """One number an experience; greater fits better. Equal scores keep their order."""


class WordReranker:
    """Counts shared words, rare ones more: 'drain valve' is not 'inlet valve'.

    Sentence encoders find such goals alike, because most of their words are. The score is the
    share of the goal's words, 0.0 to 1.0, that the experience's goal has, each weighted by how few
    of the compared experiences have it; numbers do not count, since rooms and things of another
    home are numbered otherwise.
    """

    @property
    def name(self) -> str:
        """As the parameter names it."""
        return WORDS

    def score(self, goal: str, experiences: Sequence[Experience]) -> list[float]:
        """One share an experience; all 0.0 for a goal without words."""
        words = _words(goal)
        compared = [_words(experience.goal) for experience in experiences]
        holders = Counter(word for found in compared for word in found)
        weights = {word: math.log1p(len(compared) / (1 + holders[word])) for word in words}
        total = math.fsum(weights.values())
        if not total:
            return [0.0] * len(compared)
        return [math.fsum(weights[word] for word in words & found) / total for found in compared]


def choose_reranker(name: str) -> Reranker | None:
    """The reranker of a name; None for 'none'.

    :raises ConfigurationError: unknown name.
    """
    if name not in RERANKERS:
        raise ConfigurationError(f'reranker {name!r} is none of {", ".join(RERANKERS)}')
    return WordReranker() if name == WORDS else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
