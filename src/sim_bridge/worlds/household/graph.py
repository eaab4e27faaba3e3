"""The scene graph: what is where and in which state, and how that changes.

Every thing has one place: in or on one other thing, in a hand, or free in its room. Things that
nobody has moved keep the edges of the file; a moved thing (and all that lies on or in it) has an
edge to its place. Both are written as Unity exports them: every thing has an INSIDE edge to its
room, before that to a container, and what lies on something in a container is in it too. Published
clients rely on that: to them a thing is where its last INSIDE edge leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.graph_reading import check_graph
from sim_bridge.worlds.household.nodes import Box, CHARACTER, is_room, Node, read_node
from sim_bridge.worlds.household.placement import choose_places, INSIDE, ON, Place
from sim_bridge.worlds.household.roles import assume_properties

CLOSE = 'CLOSE'
#: Right hand first.
HANDS = ('HOLDS_RH', 'HOLDS_LH')
_MOST_CLIMBS = 64


class SceneGraph:
    """A household; reads any VirtualHome graph and writes one back.

    :param data: `{'nodes': [...], 'edges': [...]}`; not changed.
    :raises ConfigurationError: it is malformed or has no rooms.

    Public: `nodes` by id, `rooms` in id order, `character` (its node is added when the file has
    none), `held` (ids, right hand first), `moved` (ids that are no longer where the file says),
    `changes` (ids of things that were taken, laid or changed their state, as often as they did),
    `more_edges` (written too: what concerns characters that do not act now), `spots` (x and z of
    things that were laid at a place of their own, in metres).
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        check_graph(dict(data))
        self.nodes: dict[int, Node] = {}
        for source in sorted(data['nodes'], key=lambda entry: int(entry['id'])):
            node = read_node(source)
            if node.properties is None:
                node.properties = assume_properties(node)
            node.set_states(node.states)
            self.nodes[node.node_id] = node
        self.rooms = tuple(key for key, node in self.nodes.items() if is_room(node))
        if not self.rooms:
            raise ConfigurationError(
                "the scene graph has no rooms: nodes of category 'Rooms' are needed"
            )
        self._room_set = frozenset(self.rooms)
        self.character = self._find_character()
        self.hands: dict[str, int] = {}
        self.held: tuple[int, ...] = ()
        self.moved: set[int] = set()
        self.changes: list[int] = []
        self.more_edges: list[tuple[int, str, int]] = []
        self.spots: dict[int, tuple[float, float]] = {}
        self._stored: dict[int, tuple[Place, ...]] = {}
        #: What `containers` has told of things that have not been moved since.
        self._containers: dict[int, tuple[int, ...]] = {}
        self._others: list[dict[str, Any]] = []
        self._read_edges(data['edges'])
        self.parent = choose_places(self.nodes, self._stored, self._room_set)
        self.children: dict[int, list[int]] = {}
        self._own_room: dict[int, int] = {}
        self._settle()

    # Reading

    def _find_character(self) -> int:
        for key, node in self.nodes.items():
            if node.class_name == CHARACTER:
                return key
        # Unity's first character has the id 1; exports made without one leave it free.
        new = 1 if 1 not in self.nodes else max(self.nodes) + 1
        self.nodes[new] = read_node(
            {
                'id': new,
                'class_name': CHARACTER,
                'category': 'Characters',
                'properties': [],
                'states': [],
            }
        )
        return new

    def _read_edges(self, edges: Iterable[Mapping[str, Any]]) -> None:
        places: dict[int, list[Place]] = {key: [] for key in self.nodes}
        for edge in edges:
            start, end, relation = edge['from_id'], edge['to_id'], edge['relation_type'].upper()
            if start not in self.nodes or end not in self.nodes:
                continue
            if relation in (INSIDE, ON):
                if (relation, end) not in places[start]:
                    places[start].append((relation, end))
            elif relation in HANDS:
                if start == self.character and end not in (start, *self.hands.values()):
                    self.hands.setdefault(relation, end)
            elif self.character not in (start, end):
                self._others.append({'from_id': start, 'to_id': end, 'relation_type': relation})
        self._stored = {key: tuple(value) for key, value in places.items()}

    def _settle(self) -> None:
        """Make parents, children, hands and rooms agree with each other."""
        # A file's character may sit on something or stand close to it; ours stands in a room.
        self.parent.pop(self.character, None)
        self._count_hands()
        for held in self.held:
            self.parent.pop(held, None)
        for key, (_, target) in list(self.parent.items()):
            if target == self.character:
                del self.parent[key]
            else:
                self.children.setdefault(target, []).append(key)
        for key in self.nodes:
            if key in self._room_set:
                continue
            named = [
                target
                for relation, target in self._stored[key]
                if relation == INSIDE and target in self._room_set
            ]
            if named:
                self._own_room[key] = named[0]
        for key, node in self.nodes.items():
            if key not in self._room_set and self.room_of(key) is None and node.box:
                self._own_room[self.root(key)] = self._nearest_room(node.box)
        for held in self.held:
            self._mark_moved(held)
        self._stored[self.character] = ()
        # What a thing lies on comes before the thing.
        for key in sorted(self.nodes, key=self._depth):
            if key != self.character and key not in self._room_set:
                self._stored[key] = self._completed(key)

    def _leads_back(self, node_id: int, place: Place) -> bool:
        """Whether an INSIDE edge closes a circle, on which published clients run for ever."""
        relation, target = place
        if relation != INSIDE or place == self.parent.get(node_id):
            return False
        passed: set[int] = set()
        waiting = [target]
        while waiting:
            here = waiting.pop()
            if here == node_id:
                return True
            if here not in passed:
                passed.add(here)
                waiting += (end for kind, end in self._stored[here] if kind == INSIDE)
        return False

    def _depth(self, node_id: int) -> int:
        """How many things a thing is in or on, one in the other."""
        depth = 0
        while node_id in self.parent:
            node_id = self.parent[node_id][1]
            depth += 1
        return depth

    def _completed(self, node_id: int) -> tuple[Place, ...]:
        """The file's edges of a thing, with those that it lacks, in Unity's order."""
        given = [place for place in self._stored[node_id] if not self._leads_back(node_id, place)]
        into_room = [place for place in given if place[0] == INSIDE and place[1] in self._room_set]
        others = [place for place in given if place not in into_room]
        if not into_room:
            room = self.room_of(node_id)
            into_room = [] if room is None else [(INSIDE, room)]
            others += (one for one in self._shared_containers(node_id) if one not in others)
        return (*into_room, *others)

    def _shared_containers(self, node_id: int) -> Iterator[Place]:
        """What a thing is in because what it lies on is."""
        relation, support = self.parent.get(node_id, (INSIDE, node_id))
        if relation == ON:
            yield from ((INSIDE, container) for container in self.containers(support))

    def _nearest_room(self, box: Box) -> int:
        """The room whose box a box overlaps, or the nearest."""

        def distance(room: int) -> float:
            other = self.nodes[room].box
            return other.gap(box) if other else float('inf')

        return min(self.rooms, key=lambda room: (distance(room), room))

    # Asking

    def root(self, node_id: int) -> int:
        """What a thing is in or on, at the end of the chain: furniture, or the thing itself."""
        while node_id in self.parent:
            node_id = self.parent[node_id][1]
        return node_id

    def room_of(self, node_id: int) -> int | None:
        """The room a thing is in, by what it is in or on; None when the file does not say."""
        root = self.root(node_id)
        if root in self.held:
            root = self.character
        room = self._own_room.get(root)
        return room if room is not None else self._own_room.get(node_id)

    def subtree(self, node_id: int) -> Iterator[int]:
        """A thing and all that is on or in it, however deep."""
        waiting = [node_id]
        while waiting:
            here = waiting.pop()
            yield here
            waiting.extend(self.children.get(here, ()))

    def places(self, node_id: int) -> tuple[Place, ...]:
        """INSIDE and ON edges that start from a thing now: the file's until it is moved."""
        if node_id != self.character and node_id not in self.moved:
            return self._stored[node_id]
        own = self.parent.get(node_id)
        room = self.room_of(node_id)
        places = [*((own,) if own else ()), *self._shared_containers(node_id)]
        if room is None:
            return tuple(places)
        # What the robot put where no door hides it is seen, so its room comes last.
        hidden = any(kind == INSIDE and self.nodes[key].has_door for kind, key in places)
        return ((INSIDE, room), *places) if hidden else (*places, (INSIDE, room))

    def containers(self, node_id: int) -> tuple[int, ...]:
        """Things that a thing is in by its INSIDE edges, in their order; no rooms."""
        known = self._containers.get(node_id)
        if known is None:
            known = self._containers[node_id] = tuple(
                key
                for relation, key in self.places(node_id)
                if relation == INSIDE and key not in self._room_set
            )
        return known

    def other_edges(self, relation: str) -> Iterator[tuple[int, int]]:
        """The file's edges of a relation that is not a place, e.g. CLOSE."""
        return (
            (edge['from_id'], edge['to_id'])
            for edge in self._others
            if edge['relation_type'] == relation
        )

    # Changing

    def enter(self, room: int) -> None:
        """The character goes to a room, with all it holds."""
        self._own_room[self.character] = room

    def join(self, character: int, room: int) -> None:
        """One more character.

        :param character: an id that is free.
        """
        source = {**self.nodes[self.character].source, 'id': character, 'states': []}
        self.nodes[character] = read_node(source)
        self._stored[character] = ()
        # What moves is written from where it is, and no longer from the file.
        self.moved |= {self.character, character}
        self._own_room[character] = room

    def become(self, character: int, hands: dict[str, int]) -> None:
        """Let another character act; what the one before holds stays with it.

        :param hands: of the other, as `hands`.
        """
        room = self._own_room[self.character]
        for held in self.held:
            self._own_room[held] = room
        for held in hands.values():
            self._own_room.pop(held, None)
        self.character, self.hands = character, hands
        self._count_hands()

    def drop(self, node_id: int) -> None:
        """Out of the hand, freely into the room."""
        self.changes.append(node_id)
        self._open_hand(node_id)
        self._own_room[node_id] = self._own_room[self.character]

    def take(self, node_id: int) -> None:
        """Into a free hand, with all that is on or in it."""
        relation = next(hand for hand in HANDS if hand not in self.hands)
        self.changes.append(node_id)
        self._leave(node_id)
        self.hands[relation] = node_id
        self._count_hands()

    def lay(self, node_id: int, relation: str, target: int) -> None:
        """Out of the hand, INSIDE or ON something that is not in or on the thing itself."""
        self.changes.append(node_id)
        self._open_hand(node_id)
        self.parent[node_id] = (relation, target)
        self.children.setdefault(target, []).append(node_id)
        for below in self.subtree(node_id):
            self._containers.pop(below, None)

    def move(self, node_id: int, relation: str, target: int) -> None:
        """From where it is, by nobody's hand, INSIDE or ON something that is not on it itself."""
        self._leave(node_id)
        self.lay(node_id, relation, target)

    def swap_state(self, node_id: int, old: str, new: str) -> None:
        """Put one state of a thing in the place of another."""
        self.changes.append(node_id)
        self.nodes[node_id].swap_state(old, new)

    def _open_hand(self, node_id: int) -> None:
        self.hands = {hand: held for hand, held in self.hands.items() if held != node_id}
        self._count_hands()

    def _count_hands(self) -> None:
        self.held = tuple(self.hands[hand] for hand in HANDS if hand in self.hands)

    def _leave(self, node_id: int) -> None:
        self._mark_moved(node_id)
        self.spots.pop(node_id, None)
        place = self.parent.pop(node_id, None)
        if place is not None:
            self.children[place[1]].remove(node_id)

    def _mark_moved(self, node_id: int) -> None:
        for below in self.subtree(node_id):
            self.moved.add(below)
            self._own_room.pop(below, None)
            self._containers.pop(below, None)

    # Writing

    def to_dict(self, close: Iterable[int] = ()) -> dict[str, Any]:
        """The graph in VirtualHome's format; shares nothing that changes later.

        :param close: ids the character is close to; become CLOSE edges in both directions.
        """
        edges = [
            {'from_id': start, 'relation_type': relation, 'to_id': end}
            for start, relation, end in self.edges(close)
        ]
        return {'nodes': [self.write_node(key) for key in self.nodes], 'edges': edges}

    def edges(self, close: Iterable[int] = ()) -> Iterator[tuple[int, str, int]]:
        """All edges of the written graph: from, relation, to.

        :param close: as for `to_dict`.
        """
        yield from self.still_edges()
        yield from self.moving_edges()
        for key in close:
            yield self.character, CLOSE, key
            yield key, CLOSE, self.character

    def still_edges(self) -> Iterator[tuple[int, str, int]]:
        """Edges of the file that still hold; they change only when `moved` grows."""
        moved = self.moved
        for key in self.nodes:
            if key not in moved and key != self.character:
                for relation, target in self._stored[key]:
                    yield key, relation, target
        for edge in self._others:
            if edge['from_id'] not in moved and edge['to_id'] not in moved:
                yield edge['from_id'], edge['relation_type'], edge['to_id']

    def moving_edges(self) -> Iterator[tuple[int, str, int]]:
        """Where the character is, what it holds, and where moved things are."""
        for key in self.nodes:
            if key in self.moved or key == self.character:
                for relation, target in self.places(key):
                    yield key, relation, target
        for hand in HANDS:
            if hand in self.hands:
                yield self.character, hand, self.hands[hand]
        yield from self.more_edges

    def write_node(self, node_id: int) -> dict[str, Any]:
        """One node of the written graph."""
        node = self.nodes[node_id]
        written = dict(node.source)
        written['states'] = node.reported_states
        if isinstance(node.source.get('properties'), list):
            written['properties'] = list(node.source['properties'])
        if node.node_id in self.moved and node.box:
            # Where it was no longer holds; where it is follows from what it lies on.
            written.pop('obj_transform', None)
            box = self._laid_box(node)
            written['bounding_box'] = box.as_graph() if box else None
        return written

    def _laid_box(self, node: Node) -> Box | None:
        below: list[Node] = []
        here = node
        while here.node_id in self.moved and len(below) < _MOST_CLIMBS:
            below.append(here)
            place = self.parent.get(here.node_id)
            if place is None:
                return None
            here = self.nodes[place[1]]
        box = here.box
        for step in reversed(below):
            if box is None or step.box is None:
                return None
            box = box.on_top(step.box)
            if step.node_id in self.spots:
                x, z = self.spots[step.node_id]
                box = Box((x, box.center[1], z), box.size)
        return box
