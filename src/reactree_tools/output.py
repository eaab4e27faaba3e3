"""Where the command line writes: one console for results, one for what went wrong."""

from __future__ import annotations

import os
import sys
from typing import IO

from rich.console import Console, RenderableType
from rich.text import Text

from reactree_tools.glyphs import ASCII, Glyphs, UNICODE
from reactree_tools.plain_text import printable

#: Columns of output that does not go to a terminal and has no COLUMNS to go by.
PIPE_WIDTH = 100
#: Narrower than this nothing can be read; lines may then be longer than the terminal.
NARROWEST = 40


def _can_print(stream: IO[str], glyphs: Glyphs) -> bool:
    """Whether the stream's encoding has all of the signs."""
    signs = ''.join(getattr(glyphs, name) for name in Glyphs.__slots__)
    try:
        signs.encode(getattr(stream, 'encoding', None) or 'ascii')
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class _PlainConsole(Console):
    """A console whose trees and tables are drawn in ASCII, too."""

    @property
    def encoding(self) -> str:
        return 'ascii'


def _console(stream: IO[str], plain: bool) -> Console:
    """A console that writes no escape codes unless the stream is a terminal that wants them."""
    terminal = stream.isatty() and not plain
    width = None
    if not stream.isatty() and not os.environ.get('COLUMNS', '').isdigit():
        width = PIPE_WIDTH
    kind = _PlainConsole if plain or not _can_print(stream, UNICODE) else Console
    console = kind(
        file=stream,
        force_terminal=terminal,
        no_color=True if plain else None,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    if console.width < NARROWEST:
        console.width = NARROWEST
    return console


class Output:
    """The two consoles of one command and the signs they use.

    :param plain: no colour, no moving parts, ASCII signs, even in a terminal.
    """

    def __init__(
        self, plain: bool = False, out: IO[str] | None = None, err: IO[str] | None = None
    ) -> None:
        out = out if out is not None else sys.stdout
        err = err if err is not None else sys.stderr
        self.plain = plain
        self.console = _console(out, plain)
        self.error_console = _console(err, plain)
        fancy = not plain and _can_print(out, UNICODE)
        self.glyphs = UNICODE if fancy else ASCII

    @property
    def live(self) -> bool:
        """Whether lines may be redrawn (a terminal that was not asked to be plain)."""
        return self.console.is_terminal and not self.plain

    def print_lines(self, renderable: RenderableType) -> None:
        """Print something of several lines, in a pipe without the spaces that fill them up."""
        if self.console.is_terminal:
            self.console.print(renderable)
            return
        with self.console.capture() as capture:
            self.console.print(renderable)
        for line in capture.get().splitlines():
            self.console.print(line.rstrip(), soft_wrap=True)

    @staticmethod
    def _safe(sentence: str) -> str:
        """A sentence may quote a robot or a server; its lines stay."""
        return '\n'.join(map(printable, sentence.split('\n')))

    def error(self, sentence: str) -> None:
        """One sentence on standard error."""
        text = Text('reactree: ', style='bold red')
        text.append(self._safe(sentence), style='not bold default')
        self.error_console.print(text, soft_wrap=True)

    def warn(self, sentence: str) -> None:
        """Something the user should know, on standard error."""
        text = Text(f'{self.glyphs.warning} ', style='bold yellow')
        text.append(self._safe(sentence), style='not bold default')
        self.error_console.print(text, soft_wrap=True)
