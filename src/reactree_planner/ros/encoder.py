"""The encoder of sentences in the planner's own process: the memory's, without its node."""

from __future__ import annotations

from reactree_core.ports import Embedder


def make_embedder() -> Embedder:
    """The encoder, loaded when a planner first needs it; most never do.

    :raises ConfigurationError: it cannot be made.
    """
    # The one place where the planner takes a part of another package: here a run is put together.
    from memory_server.embedding.choice import shared_embedder

    return shared_embedder()
