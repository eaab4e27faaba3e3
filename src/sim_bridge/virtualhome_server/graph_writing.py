"""Scenes as JSON text, hundreds of times a second: unchanged nodes are written only once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Mapping
from functools import cache
from typing import Any

from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.graph import SceneGraph


class GraphWriter:
    """Writes one scene again and again.

    :param graph: as it changes.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._texts: dict[int, tuple[list[str], str]] = {}
        self._still: list[str] = []
        self._moved = -1

    def write(self, close: Iterable[int]) -> str:
        """The scene as it is now: `SceneGraph.to_dict` as JSON without spaces.

        :param close: ids the character is close to.
        """
        nodes = ','.join(map(self._node, self._graph.nodes))
        if len(self._graph.moved) != self._moved:
            self._moved = len(self._graph.moved)
            self._still = [_edge(*edge) for edge in self._graph.still_edges()]
        me = self._graph.character
        moving = [_edge(*edge) for edge in self._graph.moving_edges()]
        for key in close:
            moving += (_edge(me, CLOSE, key), _edge(key, CLOSE, me))
        edges = ','.join((*self._still, *moving))
        return f'{{"nodes":[{nodes}],"edges":[{edges}]}}'

    def _node(self, node_id: int) -> str:
        states = self._graph.nodes[node_id].states
        if node_id in self._graph.moved:
            # Where it lies may change with what it lies on.
            return _compact(self._graph.write_node(node_id))
        known = self._texts.get(node_id)
        if known is None or known[0] != states:
            text = _compact(self._graph.write_node(node_id))
            known = self._texts[node_id] = (list(states), text)
        return known[1]


def _edge(start: int, relation: str, end: int) -> str:
    return f'{{"from_id":{start},"relation_type":{_quoted(relation)},"to_id":{end}}}'


def _compact(node: Mapping[str, Any]) -> str:
    return json.dumps(node, separators=(',', ':'))


@cache
def _quoted(relation: str) -> str:
    return json.dumps(relation)
