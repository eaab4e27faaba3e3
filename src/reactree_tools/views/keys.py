"""Keys of a terminal, one at a time, without waiting for a line."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable

#: What terminals send for keys that have no character.
_SEQUENCES = {
    '\x1b[A': 'up',
    '\x1b[B': 'down',
    '\x1b[C': 'right',
    '\x1b[D': 'left',
    '\x1b[H': 'home',
    '\x1b[F': 'end',
    '\x1b[1~': 'home',
    '\x1b[4~': 'end',
    '\x1b[5~': 'page up',
    '\x1b[6~': 'page down',
    '\x1bOA': 'up',
    '\x1bOB': 'down',
    '\x1bOC': 'right',
    '\x1bOD': 'left',
    '\x1bOH': 'home',
    '\x1bOF': 'end',
}


def named_keys(typed: str) -> list[str]:
    """Names of the keys that sent these characters; unknown sequences are left out."""
    keys = []
    while typed:
        sequence = next((known for known in _SEQUENCES if typed.startswith(known)), '')
        if sequence:
            keys.append(_SEQUENCES[sequence])
        elif typed[0] != '\x1b':
            keys.append('space' if typed[0] == ' ' else typed[0])
        elif len(typed) == 1:
            keys.append('escape')
        typed = typed[max(1, len(sequence)) :]
    return keys


class Keys:
    """The keyboard while it is entered; the terminal is as before afterwards."""

    def __enter__(self) -> Keys:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        return self

    def __exit__(self, *reason: object) -> None:
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def wait(self, seconds: float) -> list[str]:
        """Keys that were pressed, after waiting at most so long for the first."""
        if not select.select([self._file], [], [], seconds)[0]:
            return []
        return named_keys(os.read(self._file, 1024).decode('utf-8', 'ignore'))


class TypedLine:
    """A line that is typed key by key.

    :param write: shows characters as they come. :param longest: characters that are taken.
    """

    def __init__(self, write: Callable[[str], object], longest: int) -> None:
        self._write = write
        self._longest = longest
        #: What was typed so far.
        self.text = ''

    def take(self, key: str) -> bool:
        """A key was pressed: whether it ended the line."""
        if key in ('\n', '\r'):
            self._write('\n')
            return True
        if key in ('\x7f', '\b'):
            if self.text:
                self.text = self.text[:-1]
                self._write('\b \b')
            return False
        letter = ' ' if key == 'space' else key
        if len(letter) == 1 and letter.isprintable() and len(self.text) < self._longest:
            self.text += letter
            self._write(letter)
        return False
