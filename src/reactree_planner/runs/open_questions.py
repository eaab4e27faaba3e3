"""Where a question waits for a person's answer, up to its deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import IntEnum

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError
from reactree_core.record.questions import one_line, Question

#: How often a waiting question looks whether its run was canceled, in seconds.
_POLL = 0.05
#: Longest name of who answers, in characters.
_LONGEST_NAME = 60


class QuestionState(IntEnum):
    """Equal to the STATE_* constants of Question.msg."""

    OPEN = 0
    ANSWERED = 1
    EXPIRED = 2
    WITHDRAWN = 3


#: About a question, its state, the seconds until its deadline, the answer, and who gave it.
TellQuestion = Callable[[Question, QuestionState, float, str, str], None]


class OpenQuestions:
    """Port `People`. Thread-safe: the run waits in `ask`, a service calls `answer`.

    :param is_watched: whether somebody would see a question.
    :param timeout: seconds until a question's default is taken; asked once a question.
    :param tell: called when a question is opened, and what became of it.
    """

    def __init__(
        self,
        is_watched: Callable[[], bool],
        timeout: Callable[[], float],
        tell: TellQuestion = lambda question, state, seconds, answer, by: None,
    ) -> None:
        self._is_watched = is_watched
        self._timeout = timeout
        self._tell = tell
        self._condition = threading.Condition()
        self._open: Question | None = None
        self._answer: tuple[str, str] | None = None
        #: Run whose questions these are; an answer names it.
        self.run_id = ''

    @property
    def attended(self) -> bool:
        """Whether somebody would see a question."""
        return self._is_watched()

    def offers(self, said: str) -> bool:
        """Whether something said is one of the options of the open question."""
        question = self._open
        return question is not None and said.strip().casefold() in map(
            str.casefold, question.options
        )

    def answer(self, run_id: str, number: int, said: str, by: str = '') -> tuple[bool, str]:
        """Answer the open question: whether the answer counts, and a sentence.

        It counts once, only for the run and number of the open question, and only if it fits.
        """
        with self._condition:
            question = self._open
            if question is None:
                return False, 'No question is open.'
            if (run_id, number) != (self.run_id, question.number):
                return False, (
                    f'What is open is "{question.text}", number {question.number} of run '
                    f'{self.run_id[:8]}: answer that, with both.'
                )
            if self._answer is not None:
                return False, f'It is answered already: "{self._answer[0]}".'
            try:
                meant = question.answer(said)
            except ConfigurationError as error:
                return False, str(error)
            self._answer = meant, one_line(by, _LONGEST_NAME)
            self._condition.notify_all()
            return True, f'The answer is "{meant}".'

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """Wait for an answer; None where there is none before the deadline.

        :raises CanceledError: the run was stopped while waiting.
        """
        seconds = cancel.remaining(self._timeout())
        deadline = time.monotonic() + seconds
        with self._condition:
            self._open, self._answer = question, None
        state = QuestionState.EXPIRED
        try:
            self._tell(question, QuestionState.OPEN, seconds, '', '')
            with self._condition:
                while not self._is_answered and time.monotonic() < deadline:
                    self._condition.wait(_POLL)
                    cancel.check()
        except CanceledError:
            state = QuestionState.WITHDRAWN
            raise
        finally:
            given = self._close()
            if given is not None and state is QuestionState.EXPIRED:
                state = QuestionState.ANSWERED
            said, by = given or ('', '')
            self._tell(question, state, 0.0, said, by)
        return said if given is not None else None

    @property
    def _is_answered(self) -> bool:
        return self._answer is not None

    def _close(self) -> tuple[str, str] | None:
        """Take no answer any more; the one that was accepted, which counts."""
        with self._condition:
            self._open = None
            return self._answer
