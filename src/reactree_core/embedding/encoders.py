"""Encoders of sentences: one without a model, a cache for any, and what distinguishes weights."""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reactree_core.errors import ConfigurationError
from reactree_core.ports import Embedder, FloatMatrix


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


_WORD = re.compile(r'\w+')
#: Letters that are words or syllables, written without spaces: kana, Chinese, Hangul.
_WHOLE_LETTERS = re.compile('[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]')
#: Letters that say what a Japanese word is there for, and are in every sentence.
_PARTICLE = re.compile('[\u3041-\u309f]')
_PAIR_WEIGHT = 0.5
#: Letters of a piece of a word.
_PIECE = 3


class HashingEmbedder:
    """Sums of signed hashed words and word pairs, the same on every machine and in every run.

    Chinese, Japanese and Korean words are taken letter by letter.

    :param dimension: numbers in a vector, 8 or more; more means fewer collisions.
    :param letters: take words of all scripts in pieces, since endings and joined words hide what
        two texts share.
    """

    def __init__(self, dimension: int = 384, letters: bool = False) -> None:
        self._dimension = dimension
        self._letters = letters

    @property
    def name(self) -> str:
        """Says what it is, so that nobody takes its vectors for a model's."""
        return f'hashed-{"letters" if self._letters else "words"}-{self._dimension}'

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text; a text without words is hashed as a whole."""
        rows = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = self._words(text.lower()) or [text]
            for word in words:
                if not _PARTICLE.fullmatch(word):
                    self._add(row, word, 1.0)
            for first, second in itertools.pairwise(words):
                self._add(row, f'{first} {second}', _PAIR_WEIGHT)
            length = float(np.linalg.norm(row))
            if length == 0.0:  # opposite signs fell into the same places
                row[0] = length = 1.0
            row /= length
        return rows

    def _words(self, text: str) -> list[str]:
        if not self._letters:
            found = (
                list(word) if _WHOLE_LETTERS.search(word) else [word]
                for word in _WORD.findall(text)
            )
            return list(itertools.chain.from_iterable(found))
        # Vowels of many scripts are marks, at which the words of above would end.
        bare = ''.join(one if unicodedata.category(one)[0] in 'LMN' else ' ' for one in text)
        pieces: list[str] = []
        for word in bare.split():
            size = 1 if _WHOLE_LETTERS.search(word) else _PIECE
            pieces += [word[at : at + size] for at in range(max(1, len(word) - size + 1))]
        return pieces

    def _add(self, row: FloatMatrix, gram: str, weight: float) -> None:
        digest = hashlib.blake2b(gram.encode('utf-8', 'surrogatepass'), digest_size=8).digest()
        number = int.from_bytes(digest, 'little')
        row[(number >> 1) % self._dimension] += weight if number & 1 else -weight


_DIGITS = 8
#: Endings of the files of a model's folder that its vectors depend on.
_PARTS = frozenset({'.bin', '.json', '.model', '.onnx', '.pt', '.safetensors', '.txt'})


def digits_of_file(path: Path) -> str:
    """The first 8 hexadecimal digits of a file's SHA-256.

    :raises ConfigurationError: it cannot be read.
    """
    return _digest(path)[:_DIGITS]


def digits_of_folder(folder: Path) -> str:
    """As `digits_of_file`, of the weights and settings in a model's folder, with their names."""
    parts = sorted(
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob('*')
        if path.suffix in _PARTS and path.is_file()
    )
    lines = ''.join(f'{_digest(path)} {name}\n' for name, path in parts)
    return hashlib.sha256(lines.encode()).hexdigest()[:_DIGITS]


def _digest(path: Path) -> str:
    try:
        with path.open('rb') as file:
            return hashlib.file_digest(file, 'sha256').hexdigest()
    except OSError as error:
        raise ConfigurationError(f'cannot read the weights {path}: {error}') from error
