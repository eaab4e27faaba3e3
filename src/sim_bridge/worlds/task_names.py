"""Names of tasks that are drawn by a seed: 'generated:7', 'heat:7', or 'heat' alone."""

from __future__ import annotations

import re
from collections.abc import Collection

GENERATED = 'generated'
_SEEDED = re.compile(r'([a-z0-9_]+)(?::(\d{1,18}))?')


def family_and_seed(text: str, families: Collection[str], seed: int) -> tuple[str, int] | None:
    """The family that a task is drawn from, or 'generated' for any, and the seed.

    :param seed: for a text without one. :return: None for a text of another form.
    """
    found = _SEEDED.fullmatch(text)
    if found is None or found[1] not in (GENERATED, *families):
        return None
    return found[1], int(found[2]) if found[2] else seed
