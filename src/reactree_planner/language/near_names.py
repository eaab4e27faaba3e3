"""Of too many names, those that a sentence may be about: a first cut, by rule and by nearness."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reactree_core.ports import Embedder
from reactree_planner.language.names import Names
from reactree_planner.language.words import words_of

#: Most names that an encoder compares: it takes some milliseconds for each new one.
MOST_COMPARED = 1000
#: Words of a sentence that are compared with names at most.
_MOST_WORDS = 400
_LETTERS = 3


def nearest_names(
    text: str,
    names: Names,
    candidates: Sequence[str],
    most: int,
    embedder: Callable[[], Embedder] | None,
) -> tuple[str, ...]:
    """The candidates, at most so many, in their order: those named in the text are always there.

    :param embedder: makes the encoder, which compares meanings; None compares letters.
    """
    if len(candidates) <= most:
        return tuple(candidates)
    named = {mention.name for mention in names.find_all(text)}
    near_letters = {*nearest_by_letters(text, candidates, MOST_COMPARED), *named}
    candidates = [name for name in candidates if name in near_letters]
    words = words_of(text)[:_MOST_WORDS]
    parts = [' '.join(words[i : i + n]) for n in (1, 2) for i in range(len(words) - n + 1)]
    near = _by_letters(' '.join(words), candidates)
    if embedder is not None and parts:
        encoder = embedder()
        near = near + (encoder.embed(candidates) @ encoder.embed(parts).T).max(axis=1)
    near = near + np.array([9.0 * (name in named) for name in candidates], np.float32)
    best = np.argsort(-near, kind='stable')[: max(0, most)]
    return tuple(candidates[index] for index in sorted(best))


def nearest_by_letters(text: str, candidates: Sequence[str], most: int) -> tuple[str, ...]:
    """The candidates whose letters the text has most of, at most so many, in their order."""
    if len(candidates) <= most:
        return tuple(candidates)
    best = np.argsort(-_by_letters(text, candidates), kind='stable')[:most]
    return tuple(candidates[index] for index in sorted(best))


def _by_letters(text: str, candidates: Sequence[str]) -> NDArray[np.float32]:
    """For each candidate the share of its groups of letters that the text has."""
    told = _groups(text)
    return np.array([len(told & own) / len(own) for own in map(_groups, candidates)], np.float32)


def _groups(text: str) -> frozenset[str]:
    padded = f' {text.casefold()} '
    return frozenset(padded[i : i + _LETTERS] for i in range(max(1, len(padded) - _LETTERS + 1)))
