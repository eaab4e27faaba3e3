"""Which encoder a name from the user stands for."""

from __future__ import annotations

from pathlib import Path

from memory_server.embedding.embedder import Embedder
from memory_server.embedding.hashing import HashingEmbedder
from memory_server.embedding.minilm import MiniLmEmbedder
from reactree_core.errors import ConfigurationError

ENCODERS = ('auto', 'minilm', 'hashing')


def choose_embedder(encoder: str, weights: str = '', threads: int = 1) -> tuple[Embedder, str]:
    """Make an encoder, and a sentence for the log when it is not what one would want.

    :param encoder: 'minilm'; 'hashing'; or 'auto': MiniLM where it is installed, else hashed
        words, and the sentence says so.
    :param weights: ONNX file for MiniLM; '' for the installed one.
    :raises ConfigurationError: unknown name, or that encoder cannot be made.
    """
    if encoder not in ENCODERS:
        raise ConfigurationError(f'encoder {encoder!r} is none of {", ".join(ENCODERS)}')
    if encoder == 'hashing':
        return HashingEmbedder(), ''
    try:
        return MiniLmEmbedder(Path(weights) if weights else None, threads), ''
    except ConfigurationError as error:
        if encoder == 'minilm' or weights:
            raise
        return HashingEmbedder(), (
            f'experiences are found by shared words only, not by meaning, because {error}'
        )
