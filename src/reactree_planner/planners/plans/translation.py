"""The known skill that a text is nearest to in meaning (Zero-shot Planner; Tree-Planner B.3)."""

from __future__ import annotations

import re
from collections.abc import Callable

from reactree_core.embedder import Embedder
from reactree_core.embedder import FloatMatrix
from reactree_core.observation import Vocabulary

_SLOT = re.compile(r'<([^<>]*)>')


def known_steps(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Every skill of one thing with every name it may have, without numbers.

    Skills of several things are left out: there are too many of them to compare with each.
    """
    rooms = tuple(room.rpartition(' ')[0] or room for room in vocabulary.rooms)
    things = (*vocabulary.object_classes, *vocabulary.place_classes)
    texts = []
    for template in vocabulary.templates:
        slots = _SLOT.findall(template)
        if not slots:
            texts.append(template)
        elif len(slots) == 1:
            names = rooms if slots[0] == 'room' else things
            texts += [template.replace(f'<{slots[0]}>', name) for name in names]
    return tuple(dict.fromkeys(texts))


class StepTranslator:
    """Finds the nearest known step by the cosine of sentence vectors.

    :param make_embedder: called when the first text is translated.
    :param least: a text that is less similar to every known step has none, -1..1.
    """

    def __init__(
        self, vocabulary: Vocabulary, make_embedder: Callable[[], Embedder], least: float
    ) -> None:
        self._vocabulary = vocabulary
        self._make_embedder = make_embedder
        self._least = least
        self._known: tuple[tuple[str, ...], FloatMatrix, Embedder] | None = None

    def nearest(self, text: str) -> str | None:
        """The known step nearest to a text, or None.

        :raises EncoderError: the encoder does not answer.
        """
        if self._known is None:
            embedder = self._make_embedder()
            steps = known_steps(self._vocabulary)
            self._known = steps, embedder.embed(steps), embedder
        steps, vectors, embedder = self._known
        if not steps:
            return None
        similarities = vectors @ embedder.embed([text])[0]
        best = int(similarities.argmax())
        return steps[best] if similarities[best] >= self._least else None
