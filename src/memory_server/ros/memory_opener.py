"""Opens the episodic memory that a node's parameters ask for, as often as it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.kept_vectors import KeptVectors
from memory_server.seed.loader import read_folder, SEED_RUN, shipped_experiences
from memory_server.store.registry import open_store
from reactree_core.embedding.encoders import CachedEmbedder
from reactree_core.embedding.registry import choose_embedder, EncoderOptions, SERVER
from reactree_core.errors import MemoryStoreError
from reactree_core.experience import Experience


class MemoryOpener:
    """Called until it gives a memory.

    :param values: the node's parameters.
    :param tell: takes what a person may want to know.
    :param warn: takes what works less well than it could; called once for each.
    :raises ConfigurationError: a seed file cannot be used.
    """

    def __init__(
        self,
        values: SimpleNamespace,
        tell: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self._values = values
        self._tell = tell
        self._warn = warn
        self._seeds: tuple[Experience, ...] = ()
        if values.seed:
            folder = values.seed_folder
            self._seeds = (
                read_folder(Path(folder).expanduser()) if folder else shipped_experiences()
            )
        self._embedder: CachedEmbedder | None = None

    def __call__(self) -> EpisodicMemory:
        """Load the encoder where that is still to be done, and open the store.

        :raises MemoryStoreError: the store or the encoder's server cannot be used now.
        :raises ConfigurationError: the encoder cannot be made.
        """
        values = self._values
        # Kept: loading one takes long, and what failed may have been the store.
        self._embedder = embedder = self._embedder or self._load_encoder()
        store = open_store(values.store_path, values.store_limit_mb)
        try:
            memory = EpisodicMemory(
                store,
                embedder,
                values.reembed,
                similarity=values.similarity,
                approximate_above=values.approximate_above,
            )
        except BaseException:
            store.close()
            raise
        if memory.read_only:
            self._warn(f'{memory.location} may not be written: no experience will be stored')
        try:
            # Examples of an older release, or that are not wanted any more, go.
            memory.replace_run(SEED_RUN, [replace(item, run_id=SEED_RUN) for item in self._seeds])
        except MemoryStoreError as error:
            self._warn(f'the example experiences in the store are not those asked for: {error}')
        noun = 'experience' if len(memory) == 1 else 'experiences'
        self._tell(f'{len(memory)} {noun} in {memory.location}, encoder {embedder.name}')
        return memory

    def _load_encoder(self) -> CachedEmbedder:
        values = self._values
        options = EncoderOptions(
            values.encoder_model,
            values.encoder_server,
            values.encoder_key_variable,
            values.encoder_timeout,
            values.encoder_key_over_http,
        )
        embedder, remark = choose_embedder(values.encoder, options, self._warn)
        if remark:
            self._warn(remark)
        embedder.embed(['the first text takes longer'])
        if not values.seed_folder and values.encoder != SERVER:
            # A server may change its model and not its name.
            embedder = KeptVectors(embedder, (item.goal for item in self._seeds))
        return CachedEmbedder(embedder)
