"""Drawing tokens: the likeliest, or by probability; and how probable they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reactree_planner.llm.in_process.engine import Logits

#: Tokens that are looked at first for `top_p`.
_FEW = 256


def log_probability(logits: Logits, token: int) -> float:
    """Natural logarithm of a token's probability."""
    exact = logits.astype(np.float64)
    most = exact.max()
    return float(exact[token] - most - np.log(np.exp(exact - most).sum()))


def scored_tokens(
    pieces: Sequence[bytes], scores: Sequence[float], length: int
) -> tuple[tuple[str, float], ...]:
    """Tokens of a text with their scores; of the last one only what stands in the text.

    :param length: of the text, in bytes.
    """
    found: list[tuple[str, float]] = []
    begin = 0
    for piece, score in zip(pieces, scores, strict=False):
        part = piece[: length - begin]
        if not part and begin >= length:
            break
        found.append((part.decode('utf-8', errors='replace'), score))
        begin += len(piece)
    return tuple(found)


def sample_token(
    logits: Logits, temperature: float, top_p: float, random: np.random.Generator
) -> int:
    """The likeliest token, or one drawn by its probability.

    :param logits: one number a token. :param temperature: 0.0 takes the likeliest.
    :param top_p: drawn are only the likeliest tokens that together have at least this
        probability, over 0.0..1.0.
    """
    if temperature <= 0.0:
        return int(logits.argmax())
    scaled = logits.astype(np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    weights /= weights.sum()
    if top_p >= 1.0:
        return int(random.choice(len(weights), p=weights))
    tokens = _likeliest(weights, top_p)
    kept = weights[tokens]
    return int(tokens[random.choice(len(kept), p=kept / kept.sum())])


def _likeliest(weights: NDArray[np.float64], top_p: float) -> NDArray[np.intp]:
    """The fewest tokens that together reach a probability, likeliest first."""
    count = min(_FEW, len(weights))
    while True:
        # Sorting a whole vocabulary takes longer than a small model does for a token.
        few = np.argpartition(-weights, count - 1)[:count]
        few = few[np.lexsort((few, -weights[few]))]
        sums = np.cumsum(weights[few])
        if sums[-1] >= top_p or count == len(weights):
            break
        count = min(count * 16, len(weights))
    # The token that reaches the sum is the last that stays.
    return few[sums - weights[few] < top_p]
