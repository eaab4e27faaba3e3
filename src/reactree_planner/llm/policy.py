"""Models without a model: answers from code, for runs without a model, tests and demos."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError, PromptTooLongError
from reactree_core.ports import check_options, Sample, Selection, Strategy
from reactree_core.usage import LlmUsage

#: Given the session's text and the options (None: free text): an index, or a text; of free text
#: also with the probabilities of its tokens.
Policy = Callable[[str, Sequence[str] | None], int | str | Sample]

EXCERPT = 80
_OPTIONS_SHOWN = 5


class PolicyModel:
    """A model whose answers code gives (port `LanguageModel`); tokens are words.

    :param policy: called for every request. For a `select` it returns an index or a text that
        names one option (equal to it, or contained in it alone); for a `generate` the free text.
    :param context_tokens: longest session in words.
    """

    def __init__(
        self,
        policy: Policy,
        name: str = 'policy',
        context_tokens: int = 1_000_000,
    ) -> None:
        self._policy = policy
        self._name = name
        self._context_tokens = context_tokens
        self._prefixes: set[str] = set()

    @property
    def name(self) -> str:
        """What stands in records."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """Longest session in words."""
        return self._context_tokens

    def count_tokens(self, text: str) -> int:
        """Words of a text."""
        return len(text.split())

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> PolicySession:
        """Begin a session; a prefix seen before counts as cached."""
        cancel.check()
        cached = self.count_tokens(shared_prefix) if shared_prefix in self._prefixes else 0
        self._prefixes.add(shared_prefix)
        return PolicySession(self, self._policy, cancel, shared_prefix, cached)

    def close(self) -> None:
        """Nothing to free."""


class PolicySession:
    """One growing text (port `LanguageSession`)."""

    def __init__(
        self, model: PolicyModel, policy: Policy, cancel: CancelToken, text: str, cached: int
    ) -> None:
        self._model = model
        self._policy = policy
        self._cancel = cancel
        self._text = text
        self._cached = cached
        self._usage = LlmUsage(model.name)
        #: Tokens of what was written last; () where their probabilities are not given.
        self.written: tuple[tuple[str, float], ...] = ()

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._text

    @property
    def usage(self) -> LlmUsage:
        """Counts in words since this session began; no time passes."""
        return self._usage

    def append(self, text: str) -> None:
        """Add text."""
        self._text += text

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """The option that the policy names.

        :raises ModelOutputError: it names none of them, or several.
        """
        check_options(options)
        answer = self._asked(options)
        index = named_option(answer.text if isinstance(answer, Sample) else answer, options)
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
        """The policy's text up to the first stop text, at most `max_tokens` words."""
        return self._generated(stop, max_tokens).text

    def sample(
        self,
        seeds: Sequence[int],
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> Iterator[Sample]:
        """What `generate` of a fork says, one after another."""
        for seed in seeds:
            fork = self.fork()
            text = fork.generate(stop, max_tokens, temperature, seed, top_p)
            self._usage += fork.usage
            yield Sample(text, fork.written)

    def _generated(self, stop: Sequence[str], max_tokens: int) -> Sample:
        answer = self._asked(None)
        if isinstance(answer, int):
            raise ModelOutputError(
                f'{self._model.name} answers option {answer} where free text is asked for.'
            )
        whole = answer if isinstance(answer, Sample) else Sample(answer)
        text = whole.text
        sample = whole.cut(min((at for at in map(text.find, stop) if at >= 0), default=len(text)))
        if len(sample.text.split()) > max_tokens:
            sample = Sample(' '.join(sample.text.split()[:max_tokens]))
        self._answered(sample.text)
        self.written = sample.tokens
        return sample

    def _asked(self, options: Sequence[str] | None) -> int | str | Sample:
        self._cancel.check()
        words = self._model.count_tokens(self._text)
        if words > self._model.context_tokens:
            raise PromptTooLongError(
                f'A prompt of {words} words does not fit the context of '
                f'{self._model.context_tokens}.'
            )
        self._usage += LlmUsage(
            self._model.name,
            prompt_tokens=words,
            cached_tokens=min(words, self._cached),
            evaluated_tokens=max(0, words - self._cached),
            requests=1,
        )
        self._cached = max(words, self._cached)
        answer = self._policy(self._text, options)
        self._cancel.check()
        return answer

    def _answered(self, text: str) -> None:
        self._text += text
        self._usage += LlmUsage(self._model.name, completion_tokens=self._model.count_tokens(text))

    def fork(self) -> PolicySession:
        """A second session with the same text."""
        return PolicySession(self._model, self._policy, self._cancel, self._text, self._cached)

    def drop(self) -> None:
        """Nothing to give back."""


def named_option(answer: int | str, options: Sequence[str]) -> int:
    """Index of the option that an answer names.

    :param answer: an index, or a text: equal to an option, or contained in one option alone.
    :raises ModelOutputError: it names none or several; the message says what was offered.
    """
    choice = offered(options)
    if isinstance(answer, int):
        if 0 <= answer < len(options):
            return answer
        raise ModelOutputError(f'There is no option {answer}; offered were {choice}.')
    for same in (
        lambda option: option == answer,
        lambda option: option.strip() == answer.strip(),
        lambda option: answer.strip() in option,
    ):
        found = [index for index, option in enumerate(options) if same(option)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ModelOutputError(
                f'{answer[:EXCERPT]!r} is in {len(found)} options: write more of it; offered '
                f'were {choice}.'
            )
    raise ModelOutputError(f'{answer[:EXCERPT]!r} is no option; offered were {choice}.')


def offered(options: Sequence[str]) -> str:
    """The first options of a choice, for a message."""
    shown = ', '.join(repr(option[:EXCERPT]) for option in options[:_OPTIONS_SHOWN])
    more = len(options) - _OPTIONS_SHOWN
    return f'{shown} and {more} more' if more > 0 else shown
