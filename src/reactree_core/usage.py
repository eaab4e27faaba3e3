"""Counts of language-model work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LlmUsage:
    """What model work cost; the fields are those of LlmUsage.msg.

    :param prompt_tokens: tokens presented, cached or not.
    :param cached_tokens: presented tokens that were not evaluated again.
    :param evaluated_tokens: tokens really evaluated (prompt and options).
    :param completion_tokens: tokens generated or selected.
    :param requests: select and generate calls.
    :param latency: seconds spent waiting for the model.
    :param cost: in the money of the run's price; 0.0 where there is none.
    """

    model: str = ''
    prompt_tokens: int = 0
    cached_tokens: int = 0
    evaluated_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0
    latency: float = 0.0
    cost: float = 0.0

    def priced(self, prompt: float, cached: float, completion: float) -> float:
        """In the money of prices for a million tokens: presented, known before, generated."""
        return (
            (self.prompt_tokens - self.cached_tokens) * prompt
            + self.cached_tokens * cached
            + self.completion_tokens * completion
        ) / 1e6

    def __add__(self, other: LlmUsage) -> LlmUsage:
        return LlmUsage(
            self.model or other.model,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.evaluated_tokens + other.evaluated_tokens,
            self.completion_tokens + other.completion_tokens,
            self.requests + other.requests,
            self.latency + other.latency,
            self.cost + other.cost,
        )

    def __sub__(self, other: LlmUsage) -> LlmUsage:
        return LlmUsage(
            self.model,
            self.prompt_tokens - other.prompt_tokens,
            self.cached_tokens - other.cached_tokens,
            self.evaluated_tokens - other.evaluated_tokens,
            self.completion_tokens - other.completion_tokens,
            self.requests - other.requests,
            self.latency - other.latency,
            self.cost - other.cost,
        )


def estimated_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: rather too many than too few for English."""
    return (len(text.encode(errors='replace')) + 2) // 3


#: No work at all; a shared default is safe, since it cannot change.
NO_USAGE = LlmUsage()
