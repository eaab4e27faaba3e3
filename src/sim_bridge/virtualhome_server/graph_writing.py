"""Scenes as JSON text, hundreds of times a second: what has not changed is written only once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.graph import SceneGraph


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
        self._changes = -1
        self._nodes: dict[int, tuple[list[str], str]] = {}
        self._still: list[str] = []
        self._moved = -1
        self._begin = JsonText('', '')

    def write(self, close: Iterable[int]) -> JsonText:
        """The scene as it is now: `SceneGraph.to_dict` as JSON without spaces.

        :param close: ids the character is close to.
        """
        if self._graph.changes != self._changes:
            self._changes = self._graph.changes
            begin = self._write_begin()
            self._begin = JsonText(begin, json.dumps(begin))
        me = self._graph.character
        moving = [_edge(*edge) for edge in self._graph.moving_edges()]
        for key in close:
            moving += (_edge(me, CLOSE, key), _edge(key, CLOSE, me))
        comma = ',' if moving and self._still else ''
        end = f'{comma}{",".join(moving)}]}}'
        return JsonText(self._begin + end, self._begin.quoted[:-1] + json.dumps(end)[1:])

    def _write_begin(self) -> str:
        """Nodes, and edges between what has never moved."""
        nodes = ','.join(map(self._node, self._graph.nodes))
        if len(self._graph.moved) != self._moved:
            self._moved = len(self._graph.moved)
            self._still = [_edge(*edge) for edge in self._graph.still_edges()]
        return f'{{"nodes":[{nodes}],"edges":[{",".join(self._still)}'

    def _node(self, node_id: int) -> str:
        states = self._graph.nodes[node_id].states
        known = self._nodes.get(node_id)
        # Where a moved thing lies may change with what it lies on.
        if known is None or known[0] != states or node_id in self._graph.moved:
            text = json.dumps(self._graph.write_node(node_id), separators=(',', ':'))
            known = self._nodes[node_id] = (list(states), text)
        return known[1]


def _edge(start: int, relation: str, end: int) -> str:
    return f'{{"from_id":{start},"relation_type":{_quoted(relation)},"to_id":{end}}}'


@cache
def _quoted(relation: str) -> str:
    return json.dumps(relation)
