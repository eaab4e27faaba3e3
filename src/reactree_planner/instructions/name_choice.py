"""Which of several names some words mean: as the encoder, the model or a person takes them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from reactree_core.ports import Embedder
from reactree_planner.instructions.near_names import MOST_COMPARED
from reactree_planner.instructions.near_names import nearest_by_letters
from reactree_planner.instructions.ties import TieKind

#: Cosine from which on words may mean a name: the model is asked which of the nearest.
_PERHAPS = 0.35
#: Cosine of the nearest name, and how much nearer it is than the next, to be taken at once.
_CLEAR = ((0.62, 0.06), (0.5, 0.15))
#: The same of a verb. Another verb makes the robot do another thing, so it has to be nearer: at
#: 0.4 stand "heat" and "slice", "paint" and "clean", "drill" and "cut".
_PERHAPS_VERB = 0.47
_CLEAR_VERB = (0.55, 0.1)
#: How much nearer to the other words of its sentence another name is than the one as written.
_FITS_BETTER = 0.05
#: Names among which somebody chooses.
_CHOICES = 4

#: Given words of an instruction and near names, the one that is meant; '' for none of them.
Choose = Callable[[str, Sequence[str]], str]


def choose_none(words: str, names: Sequence[str]) -> str:
    """For readers without a model and people."""
    return ''


class NameChoice:
    """Chooses among names.

    :param embedder: makes the encoder when it is first needed; None: none.
    :param choose: the model's choice. :param clarify: a person's; '' where nobody is asked.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder] | None = None,
        choose: Choose = choose_none,
        clarify: Choose = choose_none,
    ) -> None:
        self._make_embedder = embedder
        self._choose = choose
        self._clarify = clarify

    def by_meaning(self, words: str, names: Sequence[str]) -> tuple[str, TieKind]:
        """The name that words mean which are none of them; '' where none is near.

        :raises EncoderError: the encoder does not answer.
        """
        return self._nearest_or_chosen(words, names, _PERHAPS, _CLEAR)

    def verb(self, word: str, verbs: Sequence[str]) -> tuple[str, TieKind]:
        """The verb that another verb means, likewise."""
        return self._nearest_or_chosen(word, verbs, _PERHAPS_VERB, (_CLEAR_VERB,))

    def _nearest_or_chosen(
        self,
        words: str,
        names: Sequence[str],
        perhaps: float,
        clear: Sequence[tuple[float, float]],
    ) -> tuple[str, TieKind]:
        near = [one for one in self._nearest(words, names)[:_CHOICES] if one[1] >= perhaps]
        if not near:
            return '', TieKind.UNKNOWN
        name, nearness = near[0]
        ahead = nearness - near[1][1] if len(near) > 1 else nearness
        if any(nearness >= least and ahead >= lead for least, lead in clear):
            return name, TieKind.MEANING
        chosen = self._choose(words, [one for one, _ in near])
        return chosen, TieKind.MODEL if chosen else TieKind.UNKNOWN

    def of_sorts(self, words: str, sorts: Sequence[str]) -> tuple[str, TieKind]:
        """One of several sorts that have these words in their names."""
        ranked = [name for name, _ in self._nearest(words, sorts)] or list(sorts)
        ranked = ranked[:_CHOICES]
        if chosen := self._clarify(words, ranked):
            return chosen, TieKind.PERSON
        chosen = self._choose(words, ranked)
        return chosen or ranked[0], TieKind.MODEL if chosen else TieKind.SHORT

    def of_name_or_sorts(
        self, name: str, sorts: Sequence[str], said: str, each: str = ''
    ) -> tuple[str, TieKind]:
        """The name that stands there, or one of the sorts whose plural it is too, or each of them.

        A person is asked. Without one it is what is nearest to the other words, where a sort is
        clearly nearer to them than the name itself; else the name.

        :param said: other words of the sentence. :param each: text for each of the sorts, where
            there may be one of each; it is taken rather than one sort.
        """
        near = self._nearest(said, [name, *sorts]) if said else []
        best = near[0][0] if near else name
        if best != name:
            if near[0][1] - dict(near)[name] < _FITS_BETTER:
                best, near = name, []
            elif each:
                best = each
        options = filter(None, (best, *(one for one, _ in near), name, *sorts, each))
        if chosen := self._clarify(name, list(dict.fromkeys(options))):
            return chosen, TieKind.PERSON
        return best, TieKind.OTHER_WORDS if near else TieKind.AS_WRITTEN

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
