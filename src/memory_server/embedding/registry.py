"""Which encoder a name from the user stands for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_server.embedding.encoders import CachedEmbedder
from memory_server.embedding.encoders import HashingEmbedder
from memory_server.embedding.minilm import MiniLmEmbedder
from memory_server.embedding.sentence_transformer import DEFAULT_MODEL
from memory_server.embedding.sentence_transformer import SentenceTransformerEmbedder
from memory_server.embedding.server import ServerEmbedder
from reactree_core.errors import ConfigurationError
from reactree_core.ports import Embedder

SENTENCE_TRANSFORMERS = 'sentence-transformers'
SERVER = 'server'
ENCODERS = ('auto', 'minilm', 'hashing', SENTENCE_TRANSFORMERS, SERVER)


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """What encoders of other libraries and servers need.

    :param model: of MiniLM: an ONNX file, '' for the installed one; of sentence-transformers: a
        folder or name, '' for MiniLM; of a server: its name.
    :param address: base URL of a server.
    :param key_variable: name of the environment variable with the server's key; '' for none.
    :param key_over_http: send it to another machine unencrypted too.
    :param timeout: seconds for an answer of a server, over 0.
    """

    model: str = ''
    address: str = ''
    key_variable: str = ''
    timeout: float = 10.0
    key_over_http: bool = False


def choose_embedder(
    encoder: str,
    options: EncoderOptions = EncoderOptions(),
) -> tuple[Embedder, str]:
    """Make an encoder, and a sentence for the log when it is not what one would want.

    :param encoder: 'minilm'; 'hashing'; 'sentence-transformers'; 'server'; or 'auto': MiniLM where
        it is installed, else hashed words, and the sentence says so.
    :raises ConfigurationError: unknown name, or that encoder cannot be made.
    :raises EncoderError: the server does not answer.
    """
    if encoder not in ENCODERS:
        raise ConfigurationError(f'encoder {encoder!r} is none of {", ".join(ENCODERS)}')
    if encoder == 'hashing':
        return HashingEmbedder(), ''
    if encoder == SENTENCE_TRANSFORMERS:
        return SentenceTransformerEmbedder(options.model or DEFAULT_MODEL), ''
    if encoder == SERVER:
        return (
            ServerEmbedder(
                options.address,
                options.model,
                options.key_variable,
                options.timeout,
                key_over_http=options.key_over_http,
            ),
            '',
        )
    try:
        return MiniLmEmbedder(Path(options.model) if options.model else None), ''
    except ConfigurationError as error:
        if encoder == 'minilm' or options.model:
            raise
        return HashingEmbedder(), (
            f'experiences are found by shared words only, not by meaning, because {error}'
        )


@cache
def shared_embedder() -> Embedder:
    """The encoder of whoever has no choice of one: made once in a process, when first asked for.

    It remembers enough texts for all the skills of a world.
    """
    embedder, remark = choose_embedder('auto')
    if remark:
        logging.getLogger(__name__).warning(remark)
    return CachedEmbedder(embedder, 8192)
