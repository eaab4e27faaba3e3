"""How likely each of several options is what some words mean: by closeness, or by a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from reactree_core.ports import Embedder, Strategy
from reactree_planner.language.conformal import normalized
from reactree_planner.language.model_reader import Sessions
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.words import words_of

CLOSENESS = 'closeness'
#: Nearness at which a name is as likely as none of them: other things of the sort ("towel" and
#: "cloth") are up to 0.66 near.
_NONE = 0.7
#: Nearness of what is called by these words and more, "drum": "steel drum"; which of them, the
#: encoder hardly knows.
_CALLED = 0.9
_HARDLY = 0.2
#: What it adds that a name has some of the words, all of them 1.
_SHARED = 0.1
#: Difference of nearness that makes a name e times as likely.
_TEMPERATURE = 0.08
#: Options that a model chooses among, the nearest ones.
_MOST_SHOWN = 8
#: Chance from which on a model is not asked, and the least that is weighed.
_CERTAIN, _LEAST = 0.99, 1e-9
_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
_NONE_OF_THESE = 'none of these'
_HEAD = """\
What do words of a task mean? Answer with a letter.

Task: Bring the parcel to the lorry.
"lorry" is: A) van B) truck C) bicycle D) none of these
Answer: B

Task: Hang the vest on the rail.
"vest" is: A) rope B) none of these C) red vest D) hat
Answer: C

Task: Clean up before you leave.
"clean up" is: A) lamp B) sponge C) bucket D) none of these
Answer: D

"""


class Chances(Protocol):
    """Gives chances. :ivar by: who: 'closeness', or the name of a model."""

    by: str

    def of(self, sentence: str, words: str, options: Sequence[str]) -> tuple[float, ...]:
        """The chance of each option, and, last, that it is none of them; their sum is 1.

        :param sentence: in which the words stand; '' where that is not known.
        :raises EncoderError: :raises ModelError: they could not be found.
        """


class ByCloseness:
    """By how near options are to the words in meaning, and whether they have them.

    :param embedder: makes the encoder; None, and one that compares letters: words alone.
    """

    by = CLOSENESS

    def __init__(self, embedder: Callable[[], Embedder] | None) -> None:
        self._make_embedder = embedder

    def of(self, sentence: str, words: str, options: Sequence[str]) -> tuple[float, ...]:
        """See `Chances`."""
        near = self._nearness(words, options)
        scores = [_score(words, *one) for one in zip(options, near, strict=True)]
        return normalized([*scores, _NONE], _TEMPERATURE)

    def _nearness(self, words: str, options: Sequence[str]) -> list[float]:
        embedder = self._make_embedder() if self._make_embedder is not None else None
        if embedder is None or embedder.name.startswith('hashed') or not options:
            return [0.0] * len(options)
        vectors = embedder.embed([*options, words.casefold()])
        return [float(one) for one in np.asarray(vectors[:-1] @ vectors[-1])]


def is_called(words: str, option: str) -> bool:
    """Whether an option has all of the words, its last word too: "drum", "steel drum"."""
    said, own = _forms(words), [word for word in words_of(option) if not word.isdigit()]
    # "barrow" is in "wheelbarrow" too.
    all_there = all(any(word.endswith(forms) for word in own) for forms in said)
    return bool(said and own) and all_there and own[-1].endswith(said[-1])


def _forms(words: str) -> list[tuple[str, ...]]:
    forms = (tuple(form for form in forms_of(word) if len(form) > 2) for word in words_of(words))
    return [one for one in forms if one]


def _score(words: str, option: str, near: float) -> float:
    if option.casefold() == words.casefold():
        return 2.0
    if is_called(words, option):
        return _CALLED + _HARDLY * near
    said, own = _forms(words), words_of(option)
    shared = sum(any(word.endswith(forms) for word in own) for forms in said)
    return near + _SHARED * shared / max(1, len(said))


class ByModel:
    """Closeness, weighed with the probabilities of a model's answer to a question: a letter.

    A small model by itself does not even find a name that is said. It is asked where closeness
    leaves a doubt, about the nearest options; the others have no chance then.

    :param by: its name. :param sessions: of the model. :param closeness: what is near.
    """

    def __init__(self, by: str, sessions: Sessions, closeness: ByCloseness) -> None:
        self.by = by
        self._sessions = sessions
        self._closeness = closeness

    def of(self, sentence: str, words: str, options: Sequence[str]) -> tuple[float, ...]:
        """See `Chances`. A back end that tells no probabilities leaves closeness as it is."""
        near = self._closeness.of(sentence, words, options)
        if max(near) > _CERTAIN:
            return near
        none = len(options)
        order = sorted(range(none), key=lambda index: -near[index])[:_MOST_SHOWN]
        shown = [*sorted(order), none]
        told = self._asked(sentence, words, [options[index] for index in shown[:-1]])
        weighed = normalized(
            [
                math.log(max(near[index], _LEAST)) + one
                for index, one in zip(shown, told, strict=True)
            ]
        )
        found = [0.0] * (none + 1)
        for index, chance in zip(shown, weighed, strict=True):
            found[index] = chance
        return tuple(found)

    def _asked(self, sentence: str, words: str, shown: Sequence[str]) -> list[float]:
        letters = _LETTERS[: len(shown) + 1]
        told = ' '.join(
            f'{letter}) {option}'
            for letter, option in zip(letters, (*shown, _NONE_OF_THESE), strict=True)
        )
        session = self._sessions.session(_HEAD)
        try:
            session.append(f'Task: {sentence or words}\n"{words}" is: {told}\nAnswer:')
            scores = []
            for letter in letters:
                # One option at a time: a back end tells the probability of what is chosen.
                fork = session.fork()
                try:
                    chosen = fork.select([f' {letter}'], Strategy.LIKELIHOOD)
                    scores.append(chosen.log_probability)
                finally:
                    fork.drop()
        finally:
            self._sessions.drop(session)
        return scores
