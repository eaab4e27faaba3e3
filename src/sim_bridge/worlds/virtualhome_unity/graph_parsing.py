"""Scenes out of JSON text, hundreds of times a second.

Most skills change few edges, and most of a graph's text is nodes with their boxes: when the text
of the nodes is that of the last graph, it is not parsed again, nor are the edges at the beginning
that are the same.
"""

from __future__ import annotations

import json
import re
from typing import Any

_HEAD = re.compile(r'\s*\{\s*"nodes"\s*:\s*')
_MIDDLE = re.compile(r'\s*,\s*"edges"\s*:\s*')
_TAIL = re.compile(r'\s*\}\s*')
_DECODER = json.JSONDecoder()


class GraphReader:
    """Reads graphs of one scene after the other."""

    def __init__(self) -> None:
        self._text = ''
        self._nodes: Any = None
        self._rest = ''
        self._edges: list[Any] = []

    def read(self, text: str) -> dict[str, Any]:
        """The graph; its list of nodes may be that of the last one, and must not be changed.

        :raises ValueError: it is not JSON.
        """
        if not self._text or not text.startswith(self._text):
            if not self._read_nodes(text):
                return _object(json.loads(text))
        # None but this value may follow: else the text is read as a whole.
        rest = text[len(self._text) :]
        edges = self._read_edges(rest)
        if edges is None:
            return _object(json.loads(text))
        self._rest, self._edges = rest, edges
        return {'nodes': self._nodes, 'edges': edges}

    def _read_edges(self, rest: str) -> list[Any] | None:
        """The edges of a text that begins with them; None when it is anything else."""
        cut, known = self._known(rest)
        new = '[' + rest[cut:] if cut else rest
        try:
            edges, end = _DECODER.raw_decode(new)
        except ValueError:
            return None
        if not isinstance(edges, list) or _TAIL.fullmatch(new, end) is None:
            return None
        return self._edges[:known] + edges

    def _known(self, rest: str) -> tuple[int, int]:
        """Where the first edge that differs from the last text begins, and how many are before."""
        if self._rest.count('{') != len(self._edges):
            # Edges that have objects or braces of their own cannot be counted by their braces.
            return 0, 0
        same, different = 0, min(len(rest), len(self._rest)) + 1
        while different - same > 1:
            middle = (same + different) // 2
            if rest[:middle] == self._rest[:middle]:
                same = middle
            else:
                different = middle
        cut = rest.rfind('},{', 0, same)
        return (cut + 2, rest.count('}', 0, cut + 1)) if cut > 0 else (0, 0)

    def _read_nodes(self, text: str) -> bool:
        """Take the nodes over from a text that begins with them."""
        self._text = self._rest = ''
        self._edges = []
        head = _HEAD.match(text)
        if head is None:
            return False
        nodes, end = _DECODER.raw_decode(text, head.end())
        middle = _MIDDLE.match(text, end)
        if middle is None:
            return False
        self._text, self._nodes = text[: middle.end()], nodes
        return True


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError('it is no object')
    return value
