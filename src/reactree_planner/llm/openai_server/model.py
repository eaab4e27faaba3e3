"""Any OpenAI-compatible server as a language model: llama.cpp, vLLM, Ollama, hosted ones.

What the server offers is asked once (`profile`); every choice is kept to its options by
the best means there is, and where there is none by propose, validate, correct. Text goes out whole
with each request and is continued raw where the server can, so that its prompt cache is used.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, Turn
from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.http_client import HttpLimits
from reactree_core.usage import estimated_tokens
from reactree_planner.llm.openai_server.connection import ServerConnection
from reactree_planner.llm.openai_server.dialogue import ServerDialogue
from reactree_planner.llm.openai_server.profile import (
    DEFAULT_CONTEXT,
    detect_server,
    ServerAddress,
    ServerKind,
    ServerProfile,
)
from reactree_planner.llm.openai_server.session import OpenAiServerChat, OpenAiServerSession
from reactree_planner.llm.openai_server.thinking import Thinking, USUAL_THINKING

_LOG = logging.getLogger(__name__)

_COUNTS_KEPT = 4096
_COUNT_SECONDS = 10.0
#: After a count that failed, tokens are estimated for so long.
_ESTIMATE_SECONDS = 60.0


class OpenAiServerModel:
    """A model behind HTTP (port `LanguageModel`).

    :param base_url: `http://host:8080`, `https://api.openai.com/v1` or another API path.
    :param model: id as the server names it; '' for the only one it has.
    :param api_key_env: name of the environment variable with the API key; '' for none.
    :param key_over_http: send the key to another machine unencrypted too.
    :param connect_timeout: seconds until a connection stands.
    :param read_timeout: longest silence of the server in seconds.
    :param total_timeout: seconds for one request with all its tries.
    :param max_retries: further tries after 429, 5xx or a lost connection, 0..20.
    :param max_corrections: corrective messages to a model that names none of the options, 0..20.
    :param context_tokens: longest session; 0 for what the server says.
    :param usual_context: the same where the server says nothing.
    :param thinking: how much its model may think before it answers.
    :param lists_options: whether options stand in the prompt of a raw completion too, where
        a constraint keeps to them.
    :param first_pause: seconds before the second try; doubles with each, with jitter.
    :param max_answer_bytes: longest answer that is read.
    :raises ConfigurationError: an argument or the key cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str = '',
        api_key_env: str = '',
        connect_timeout: float = 5.0,
        read_timeout: float = 300.0,
        total_timeout: float = 600.0,
        max_retries: int = 4,
        max_corrections: int = 3,
        context_tokens: int = 0,
        first_pause: float = 0.5,
        max_answer_bytes: int = 4 * 1024**2,
        key_over_http: bool = False,
        usual_context: int = DEFAULT_CONTEXT,
        thinking: Thinking = USUAL_THINKING,
        lists_options: bool = True,
    ) -> None:
        if not 0 <= max_corrections <= 20:
            raise ConfigurationError('max_corrections must be 0 to 20.')
        if context_tokens < 0:
            raise ConfigurationError('context_tokens must be 0 or more.')
        self.address = ServerAddress.parse(base_url)
        self._max_corrections = max_corrections
        self._thinking = thinking
        self._lists_options = lists_options
        self._wanted = model
        self._wanted_context = context_tokens
        self._usual_context = usual_context
        self._dialogue: ServerDialogue | None = None
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._estimate_until = 0.0
        self._asking = CancelToken()
        self._http = ServerConnection(
            self.address.api,
            api_key_env,
            HttpLimits(
                connect_timeout,
                read_timeout,
                total_timeout,
                max_retries,
                first_pause,
                max_answer_bytes,
            ),
            key_over_http,
        )

    def __repr__(self) -> str:
        return f'OpenAiServerModel({self.address.api!r}, {self._wanted!r})'

    @property
    def name(self) -> str:
        """The model's id, of a file only its name; before the first contact what is wanted."""
        if not self._dialogue:
            return self._wanted or self.address.api
        model = self._dialogue.profile.model
        return Path(model).stem if model.endswith('.gguf') else model

    @property
    def context_tokens(self) -> int:
        """Longest session in tokens, as the server says.

        :raises ModelError: the server cannot be asked.
        """
        return self.connect(self._asking).context_tokens

    def connect(self, cancel: CancelToken) -> ServerProfile:
        """Ask the server what it offers, once; sessions do it by themselves.

        :param cancel: ends this, and counting tokens until the next `connect` or session.

        :raises ConfigurationError: the server does not have the wanted model.
        :raises ModelError: no usable answer. :raises CanceledError: stopped.
        """
        self._asking = cancel
        return self._connected(cancel).profile

    def _connected(self, cancel: CancelToken) -> ServerDialogue:
        with self._lock:
            if self._dialogue is None:
                profile = detect_server(
                    self._http,
                    self.address,
                    self._wanted,
                    self._wanted_context,
                    cancel,
                    self._usual_context,
                )
                _LOG.info(
                    '%s is %s %s with model %s',
                    self.address.api,
                    profile.kind.value,
                    profile.version,
                    profile.model,
                )
                self._dialogue = ServerDialogue(
                    self._http,
                    self.address,
                    profile,
                    self._max_corrections,
                    self._thinking,
                    self._lists_options,
                )
            return self._dialogue

    def count_tokens(self, text: str) -> int:
        """Tokens of a text: exact where the server has a tokenizer, else rather too many."""
        known = self._counts.get(text)
        if known is not None:
            return known
        if time.monotonic() < self._estimate_until:
            return estimated_tokens(text)
        count = self._ask_tokenizer(text)
        if count is None:
            return estimated_tokens(text)
        if len(self._counts) >= _COUNTS_KEPT:
            self._counts.clear()
        self._counts[text] = count
        return count

    def _ask_tokenizer(self, text: str) -> int | None:
        cancel = self._asking
        profile = self.connect(cancel)
        if not profile.tokenizer or not text:
            return None if text else 0
        body: dict[str, Any] = {'content': text, 'add_special': False}
        if profile.kind is ServerKind.VLLM:
            body = {'model': profile.model, 'prompt': text, 'add_special_tokens': False}
        elif profile.kind is ServerKind.LLAMA_CPP_PYTHON:
            # Counts the token that begins a text too, where the model has one.
            body = {'model': profile.model, 'input': text}
        try:
            answer = self._http.post(
                f'{self.address.root}{profile.tokenizer}', body, cancel, _COUNT_SECONDS
            )
        except ModelError as error:
            _LOG.info('Tokens are estimated for %g s: %s', _ESTIMATE_SECONDS, error)
            self._estimate_until = time.monotonic() + _ESTIMATE_SECONDS
            return None
        tokens = answer.get('tokens') if isinstance(answer, dict) else None
        return len(tokens) if isinstance(tokens, list) else None

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> OpenAiServerSession:
        """Begin a session; the server's prompt cache keeps the shared prefix.

        :raises ModelError: the server gives no usable answer. :raises CanceledError: stopped.
        """
        cancel.check()
        return OpenAiServerSession(self._connected(cancel), self.name, cancel, shared_prefix)

    @property
    def takes_pictures(self) -> bool:
        """Whether its model does, a server says when it is asked."""
        return True

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> OpenAiServerChat:
        """Begin a conversation.

        :raises ModelError: the server gives no usable answer. :raises CanceledError: stopped.
        """
        cancel.check()
        conversation = Conversation(list(turns))
        return OpenAiServerChat(self._connected(cancel), self.name, cancel, conversation)

    def close(self) -> None:
        """Close every connection; safe to call twice."""
        self._http.close()
