"""The memory of a run in this process: what the memory node is over ROS."""

from __future__ import annotations

from collections.abc import Sequence

from memory_server.embedding.choice import choose_embedder
from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience
from reactree_core.observation import Observation

#: Of an answer, where a planner asks for no limit.
_ALL_TOKENS = 1_000_000


class InProcessMemory:
    """Port `Memory`. Keeps nothing by itself: whoever runs tasks decides what is worth keeping.

    :param episodic: where examples come from; None for none.
    """

    def __init__(self, episodic: EpisodicMemory | None = None) -> None:
        self._episodic = episodic

    def retrieve(
        self,
        goal: str,
        token_budget: int,
        limit: int,
        seed: int,
        cancel: CancelToken,
        observation: str = '',
        planner: str = '',
        domain: str = '',
    ) -> tuple[Experience, ...]:
        """Nearest experiences; none without an episodic memory."""
        if self._episodic is None:
            return ()
        budget = token_budget or _ALL_TOKENS
        return self._episodic.retrieve(
            goal, budget, limit, seed, planner=planner, observation=observation, domain=domain
        )

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keeps nothing, so that tasks do not depend on their order."""

    def update_working(self, observation: Observation) -> None:
        """The run's own knowledge suffices."""

    def recall(self, object_class: str, cancel: CancelToken) -> str:
        """'' leaves it to the run's own knowledge."""
        return ''

    def forget(self, cancel: CancelToken) -> None:
        """The run forgets for itself."""


def shipped_memory() -> EpisodicMemory:
    """The shipped examples alone, found by MiniLM.

    :raises ConfigurationError: MiniLM is not installed, or a shipped file is broken.
    """
    embedder, _ = choose_embedder('minilm')
    memory = EpisodicMemory(SqliteStore(None), embedder)
    memory.store(shipped_experiences())
    return memory
