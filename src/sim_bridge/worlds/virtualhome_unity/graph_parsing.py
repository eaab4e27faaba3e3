"""Scenes out of JSON text, hundreds of times a second.

Most skills change edges only, and most of a graph's text is nodes with their boxes: when the text
of the nodes is that of the last graph, it is not parsed again.
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

    def read(self, text: str) -> dict[str, Any]:
        """The graph; its list of nodes may be that of the last one, and must not be changed.

        :raises ValueError: it is not JSON.
        """
        if not self._text or not text.startswith(self._text):
            if not self._read_nodes(text):
                return _object(json.loads(text))
        # None but this value may follow: else the text is read as a whole.
        try:
            edges, end = _DECODER.raw_decode(text, len(self._text))
        except ValueError:
            return _object(json.loads(text))
        if _TAIL.fullmatch(text, end) is None:
            return _object(json.loads(text))
        return {'nodes': self._nodes, 'edges': edges}

    def _read_nodes(self, text: str) -> bool:
        """Take the nodes over from a text that begins with them."""
        self._text = ''
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
