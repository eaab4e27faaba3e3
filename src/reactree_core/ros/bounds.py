"""What fits into a message: texts of a bounded length and numbers of a bounded size.

Neither a world, a model nor a foreign skill server is trusted, and the middleware itself takes
over-long or broken text silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from reactree_core.errors import SkillError
from reactree_core.observation import TEXT_LIMIT

#: Longest name, skill text or label, in bytes.
NAME_LIMIT = 512
#: Longest trajectory of an experience, in bytes.
TRAJECTORY_LIMIT = 262_144
#: Most entries of any list; what is beyond is left out.
LIST_LIMIT = 4096

ELLIPSIS = '…'

#: What commands a terminal, or ends a text in the middleware (NUL): all but tab and line break.
CONTROL_CHARACTER = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f]')


def bounded(text: str, limit: int = TEXT_LIMIT) -> str:
    """A text that any message and terminal can carry: no control, no half characters, not long.

    :param limit: longest result in UTF-8 bytes, 3 or more; a cut text ends with an ellipsis.
    """
    if not text.isprintable():
        text = text.replace('\r\n', '\n')
        text = CONTROL_CHARACTER.sub('\N{REPLACEMENT CHARACTER}', text)
    if text.isascii() and len(text) <= limit:
        return text
    data = text.encode('utf-8', 'replace')
    if len(data) > limit:
        data = data[: limit - len(ELLIPSIS.encode())]
        return data.decode('utf-8', 'ignore') + ELLIPSIS
    return data.decode('utf-8')


def bounded_name(text: str) -> str:
    """A name or the text of a skill as a message carries it: of NAME_LIMIT, on one line."""
    return bounded(text.replace('\n', ' ').replace('\t', ' '), NAME_LIMIT)


def bounded_names(names: Iterable[str]) -> list[str]:
    """Names or skill texts as a message carries them: at most LIST_LIMIT of them."""
    return [bounded_name(name) for name in islice(names, LIST_LIMIT)]


def unsigned(number: int, bits: int, what: str) -> int:
    """The number itself, for a field of that many bits.

    :raises SkillError: it does not fit; the middleware would take it silently, or crash.
    """
    if 0 <= number < 1 << bits:
        return number
    raise SkillError(f'{what} is {number}, which is not between 0 and {(1 << bits) - 1}')
