"""Which options stay possible at a known rate of error: split conformal prediction.

The score of an option is the chance of all that are likelier: 0 for the likeliest. Of pairs whose
right option is known, the threshold is the k-th smallest score of a right option, of n,
k = ceil((n + 1)(1 - wrong)); an option stays possible if its score is not above that. If the pairs
and what comes later are of one kind (exchangeable), the right option stays with a chance of at
least 1 - wrong, whatever the chances are worth: bad chances make sets large, not wrong.

Angelopoulos & Bates, A Gentle Introduction to Conformal Prediction (2023), section 1; the score is
that of adaptive sets (section 2.1; Romano et al. 2020) without the option's own chance, so that
what is certain stays alone, and of many that are alike most stay. To ask where more than one
stays: KnowNo (Ren et al. 2023), section 3. Groups are calibrated each by itself (section 4.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Chances are sums of floats.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores of pairs whose right option is known.

    :param by: who gave the chances: 'closeness', or the name of a model.
    :param scores: 0..1, in rising order, of each group.
    """

    by: str
    scores: Mapping[str, Sequence[float]]

    def threshold(self, group: str, wrong_at_most: float) -> float | None:
        """The largest score of an option that stays possible; None: too few pairs (9 for 0.1).

        :param wrong_at_most: over 0 to 0.5.
        """
        scores = self.scores.get(group, ())
        # 0.1 * 20 shall be 2.
        rank = math.ceil((len(scores) + 1) * (1.0 - wrong_at_most) - _ROUNDING)
        return scores[rank - 1] if 0 < rank <= len(scores) else None


def possible(chances: Sequence[float], threshold: float) -> tuple[int, ...]:
    """Options that stay possible, the likeliest first; always at least that one.

    :param chances: of each option, 0..1.
    """
    scores = scores_of(chances)
    left = (index for index, score in enumerate(scores) if score <= threshold + _ROUNDING)
    return tuple(sorted(left, key=scores.__getitem__))


def scores_of(chances: Sequence[float]) -> list[float]:
    """For each option the chance of all that are likelier; of two alike the first is likelier."""
    order = sorted(range(len(chances)), key=lambda index: -chances[index])
    scores = [0.0] * len(chances)
    before = 0.0
    for index in order:
        scores[index] = min(before, 1.0)
        before += chances[index]
    return scores


def normalized(scores: Sequence[float], temperature: float = 1.0) -> tuple[float, ...]:
    """Chances in proportion to the exponentials of scores (softmax).

    :param scores: e.g. logarithms of probabilities. :param temperature: over 0.
    """
    most = max(scores)
    weights = [math.exp((score - most) / temperature) for score in scores]
    return tuple(weight / sum(weights) for weight in weights)
