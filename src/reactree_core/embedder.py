"""The seam to sentence encoders: memory finds experiences by them, planners translate steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors; may be called from any thread."""

    @property
    def name(self) -> str:
        """Name of the vector space: only vectors under one name may be compared."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One row a text, each of length 1: float32 of shape (len(texts), dimension).

        The row of a text does not depend on the other texts beyond rounding (1e-6).
        """
