"""The sightings that robots share, as the memory reports them, for a page."""

from __future__ import annotations

import json
from typing import Any

from reactree_tools.plain_text import visible

#: Most things that are shown.
_MOST = 200
_LONGEST = 80
#: How the memory calls a working memory of several robots (memory_server/ros/working_services.py).
_SHARED = 'shared:'


def sightings_of(text: str) -> list[dict[str, str]]:
    """Things of a shared memory, as last seen, the newest first; none where it reports no such.

    :param text: JSON of the memory's topic `working_memory`.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(content, dict) or not str(content.get('run_id', '')).startswith(_SHARED):
        return []
    objects = content.get('objects')
    found = [
        (_number(one.get('seen_at')), _row(kind, one))
        for kind, ones in (objects.items() if isinstance(objects, dict) else ())
        for one in (ones if isinstance(ones, list) else ())
        if isinstance(one, dict)
    ]
    return [row for _, row in sorted(found, key=lambda one: -one[0])[:_MOST]]


def _row(kind: str, one: dict[str, Any]) -> dict[str, str]:
    where = [one.get('receptacle'), one.get('room')]
    return {
        'thing': _text(f'{kind} {one.get("instance") or ""}'.strip()),
        'place': _text(', '.join(str(part) for part in where if part)),
        'state': _text(one.get('state')),
        'robot': _text(one.get('seen_by')),
    }


def _number(value: Any) -> float:
    try:
        return float(value) if type(value) in (int, float) and value == value else 0.0
    except OverflowError:
        return 0.0


def _text(value: Any) -> str:
    return visible(str(value or ''), _LONGEST)
