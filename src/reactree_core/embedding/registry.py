"""Which encoder a name from the user stands for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from reactree_core.embedding.encoders import CachedEmbedder, HashingEmbedder
from reactree_core.embedding.scripts import ScriptGuard
from reactree_core.errors import ConfigurationError
from reactree_core.ports import Embedder

SENTENCE_TRANSFORMERS = 'sentence-transformers'
MULTILINGUAL = 'multilingual'
SERVER = 'server'
ENCODERS = ('auto', 'minilm', 'hashing', MULTILINGUAL, SENTENCE_TRANSFORMERS, SERVER)


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """What encoders of other libraries and servers need.

    :param model: of MiniLM: an ONNX file, '' for the installed one; of sentence-transformers: a
        folder or name, '' for MiniLM; of multilingual likewise, '' for the one that is known to
        compare some fifty languages; of a server: its name.
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
    warn: Callable[[str], None] | None = None,
) -> tuple[Embedder, str]:
    """Make an encoder, and a sentence for the log when it is not what one would want.

    Texts of a script that it cannot tell apart are compared by letters (`ScriptGuard`).

    :param encoder: 'minilm'; 'hashing'; 'multilingual' and 'sentence-transformers', by that
        library; 'server'; or 'auto': MiniLM where it is installed, else hashed words, and the
        sentence says so.
    :param warn: called with such scripts, once each; None for the log.
    :raises ConfigurationError: unknown name, or that encoder cannot be made.
    :raises EncoderError: the server does not answer.
    """
    if encoder not in ENCODERS:
        raise ConfigurationError(f'encoder {encoder!r} is none of {", ".join(ENCODERS)}')
    made, remark = _make(encoder, options)
    if isinstance(made, HashingEmbedder):
        return made, remark
    return ScriptGuard(made, warn) if warn is not None else ScriptGuard(made), remark


def _make(encoder: str, options: EncoderOptions) -> tuple[Embedder, str]:
    """Encoders are imported only when asked for."""
    if encoder == 'hashing':
        return HashingEmbedder(), ''
    if encoder in (MULTILINGUAL, SENTENCE_TRANSFORMERS):
        from reactree_core.embedding import sentence_transformer as library

        several = encoder == MULTILINGUAL
        usual = library.MULTILINGUAL_MODEL if several else library.DEFAULT_MODEL
        return library.SentenceTransformerEmbedder(options.model or usual), ''
    if encoder == SERVER:
        from reactree_core.embedding.server import ServerEmbedder

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
        return _minilm(options.model), ''
    except ConfigurationError as error:
        if encoder == 'minilm' or options.model:
            raise
        return HashingEmbedder(), (
            f'experiences are found by shared words only, not by meaning, because {error}'
        )


def _minilm(weights: str) -> Embedder:
    from reactree_core.embedding.minilm import installed_weights, MiniLmEmbedder

    path = Path(weights) if weights else installed_weights()
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _loaded(MiniLmEmbedder, path, changed)


@lru_cache(maxsize=1)
def _loaded(make: Callable[[Path], Embedder], weights: Path, changed: int) -> Embedder:
    """MiniLM, loaded in half a second, once for all who ask for it in a process."""
    return make(weights)


@cache
def shared_embedder() -> Embedder:
    """The encoder of whoever has no choice of one: made once in a process, when first asked for.

    It remembers enough texts for all the skills of a world.
    """
    embedder, remark = choose_embedder('auto')
    if remark:
        logging.getLogger(__name__).warning(remark)
    return CachedEmbedder(embedder, 8192)
