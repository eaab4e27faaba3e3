"""Encoders of the sentence-transformers library: any model of Hugging Face or of a folder."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reactree_core.embedding.encoders import digits_of_folder
from reactree_core.errors import ConfigurationError
from reactree_core.ports import FloatMatrix

DEFAULT_MODEL = 'sentence-transformers/all-MiniLM-L6-v2'
#: Fifty languages in one space, 471 MB, Apache-2.0.
MULTILINGUAL_MODEL = 'sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2'


class SentenceTransformerEmbedder:
    """A SentenceTransformer, its vectors scaled to length 1. Runs no code of a model's repository.

    :param model: folder, or name on Hugging Face.
    :param device: 'cpu', 'cuda', ...; '' for a GPU where there is one.
    :param batch: texts evaluated together, 1 or more.
    :raises ConfigurationError: the library or the model is missing.
    """

    def __init__(self, model: str = DEFAULT_MODEL, device: str = '', batch: int = 32) -> None:
        try:
            library: Any = importlib.import_module('sentence_transformers')
        except ImportError as error:
            raise ConfigurationError(
                'encoders sentence-transformers and multilingual need a library: pip install -r '
                'requirements/sentence_transformers.txt, or choose encoder:=minilm'
            ) from error
        place = Path(model).expanduser()
        try:
            self._model = library.SentenceTransformer(
                str(place) if place.is_dir() else model,
                device=device or None,
                trust_remote_code=False,
            )
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f'the encoder {model!r} cannot be loaded ({error}): give the folder or the '
                'name of a sentence-transformers model in encoder_model'
            ) from error
        # Folders of different models are often called alike ('checkpoint', 'model').
        which = f'{place.name}/{digits_of_folder(place)}' if place.is_dir() else model
        self._name = f'sentence-transformers/{which}'
        self._batch = batch
        self._lock = threading.Lock()
        self._dimension = int(self.embed(['']).shape[1])

    @property
    def name(self) -> str:
        """The library and the model; for a folder also the first digits of its SHA-256."""
        return self._name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text."""
        if not texts:
            return np.empty((0, self._dimension), np.float32)
        # Lone surrogates, legal in Python, are no text to the tokenizer.
        clean = [text.encode('utf-8', 'replace').decode('utf-8') for text in texts]
        with self._lock:
            rows = self._model.encode(
                clean,
                batch_size=self._batch,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(rows, np.float32)
