"""A model that is fetched when it is first asked: a run whose facts decide needs none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import cast, TYPE_CHECKING

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, PictureFile, Role, Turn
from reactree_core.errors import ModelError, ReactreeError
from reactree_core.ports import (
    ChatSession,
    LanguageModel,
    LanguageSession,
    Sample,
    SamplingSession,
    Selection,
    Strategy,
    Waiting,
)
from reactree_core.usage import estimated_tokens, LlmUsage
from reactree_planner.llm.chat import begin_chat, takes_pictures

if TYPE_CHECKING:
    from reactree_planner.llm.models.progress import FetchProgress, FetchStatus

#: Seconds between two looks for a cancel.
_POLL = 0.1


class ModelToFetch:
    """Port `FetchedModel`: fetches a model's file and loads it at the first request.

    A request is a choice or a text: sessions that are only written to ask nothing. A fetch that
    fails ends the request with the reason; the next one goes on where it stopped. Until the model
    is there tokens are estimated, rather too many, so that a prompt may have an example less.

    :param name: of the loaded model, for people and records.
    :param context_tokens: of the loaded model.
    :param fetch: brings the file, telling its progress.
    :param load: makes the model of the file.
    :param progress: told how far the fetch is, from another thread.
    """

    def __init__(
        self,
        name: str,
        context_tokens: int,
        fetch: Callable[[FetchProgress], Path],
        load: Callable[[Path], LanguageModel],
        progress: FetchProgress,
    ) -> None:
        self._name = name
        self._context_tokens = context_tokens
        self._fetch = fetch
        self._load = load
        self._progress = progress
        self._lock = threading.Lock()
        self._model: LanguageModel | None = None
        self._cancel = CancelToken()
        self._waiting: Callable[[str], Waiting] = lambda what: nullcontext()

    @property
    def name(self) -> str:
        """Name of the model, known before it is there."""
        return self._name

    @property
    def is_loaded(self) -> bool:
        """Whether the model was fetched and loaded."""
        return self._model is not None

    def attend(self, cancel: CancelToken, waiting: Callable[[str], Waiting]) -> None:
        """Wait for a fetch as a run wants it, from now on."""
        self._cancel, self._waiting = cancel, waiting

    @property
    def context_tokens(self) -> int:
        """Longest session in tokens, known before the model is there."""
        return self._context_tokens

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, estimated until the model is there."""
        model = self._model
        return estimated_tokens(text) if model is None else model.count_tokens(text)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> LanguageSession:
        """Begin a session; the model is fetched when that is asked for something."""
        if self._model is not None:
            return self._model.session(cancel, shared_prefix)
        return DeferredSession(
            lambda: self._asked().session(cancel, shared_prefix), '', shared_prefix
        )

    @property
    def takes_pictures(self) -> bool:
        """Whether turns may have pictures; those that can be fetched read text alone."""
        return self._model is not None and takes_pictures(self._model)

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> ChatSession:
        """Begin a conversation; the model is fetched when that is asked for something."""
        if self._model is not None:
            return begin_chat(self._model, cancel, turns)
        return DeferredChat(
            lambda: begin_chat(self._asked(), cancel, turns), Conversation(list(turns)), len(turns)
        )

    def close(self) -> None:
        """Free the model, if it was loaded."""
        with self._lock:
            if self._model is not None:
                self._model.close()
            self._model = None

    def _asked(self) -> LanguageModel:
        """The model itself.

        :raises ModelError: it cannot be fetched or does not load. :raises CanceledError: stopped.
        """
        with self._lock:
            if self._model is None:
                with self._waiting(f'Fetching the model {self._name}'):
                    path = self._fetched(self._cancel)
                self._model = self._load(path)
            return self._model

    def _fetched(self, cancel: CancelToken) -> Path:
        """The file, waited for beside a thread that fetches it, so that a cancel is heard."""
        ended = threading.Event()
        found: list[Path | Exception] = []

        def tell(status: FetchStatus) -> None:
            # Between two parts: what is here stays, and a later fetch goes on from it.
            cancel.check()
            self._progress(status)

        def bring() -> None:
            try:
                found.append(self._fetch(tell))
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                found.append(error)
            ended.set()

        threading.Thread(target=bring, name='fetch', daemon=True).start()
        while not ended.wait(_POLL):
            cancel.check()
        (result,) = found
        if isinstance(result, Path):
            return result
        cancel.check()
        if isinstance(result, ReactreeError):
            raise ModelError(
                f'The model {self._name} is asked for the first time and is not on this machine, '
                f'but cannot be fetched: {result}'
            ) from result
        raise result


