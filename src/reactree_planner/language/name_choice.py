"""Which of several names some words mean: as the encoder or a person takes them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence

from reactree_core.ports import Embedder
from reactree_planner.language.near_names import MOST_COMPARED
from reactree_planner.language.near_names import nearest_by_letters
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.ties import TieKind
from reactree_planner.language.words import words_of

#: Cosine from which on words may mean a name: a person is asked which of the nearest.
_PERHAPS = 0.35
#: Cosine of the nearest name, and how much nearer it is than the next, to be sure without asking.
#: Below stand other things of the sort: "towel" and "cloth" at 0.66, "hose" and "pipe" at 0.58.
_SURE = (0.7, 0.06)
#: The same of a verb; opposites are near: "wash" and "dry" at 0.62, "water" and "dry" at 0.56.
_PERHAPS_VERB = 0.47
_SURE_VERB = (0.65, 0.1)
#: Names among which somebody chooses.
_CHOICES = 4

#: Given words of an instruction and near names, the one that is meant; '' for none of them.
Clarify = Callable[[str, Sequence[str]], str]


def ask_nobody(words: str, names: Sequence[str]) -> str:
    """For readers without people."""
    return ''


class NameChoice:
    """Chooses among names. Where it is not sure, a person is asked; without one, nothing is meant.

    A thing that was not seen yet may exist, so a name that is only near is another thing.

    :param embedder: makes the encoder when it is first needed; None: none.
    :param clarify: a person's choice; '' where nobody is asked, or nobody answers.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder] | None = None,
        clarify: Clarify = ask_nobody,
    ) -> None:
        self._make_embedder = embedder
        self._clarify = clarify

    def by_meaning(self, words: str, names: Sequence[str]) -> tuple[str, TieKind]:
        """The name that words mean which are none of them; '' where none is near, or surely meant.

        A name that shares a word with them is told apart by the others: "seed tray", "seed room".

        :raises EncoderError: the encoder does not answer.
        """
        said = set(words_of(words))
        others = {name for name in names if said.isdisjoint(words_of(name))}
        return self._nearest_or_asked(words, names, others, _PERHAPS, _SURE)

    def verb(self, word: str, verbs: Sequence[str]) -> tuple[str, TieKind]:
        """The verb that another verb means, likewise; "unload" is not "load"."""
        word = word.casefold()
        others = {verb for verb in verbs if verb not in word and word not in verb}
        return self._nearest_or_asked(word, verbs, others, _PERHAPS_VERB, _SURE_VERB)

    def _nearest_or_asked(
        self,
        words: str,
        names: Sequence[str],
        may_be_sure: Collection[str],
        perhaps: float,
        sure: tuple[float, float],
    ) -> tuple[str, TieKind]:
        near = [one for one in self._nearest(words, names)[:_CHOICES] if one[1] >= perhaps]
        if not near:
            return '', TieKind.UNKNOWN
        name, nearness = near[0]
        ahead = nearness - near[1][1] if len(near) > 1 else nearness
        if name in may_be_sure and nearness >= sure[0] and ahead >= sure[1]:
            return name, TieKind.MEANING
        return self._asked(words, [one for one, _ in near])

    def of_sorts(self, words: str, sorts: Sequence[str]) -> tuple[str, TieKind]:
        """One of the sorts that have the last of these words in their names."""
        own = set(words_of(sorts[0])) if len(sorts) == 1 else set()
        if all(own.intersection(forms_of(word)) for word in words_of(words)):
            # "the bay", where there is a loading bay.
            return sorts[0], TieKind.SHORT
        ranked = [name for name, _ in self._nearest(words, sorts)] or list(sorts)
        return self._asked(words, ranked[:_CHOICES])

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
