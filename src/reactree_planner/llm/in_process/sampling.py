"""Drawing a token from logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reactree_planner.llm.in_process.engine import Logits

#: Tokens that are looked at first for `top_p`.
_FEW = 256


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
