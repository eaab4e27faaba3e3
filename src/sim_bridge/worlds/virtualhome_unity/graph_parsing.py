"""Scenes out of JSON text, hundreds of times a second.

A skill changes few nodes and few edges. Of each of the two lists, what is the same text as last
time at its beginning and at its end is not parsed again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from typing import Any

_WS = r'[ \t\n\r]*'
_HEAD = re.compile(rf'{_WS}\{{{_WS}"nodes"{_WS}:{_WS}\[')
# A quote after a comma or a space is none within a string, so this is never part of one.
_MIDDLE = re.compile(rf'\]{_WS},{_WS}"edges"{_WS}:{_WS}\[')
_TAIL = re.compile(rf'\]{_WS}\}}{_WS}\Z')
_SPACE = re.compile(_WS)
_COMMA = re.compile(f'{_WS},{_WS}')
#: Characters in which the end is looked for.
_LONGEST_TAIL = 100
_DECODER = json.JSONDecoder()


class GraphReader:
    """Reads graphs of one scene after the other."""

    def __init__(self) -> None:
        self._nodes = _ListReader()
        self._edges = _ListReader()

    def read(self, text: str) -> dict[str, Any]:
        """The graph; its lists and what is in them may be those of the last one: do not change.

        :raises ValueError: it is not JSON.
        """
        head, tail = _HEAD.match(text), _TAIL.search(text, max(0, len(text) - _LONGEST_TAIL))
        middle = _MIDDLE.search(text) if head and tail else None
        if head and middle and tail and middle.end() <= tail.start():
            nodes = self._nodes.read(text[head.end() : middle.start()])
            edges = self._edges.read(text[middle.end() : tail.start()])
            if nodes is not None and edges is not None:
                return {'nodes': nodes, 'edges': edges}
        # Of another form, or no JSON at all.
        return _object(json.loads(text))


class _ListReader:
    """Reads JSON objects between commas; keeps those of the last text with where they were."""

    def __init__(self) -> None:
        self._text = ''
        self._items: list[Any] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def read(self, text: str) -> list[Any] | None:
        """The objects, or None when these are no objects, or not only.

        What is kept is what the parser would come to again: an object that ends within the common
        beginning, and, once an object begins where one of the common end did, all from there on.
        """
        if text == self._text:
            return self._items
        old = self._text
        before = _same_beginning(old, text)
        after = _same_end(old, text, min(len(old), len(text)) - before)
        shift = len(text) - len(old)
        kept = bisect_right(self._ends, before)
        rest = bisect_left(self._starts, len(old) - after)
        items, starts, ends = self._items[:kept], self._starts[:kept], self._ends[:kept]
        position = _begin(text, ends[-1] if ends else 0, bool(ends))
        while position is not None and position < len(text):
            while rest < len(self._starts) and self._starts[rest] + shift < position:
                rest += 1
            if rest < len(self._starts) and self._starts[rest] + shift == position:
                items += self._items[rest:]
                starts += [start + shift for start in self._starts[rest:]]
                ends += [end + shift for end in self._ends[rest:]]
                break
            end = _read_object(text, position, items)
            if end is None:
                return None
            starts.append(position)
            ends.append(end)
            position = _begin(text, end, True)
        if position is None:
            return None
        self._text, self._items, self._starts, self._ends = text, items, starts, ends
        return items


def _begin(text: str, position: int, after_object: bool) -> int | None:
    """Where the next object begins, or the length of a text that ends here; None in disorder."""
    space = _SPACE.match(text, position)
    if space is not None and space.end() == len(text):
        return len(text)
    if not after_object:
        return space.end() if space else None
    comma = _COMMA.match(text, position)
    return comma.end() if comma and comma.end() < len(text) else None


def _read_object(text: str, position: int, items: list[Any]) -> int | None:
    """Where the object that begins here ends; it is added to the items. None if there is none."""
    if text[position] != '{':
        return None
    try:
        item, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    items.append(item)
    return end


def _same_beginning(one: str, other: str) -> int:
    """How many characters are the same at the beginning."""
    same, different = 0, min(len(one), len(other)) + 1
    while different - same > 1:
        middle = (same + different) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            different = middle
    return same


def _same_end(one: str, other: str, most: int) -> int:
    """How many characters, at most so many, are the same at the end."""
    same, different = 0, most + 1
    while different - same > 1:
        middle = (same + different) // 2
        more = slice(len(one) - middle, len(one) - same)
        if one[more] == other[len(other) - middle : len(other) - same]:
            same = middle
        else:
            different = middle
    return same


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError('it is no object')
    return value
