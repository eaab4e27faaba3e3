"""Where things are usually kept, as the sentence encoder puts it: a chisel in the toolbox.

A question and its answers are compared: "Where is the chisel kept?", "It is kept in the toolbox.".
It takes no request to a language model, and says nothing of what is where in this world: what was
seen counts as before, and an encoder that knows nothing but letters is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp

from reactree_core.errors import EncoderError
from reactree_core.observation import Vocabulary
from reactree_core.ports import Embedder

_QUESTION, _ANSWER = 'Where is the {} kept?', 'It is kept in the {}.'
#: Differences of closeness that make a place e times as likely, and what is left of the least.
_TELLING = 0.06
_LEAST = 0.05
#: Names of encoders that compare letters or words, and no meaning.
_MEANINGLESS = 'hashed-'


class Whereabouts:
    """How likely a sort of place, or region, keeps a sort of thing, beside the mean of all.

    :param embedder: makes the encoder when it is first needed.
    """

    def __init__(self, vocabulary: Vocabulary, embedder: Callable[[], Embedder]) -> None:
        self._embedder = embedder
        self._written = {name: others[0] for name, *others in vocabulary.other_words if others}
        rooms = dict.fromkeys(room.rstrip('0123456789 ') for room in vocabulary.rooms)
        self._groups = tuple(filter(None, (vocabulary.place_classes, tuple(rooms))))
        self._known: dict[str, Mapping[str, float]] = {}

    def __call__(self, thing: str, place: str) -> float:
        """1.0 for the mean, and for what the server does not declare.

        :param thing: a class. :param place: a class of places, or of regions.
        """
        known = self._known.get(thing)
        if known is None:
            known = self._known[thing] = self._of(thing)
        return known.get(place, 1.0)

    def __deepcopy__(self, memo: dict[int, object]) -> Whereabouts:
        """Itself: what is usual does not change with what is seen."""
        return self

    def _of(self, thing: str) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for places in self._groups:
            try:
                encoder = self._embedder()
                if encoder.name.startswith(_MEANINGLESS):
                    return {}
                close = self._closeness(encoder, thing, places)
            except EncoderError:
                return {}
            likely = [exp((one - max(close)) / _TELLING) for one in close]
            mean = sum(likely) / len(likely)
            found.update((k, one / mean + _LEAST) for k, one in zip(places, likely, strict=True))
        return found

    def _closeness(self, encoder: Embedder, thing: str, places: Sequence[str]) -> list[float]:
        texts = [_QUESTION.format(self._written.get(thing, thing))]
        texts += [_ANSWER.format(self._written.get(place, place)) for place in places]
        question, *answers = encoder.embed(texts)
        return [float(answer @ question) for answer in answers]
