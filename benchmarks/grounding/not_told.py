"""Phrasings whose published goal their sentence does not tell: listed one by one, not counted.

A line of `not_told.txt` is a set, a mark, and why: `ALFRED 3f9a0c12be77 it is cooled too`.
The mark stands for sentence and goal together, so that no published text is kept here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.grounding.phrasings import Phrasing
from reactree_core.errors import ConfigurationError

FILE = Path(__file__).with_name('not_told.txt')
_LINE = re.compile(r'(\S+) +([0-9a-f]{12}) +(\S.*)')


def mark_of(phrasing: Phrasing) -> str:
    """Twelve hexadecimal digits for a phrasing's sentence and goal."""
    told = f'{" ".join(phrasing.text.split())}\n{phrasing.wanted.text}'
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def read_not_told(file: Path = FILE) -> dict[str, dict[str, str]]:
    """Set -> mark -> why its goal is not in its sentence.

    :raises ConfigurationError: it cannot be read, or a line is of another form.
    """
    try:
        lines = file.read_text(encoding='utf-8').splitlines()
    except OSError as error:
        raise ConfigurationError(f'{file} cannot be read: {error.strerror}') from error
    found: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith('#'):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ConfigurationError(
                f'{file}, line {number}: write the set, the mark of twelve digits, and the reason'
            )
        found.setdefault(match[1], {})[match[2]] = match[3]
    return found


def counted(phrasings: Iterable[Phrasing], not_told: Mapping[str, str]) -> tuple[Phrasing, ...]:
    """The phrasings but for those whose goal their sentence does not tell.

    :param not_told: marks of one set.
    """
    return tuple(one for one in phrasings if mark_of(one) not in not_told)
