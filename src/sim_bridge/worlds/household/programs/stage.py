"""A scene as programs see it: nodes with states, and edges of all kinds.

VirtualHome's programs reason over edges alone: who is CLOSE to what is written there, walking and
grabbing add and delete them, and a thing may be ON one thing and INSIDE another at once. So edges
are kept as they are, unlike in `graph`, where everything has one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.graph_reading import check_graph
from sim_bridge.worlds.household.nodes import CHARACTER, is_room, Node, read_node
from sim_bridge.worlds.household.programs.script import folded, Named
from sim_bridge.worlds.household.roles import assume_properties

HANDS = ('HOLDS_RH', 'HOLDS_LH')

#: (id, relation, id), or (id, 'STATE', name of the state).
Fact = tuple[int, str, int | str]
#: Relations that a program is for, as far as they outlast the next walk.
LASTING = ('INSIDE', 'ON', *HANDS)
#: Those that count in Tree-Planner's published goals.
PUBLISHED = (*LASTING, 'FACING')


class Stage:
    """Nodes and edges while a program runs.

    :param graph: VirtualHome's format; not changed.
    :param properties: by class, for nodes whose file gives none (VirtualHome's resources).
    :param equivalents: other names of a class (VirtualHome's resources).
    :param character: which of several, from 0 in the order of ids.
    :raises ConfigurationError: the graph is malformed or has no such character.

    Public: `nodes` by id, `me` (the character's id), `grabbed_from` (id of what was grabbed ->
    what it was taken from, and the relation).
    """

    def __init__(
        self,
        graph: Mapping[str, Any],
        properties: Mapping[str, Sequence[str]] | None = None,
        equivalents: Mapping[str, Sequence[str]] | None = None,
        character: int = 0,
    ) -> None:
        check_graph(dict(graph))
        self.nodes: dict[int, Node] = {}
        for source in graph['nodes']:
            node = read_node(source)
            if node.properties is None:
                known = (properties or {}).get(node.class_name)
                node.properties = frozenset(known) if known else assume_properties(node)
            self.nodes[node.node_id] = node
        characters = sorted(
            key for key, node in self.nodes.items() if node.class_name == CHARACTER
        )
        if not 0 <= character < len(characters):
            raise ConfigurationError(
                f'the graph has {len(characters)} characters, and no number {character}: add one'
            )
        self.me = characters[character]
        self.grabbed_from: dict[int, tuple[int, str]] = {}
        self._edges: dict[tuple[int, str], set[int]] = {}
        self._reverse: dict[tuple[int, str], set[int]] = {}
        for edge in graph['edges']:
            if edge['from_id'] in self.nodes and edge['to_id'] in self.nodes:
                self.add(edge['from_id'], edge['relation_type'].upper(), edge['to_id'])
        self._equivalents = equivalents or {}
        self._bound: dict[Named, int] = {}

    # Asking

    def name(self, key: int) -> str:
        """As in sentences, e.g. '<fridge> (103)'."""
        return f'<{self.nodes[key].class_name}> ({key})'

    def targets(self, start: int, relation: str) -> list[int]:
        """Where edges from a node end, in the order of ids."""
        return sorted(self._edges.get((start, relation), ()))

    def starts(self, end: int, relation: str) -> list[int]:
        """Where edges to a node begin, in the order of ids."""
        return sorted(self._reverse.get((end, relation), ()))

    def has(self, start: int, relation: str, end: int) -> bool:
        """Whether there is such an edge."""
        return end in self._edges.get((start, relation), ())

    def held(self) -> list[int]:
        """What the character holds, right hand first."""
        return [key for hand in HANDS for key in self.targets(self.me, hand)]

    def free_hand(self) -> str | None:
        """The relation of an empty hand."""
        return next((hand for hand in HANDS if not self.targets(self.me, hand)), None)

    def room_of(self, key: int) -> int | None:
        """The room of a node by its INSIDE edges, or that of what it is in."""
        for _ in range(len(self.nodes)):
            if is_room(self.nodes[key]):
                return key
            inside = self.targets(key, 'INSIDE')
            rooms = [one for one in inside if is_room(self.nodes[one])]
            if rooms:
                return rooms[0]
            if len(inside) != 1:
                return None
            key = inside[0]
        return None

    def is_close(self, key: int) -> bool:
        """Whether the character is close to a node, or to what that is close to or on."""
        close = self._edges.get((self.me, 'CLOSE'), set())
        return (
            key in close
            or not close.isdisjoint(self._reverse.get((key, 'CLOSE'), ()))
            or not close.isdisjoint(self._edges.get((key, 'ON'), ()))
        )

    def close_by(self) -> list[int]:
        """What the character is close to, nearest first: edges of its own before others'."""
        own = self.targets(self.me, 'CLOSE')
        others = [key for key in self.nodes if key not in own and self.is_close(key)]
        return [*own, *others]

    def is_faced(self, key: int) -> bool:
        """Whether the character faces a node, or what faces it."""
        faced = self._edges.get((self.me, 'FACING'), set())
        return key in faced or not faced.isdisjoint(self._reverse.get((key, 'FACING'), ()))

    def is_shut_in(self, key: int) -> bool:
        """Whether a node is inside something closed."""
        return any(
            'CLOSED' in self.nodes[one].states and not is_room(self.nodes[one])
            for one in self.targets(key, 'INSIDE')
        )

    def find(self, named: Named) -> int | None:
        """The node that an object of a step means; the same object always means the same."""
        if named.is_id:
            return named.number if named.number in self.nodes else None
        if named not in self._bound:
            found = self._find(named)
            if found is None:
                return None
            self._bound[named] = found
        return self._bound[named]

    def _find(self, named: Named) -> int | None:
        names = {folded(one) for one in (named.name, *self._equivalents.get(named.name, ()))}
        alike = [key for key, node in self.nodes.items() if folded(node.class_name) in names]
        if named.number in alike or (not alike and named.number in self.nodes):
            return named.number
        free = [key for key in alike if key not in self._bound.values()]
        here = self.room_of(self.me)
        return min(free, key=lambda key: (self.room_of(key) != here, key), default=None)

    def edges(self) -> Iterator[tuple[int, str, int]]:
        """All edges."""
        for (start, relation), ends in self._edges.items():
            yield from ((start, relation, end) for end in ends)

    def facts(self, relations: Sequence[str] = LASTING) -> frozenset[Fact]:
        """States, and the edges of some relations: what a program is for."""
        edges = (edge for edge in self.edges() if edge[1] in relations)
        states: Iterator[Fact] = (
            (key, 'STATE', state) for key, node in self.nodes.items() for state in node.states
        )
        return frozenset((*edges, *states))

    # Changing

    def add(self, start: int, relation: str, end: int, both: bool = False) -> None:
        """Add an edge, and one back when it goes both ways."""
        self._edges.setdefault((start, relation), set()).add(end)
        self._reverse.setdefault((end, relation), set()).add(start)
        if both:
            self.add(end, relation, start)

    def delete(self, start: int, relation: str, end: int) -> None:
        """Delete an edge, if it is there."""
        self._edges.get((start, relation), set()).discard(end)
        self._reverse.get((end, relation), set()).discard(start)

    def clear(self, key: int, relations: Iterable[str], both: bool = True) -> None:
        """Delete all edges of some relations from a node, and to it."""
        for relation in relations:
            for end in self.targets(key, relation):
                self.delete(key, relation, end)
            if both:
                for start in self.starts(key, relation):
                    self.delete(start, relation, key)

    def swap(self, key: int, old: str, new: str) -> None:
        """Put one state in the place of another; '' for none."""
        states = [state for state in self.nodes[key].states if state not in (old, new)]
        self.nodes[key].states = [*states, new] if new else states

    def to_dict(self) -> dict[str, Any]:
        """The scene in VirtualHome's format."""
        nodes = [{**node.source, 'states': list(node.states)} for node in self.nodes.values()]
        edges = [
            {'from_id': start, 'relation_type': relation, 'to_id': end}
            for start, relation, end in sorted(self.edges())
        ]
        return {'nodes': nodes, 'edges': edges}
