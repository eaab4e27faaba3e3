"""Any OpenAI-compatible server as a language model: llama.cpp, vLLM, Ollama, hosted ones.

What the server offers is asked once (`profile`); every choice is kept to its options by
the best means there is, and where there is none by propose, validate, correct. Text goes out whole
with each request and is continued raw where the server can, so that its prompt cache is used.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, PictureFile, Role, Turn
from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.http_client import HttpLimits
from reactree_core.ports import check_options, Outlook, Sample, Selection, Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.openai_server.connection import ServerConnection
from reactree_planner.llm.openai_server.dialogue import estimated_tokens, ServerDialogue
from reactree_planner.llm.openai_server.foresight import begun_by, Foresight
from reactree_planner.llm.openai_server.profile import (
    DEFAULT_CONTEXT,
    detect_server,
    ServerAddress,
    ServerKind,
    ServerProfile,
)
from reactree_planner.llm.openai_server.prompts import ChatPrompt, Prompt, TextPrompt
from reactree_planner.llm.openai_server.protocol import Answer, Sampling
from reactree_planner.llm.openai_server.thinking import Thinking, USUAL_THINKING

_LOG = logging.getLogger(__name__)

#: Letters of generated text per token asked for; more is cut off.
_LETTERS_PER_TOKEN = 64
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
        self._tells_options = lists_options
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
                    self._tells_options,
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


class OpenAiServerSession:
    """One growing text (port `LanguageSession`); the server keeps what it evaluated of it."""

    def __init__(
        self, dialogue: ServerDialogue, model: str, cancel: CancelToken, text: str
    ) -> None:
        self._dialogue = dialogue
        self._model = model
        self._cancel = cancel
        self._text = text
        self._usage = LlmUsage(model)
        self._foresight: Foresight | None = None

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._text

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began; estimated where the server does not count."""
        return self._usage

    @property
    def _prompt(self) -> Prompt:
        return TextPrompt(self._text, self._dialogue.lists_options)

    @property
    def _place(self) -> tuple[int, int]:
        """Where the session has got to; the second number counts letters."""
        return 0, len(self._text)

    @property
    def _being_said(self) -> str:
        """The text that these letters are of."""
        return self._text

    def foresee(self, outlook: Outlook) -> None:
        """Have the next question answered with those that follow it."""
        said = self._said_since_foresight()
        if self._foresight is None or said is None or not self._foresight.fits(said, outlook):
            self._foresight = Foresight(outlook, self._place)

    def _said_since_foresight(self) -> str | None:
        """None where the session has gone on to something else."""
        foresight = self._foresight
        if foresight is None or self._place < foresight.place:
            return None
        turns, letters = foresight.place
        return self._being_said[letters:] if self._place[0] == turns else None

    def _foreseen(self, spent: list[Answer]) -> str:
        """What the model says from here on, where that was decided, or is now; '' elsewhere."""
        foresight, said = self._foresight, self._said_since_foresight()
        if foresight is None or said is None:
            return ''
        if foresight.is_next(said):
            # In vain, unless it answers: then it is asked bit by bit.
            foresight.continuation = ''
            foresight.continuation = self._dialogue.decide(
                self._prompt_before(len(said)), foresight.outlook, self._cancel, spent
            )
        return foresight.rest(said)

    def _prompt_before(self, letters: int) -> Prompt:
        text = self._text[: len(self._text) - letters]
        return TextPrompt(text, self._dialogue.lists_options)

    def append(self, text: str) -> None:
        """Add text; sent with the next request."""
        self._text += text

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Let the model choose; a single option is taken without asking.

        :param strategy: servers score single tokens at best, so only CONSTRAINED.
        :raises ModelOutputError: the model named none of them, however often corrected.
        :raises ModelError: another strategy is asked for.
        """
        check_options(options)
        if strategy is not Strategy.CONSTRAINED:
            raise ModelError(
                f'{self._model} is behind a server, which cannot score whole options: set '
                'selection to constrained, or run the model in this process.'
            )
        self._cancel.check()
        started = time.monotonic()
        spent: list[Answer] = []
        try:
            foreseen = begun_by(self._foreseen(spent), options) if len(options) > 1 else 0
            if len(options) == 1:
                selection = Selection(0, 0.0, math.inf)
            elif foreseen is not None:
                selection = Selection(foreseen, 0.0, 0.0)
            else:
                selection = self._dialogue.choose(self._prompt, options, self._cancel, spent)
        finally:
            self._count(spent, started)
        self.append(options[selection.index])
        return selection

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Free text up to the first stop text."""
        sampling = _checked(Sampling(max_tokens, temperature, seed, tuple(stop), top_p))
        started = time.monotonic()
        spent: list[Answer] = []
        try:
            text = '' if temperature else self._foreseen(spent)
            if not text:
                text = self._dialogue.go_on(self._prompt, sampling, self._cancel, spent)
        finally:
            self._count(spent, started)
        text = text[: _end_of(text, sampling)]
        self.append(text)
        return text

    def sample(
        self,
        seeds: Sequence[int],
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> Iterator[Sample]:
        """Continuations, as many in one request as the server gives (`n`), with what it tells.

        Of a request for several, the server derives all from the first seed.
        """
        left = list(seeds)
        while left:
            sampling = _checked(
                Sampling(
                    max_tokens, temperature, left[0], tuple(stop), top_p, len(left), scored=True
                )
            )
            started = time.monotonic()
            spent: list[Answer] = []
            try:
                samples = self._dialogue.sampled(self._prompt, sampling, self._cancel, spent)
            finally:
                self._count(spent, started)
            for sample in samples:
                yield sample.cut(_end_of(sample.text, sampling))
            left = left[len(samples) :]

    def _count(self, spent: Sequence[Answer], started: float) -> None:
        latency = time.monotonic() - started
        self._usage += LlmUsage(self._model, requests=bool(spent), latency=latency)
        for answer in spent:
            prompt, completion = answer.prompt_tokens or 0, answer.completion_tokens or 0
            evaluated = prompt - answer.cached_tokens + completion
            self._usage += LlmUsage(
                self._model, prompt, answer.cached_tokens, evaluated, completion
            )

    def fork(self) -> OpenAiServerSession:
        """A second session with the same text."""
        fork = OpenAiServerSession(self._dialogue, self._model, self._cancel, self._text)
        fork._foresight = self._foresight
        return fork

    def drop(self) -> None:
        """Nothing to give back: the server's prompt cache forgets by itself."""


class OpenAiServerChat(OpenAiServerSession):
    """A conversation (port `ChatSession`), sent whole with each request.

    :param conversation: which this session alone goes on with.
    """

    def __init__(
        self,
        dialogue: ServerDialogue,
        model: str,
        cancel: CancelToken,
        conversation: Conversation,
    ) -> None:
        super().__init__(dialogue, model, cancel, '')
        self._conversation = conversation

    @property
    def text(self) -> str:
        """The turns as plain text."""
        return self._conversation.text

    @property
    def _prompt(self) -> Prompt:
        return ChatPrompt(self._conversation)

    @property
    def _place(self) -> tuple[int, int]:
        return len(self._conversation.turns), len(self._conversation.answer)

    @property
    def _being_said(self) -> str:
        return self._conversation.answer

    def _prompt_before(self, letters: int) -> Prompt:
        before = self._conversation.copy()
        before.answer = before.answer[: len(before.answer) - letters]
        return ChatPrompt(before)

    def append(self, text: str) -> None:
        """Add to what the assistant says."""
        self._conversation.answer += text

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn; sent with the next request."""
        self._conversation.say(Turn(role, text, tuple(pictures)))

    def fork(self) -> OpenAiServerChat:
        """A second session with the same turns."""
        conversation = self._conversation.copy()
        fork = OpenAiServerChat(self._dialogue, self._model, self._cancel, conversation)
        fork._foresight = self._foresight
        return fork


def _checked(sampling: Sampling) -> Sampling:
    """A way to draw that servers take. :raises ModelError: it is none."""
    if (
        sampling.max_tokens < 1
        or sampling.temperature < 0.0
        or not 0.0 < sampling.top_p <= 1.0
        or not all(sampling.stop)
    ):
        raise ModelError(
            'generate needs max_tokens of 1 or more, a temperature of 0 or more, a top_p over '
            '0 up to 1 and non-empty stop texts.'
        )
    return sampling


def _end_of(text: str, sampling: Sampling) -> int:
    """Where a continuation ends: at its first stop text, or where it is far too long."""
    cut = min((at for at in map(text.find, sampling.stop) if at >= 0), default=len(text))
    return min(cut, sampling.max_tokens * _LETTERS_PER_TOKEN)
