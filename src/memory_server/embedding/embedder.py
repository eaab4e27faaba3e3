"""A cache in front of any sentence encoder."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from reactree_core.embedder import Embedder
from reactree_core.embedder import FloatMatrix


class CachedEmbedder:
    """Remembers the newest texts: the nodes of a tree ask for the same goals again and again.

    :param size: texts remembered, 1 or more.
    """

    def __init__(self, inner: Embedder, size: int = 1024) -> None:
        self._inner = inner
        self._size = size
        self._vectors: OrderedDict[str, FloatMatrix] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the encoder behind."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """As the encoder behind, which sees each unknown text once."""
        found: dict[str, FloatMatrix] = {}
        with self._lock:
            for text in dict.fromkeys(texts):
                if text in self._vectors:
                    self._vectors.move_to_end(text)
                    found[text] = self._vectors[text]
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            # Outside the lock: a hit must not wait for somebody else's slow text.
            found.update(zip(missing, self._inner.embed(missing), strict=True))
            self._remember(missing, found)
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return np.stack([found[text] for text in texts])

    def _remember(self, texts: Sequence[str], vectors: dict[str, FloatMatrix]) -> None:
        with self._lock:
            for text in texts[-self._size :]:
                self._vectors[text] = vectors[text].copy()
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
