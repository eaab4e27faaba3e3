"""What worlds share that have one episode at a time."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from reactree_core.errors import ConfigurationError

Episode = TypeVar('Episode')


class OneEpisode(Generic[Episode]):
    """A world of which nothing can be asked before something is loaded."""

    #: What is loaded, for the sentence.
    loads: ClassVar = 'task'
    _episode: Episode | None = None

    @property
    def _now(self) -> Episode:
        if self._episode is None:
            raise ConfigurationError(f'no {self.loads} is loaded: reset the world first')
        return self._episode
