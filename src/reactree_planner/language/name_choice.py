"""Which of several names some words mean: as the encoder or a person takes them; and which of too
many names a sentence may be about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from reactree_core.ports import Embedder
from reactree_planner.language.goal import TieKind
from reactree_planner.language.names import Names
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.words import words_of

#: Cosine from which on words may mean a name: a person is asked which of the nearest.
_PERHAPS = 0.35
#: Cosine of the nearest name, and how much nearer it is than the next, to be sure without asking.
#: Below stand other things of the sort: "towel" and "cloth" at 0.66, "hose" and "pipe" at 0.58.
_SURE = (0.7, 0.06)
#: Most names that an encoder compares: it takes some milliseconds for each new one.
MOST_COMPARED = 1000
#: Words of a sentence that are compared with names at most.
_MOST_WORDS = 400
_LETTERS = 3
#: Names among which somebody chooses.
_CHOICES = 4

#: Given words of an instruction and near names, the one that is meant; '' for none of them.
Clarify = Callable[[str, Sequence[str]], str]
#: Given words of an instruction and names, those that stay possible at a known rate of error; ''
#: stands for none of them. None where that is not known.
MayMean = Callable[[str, Sequence[str]], tuple[str, ...] | None]


def ask_nobody(words: str, names: Sequence[str]) -> str:
    """For readers without people."""
    return ''


class NameChoice:
    """Chooses among names. Where it is not sure, a person is asked; without one, nothing is meant.

    A thing that was not seen yet may exist, so a name that is only near is another thing.

    :param embedder: makes the encoder when it is first needed; None: none.
    :param clarify: a person's choice; '' where nobody is asked, or nobody answers.
    :param may_mean: which names stay possible; None: `_SURE` tells whether one is meant.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder] | None = None,
        clarify: Clarify = ask_nobody,
        may_mean: MayMean | None = None,
    ) -> None:
        self._make_embedder = embedder
        self._clarify = clarify
        self._may_mean = may_mean

    @property
    def is_calibrated(self) -> bool:
        """Whether it asks at a known rate of error."""
        return self._may_mean is not None

    def by_meaning(self, words: str, names: Sequence[str]) -> tuple[str, TieKind]:
        """The name that words mean which are none of them; '' where none is near, or surely meant.

        A name that shares a word with them is told apart by the others: "seed tray", "seed room".

        :raises EncoderError: the encoder does not answer.
        """
        left = self._left(words, nearest_by_letters(words, names, MOST_COMPARED))
        if left is not None:
            return self._possible(left, words)
        said = set(words_of(words))
        others = {name for name in names if said.isdisjoint(words_of(name))}
        near = [one for one in self._nearest(words, names)[:_CHOICES] if one[1] >= _PERHAPS]
        if not near:
            return '', TieKind.UNKNOWN
        name, nearness = near[0]
        ahead = nearness - near[1][1] if len(near) > 1 else nearness
        if name in others and nearness >= _SURE[0] and ahead >= _SURE[1]:
            return name, TieKind.MEANING
        return self._asked(words, [one for one, _ in near])

    def of_sorts(self, words: str, sorts: Sequence[str]) -> tuple[str, TieKind]:
        """One of the sorts that have the last of these words in their names."""
        own = set(words_of(sorts[0])) if len(sorts) == 1 else set()
        if all(own.intersection(forms_of(word)) for word in words_of(words)):
            # "the bay", where there is a loading bay.
            return sorts[0], TieKind.SHORT
        left = self._left(words, sorts)
        if left is not None:
            return self._possible(left, words)
        ranked = [name for name, _ in self._nearest(words, sorts)] or list(sorts)
        return self._asked(words, ranked[:_CHOICES])

    def _left(self, words: str, names: Sequence[str]) -> tuple[str, ...] | None:
        return self._may_mean(words, names) if self._may_mean is not None and names else None

    def _possible(self, left: Sequence[str], words: str) -> tuple[str, TieKind]:
        """What alone stays possible; else a person's choice among all that does."""
        if len(left) == 1:
            return left[0], TieKind.MEANING if left[0] else TieKind.UNKNOWN
        return self._asked(words, [name for name in left if name])

    def _asked(self, words: str, names: Sequence[str]) -> tuple[str, TieKind]:
        chosen = self._clarify(words, names)
        return chosen, TieKind.PERSON if chosen else TieKind.UNSURE

    def _nearest(self, words: str, names: Sequence[str]) -> list[tuple[str, float]]:
        """Names and how near they are in meaning, the nearest first; none without an encoder."""
        if self._make_embedder is None or not names:
            return []
        embedder = self._make_embedder()
        if embedder.name.startswith('hashed'):
            # It compares letters, which says nothing about what words mean.
            return []
        names = nearest_by_letters(words, names, MOST_COMPARED)
        vectors = embedder.embed([*names, words.casefold()])
        nearness = vectors[:-1] @ vectors[-1]
        order = sorted(range(len(names)), key=lambda k: -float(nearness[k]))
        return [(names[k], float(nearness[k])) for k in order]


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
