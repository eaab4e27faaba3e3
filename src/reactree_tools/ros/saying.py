"""Saying something to a run that is under way: typed while it is followed, or by a command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack

from reactree_core.errors import SkillError
from reactree_core.record.utterances import LONGEST_SAID
from reactree_core.ros.conversions import run_id_to_message
from reactree_ros.srv import CorrectTask
from reactree_tools.output import Output
from reactree_tools.plain_text import printable
from reactree_tools.ros.desks import ANSWER_SECONDS, FIND_SECONDS, who
from reactree_tools.ros.session import Session
from reactree_tools.views.keys import Keys, TypedLine

_PROMPT = '  say to the robot: '


def say(session: Session, text: str, run_id: str = '', by: str = '') -> str:
    """Say something to a run: the planner's sentence.

    :param run_id: '' for whichever is under way. :param by: who says it; '' for this terminal.
    :raises SkillError: there is no planner, no run, or nothing in the text.
    """
    request = CorrectTask.Request(text=text[:LONGEST_SAID], said_by=by or who())
    if run_id:
        request.run_id = run_id_to_message(run_id)
    answer = session.call(
        CorrectTask, 'planner/correct_task', request, 'planner', FIND_SECONDS, ANSWER_SECONDS
    )
    if not answer.accepted:
        raise SkillError(printable(answer.message))
    return printable(answer.message)


class SayingDesk:
    """Takes words for the run while it is followed: whatever is typed is said to it.

    :param send: says them. :param hold: has what moves on the terminal keep still, and move again.
    """

    def __init__(
        self, send: Callable[[str], str], output: Output, hold: Callable[[bool], None]
    ) -> None:
        self._send = send
        self._output = output
        self._hold = hold
        self._open = ExitStack()
        self._keys: Keys | None = None
        self._typed: TypedLine | None = None

    def tick(self) -> None:
        """Look for keys; never blocks."""
        if self._keys is None:
            self._keys = self._open.enter_context(Keys())
        for key in self._keys.wait(0.0):
            if self._typed is None:
                if key in ('\n', '\r'):
                    continue
                self._hold(True)
                self._write(_PROMPT)
                self._typed = TypedLine(self._write, LONGEST_SAID)
            if self._typed.take(key):
                self._say(self._typed.text)
                self._leave()

    def _say(self, text: str) -> None:
        if not text.strip():
            return
        try:
            self._output.console.print(f'  {self._send(text)}', soft_wrap=True)
        except SkillError as error:
            self._output.warn(str(error))

    def _leave(self) -> None:
        self._typed = None
        self._hold(False)

    def pause(self) -> None:
        """Read nothing: something else is asked."""
        self.close()

    def close(self) -> None:
        """Give the terminal back."""
        if self._typed is not None:
            self._write('\n')
            self._leave()
        self._open.close()
        self._keys = None

    def _write(self, text: str) -> None:
        self._output.console.file.write(text)
        self._output.console.file.flush()


def can_be_typed() -> bool:
    """Whether somebody sits at a terminal."""
    return sys.stdin.isatty()
