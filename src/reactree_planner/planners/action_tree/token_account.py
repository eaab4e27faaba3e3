"""What Tree-Planner costs, phase by phase, and when it is cheaper (section 5.1, appendix D)."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE


def critical_samples(prompt_tokens: float, step_tokens: float, steps: float) -> float:
    """Fewer sampled plans than this cost less than deciding every step from the whole prompt.

    The published bound: (1 - 1/M) / (1 + 1/|a|) * rho / |a| + |a| / (|a| + 1).

    :param prompt_tokens: rho, of the prompt that plans are sampled from, over 0.
    :param step_tokens: |a|, mean of a step, over 0. :param steps: M, mean of a plan, 1 or more.
    """
    share = (1 - 1 / steps) / (1 + 1 / step_tokens)
    return share * prompt_tokens / step_tokens + step_tokens / (step_tokens + 1)


@dataclass
class TokenAccount:
    """Model work of one run by phase.

    :param critical: as `critical_samples` says for this run; 0.0 before plans were sampled.
    """

    samples: int
    sampling: LlmUsage = NO_USAGE
    deciding: LlmUsage = NO_USAGE
    critical: float = 0.0

    @property
    def sentence(self) -> str:
        """Both phases, for people."""
        return f'sampling: {_told(self.sampling)}; deciding: {_told(self.deciding)}'

    @property
    def bound_sentence(self) -> str:
        """Whether sampling pays, by the published bound."""
        relation = 'fewer' if self.samples < self.critical else 'not fewer'
        return (
            f'{self.samples} samples are {relation} than the {self.critical:.1f} up to which '
            'sampling takes fewer tokens than deciding step by step'
        )


def _told(usage: LlmUsage) -> str:
    return (
        f'{usage.requests} requests, {usage.prompt_tokens} tokens read '
        f'({usage.cached_tokens} of them cached), {usage.completion_tokens} written'
    )
