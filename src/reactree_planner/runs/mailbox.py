"""Where what people say waits until the run takes it, before its next skill."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Container

from reactree_core.record.questions import one_line
from reactree_core.record.utterances import LONGEST_SAID, Said
from reactree_planner.reading.halting import ALL_WORDS, Halt, halt_in

#: Texts that may wait, and letters of the name of who says them.
_MOST = 20
_LONGEST_NAME = 60


#: Answers to what is said.
_STOPPED = 'The skill under way is canceled and the run ends. Give a task when it may go on.'
_PAUSED = 'The skill under way is canceled; the run then says what follows, and for what it waits.'
_TAKEN = 'It is taken before the next skill; the run then says what follows from it.'
_NO_RUN = 'No run is under way: give a task.'
_NO_RUN_STOPS = (
    'No run is under way. If the robot moves all the same, `reactree stop` is its emergency stop.'
)


class Mailbox:
    """Port `Listening`. Thread-safe: services call `say`, the run takes.

    "Stop!" is no word to be taken: it ends the run at once, by whoever listens for that.

    :param stop: ends the run that is under way; is given who said what, as a sentence.
    :param known: words that the robot knows, asked at each text.
    """

    def __init__(
        self,
        stop: Callable[[str], None] = lambda why: None,
        known: Callable[[], Container[str]] = lambda: ALL_WORDS,
    ) -> None:
        self._lock = threading.Lock()
        self._stop = stop
        self._known = known
        #: Each with whether it halts the robot.
        self._waiting: deque[tuple[Said, bool]] = deque()
        self._listener: Callable[[], None] = lambda: None
        self._run_id = ''
        #: Texts among those that wait which halt the robot.
        self._halting = 0

    def open(self, run_id: str) -> None:
        """Take what is said for this run from now on; what waited is forgotten."""
        with self._lock:
            self._run_id = run_id
            self._waiting.clear()
            self._halting = 0

    def close(self) -> None:
        """Take nothing until the next run."""
        self.open('')

    def say(self, run_id: str, text: str, by: str = '') -> tuple[bool, str]:
        """Say something to a run: whether it is taken, and a sentence.

        :param run_id: '' or zeros for whichever is under way.
        """
        words, who = one_line(text, LONGEST_SAID), one_line(by, _LONGEST_NAME)
        halt = halt_in(words, self._known())
        with self._lock:
            if not self._run_id:
                return False, _NO_RUN_STOPS if halt is Halt.STOP else _NO_RUN
            if run_id.strip('0') and run_id != self._run_id:
                return False, f'What is under way is run {self._run_id[:8]}, not {run_id[:8]}.'
            if not words:
                return False, 'There is nothing in it: say what is to be done otherwise.'
            # What halts is never too much.
            if len(self._waiting) >= _MOST and halt is None:
                return False, 'Too much waits to be taken: wait until the running skill has ended.'
            if halt is not Halt.STOP:
                self._waiting.append((Said(words, who), halt is not None))
                self._halting += halt is not None
            listener = self._listener
        if halt is Halt.STOP:
            self._stop(f'{who or "Somebody"} said "{words}"')
            return True, _STOPPED
        listener()
        return True, _TAKEN if halt is None else _PAUSED

    @property
    def is_said(self) -> bool:
        """Whether there is something to take."""
        return bool(self._waiting)

    @property
    def halts(self) -> bool:
        """Whether something that is to be taken wants the skill under way canceled at once."""
        return self._halting > 0

    def take(self) -> Said | None:
        """The oldest that was not taken yet; None for nothing."""
        with self._lock:
            if not self._waiting:
                return None
            said, halts = self._waiting.popleft()
            self._halting -= halts
            return said

    def listen(self, listener: Callable[[], None]) -> None:
        """Have somebody told when there is something to take."""
        with self._lock:
            self._listener = listener
            waits = bool(self._waiting)
        if waits:
            listener()
