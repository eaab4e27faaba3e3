"""Makes all vectors of a store anew, by another encoder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memory_server.episodic.experience_encoder import ExperienceEncoder
from memory_server.store.experience_store import ExperienceStore


def embed_anew(
    store: ExperienceStore,
    encoder: ExperienceEncoder,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Put an encoder's vectors in place of all there are, or of none; returns how many.

    Whoever retrieves meanwhile finds the old vectors until the end.

    :param progress: called with the experiences done and their number, after each batch.
    :raises EncoderError: the encoder does not answer.
    :raises MemoryStoreError: not written, or somebody else stored or deleted in the meantime.
    """
    total = store.count()
    numbers: list[int] = []
    parts = [np.empty((0, encoder.dimension), np.float32)]
    for batch in store.goals():
        found = [number for number, _ in batch]
        if encoder.reads_observations:
            parts.append(encoder.experiences(store.load(found)))
        else:
            parts.append(encoder.goals([goal for _, goal in batch]))
        numbers.extend(found)
        progress(len(numbers), max(total, len(numbers)))
    store.replace_vectors(numbers, np.concatenate(parts), encoder.name)
    return len(numbers)
