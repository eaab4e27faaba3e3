"""Where what people say waits until the run takes it, before its next skill."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from reactree_core.record.questions import one_line
from reactree_core.record.utterances import LONGEST_SAID, Said

#: Texts that may wait, and letters of the name of who says them.
_MOST = 20
_LONGEST_NAME = 60


class Mailbox:
    """Port `Listening`. Thread-safe: services call `say`, the run takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Said] = deque()
        self._listener: Callable[[], None] = lambda: None
        self._run_id = ''

    def open(self, run_id: str) -> None:
        """Take what is said for this run from now on; what waited is forgotten."""
        with self._lock:
            self._run_id = run_id
            self._waiting.clear()

    def close(self) -> None:
        """Take nothing until the next run."""
        self.open('')

    def say(self, run_id: str, text: str, by: str = '') -> tuple[bool, str]:
        """Say something to a run: whether it is taken, and a sentence.

        :param run_id: '' or zeros for whichever is under way.
        """
        words = one_line(text, LONGEST_SAID)
        with self._lock:
            if not self._run_id:
                return False, 'No run is under way: give a task.'
            if run_id.strip('0') and run_id != self._run_id:
                return False, f'What is under way is run {self._run_id[:8]}, not {run_id[:8]}.'
            if not words:
                return False, 'There is nothing in it: say what is to be done otherwise.'
            if len(self._waiting) >= _MOST:
                return False, 'Too much waits to be taken: wait until the running skill has ended.'
            self._waiting.append(Said(words, one_line(by, _LONGEST_NAME)))
            listener = self._listener
        listener()
        return True, 'It is taken before the next skill; the run then says what follows from it.'

    @property
    def is_said(self) -> bool:
        """Whether there is something to take."""
        return bool(self._waiting)

    def take(self) -> Said | None:
        """The oldest that was not taken yet; None for nothing."""
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def listen(self, listener: Callable[[], None]) -> None:
        """Have somebody told when there is something to take."""
        with self._lock:
            self._listener = listener
            waits = bool(self._waiting)
        if waits:
            listener()
