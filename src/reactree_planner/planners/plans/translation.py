"""The known step that a text is nearest to in meaning (Zero-shot Planner; Tree-Planner B.3)."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from reactree_core.embedder import Embedder

#: Given a text and steps, the step that means the same, or None.
Translate = Callable[[str, Sequence[str]], str | None]


def translate_nothing(text: str, steps: Sequence[str]) -> str | None:
    """For runs without an encoder."""
    return None


class StepTranslator:
    """Finds the nearest step by the cosine of sentence vectors.

    :param make_embedder: called when the first text is translated; what it makes should remember
        texts, since the same steps are compared with again and again.
    :param least: a text that is less similar to every step has none, -1..1.
    """

    def __init__(self, make_embedder: Callable[[], Embedder], least: float) -> None:
        self._make_embedder = make_embedder
        self._least = least
        self._embedder: Embedder | None = None

    def nearest(self, text: str, steps: Sequence[str]) -> str | None:
        """The step nearest to a text, or None.

        :raises EncoderError: the encoder does not answer.
        """
        if not steps:
            return None
        if self._embedder is None:
            self._embedder = self._make_embedder()
        similarities = self._embedder.embed(steps) @ self._embedder.embed([text])[0]
        best = int(similarities.argmax())
        return steps[best] if similarities[best] >= self._least else None
