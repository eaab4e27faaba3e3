"""How much a server's model may think: what parameters and studies offer, without a connection."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.errors import ConfigurationError

AUTO, NO_EFFORT = 'auto', 'none'
#: Values of `Thinking.effort`.
EFFORTS = (AUTO, NO_EFFORT, 'minimal', 'low', 'medium', 'high')


@dataclass(frozen=True, slots=True)
class Thinking:
    """How much a model may think before it answers.

    :param effort: one of `EFFORTS`, which is asked for from the beginning; 'auto' asks for little,
        then less, only where a model has thought without answering.
    :param tokens: most room for it beside that of an answer; 0: half of the context.
    """

    effort: str = AUTO
    tokens: int = 0

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise ConfigurationError(f'reasoning_effort must be one of {", ".join(EFFORTS)}.')
        if self.tokens < 0:
            raise ConfigurationError('thinking_tokens must be 0 or more.')


#: As much as is needed.
USUAL_THINKING = Thinking()
