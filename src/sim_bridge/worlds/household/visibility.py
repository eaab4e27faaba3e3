"""What the robot sees: the visible things of a room, and what is close from where it stands.

Partial observability of WAH-NL: of the things of the robot's room (by what they are in or on)
those of observable classes are visible, unless something they are in is not open. What they are in
is, as published, where their last INSIDE edge to an observable thing leads: drawers are no
observable class, so a shirt in a drawer of a wardrobe shows when the wardrobe is open. (By node
properties it is their place, drawers included.) A container without a door is not OPEN either, so
by the published rule what is stored inside one stays hidden; things that the robot itself put
there are visible, and so is everything with `doorless='show'`.

Nothing here changes the graph. Answers are kept until `changed` names a room that differs.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim_bridge.worlds.household.closeness import fixture_of, NearFixtures
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.roles import is_useful, Roles

HIDE = 'hide'
SHOW = 'show'


@dataclass(frozen=True, slots=True)
class RobotPosition:
    """Where the robot stands.

    :param room: id. :param target: thing last walked to, None in the middle of the room.
    :param fixture: what the target belonged to on arrival.
    """

    room: int
    target: int | None = None
    fixture: int | None = None


class Visibility:
    """Visible and close things of one scene.

    :param roles: by node id. :param doorless: 'hide' or 'show', see above.
    :param published: whether the last INSIDE edge counts, and not the place.
    """

    def __init__(
        self,
        graph: SceneGraph,
        names: Names,
        roles: Mapping[int, Roles],
        reach: float,
        neighbours: int,
        doorless: str = HIDE,
        published: bool = True,
    ) -> None:
        self._graph = graph
        self._rank = names.rank
        self._show_doorless = doorless == SHOW
        self._published = published
        unseen = {graph.character, *graph.rooms}
        self._observable = frozenset(
            key for key, role in roles.items() if role.observable and key not in unseen
        )
        # One can be close to all that can be handled, observable or not.
        handled = (key for key, node in graph.nodes.items() if is_useful(node))
        self.fixture: dict[int, int] = {
            key: fixture_of(graph, key) for key in (self._observable | set(handled)) - unseen
        }
        seen_at = {self.fixture[key] for key in self._observable}
        self._near = NearFixtures(graph, seen_at, reach, neighbours)
        self._members: dict[int, list[int]] = {room: [] for room in graph.rooms}
        # On or in held things; the held things themselves are in no list.
        self._carried: list[int] = []
        for key in sorted(set(self.fixture).difference(graph.held), key=self._rank.__getitem__):
            self._list_of(key).append(key)
        self._visible: dict[int, tuple[int, ...]] = {}
        self._close: dict[int, dict[int, tuple[int, ...]]] = {room: {} for room in graph.rooms}

    def _list_of(self, node_id: int) -> list[int]:
        """The list a thing stands in now."""
        if self._graph.root(node_id) in self._graph.held:
            return self._carried
        room = self._graph.room_of(node_id)
        return self._members[room] if room is not None else []

    def visible(self, room: int) -> tuple[int, ...]:
        """Visible things of a room in the order of names; held things are not among them."""
        known = self._visible.get(room)
        if known is None:
            known = tuple(filter(self.shows, self._members[room]))
            self._visible[room] = known
        return known

    def carried(self) -> tuple[int, ...]:
        """Visible things on or in held things, in the order of names."""
        if not self._carried:
            return ()
        return tuple(filter(self.shows, self._carried))

    def hidden_by(self, node_id: int) -> int | None:
        """The thing that hides a thing in it, however deep; None when nothing does."""
        if self._published and not self._graph.containers(node_id):
            return None
        return next((key for one, key in self._within(node_id) if not self._shows(one, key)), None)

    def shut_in(self, node_id: int) -> int | None:
        """The closed thing that a thing cannot be taken out of, of whatever class; None without.

        As published: what shows for want of an observable drawer is in the drawer nevertheless.
        """
        nodes = self._graph.nodes
        if self._published and not self._graph.containers(node_id):
            return None
        around = [key for _, key in self._within(node_id)]
        if self._published:
            around += self._graph.containers(node_id)
        return next((key for key in around if nodes[key].is_shut), None)

    def _within(self, node_id: int) -> Iterator[tuple[int, int]]:
        """Each thing that a thing is in, from the nearest, after the thing that is in it."""
        graph = self._graph
        if not self._published:
            while (place := graph.parent.get(node_id)) is not None:
                relation, holder = place
                if relation == INSIDE:
                    yield node_id, holder
                node_id = holder
            return
        # Stored edges may lead round in a circle.
        passed = {node_id}
        while True:
            around = [key for key in graph.containers(node_id) if key in self._observable]
            if not around or around[-1] in passed:
                return
            yield node_id, around[-1]
            node_id = around[-1]
            passed.add(node_id)

    def _shows(self, node_id: int, container: int) -> bool:
        node = self._graph.nodes[container]
        if node.is_open:
            return True
        return not node.has_door and (self._show_doorless or node_id in self._graph.moved)

    def shows(self, node_id: int) -> bool:
        """Whether a thing can be seen by who is in the same room."""
        return node_id in self._observable and self.hidden_by(node_id) is None

    def close_in_room(self, stand: RobotPosition) -> tuple[int, ...]:
        """Visible things close to where the robot stands, in the order of names; none carried."""
        if stand.fixture is None:
            return ()
        known = self._close[stand.room].get(stand.fixture)
        if known is None:
            near = self._near_to(stand.fixture)
            fixture = self.fixture
            known = tuple(one for one in self.visible(stand.room) if fixture[one] in near)
            self._close[stand.room][stand.fixture] = known
        return known

    def in_reach(self, stand: RobotPosition) -> tuple[int, ...]:
        """All that is close or held, hidden things included."""
        near = self._near_to(stand.fixture) if stand.fixture is not None else ()
        here = (key for key in self._members[stand.room] if self.fixture[key] in near)
        return (*self._graph.held, *self._carried, *here)

    def near(self, fixture: int, other: int) -> bool:
        """Whether two fixtures are near each other."""
        return other in self._near_to(fixture)

    def _near_to(self, fixture: int) -> frozenset[int]:
        """What has been dropped was no fixture at first: it is near to itself alone."""
        return self._near.get(fixture) or frozenset((fixture,))

    def position_at(self, room: int, target: int) -> RobotPosition:
        """Where one stands after walking to a visible thing that is not held."""
        return RobotPosition(room, target, self.fixture[target])

    def carry(self, things: list[int]) -> list[int]:
        """Let another character act: what is on what it holds, for that of the one before."""
        before, self._carried = self._carried, things
        return before

    def leaves(self, node_id: int) -> None:
        """A thing is about to be taken: forget where it and what is on it stand."""
        for key in self._seen_with(node_id):
            self._list_of(key).remove(key)

    def arrives(self, node_id: int) -> None:
        """A thing has been taken or put down, with all that is on it."""
        for key in self._graph.subtree(node_id):
            if key in self.fixture:
                self.fixture[key] = fixture_of(self._graph, key)
        for key in self._seen_with(node_id):
            insort(self._list_of(key), key, key=self._rank.__getitem__)

    def _seen_with(self, node_id: int) -> list[int]:
        """Observable things on or in a thing, and itself unless it is held."""
        held = self._graph.held
        return [
            key for key in self._graph.subtree(node_id) if key in self.fixture and key not in held
        ]

    def changed(self, room: int) -> None:
        """Something in a room was moved, opened or closed."""
        self._visible.pop(room, None)
        self._close[room].clear()
