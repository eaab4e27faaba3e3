"""A vision-language model, asked about declared names, places and states, and nothing else.

    answers = asker.ask(picture)        # [Answer('drawer 1', state='open', ...)]

Each answer is one of the options that it was given, so that neither the model nor what is written
in a picture can say anything else. "I am not sure" says nothing, and so does not seeing a thing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile, Role, Turn
from reactree_core.errors import CanceledError, ConfigurationError, ModelError
from reactree_core.ports import ChatSession, LanguageModel
from reactree_planner.llm.chat import begin_chat, takes_pictures
from robot_bridge.perception_file import QuestionEntry, VisionModelEntry

_HOUR = 3600.0
_TASK = (
    'You look through the camera of a robot. Answer each question about the picture with one of '
    'the given answers. Say what is to be seen now, not what usually is.'
)
_UNSEEN, _UNSURE, _ELSEWHERE = 'I do not see it', 'I am not sure', 'somewhere else'


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says of a thing. :param place: '' for none of the file's.

    :param state: '' for none. :param seen_at: when the picture was taken, s.
    """

    name: str
    place: str
    state: str
    seen_at: float


class VisionAsker:
    """Asks a model, within its time and its budget.

    :param cancel_all: stops whatever is asked.
    :raises ConfigurationError: the model takes no pictures.
    """

    def __init__(
        self,
        entry: VisionModelEntry,
        model: LanguageModel,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not takes_pictures(model):
            raise ConfigurationError(
                f'{model.name} takes no pictures: name a vision-language model below perception, '
                'a server with one or vision:FOLDER'
            )
        self._entry = entry
        self._model = model
        self._clock = clock
        self._asked: deque[float] = deque()
        #: Why the newest answers are not all there; '' where they are.
        self.trouble = ''
        self._cancel = CancelToken()

    @property
    def left(self) -> int:
        """Requests that may still be made in this hour."""
        now = self._clock()
        while self._asked and now - self._asked[0] >= _HOUR:
            self._asked.popleft()
        return self._entry.budget - len(self._asked)

    def begin(self) -> None:
        """Ask again after a stop."""
        self._cancel = CancelToken()

    def stop(self) -> None:
        """End what is being asked; nothing is asked until `begin`."""
        self._cancel.cancel()

    def ask(self, picture: PictureFile, taken_at: float) -> list[Answer]:
        """What the model says of the things of the file, as far as it comes in its time.

        :param taken_at: when the picture was taken, s. Trouble is returned, not raised.
        """
        answers: list[Answer] = []
        self.trouble = ''
        cancel = self._cancel
        if not cancel.canceled:
            cancel = self._cancel = CancelToken(time.monotonic() + self._entry.within)
        try:
            for answer in self._answers(picture, taken_at, cancel):
                answers.append(answer)
        except CanceledError:
            self.trouble = f'the model did not answer within {self._entry.within:g} s'
        except ModelError as error:
            self.trouble = str(error)
        return answers

    def _answers(
        self, picture: PictureFile, taken_at: float, cancel: CancelToken
    ) -> Iterator[Answer]:
        chat = begin_chat(self._model, cancel, (Turn(Role.SYSTEM, _TASK),))
        try:
            shown: tuple[PictureFile, ...] = (picture,)
            for name, question in self._entry.ask.items():
                found = self._about(chat, name, question, shown)
                shown = ()
                if any(found):
                    yield Answer(name, *found, taken_at)
        finally:
            chat.drop()

    def _about(
        self, chat: ChatSession, name: str, question: QuestionEntry, shown: tuple[PictureFile, ...]
    ) -> tuple[str, str]:
        """Place and state of one thing; '' where the model tells none."""
        place = state = ''
        if question.places:
            options = [*question.places, _ELSEWHERE, _UNSEEN, _UNSURE]
            place = self._choose(chat, f'Where is {name}?', options, shown)
            shown = ()
        if question.states and place != _UNSEEN:
            options = [*question.states, _UNSEEN, _UNSURE]
            asked = f'Which is {name}: {", ".join(question.states)}?'
            state = self._choose(chat, asked, options, shown)
        return (
            place if place in question.places else '',
            state if state in question.states else '',
        )

    def _choose(
        self, chat: ChatSession, asked: str, options: list[str], shown: tuple[PictureFile, ...]
    ) -> str:
        if self.left <= 0:
            minutes = (self._asked[0] + _HOUR - self._clock()) / 60
            raise ModelError(
                f'its budget of {self._entry.budget} requests an hour is spent; it is asked again '
                f'in {minutes:.0f} min'
            )
        self._asked.append(self._clock())
        chat.say(Role.USER, f'{asked}\nAnswers: {"; ".join(options)}.', shown)
        return options[chat.select(options).index]
