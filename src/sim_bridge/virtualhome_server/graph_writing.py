"""Scenes as JSON text, hundreds of times a second: what has not changed is written only once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.graph import SceneGraph

#: As in a JSON string.
_BEGIN, _MIDDLE = '"{\\"nodes\\":[', '],\\"edges\\":['


class JsonText(str):
    """A JSON text that has been made a JSON string too, as an answer's message is one.

    :param quoted: the string with its quotes and escapes, ASCII.
    """

    quoted: str

    def __new__(cls, text: str, quoted: str) -> JsonText:
        """From both; that they are the same is for the maker to see to."""
        made = super().__new__(cls, text)
        made.quoted = quoted
        return made


class GraphWriter:
    """Writes one scene again and again.

    :param graph: as it changes.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._nodes: dict[int, JsonText] = {key: self._node(key) for key in graph.nodes}
        self._changes = 0
        self._moved = -1
        self._still = _joined(())
        self._begin = _joined(())

    def write(self, close: Iterable[int]) -> JsonText:
        """The scene as it is now: `SceneGraph.to_dict` as JSON without spaces.

        :param close: ids the character is close to.
        """
        if len(self._graph.changes) > self._changes or self._moved < 0:
            self._rewrite()
        me = self._graph.character
        moving = [_edge(*edge) for edge in self._graph.moving_edges()]
        for key in close:
            moving += (_edge(me, CLOSE, key), _edge(key, CLOSE, me))
        comma = ',' if moving and self._still else ''
        end = f'{comma}{",".join(moving)}]}}'
        return JsonText(self._begin + end, self._begin.quoted[:-1] + json.dumps(end)[1:])

    def _rewrite(self) -> None:
        """Write what has changed: nodes, and edges between what has never moved."""
        graph = self._graph
        # Where a moved thing lies may change with what it lies on.
        for key in {*graph.changes[self._changes :], *graph.moved}:
            self._nodes[key] = self._node(key)
        self._changes = len(graph.changes)
        if len(graph.moved) != self._moved:
            self._moved = len(graph.moved)
            edges = ','.join(_edge(*edge) for edge in graph.still_edges())
            self._still = JsonText(edges, json.dumps(edges))
        nodes = _joined(self._nodes.values())
        self._begin = JsonText(
            f'{{"nodes":[{nodes}],"edges":[{self._still}',
            f'{_BEGIN}{nodes.quoted[1:-1]}{_MIDDLE}{self._still.quoted[1:]}',
        )

    def _node(self, node_id: int) -> JsonText:
        text = json.dumps(self._graph.write_node(node_id), separators=(',', ':'))
        return JsonText(text, json.dumps(text))


def _joined(texts: Iterable[JsonText]) -> JsonText:
    """Texts with commas between them."""
    some = tuple(texts)
    return JsonText(','.join(some), f'"{",".join(text.quoted[1:-1] for text in some)}"')


def _edge(start: int, relation: str, end: int) -> str:
    return f'{{"from_id":{start},"relation_type":{_quoted(relation)},"to_id":{end}}}'


@cache
def _quoted(relation: str) -> str:
    return json.dumps(relation)
