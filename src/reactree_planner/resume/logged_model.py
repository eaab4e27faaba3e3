"""A language model whose answers are logged, and come from the log while a run is resumed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Conversation, PictureFile, Role, Turn
from reactree_core.errors import ModelError, ResumeError
from reactree_core.ports import (
    ChatSession,
    ForeseeingSession,
    LanguageModel,
    LanguageSession,
    Outlook,
    RemoteModel,
    Sample,
    Selection,
    Strategy,
)
from reactree_core.record.answers import (
    answered_error,
    digest_of,
    sample_of,
    usage_entry,
    usage_of,
)
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.llm.chat import begin_chat, takes_pictures
from reactree_planner.llm.sampling import Draw, draw_samples
from reactree_planner.llm.two_models import planner_of
from reactree_planner.resume.run_log import RunLog


def is_elsewhere(model: LanguageModel) -> bool:
    """Whether a model, logged or not, is behind a server that keeps what prompts begin with."""
    return isinstance(model._inner if isinstance(model, LoggedModel) else model, RemoteModel)


class LoggedModel:
    """Another model (port `LanguageModel`), its answers in a run's log."""

    def __init__(self, inner: LanguageModel, log: RunLog) -> None:
        self._inner = inner
        self._log = log

    @property
    def name(self) -> str:
        """The inner model's."""
        return self._inner.name

    @property
    def context_tokens(self) -> int:
        """The inner model's."""
        return self._inner.context_tokens

    def count_tokens(self, text: str) -> int:
        """The inner model's count."""
        return self._inner.count_tokens(text)

    @property
    def planner(self) -> LanguageModel:
        """What writes plans, logged as well."""
        planner = planner_of(self._inner)
        return self if planner is self._inner else LoggedModel(planner, self._log)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> LoggedSession:
        """Begin a session; the inner one begins when it is needed."""
        session = LoggedSession(self._inner, self._log, cancel, shared_prefix, shared_prefix)
        if not self._log.replaying:
            session.begin()
        return session

    @property
    def takes_pictures(self) -> bool:
        """Whether the inner model does."""
        return takes_pictures(self._inner)

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> LoggedChat:
        """Begin a conversation; the inner one begins when it is needed."""
        chat = LoggedChat(self._inner, self._log, cancel, Conversation(list(turns)), len(turns))
        if not self._log.replaying:
            chat.begin()
        return chat

    def close(self) -> None:
        """Free the inner model."""
        self._inner.close()


