"""Making a prompt fit the model's context: which parts give way, and in which order.

1. Steps of the agent itself, oldest first; one line says that they are left out. The last
   `KEPT_STEPS` stay.
2. Examples, the least telling (first) of them first.
3. The end of the first observation.

System text, goal and the last steps never give way: where they alone do not fit, that is an error
that says what to change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace

from reactree_core.errors import PromptTooLongError
from reactree_domains.domain import Words
from reactree_planner.prompting.reactree_prompt import EARLIER_STEPS

#: Steps that stay whatever happens: what was thought and done last, and what came of it.
KEPT_STEPS = 6
#: Letters of the first observation that stay.
_KEPT_LETTERS = 200
_CUT = ' ...'
NO_WORDS = Words()

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt in parts.

    :param system: who the model is and what it may answer. :param examples: least telling first.
    :param task: goal information and goal. :param first_observation: one line.
    :param steps: what the agent thought, did and saw since, oldest first. :param words: of the
        domain.
    """

    system: str
    examples: tuple[str, ...]
    task: str
    first_observation: str
    steps: tuple[str, ...] = ()
    steps_left_out: int = 0
    words: Words = NO_WORDS

    @property
    def head(self) -> str:
        """What prompts with the same examples share."""
        parts = [self.system.strip()]
        if self.examples:
            parts.append(self.words.examples_begin)
        parts += [example.strip() for example in self.examples]
        parts.append(self.words.examples_end)
        return '\n\n'.join(parts) + '\n\n'

    @property
    def rest(self) -> str:
        """What is this agent's own."""
        gap = EARLIER_STEPS if self.steps_left_out else ''
        return f'{self.task}{self.first_observation}\n{gap}{"".join(self.steps)}'


def fits(parts: PromptParts, budget: int, count_tokens: CountTokens) -> bool:
    """Whether a prompt has at most `budget` tokens."""
    # A token has at least one byte, so short prompts need no counting.
    if len(parts.head.encode()) + len(parts.rest.encode()) <= budget:
        return True
    return count_tokens(parts.head) + count_tokens(parts.rest) <= budget


def fitted(parts: PromptParts, budget: int, count_tokens: CountTokens) -> PromptParts:
    """The prompt with as little as possible given up, in the order above.

    :param budget: tokens, 1 or more.
    :raises PromptTooLongError: it does not fit even so.
    """
    while not fits(parts, budget, count_tokens):
        shorter = _shortened(parts)
        if shorter is None:
            raise PromptTooLongError(
                f'The prompt does not fit {budget} tokens even without examples and earlier '
                'steps. Raise context_tokens, shorten the task, or lower thought_tokens and '
                'expand_tokens.'
            )
        parts = shorter
    return parts


def _shortened(parts: PromptParts) -> PromptParts | None:
    """The prompt with the next part given up, or None when nothing may be."""
    if len(parts.steps) > KEPT_STEPS:
        return replace(parts, steps=parts.steps[1:], steps_left_out=parts.steps_left_out + 1)
    if parts.examples:
        return replace(parts, examples=parts.examples[1:])
    seen = parts.first_observation.removesuffix(_CUT)
    if len(seen) > _KEPT_LETTERS:
        kept = max(_KEPT_LETTERS, len(seen) // 2)
        return replace(parts, first_observation=seen[:kept] + _CUT)
    return None
