"""Opens the store that a command names, and the memory over it with the encoder that fits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import SEED_RUN, shipped_experiences
from memory_server.store.experience_store import ExperienceStore
from memory_server.store.postgres_connections import is_address
from memory_server.store.registry import open_store, store_file
from memory_server.trajectory import ExperienceEncoder, SIMILARITIES
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.embedding.registry import choose_embedder, EncoderOptions
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.ports import Embedder

_NO_OPTIONS = EncoderOptions()


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """The encoder that a user asks for.

    :param encoder: as of `choose_embedder`; 'auto' takes the one of the store where it can be
        made.
    """

    encoder: str = 'auto'
    options: EncoderOptions = _NO_OPTIONS

    def make(self) -> tuple[Embedder, str]:
        """The encoder, and a sentence when it is not what one would want.

        :raises ConfigurationError: it cannot be made.
        """
        return choose_embedder(self.encoder, self.options)


def file_of(store_path: str) -> Path | None:
    """The file of a store; None for a database.

    :param store_path: as the memory node's parameter `store_path`.
    :raises ConfigurationError: it stands for no store that lasts.
    """
    if is_address(store_path):
        return None
    path = store_file(store_path)
    if path is None:
        raise ConfigurationError(
            f'{store_path!r} stores nothing: give --store a file, or leave --store out to use the '
            'file of the memory node'
        )
    return path


def size_of(store_path: str) -> int | None:
    """Bytes of a store's file with its write-ahead log; None for a database."""
    path = file_of(store_path)
    if path is None:
        return None
    parts = (path, path.with_name(path.name + '-wal'))
    return sum(part.stat().st_size for part in parts if part.exists())


def open_existing(store_path: str) -> ExperienceStore:
    """Open a store to look at it; none is made.

    :raises ConfigurationError: there is none.
    :raises MemoryStoreError: it is damaged, of a newer release, or cannot be read.
    """
    path = file_of(store_path)
    if path is not None and not path.exists():
        raise ConfigurationError(
            f'there is no memory {path} yet: `reactree up`, `reactree memory bootstrap` or '
            '`reactree memory import` makes one; --store names another'
        )
    return open_store(store_path)


def open_writable(store_path: str) -> ExperienceStore:
    """Open a store to add to it; made when it is missing.

    :raises MemoryStoreError: it cannot be opened, or may only be read.
    """
    file_of(store_path)
    store = open_store(store_path)
    check_writable(store)
    return store


def check_writable(store: ExperienceStore) -> None:
    """Make sure that something can be changed before work begins.

    :raises MemoryStoreError: it may only be read.
    """
    if store.read_only:
        store.close()
        remedy = (
            'ask whoever runs the database for the right to change its tables'
            if is_address(store.location)
            else 'make the file and its folder writable'
        )
        raise MemoryStoreError(f'the memory {store.location} is read-only: {remedy}')


def open_memory(store: ExperienceStore, choice: EncoderChoice) -> tuple[EpisodicMemory, str]:
    """The memory over a store, by the encoder of its vectors, and what the user should know.

    :raises ConfigurationError: that encoder was not asked for, or cannot be made.
    :raises MemoryStoreError: the store cannot be read.
    """
    kept = store.encoder()
    hashing = HashingEmbedder()
    if choice.encoder == 'auto' and kept and kept == _name(hashing, kept):
        return EpisodicMemory(store, hashing, similarity=_similarity(hashing, kept)), ''
    embedder, remark = choice.make()
    if kept not in ('', _name(embedder, kept)):
        because = f' ({remark})' if remark else ''
        raise ConfigurationError(
            f'the memory {store.location} holds vectors of the encoder {kept}, not of '
            f'{embedder.name}{because}: name that encoder with --encoder, or compute all vectors '
            'again with `reactree memory reembed`'
        )
    return EpisodicMemory(store, embedder, similarity=_similarity(embedder, kept)), remark


def _similarity(embedder: Embedder, kept: str) -> str:
    """The way in which an encoder made the vectors of this name."""
    for similarity in SIMILARITIES:
        if ExperienceEncoder(embedder, similarity).name == kept:
            return similarity
    return SIMILARITIES[0]


def _name(embedder: Embedder, kept: str) -> str:
    return ExperienceEncoder(embedder, _similarity(embedder, kept)).name


def add_examples(memory: EpisodicMemory) -> None:
    """Keep the shipped examples, as the memory node does when it starts.

    :raises MemoryStoreError: the store cannot be written.
    """
    memory.replace_run(SEED_RUN, shipped_experiences())
