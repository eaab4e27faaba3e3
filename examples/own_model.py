#!/usr/bin/env python3
"""A model back end of your own, and the suite that tells whether it keeps the contract.

python examples/own_model.py

The model here is the smallest that learns: it writes on as its text went on when it last ended so,
and chooses the option that the text spoke of last. What a back end must answer is `LanguageModel`
and `LanguageSession` in reactree_core/ports.py; a runtime in this process needs less
(docs/language_models.md).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError, PromptTooLongError
from reactree_core.ports import check_options, Selection, Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.conformance import check_language_model

#: Letters of a text's end that are looked for.
_LONGEST = 40


class EchoModel:
    """Port `LanguageModel`: sessions that go on as their text did before. Tokens are letters."""

    name = 'echo'
    context_tokens = 20_000

    def count_tokens(self, text: str) -> int:
        """Letters."""
        return len(text)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> EchoSession:
        """Begin with a text."""
        cancel.check()
        return EchoSession(self, cancel, shared_prefix)

    def close(self) -> None:
        """Nothing to free."""


class EchoSession:
    """Port `LanguageSession`."""

    def __init__(self, model: EchoModel, cancel: CancelToken, text: str) -> None:
        self.text = text
        self.usage = LlmUsage(model.name)
        self._model = model
        self._cancel = cancel

    def append(self, text: str) -> None:
        """Add text."""
        self.text += text

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """The option that the text speaks of last; of those that begin alike the longest."""
        if strategy is Strategy.LIKELIHOOD:
            raise ModelError('echo has no probabilities: choose selection constrained.')
        check_options(options)
        self._check()
        spoken_of = [(self.text.rfind(option.strip()), len(option)) for option in options]
        index = spoken_of.index(max(spoken_of))
        self._answered(options[index])
        return Selection(index, 0.0, math.inf if len(options) == 1 else 0.0)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """How the text goes on, up to the first stop text; nothing here is drawn by chance."""
        text = self._going_on(max_tokens)
        text = text[: min((at for at in map(text.find, stop) if at >= 0), default=len(text))]
        self._answered(text)
        return text

    def fork(self) -> EchoSession:
        """A second session with the same text."""
        return EchoSession(self._model, self._cancel, self.text)

    def drop(self) -> None:
        """Nothing to give back."""

    def _check(self) -> None:
        self._cancel.check()
        if len(self.text) > self._model.context_tokens:
            raise PromptTooLongError(f'{len(self.text)} letters are more than echo reads.')

    def _going_on(self, letters: int) -> str:
        self._check()
        text = self.text
        while len(text) - len(self.text) < letters:
            self._cancel.check()
            text += _next(text)
        return text[len(self.text) :]

    def _answered(self, text: str) -> None:
        self.text += text
        self.usage += LlmUsage(
            self._model.name,
            prompt_tokens=len(self.text),
            evaluated_tokens=len(self.text),
            completion_tokens=len(text),
            requests=1,
        )


def _next(text: str) -> str:
    """The letter that followed the longest end of a text the last time."""
    for length in range(min(_LONGEST, len(text) - 1), 0, -1):
        at = text.rfind(text[-length:], 0, len(text) - 1)
        if at >= 0:
            return text[at + length]
    return ' '


def main() -> int:
    """Try every clause of the contract; each prints a line."""
    results = check_language_model(EchoModel())
    broken = sum(not result.passed for result in results)
    print(f'{len(results) - broken} clauses kept, {broken} broken')
    return 1 if broken else 0


if __name__ == '__main__':
    sys.exit(main())
