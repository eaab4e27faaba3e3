"""Conversations with whatever model there is: its own marks of turns, else plain text."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.chat import ANSWER, NEXT_SPEAKERS, PictureFile, plain_text, Role, Turn
from reactree_core.errors import ModelError
from reactree_core.ports import (
    ChatModel,
    ChatSession,
    LanguageModel,
    LanguageSession,
    Selection,
    Strategy,
)
from reactree_core.usage import LlmUsage


def begin_chat(
    model: LanguageModel, cancel: CancelToken, turns: Sequence[Turn] = ()
) -> ChatSession:
    """A conversation with a model. :param turns: with which others begin too.

    :raises ModelError: the model failed. :raises CanceledError: stopped.
    """
    if isinstance(model, ChatModel):
        return model.chat(cancel, turns)
    return plain_chat(model, cancel, turns)


def takes_pictures(model: LanguageModel) -> bool:
    """Whether turns with this model may have pictures."""
    return isinstance(model, ChatModel) and model.takes_pictures


def no_pictures(name: str) -> ModelError:
    """Error about a model that reads only text."""
    return ModelError(
        f'{name} takes no pictures: use a vision-language model (model:=vision:FOLDER, or a '
        'server with one), or leave pictures=true out of the preset.'
    )


class OwnChats:
    """Opens conversations whose usage nobody counts.

    :param model: of any back end. :param cancel: ends them.
    """

    def __init__(self, model: LanguageModel, cancel: CancelToken | None = None) -> None:
        self._model = model
        self._cancel = cancel or CancelToken()

    def chat(self, turns: Sequence[Turn]) -> ChatSession:
        """Begin a conversation with these turns."""
        return begin_chat(self._model, self._cancel, turns)

    def drop(self, session: LanguageSession) -> None:
        """Free a conversation."""
        session.drop()


def plain_chat(model: LanguageModel, cancel: CancelToken, turns: Sequence[Turn] = ()) -> PlainChat:
    """A conversation in plain text, for a model that knows no turns."""
    return PlainChat(model.session(cancel, ''.join(map(plain_text, turns))), model.name)


class PlainChat:
    """Port `ChatSession` over any session: turns are lines that begin with who speaks.

    :param session: its text ends with a whole turn, or is empty. :param name: of the model.
    """

    def __init__(self, session: LanguageSession, name: str, answers: bool = False) -> None:
        self._session = session
        self._name = name
        #: Whether the assistant is speaking.
        self._answers = answers

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._session.text

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began."""
        return self._session.usage

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn."""
        if pictures:
            raise no_pictures(self._name)
        end = '\n' if self._answers and not self.text.endswith('\n') else ''
        self._answers = False
        self._session.append(end + plain_text(Turn(role, text)))

    def append(self, text: str) -> None:
        """Add to what the assistant says."""
        if text:
            begins = not self._answers
            self._begin_answer()
            self._session.append(f' {text}' if begins and not text[0].isspace() else text)

    def _begin_answer(self) -> None:
        if not self._answers:
            self._answers = True
            self._session.append(ANSWER)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose what the assistant says next."""
        self._begin_answer()
        return self._session.select(options, strategy)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """What the assistant says next; it ends where another would begin to speak."""
        self._begin_answer()
        stops = (*stop, *NEXT_SPEAKERS)
        return self._session.generate(stops, max_tokens, temperature, seed, top_p)

    def fork(self) -> PlainChat:
        """A second session with the same turns."""
        return PlainChat(self._session.fork(), self._name, self._answers)

    def drop(self) -> None:
        """Give its resources back."""
        self._session.drop()
