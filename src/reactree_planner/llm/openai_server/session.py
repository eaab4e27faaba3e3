"""Texts and conversations with a model behind a server."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, PictureFile, Role, Turn
from reactree_core.errors import ModelError
from reactree_core.ports import check_options, Outlook, Sample, Selection, Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.openai_server.answers import Answer
from reactree_planner.llm.openai_server.dialogue import ServerDialogue
from reactree_planner.llm.openai_server.foresight import begun_by, Foresight
from reactree_planner.llm.openai_server.prompts import ChatPrompt, Prompt, TextPrompt
from reactree_planner.llm.openai_server.protocol import Sampling

#: Letters of generated text per token asked for; more is cut off.
_LETTERS_PER_TOKEN = 64


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
