"""Scenes as JSON text, hundreds of times a second: what has not changed is written only once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim_bridge.worlds.household.graph import CLOSE, SceneGraph
from sim_bridge.worlds.household.placement import INSIDE, ON


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON text as a JSON string, as an answer's message is one: `str` has the text itself.

    :param pieces: of the string with its quotes and escapes, ASCII.
    """

    pieces: tuple[bytes, ...]

    def __str__(self) -> str:
        return str(json.loads(b''.join(self.pieces)))


def as_json_text(value: Any) -> JsonText:
    """A value written as JSON without spaces."""
    return JsonText((b'"', _escaped(value), b'"'))


class GraphWriter:
    """Writes one scene again and again.

    :param graph: as it changes.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._nodes = {key: _escaped(graph.write_node(key)) for key in graph.nodes}
        self._moved = set(graph.moved)
        self._changes = len(graph.changes)
        self._still = {number: _edge(*edge) for number, edge in enumerate(graph.still_edges())}
        #: By node, the edges that do not hold any more once it has moved.
        self._of_node: dict[int, list[int]] = {}
        for number, (start, relation, end) in enumerate(graph.still_edges()):
            # What a thing is in or on is no question of whether that has moved.
            for node in (start,) if relation in (INSIDE, ON) else (start, end):
                self._of_node.setdefault(node, []).append(number)
        self._close: dict[tuple[int, int], bytes] = {}
        self._node_text = b','.join(self._nodes.values())
        self._still_text = b','.join(self._still.values())

    def write(self, close: Iterable[tuple[int, Iterable[int]]]) -> JsonText:
        """The scene as it is now: `SceneGraph.to_dict` as JSON without spaces.

        :param close: characters, each with the ids that it is close to.
        """
        if len(self._graph.changes) > self._changes:
            self._rewrite()
        moving = [_edge(*edge) for edge in self._graph.moving_edges()]
        if moving and self._still:
            moving[0] = b',' + moving[0]
        known = self._close
        for character, keys in close:
            for key in keys:
                both = known.get((character, key))
                if both is None:
                    both = known[character, key] = b','.join(
                        (_edge(character, CLOSE, key), _edge(key, CLOSE, character))
                    )
                moving.append(both)
        return JsonText(
            (
                b'"{\\"nodes\\":[',
                self._node_text,
                b'],\\"edges\\":[',
                self._still_text,
                b','.join(moving),
                b']}"',
            )
        )

    def _rewrite(self) -> None:
        """Write what has changed: nodes, and edges between what has never moved."""
        graph = self._graph
        for changed in set(graph.changes[self._changes :]):
            # Where a thing lies changes with what it lies on.
            for key in graph.subtree(changed):
                self._nodes[key] = _escaped(graph.write_node(key))
        self._changes = len(graph.changes)
        self._node_text = b','.join(self._nodes.values())
        if len(graph.moved) > len(self._moved):
            for node in graph.moved - self._moved:
                for number in self._of_node.get(node, ()):
                    self._still.pop(number, None)
            self._moved = set(graph.moved)
            self._still_text = b','.join(self._still.values())


def _escaped(value: Any) -> bytes:
    """JSON as it stands within a JSON string."""
    text = json.dumps(value, separators=(',', ':'), allow_nan=False)
    return json.dumps(text)[1:-1].encode('ascii')


def _edge(start: int, relation: str, end: int) -> bytes:
    return b'{\\"from_id\\":%d,\\"relation_type\\":%b,\\"to_id\\":%d}' % (
        start,
        _quoted(relation),
        end,
    )


@cache
def _quoted(relation: str) -> bytes:
    return _escaped(relation)