class DeferredSession:
    """Port `SamplingSession`: a text until it is asked, then a session of the model.

    :param begin: begins the session of the model, with the prefix. :param written: what follows.
    """

    def __init__(
        self, begin: Callable[[], LanguageSession], written: str, prefix: str = ''
    ) -> None:
        self._begin = begin
        self._prefix = prefix
        self._written = written
        self._inner: LanguageSession | None = None

    def _begun(self) -> LanguageSession:
        """The session of the model, with all that was written."""
        if self._inner is None:
            inner = self._begin()
            if self._written:
                inner.append(self._written)
            self._inner = inner
        return self._inner

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._prefix + self._written if self._inner is None else self._inner.text

    @property
    def usage(self) -> LlmUsage:
        """Counts since the session began."""
        return LlmUsage() if self._inner is None else self._inner.usage

    def append(self, text: str) -> None:
        """Add text."""
        if self._inner is None:
            self._written += text
        else:
            self._inner.append(text)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Ask for a choice."""
        return self._begun().select(options, strategy)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Ask for a text."""
        return self._begun().generate(stop, max_tokens, temperature, seed, top_p)

    def sample(
        self,
        seeds: Sequence[int],
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> Iterator[Sample]:
        """Ask for several texts."""
        session = cast(SamplingSession, self._begun())
        yield from session.sample(seeds, stop, max_tokens, temperature, top_p)

    def fork(self) -> LanguageSession:
        """A second session with the same text."""
        if self._inner is not None:
            return self._inner.fork()
        return DeferredSession(self._begin, self._written, self._prefix)

    def drop(self) -> None:
        """Give the resources of the model's session back."""
        if self._inner is not None:
            self._inner.drop()


class DeferredChat(DeferredSession):
    """Port `ChatSession`: turns until it is asked, then a conversation with the model.

    :param begin: begins the conversation with the first turns. :param shared: how many these are.
    """

    def __init__(
        self, begin: Callable[[], ChatSession], conversation: Conversation, shared: int
    ) -> None:
        super().__init__(begin, '')
        self._begin_chat = begin
        self._conversation = conversation
        self._shared = shared
        self._chat: ChatSession | None = None

    def _begun(self) -> LanguageSession:
        if self._chat is None:
            chat = self._begin_chat()
            for turn in self._conversation.turns[self._shared :]:
                chat.say(turn.role, turn.text, turn.pictures)
            if self._conversation.answer:
                chat.append(self._conversation.answer)
            self._inner = self._chat = chat
        return self._chat

    @property
    def text(self) -> str:
        """The turns as plain text."""
        return self._conversation.text if self._chat is None else self._chat.text

    def append(self, text: str) -> None:
        """Add to what the assistant says."""
        if self._chat is None:
            self._conversation.answer += text
        else:
            self._chat.append(text)

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn."""
        if self._chat is None:
            self._conversation.say(Turn(role, text, tuple(pictures)))
        else:
            self._chat.say(role, text, pictures)

    def fork(self) -> ChatSession:
        """A second conversation with the same turns."""
        if self._chat is not None:
            return self._chat.fork()
        return DeferredChat(self._begin_chat, self._conversation.copy(), self._shared)
