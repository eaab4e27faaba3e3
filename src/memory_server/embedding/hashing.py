"""An encoder without a model: hashed words. Finds shared words, knows no meaning."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence

import numpy as np

from reactree_core.embedder import FloatMatrix

_WORD = re.compile(r'\w+')
_PAIR_WEIGHT = 0.5


class HashingEmbedder:
    """Sums of signed hashed words and word pairs, the same on every machine and in every run.

    :param dimension: numbers in a vector, 8 or more; more means fewer collisions.
    """

    def __init__(self, dimension: int = 384) -> None:
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Says what it is, so that nobody takes its vectors for a model's."""
        return f'hashed-words-{self._dimension}'

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text; a text without words is hashed as a whole."""
        rows = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = _WORD.findall(text.lower()) or [text]
            for word in words:
                self._add(row, word, 1.0)
            for first, second in itertools.pairwise(words):
                self._add(row, f'{first} {second}', _PAIR_WEIGHT)
            length = float(np.linalg.norm(row))
            if length == 0.0:  # opposite signs fell into the same places
                row[0] = length = 1.0
            row /= length
        return rows

    def _add(self, row: FloatMatrix, gram: str, weight: float) -> None:
        digest = hashlib.blake2b(gram.encode('utf-8', 'surrogatepass'), digest_size=8).digest()
        number = int.from_bytes(digest, 'little')
        row[(number >> 1) % self._dimension] += weight if number & 1 else -weight
