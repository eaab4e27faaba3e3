"""Text from worlds, robots and models, made safe to print.

A terminal obeys escape sequences, and some Unicode characters reorder a line; what a model or a
robot says is data and gets to do neither.
"""

from __future__ import annotations

import unicodedata

from reactree_core.foreign_text import HIDDEN_CHARACTER

#: Longest text that is shown of one event; the rest is counted, not shown.
SHOWN_CHARACTERS = 2000
#: Control, format (reordering, zero width), surrogate and private characters.
_HIDDEN_CATEGORIES = frozenset({'Cc', 'Cf', 'Cs', 'Co', 'Zl', 'Zp'})


def printable(text: str) -> str:
    """One line without characters that control or reorder; its spaces stay."""
    return ''.join(
        ' ' if character.isspace() else character
        for character in text
        if character.isspace() or not _is_hidden(character)
    )


def visible(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """One line of printable characters; white space becomes single spaces.

    :param limit: characters that are shown, 1 or more; what is cut is counted at the end.
    """
    line = ' '.join(printable(text).split())
    if len(line) > limit:
        rest = len(line) - limit
        return f'{line[:limit]} [{rest} more character{"" if rest == 1 else "s"}]'
    return line


def printable_json(text: str) -> str:
    """JSON with the same values, in which no character controls or reorders a terminal."""
    return ''.join(
        _json_escape(character) if _is_hidden(character) and character not in '\n\t' else character
        for character in text
    )


def _is_hidden(character: str) -> bool:
    if unicodedata.category(character) in _HIDDEN_CATEGORIES:
        return True
    return not character.isascii() and HIDDEN_CHARACTER.match(character) is not None


def _json_escape(character: str) -> str:
    if character < ' ':
        # Such stands between values alone.
        return ' '
    units = character.encode('utf-16-be', 'surrogatepass')
    return ''.join(f'\\u{units[at : at + 2].hex()}' for at in range(0, len(units), 2))


def seconds(value: float) -> str:
    """A duration for people: '0.4 s', '12 s', '3 min 20 s'."""
    if value < 9.95:
        return f'{max(0.0, value):.1f} s'
    if value < 119.5:
        return f'{value:.0f} s'
    minutes, rest = divmod(round(value), 60)
    if minutes < 120:
        return f'{minutes} min {rest} s'
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes} min'


def count(number: int, singular: str, plural: str = '') -> str:
    """A number with its noun: '1 step', '2,500 steps'."""
    return f'{number:,} {singular if number == 1 else plural or singular + "s"}'