class LoggedSession:
    """Port `LanguageSession`: a text alone while its answers come from the log.

    :param prefix: shared beginning of the text.
    """

    def __init__(
        self,
        model: LanguageModel,
        log: RunLog,
        cancel: CancelToken,
        prefix: str,
        text: str,
        inner: LanguageSession | None = None,
    ) -> None:
        self._model = model
        self._log = log
        self._cancel = cancel
        self._prefix = prefix
        self._text = text
        self._inner = inner
        self._spent = NO_USAGE

    def begin(self) -> LanguageSession:
        """The inner session, with the text so far."""
        if self._inner is None:
            self._inner = self._model.session(self._cancel, self._prefix)
            rest = self._text[len(self._prefix) :]
            if rest:
                self._inner.append(rest)
        return self._inner

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._text if self._inner is None else self._inner.text

    @property
    def usage(self) -> LlmUsage:
        """Counts since the session began, those of before an interruption too."""
        if self._inner is None:
            return self._spent
        return self._inner.usage if self._spent is NO_USAGE else self._spent + self._inner.usage

    def append(self, text: str) -> None:
        """Add text."""
        if self._inner is None:
            self._text += text
        else:
            self._inner.append(text)

    def foresee(self, outlook: Outlook) -> None:
        """Tell the inner session, where there is one that wants to know."""
        if isinstance(self._inner, ForeseeingSession):
            self._inner.foresee(outlook)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """The logged choice, or a new one."""

        def ask(session: LanguageSession) -> dict[str, Any]:
            chosen = session.select(options, strategy)
            return {
                'option': options[chosen.index],
                'log_probability': _finite(chosen.log_probability),
                'margin': _finite(chosen.margin),
            }

        answer = self._answer('select', ask, options)
        try:
            index = list(options).index(answer['option'])
            if self._inner is None:
                self.append(options[index])
        except (KeyError, ValueError):
            raise ResumeError(
                f'The run cannot be resumed: its journal chose {answer.get("option")!r}, which '
                'the planner does not offer now. Start it with the parameters that the run began '
                'with, or give the task again.'
            ) from None
        return Selection(
            index, _number(answer.get('log_probability'), 0.0), _number(answer.get('margin'))
        )

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """The logged text, or a new one."""

        def ask(session: LanguageSession) -> dict[str, Any]:
            return {'text': session.generate(stop, max_tokens, temperature, seed, top_p)}

        text = str(self._answer('generate', ask).get('text', ''))
        if self._inner is None:
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
        """The logged texts, or new ones; each is logged by itself, as if it was generated."""
        drawn: Iterator[Sample] | None = None
        answered = 0
        draw = Draw(max_tokens, temperature, top_p, tuple(stop))

        def ask(session: LanguageSession) -> dict[str, Any]:
            nonlocal drawn
            if drawn is None:
                drawn = draw_samples(session, seeds[answered:], draw, self._count_apart)
            sample = next(drawn)
            return {'text': sample.text} | ({'tokens': sample.tokens} if sample.tokens else {})

        while answered < len(seeds):
            sample = sample_of(self._answer('generate', ask))
            answered += 1
            yield sample

    def _count_apart(self, session: LanguageSession) -> None:
        """Count a session that is not the inner one, and give it back."""
        self._spent = self._spent + session.usage
        session.drop()

    def _answer(
        self,
        kind: str,
        ask: Callable[[LanguageSession], dict[str, Any]],
        options: Sequence[str] | None = None,
    ) -> Mapping[str, Any]:
        """An answer; while it comes from the log there is no inner session."""

        def fresh() -> dict[str, Any]:
            session = self.begin()
            before = self.usage
            asked = digest_of(session.text, options)
            try:
                answer = ask(session)
            except ModelError as error:
                # An answer too: the planner may try again.
                answer = {'error': type(error).__name__, 'message': str(error)}
            return answer | {'usage': usage_entry(self.usage - before), 'of': asked}

        def read(answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], LlmUsage]:
            return answer, usage_of(answer, self._model.name)

        self._cancel.check()
        replayed = self._log.replaying
        answer, spent = self._log.answer(kind, fresh, read)
        if replayed:
            self._spent = self._spent + spent
        if 'error' in answer:
            raise answered_error(answer)
        return answer

    def fork(self) -> LoggedSession:
        """A second session with the same text."""
        if self._inner is None and not self._log.replaying:
            self.begin()  # what both share is evaluated once
        inner = self._inner.fork() if self._inner is not None else None
        return LoggedSession(self._model, self._log, self._cancel, self._prefix, self._text, inner)

    def drop(self) -> None:
        """Give the inner session's resources back."""
        if self._inner is not None:
            self._inner.drop()


class LoggedChat(LoggedSession):
    """Port `ChatSession`: turns alone while its answers come from the log.

    :param conversation: which this session alone goes on with.
    :param shared: how many of its turns others begin with too.
    """

    def __init__(
        self,
        model: LanguageModel,
        log: RunLog,
        cancel: CancelToken,
        conversation: Conversation,
        shared: int,
        inner: ChatSession | None = None,
    ) -> None:
        super().__init__(model, log, cancel, '', '', inner)
        self._conversation = conversation
        self._shared = shared

    def begin(self) -> LanguageSession:
        """The inner session, with the turns so far."""
        if self._inner is None:
            turns = self._conversation.turns
            chat = begin_chat(self._model, self._cancel, turns[: self._shared])
            for turn in turns[self._shared :]:
                chat.say(turn.role, turn.text, turn.pictures)
            if self._conversation.answer:
                chat.append(self._conversation.answer)
            self._inner = chat
        return self._inner

    @property
    def text(self) -> str:
        """The turns as plain text."""
        return self._conversation.text if self._inner is None else self._inner.text

    def append(self, text: str) -> None:
        """Add to what the assistant says."""
        if self._inner is None:
            self._conversation.answer += text
        else:
            self._inner.append(text)

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn."""
        if self._inner is None:
            self._conversation.say(Turn(role, text, tuple(pictures)))
        else:
            self._chat.say(role, text, pictures)

    @property
    def _chat(self) -> ChatSession:
        return cast(ChatSession, self._inner)

    def fork(self) -> LoggedChat:
        """A second session with the same turns."""
        if self._inner is None and not self._log.replaying:
            self.begin()  # what both share is evaluated once
        return LoggedChat(
            self._model,
            self._log,
            self._cancel,
            self._conversation.copy(),
            self._shared,
            self._chat.fork() if self._inner is not None else None,
        )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _number(value: object, missing: float = math.inf) -> float:
    return value if isinstance(value, float) else missing
