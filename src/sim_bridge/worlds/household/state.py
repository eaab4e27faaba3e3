"""One episode: the graph, where the robot stands, what it saw, and what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.closeness import NEIGHBOURS, REACH
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.roles import PROPERTIES, PUBLISHED, Roles, roles_of
from sim_bridge.worlds.household.visibility import HIDE, RobotPosition, SHOW, Visibility

T = TypeVar('T')
FIXTURE, TARGET = 'fixture', 'target'


@dataclass(frozen=True, slots=True)
class Options:
    """How a household behaves.

    :param classes: 'published' (the published lists; other classes are not seen, and other rooms
        than theirs cannot be gone to) or 'properties' (node properties for all).
    :param doorless: whether what a file stores inside containers without a door is visible:
        'hide' (published) or 'show'.
    :param reach: free distance at which things are close, in metres, 0 or more.
    :param neighbours: how far to look in the order of ids where a file has neither bounding boxes
        nor CLOSE edges, 0 or more.
    :param remembered: what working memory says things are near: 'fixture' (the furniture that they
        are at, which stays where it is) or 'target' (published: whatever was walked to).
    :param failure_rate: probability, 0..1, that picking up, putting down or opening fails although
        nothing stands against it; drawn from the seed of the reset.
    """

    classes: str = PUBLISHED
    doorless: str = HIDE
    reach: float = REACH
    neighbours: int = NEIGHBOURS
    remembered: str = FIXTURE
    failure_rate: float = 0.0

    def __post_init__(self) -> None:
        if self.classes not in (PUBLISHED, PROPERTIES):
            raise ConfigurationError(
                f"classes must be 'published' or 'properties', not {self.classes!r}"
            )
        if self.doorless not in (HIDE, SHOW):
            raise ConfigurationError(f"doorless must be 'hide' or 'show', not {self.doorless!r}")
        if self.remembered not in (FIXTURE, TARGET):
            raise ConfigurationError(
                f"remembered must be 'fixture' or 'target', not {self.remembered!r}"
            )
        if not (self.reach >= 0.0 and self.neighbours >= 0):
            raise ConfigurationError('reach and neighbours must be 0 or more')
        if not 0.0 <= self.failure_rate <= 1.0:
            raise ConfigurationError(f'failure_rate must be 0 to 1, not {self.failure_rate}')


class HouseholdState:
    """A scene and the robot in it.

    :param data: scene graph in VirtualHome's format; not changed.
    :param seed: chooses the first room when the graph does not say where the character is.
    :raises ConfigurationError: the graph cannot be used.
    """

    def __init__(self, data: Mapping[str, Any], options: Options, seed: int) -> None:
        self.options = options
        self.random = Random(f'household {int(seed)}')
        self.graph = SceneGraph(data)
        self.names = Names(self.graph.nodes)
        self.roles: dict[int, Roles] = {
            key: roles_of(node, options.classes) for key, node in self.graph.nodes.items()
        }
        #: Rooms that can be gone to; all where there is none of the published four.
        self.rooms: tuple[int, ...] = self.graph.rooms
        if options.classes == PUBLISHED:
            known = tuple(room for room in self.rooms if self.roles[room].observable)
            self.rooms = known or self.rooms
        room = self.graph.room_of(self.graph.character)
        if room is None:
            rooms = self.rooms
            room = rooms[min(int(self.random.random() * len(rooms)), len(rooms) - 1)]
            self.graph.enter(room)
        self.sight = Visibility(
            self.graph,
            self.names,
            self.roles,
            options.reach,
            options.neighbours,
            options.doorless,
            options.classes == PUBLISHED,
        )
        self.stand = RobotPosition(room)
        #: Last thing walked to that things are put down in or on (WAH-NL).
        self.receptacle: int | None = None
        self.seen: set[int] = set(self.graph.held)
        self._conditions: dict[int, str] = {}
        self._kept: dict[int, dict[Hashable, Any]] = {one: {} for one in self.graph.rooms}
        self.look()

    # Asking

    @property
    def room(self) -> int:
        """The room the robot is in."""
        return self.stand.room

    @property
    def held(self) -> tuple[int, ...]:
        """What it holds, right hand first."""
        return self.graph.held

    @property
    def has_free_hand(self) -> bool:
        """Whether fewer than two things are held."""
        return len(self.graph.hands) < 2

    def visible(self) -> tuple[int, ...]:
        """Visible things of the room, and what lies on held things, in the order of names."""
        seen, carried = self.sight.visible(self.room), self.sight.carried()
        if not carried:
            return seen
        return tuple(sorted((*seen, *carried), key=self.names.rank.__getitem__))

    def can_see(self, node_id: int) -> bool:
        """Whether a thing is visible from where the robot is, or held."""
        if self.graph.root(node_id) in self.held:
            return node_id in self.held or node_id in self.sight.carried()
        return self.graph.room_of(node_id) == self.room and self.sight.shows(node_id)

    def close(self) -> tuple[int, ...]:
        """Held things and visible things within reach, in the order of names."""
        near = self.sight.close_in_room(self.stand)
        if not self.held:
            return near
        held = (key for key in self.held if self.roles[key].observable)
        own = (*held, *self.sight.carried())
        return tuple(sorted((*near, *own), key=self.names.rank.__getitem__))

    def is_close(self, node_id: int) -> bool:
        """Whether a thing is held or within reach, visible or not."""
        graph, stand = self.graph, self.stand
        root = graph.root(node_id)
        if root in graph.held:
            return True
        fixture = self.sight.fixture.get(node_id)
        return (
            fixture is not None
            and stand.fixture is not None
            and graph.room_of(node_id) == stand.room
            and self.sight.near(stand.fixture, fixture)
        )

    def goes_in(self, receptacle: int) -> bool:
        """Whether things are put in a receptacle (else on it): container wins over surface."""
        return self.roles[receptacle].container

    def is_shut(self, node_id: int) -> bool:
        """Whether a thing has a door that is not open."""
        return self.graph.nodes[node_id].is_shut

    def condition(self, node_id: int) -> str:
        """What can be seen of a thing's state, e.g. 'open, on'; '' for most things."""
        known = self._conditions.get(node_id)
        if known is None:
            node = self.graph.nodes[node_id]
            words = []
            if node.has('CAN_OPEN'):
                words.append('open' if node.is_open else 'closed')
            if node.has('HAS_SWITCH') and 'ON' in node.states:
                words.append('on')
            known = self._conditions[node_id] = ', '.join(words)
        return known

    def place(self) -> int:
        """Where the robot is, for people and memory: the thing last walked to, or the room.

        When it has picked that thing up, what the thing was on.
        """
        stand = self.stand
        if stand.target is None:
            return stand.room
        if stand.target not in self.graph.held:
            return stand.target
        if stand.fixture is not None and stand.fixture not in (stand.target, *self.graph.held):
            return stand.fixture
        return stand.room

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned for a key since something in the robot's room last changed.

        :param key: everything that the answer depends on, the room and its things aside. It must
            not depend on what is held, which changes in other rooms too.
        """
        kept = self._kept[self.stand.room]
        if key not in kept:
            kept[key] = make()
        answer: T = kept[key]
        return answer

    # Changing

    def look(self) -> None:
        """Remember what is visible now as seen."""
        self.seen.update(self.visible())

    def go_to_room(self, room: int) -> None:
        """Stand in the middle of a room."""
        self.graph.enter(room)
        self.stand = RobotPosition(room)
        self.look()

    def go_to_thing(self, target: int) -> None:
        """Stand at a visible thing; what is in the hand is where the robot is already."""
        if self.roles[target].receptacle:
            self.receptacle = target
        if self.graph.root(target) not in self.graph.held:
            self.stand = self.sight.position_at(self.room, target)

    def take(self, target: int) -> None:
        """Pick up a close thing with all that is on or in it."""
        self.sight.leaves(target)
        self.graph.take(target)
        self.sight.arrives(target)
        self._changed()

    def lay(self, target: int, relation: str, receptacle: int) -> None:
        """Put a held thing in or on a receptacle."""
        self.sight.leaves(target)
        self.graph.lay(target, relation, receptacle)
        self.sight.arrives(target)
        self._changed()

    def displace(self, target: int, relation: str, receptacle: int) -> None:
        """Somebody else moves a thing that is not held."""
        rooms = {self.graph.room_of(target), self.graph.room_of(receptacle)}
        self.sight.leaves(target)
        self.graph.move(target, relation, receptacle)
        self.sight.arrives(target)
        for room in rooms:
            if room is not None:
                self._kept[room].clear()
                self.sight.changed(room)
        self.look()

    def drop(self, target: int) -> None:
        """Let a held thing fall."""
        self.sight.leaves(target)
        self.graph.drop(target)
        self.sight.arrives(target)
        self._changed()

    def swap_state(self, target: int, old: str, new: str) -> None:
        """Open, close or switch a thing."""
        self.graph.swap_state(target, old, new)
        self._conditions.pop(target, None)
        self._changed()

    def set_states(self, target: int, states: list[str]) -> None:
        """Put other states in the place of all of a node."""
        self.graph.nodes[target].set_states(states)
        self.graph.changes.append(target)
        self._conditions.pop(target, None)
        self._changed()

    def _changed(self) -> None:
        self._kept[self.room].clear()
        self.sight.changed(self.room)
        self.look()
