"""Words of a text in any language, as they are written."""

from __future__ import annotations

import re

_PLAIN = re.compile(r'[^\W_]+', re.UNICODE)


def plain_words(text: str) -> tuple[str, ...]:
    """Letters and digits of a text in a row, in lower case, contractions as they are."""
    return tuple(word.casefold() for word in _PLAIN.findall(text))


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The characters of each of the `plain_words` of a text."""
    return tuple(match.span() for match in _PLAIN.finditer(text))
