"""What a world without rooms tells of itself: a tree of names, bounded before a page has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_core.observation import Outline
from reactree_tools.plain_text import visible

_MOST_ENTRIES = 500
_DEEPEST = 12
_LONGEST = 200


def outline(graph: Mapping[str, Any]) -> Outline | None:
    """The outline that a skill server gives in place of a graph; None where it gives none.

    What goes beyond its bounds, or is no entry, is left out.
    """
    left = _MOST_ENTRIES

    def read(found: object, depth: int) -> Outline | None:
        nonlocal left
        if not (isinstance(found, Mapping) and isinstance(found.get('name'), str) and left):
            return None
        left -= 1
        inner = found.get('parts') if depth < _DEEPEST else ()
        parts = [read(part, depth + 1) for part in inner] if isinstance(inner, list) else []
        return Outline(
            visible(found['name'], _LONGEST),
            visible(str(found.get('state', '')), _LONGEST),
            found.get('met') is True,
            tuple(part for part in parts if part is not None),
        )

    return read(graph.get('outline'), 0)
