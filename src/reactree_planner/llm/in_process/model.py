"""A language model in this process (port `LanguageModel`): sessions over one token engine."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import PromptTooLongError
from reactree_planner.llm.in_process.engine import TokenEngine
from reactree_planner.llm.in_process.prefixes import PrefixCache
from reactree_planner.llm.in_process.session import InProcessSession

_OPTIONS_KEPT = 8192


class InProcessModel:
    """Sessions over one engine; calls from several threads take turns.

    :param name: for people and records. :param fingerprint: of the weights and the runtime.
    :param state_directory: where prefix states are kept; None keeps none.
    :param state_bytes: most bytes of kept states.
    :param chat_template: see `chat_templates.CHOICES`.
    :param draft_tokens: most tokens guessed at once while it writes, 0..16; 0 guesses none.
    :raises ConfigurationError: there is no such template.
    """

    def __init__(
        self,
        engine: TokenEngine,
        name: str,
        fingerprint: str,
        state_directory: Path | None = None,
        state_bytes: int = 2 * 1024**3,
        chat_template: str = 'none',
        draft_tokens: int = 0,
    ) -> None:
        self.engine = engine
        self.draft_tokens = draft_tokens
        self._template = choose_template(chat_template, engine.chat_template)
        self._name = name
        self._context_tokens = min(engine.cells, engine.trained_context or engine.cells)
        self.prefixes = PrefixCache(engine, state_directory, fingerprint, state_bytes)
        self.lock = threading.RLock()
        #: Tokens of an option: (text, whether it begins a session). Most skills are offered often.
        self.option_tokens = lru_cache(_OPTIONS_KEPT)(self._tokens_of_option)

    def _tokens_of_option(self, option: str, first: bool) -> tuple[int, ...]:
        return tuple(self.engine.tokenize(option, first=first))

    @property
    def name(self) -> str:
        """For people and records."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """Longest session in tokens."""
        return self._context_tokens

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer."""
        with self.lock:
            return len(self.engine.tokenize(text, first=False))

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> InProcessSession:
        """Begin a session; the shared prefix is evaluated once and kept for others."""
        return InProcessSession(self, cancel, shared_prefix)

    def beginning(self, prefix: str) -> list[int]:
        """Tokens of a session's shared prefix, within the chat template when there is one."""
        template = self._template
        if template is None:
            return self.engine.tokenize(prefix, first=True)
        return [
            *self.engine.tokenize(template.before, first=True, control=True),
            *self.engine.tokenize(prefix, first=False),
            *self.engine.tokenize(template.after, first=False, control=True),
        ]

    def check_length(self, tokens: int) -> None:
        """Whether a text of so many tokens can be gone on with.

        :raises PromptTooLongError: it cannot; the message says what to change.
        """
        if tokens >= self._context_tokens:
            raise PromptTooLongError(
                f'The prompt of {tokens} tokens does not fit the model context of '
                f'{self._context_tokens}. Raise context_tokens, or lower example_tokens.'
            )

    def close(self) -> None:
        """Free the model."""
        with self.lock:
            self.engine.close()


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """Markers around the shared beginning.

    :param before: control text before it. :param after: control text after it.
    :param sign: what a model's own template (Jinja) of this kind contains.
    """

    before: str
    after: str
    sign: str


TEMPLATES = {
    'chatml': ChatTemplate(
        '<|im_start|>system\n', '<|im_end|>\n<|im_start|>assistant\n', '<|im_start|>'
    ),
    'llama3': ChatTemplate(
        '<|start_header_id|>system<|end_header_id|>\n\n',
        '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
        '<|start_header_id|>',
    ),
    # These two have no system turn: what is shared is said by the user.
    'gemma': ChatTemplate(
        '<start_of_turn>user\n', '<end_of_turn>\n<start_of_turn>model\n', '<start_of_turn>'
    ),
    'mistral': ChatTemplate('[INST] ', ' [/INST]', '[INST]'),
}
#: Values of the parameter `chat_template`.
CHOICES = ('none', 'auto', *TEMPLATES)


def choose_template(choice: str, own: str) -> ChatTemplate | None:
    """The template of a model, None for plain text.

    :param choice: one of CHOICES; 'auto' recognises the model's own.
    :param own: the model's own template (Jinja), '' when it has none.
    :raises ConfigurationError: there is no such choice.
    """
    if choice == 'none':
        return None
    if choice == 'auto':
        found = [template for template in TEMPLATES.values() if template.sign in own]
        return found[0] if found else None
    if choice not in TEMPLATES:
        raise ConfigurationError(
            f'There is no chat template {choice[:50]!r}: choose one of {", ".join(CHOICES)}.'
        )
    return TEMPLATES[choice]
