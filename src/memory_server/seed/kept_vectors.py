"""Vectors of the shipped examples, computed once on a machine and not at every start."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import platformdirs

from reactree_core.durability import make_private_folder, open_private
from reactree_core.ports import Embedder, FloatMatrix

#: Fewer texts are not worth a file.
_FEWEST = 64
#: Files that stay: of encoders and releases that are used side by side.
_MOST_FILES = 8
#: How far from 1 the length of a unit row may be.
_ROUNDING = 1e-3


class KeptVectors:
    """An encoder (port `Embedder`) that finds the vectors of many known texts on the disk.

    What it writes down tells nothing of its user: other texts go to the encoder behind. A file
    that cannot be read or written costs time only.

    :param inner: gives the same vectors as long as it has the same name.
    :param texts: that come with the software.
    :param folder: None for `${XDG_CACHE_HOME:-~/.cache}/reactree/vectors`.
    """

    def __init__(self, inner: Embedder, texts: Iterable[str], folder: Path | None = None) -> None:
        self._inner = inner
        self._texts = frozenset(texts)
        self._folder = folder or platformdirs.user_cache_path('reactree') / 'vectors'

    @property
    def name(self) -> str:
        """Name of the encoder behind."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """As the encoder behind, which sees a long list of known texts once.

        :raises EncoderError: the encoder does not answer.
        """
        if len(texts) < _FEWEST or not self._texts.issuperset(texts):
            return self._inner.embed(texts)
        digest = hashlib.sha256(json.dumps([self.name, *texts]).encode()).hexdigest()
        path = self._folder / f'{digest[:32]}.npy'
        rows = self._read(path, len(texts))
        if rows is None:
            rows = self._inner.embed(texts)
            with suppress(OSError):
                self._write(path, rows)
        return rows

    def _read(self, path: Path, count: int) -> FloatMatrix | None:
        """The rows of a file; None where there is none, or no such rows are in it."""
        try:
            rows: FloatMatrix = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        if rows.dtype != np.float32 or rows.shape != (count, self.dimension):
            return None
        lengths = np.linalg.norm(rows, axis=1)
        # No number of a damaged file is taken for one: NaN is near nothing.
        return rows if bool((np.abs(lengths - 1.0) < _ROUNDING).all()) else None

    def _write(self, path: Path, rows: FloatMatrix) -> None:
        make_private_folder(self._folder)
        new = path.with_name(f'{path.name}.{os.getpid()}.part')
        try:
            with open(new, 'wb', opener=open_private) as file:
                np.save(file, rows, allow_pickle=False)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        files = sorted(self._folder.glob('*.npy'), key=lambda file: file.stat().st_mtime)
        for old in files[:-_MOST_FILES]:
            old.unlink(missing_ok=True)
