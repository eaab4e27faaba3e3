"""Several continuations of one text, whatever a back end offers for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reactree_core.ports import LanguageSession, Sample, SamplingSession


@dataclass(frozen=True, slots=True)
class Draw:
    """How continuations are drawn; see `LanguageSession.generate`."""

    max_tokens: int
    temperature: float
    top_p: float = 1.0
    stop: tuple[str, ...] = ('\n',)


def draw_samples(
    session: LanguageSession,
    seeds: Sequence[int],
    draw: Draw,
    drop: Callable[[LanguageSession], object],
) -> Iterator[Sample]:
    """One continuation a seed; the session's text stays as it is.

    :param drop: counts and gives back a fork, where the session draws by forks alone.
    :raises ModelError: the model failed. :raises CanceledError: stopped.
    """
    if isinstance(session, SamplingSession):
        yield from session.sample(seeds, draw.stop, draw.max_tokens, draw.temperature, draw.top_p)
        return
    for seed in seeds:
        fork = session.fork()
        try:
            text = fork.generate(draw.stop, draw.max_tokens, draw.temperature, seed, draw.top_p)
        finally:
            drop(fork)
        yield Sample(text)
