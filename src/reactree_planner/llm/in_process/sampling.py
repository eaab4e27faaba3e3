"""Drawing a token from logits."""

from __future__ import annotations

import numpy as np

from reactree_planner.llm.in_process.engine import Logits


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
    if top_p < 1.0:
        order = np.argsort(-weights, kind='stable')
        # The token that reaches the sum is the last that stays.
        before = np.cumsum(weights[order]) - weights[order]
        weights[order[before >= top_p]] = 0.0
        weights /= weights.sum()
    return int(random.choice(len(weights), p=weights))
