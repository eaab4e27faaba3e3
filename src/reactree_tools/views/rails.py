"""Lines under vertical rails: how deep in the tree a line belongs, and text that hangs from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from reactree_tools.glyphs import Glyphs

#: Columns that rails leave for text, however deep the tree.
TEXT_COLUMNS = 44
#: A space at which no line is broken; printed as any other.
FIXED_SPACE = '\N{NO-BREAK SPACE}'
_RAIL_STYLE = 'bright_black'


@dataclass(frozen=True, slots=True)
class Rails:
    """Lays lines out for a console of some width.

    :param width: columns, 40 or more.
    :param margin: columns of the left margin (a clock), 0 or more.
    """

    glyphs: Glyphs
    width: int
    margin: int = 0

    def _rails(self, level: int) -> Text:
        """Two columns a level; levels that do not fit are counted instead of drawn."""
        most = max(1, (self.width - self.margin - TEXT_COLUMNS) // 2)
        if level <= most:
            return Text(f'{self.glyphs.rail} ' * level, style=_RAIL_STYLE)
        left = f'{self.glyphs.rail} ' * (most - 2)
        return Text(left + f'+{level - most + 2}'.ljust(4)[:4], style=_RAIL_STYLE)

    def lines(
        self, level: int, sign: Text, body: Text, margin: str = '', hanging: int = 2
    ) -> Iterator[Text]:
        """A sign and a text at some level; what does not fit continues below, indented.

        :param level: rails to the left, 0 or more.
        :param sign: starts the first line.
        :param margin: text of the left margin on the first line.
        :param hanging: columns by which the following lines are indented.
        """
        rails = self._rails(level)
        taken = self.margin + cell_len(rails.plain) + max(cell_len(sign.plain) + 1, hanging)
        for number, part in enumerate(_wrap(body, max(16, self.width - taken))):
            line = Text(style='')
            left = margin if number == 0 else ''
            line.append(left.rjust(self.margin - 1) + ' ' if self.margin else '', _RAIL_STYLE)
            line.append_text(rails)
            if number == 0:
                line.append_text(sign)
                line.append(' ')
            else:
                line.append(' ' * hanging)
            line.append_text(part)
            line.plain = line.plain.replace(FIXED_SPACE, ' ')
            line.rstrip()
            yield line

    def empty_line(self, level: int) -> Text:
        """Rails with nothing beside them, to let the next line stand out."""
        line = Text(' ' * self.margin)
        line.append_text(self._rails(level))
        line.rstrip()
        return line


def _wrap(body: Text, columns: int) -> list[Text]:
    """Lines of at most so many columns, broken at spaces where there are any."""
    lines: list[Text] = []
    rest = body
    while cell_len(rest.plain) > columns:
        cut = _cut(rest.plain, columns)
        line, rest = rest[:cut], rest[cut:]
        line.rstrip()
        lines.append(line)
        spaces = len(rest.plain) - len(rest.plain.lstrip(' '))
        rest = rest[spaces:]
    lines.append(rest)
    return lines


def _cut(text: str, columns: int) -> int:
    """Characters that fit into the columns, up to the last space among them; 1 or more."""
    used = 0
    fitting = 0
    for character in text:
        used += cell_len(character)
        if used > columns:
            break
        fitting += 1
    space = text.rfind(' ', 1, fitting + 1)
    return max(1, space if space > 0 else fitting)
