"""One thing of a scene graph, and its bounding box."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Classes that are rooms even where a file gives no categories.
ROOM_CLASSES = frozenset(
    {
        'bathroom',
        'bedroom',
        'kitchen',
        'livingroom',
        'dining_room',
        'home_office',
        'entrance_hall',
        'kids_bedroom',
    }
)
#: Classes that things stand on everywhere: standing there is standing in the room.
FLOOR_CLASSES = frozenset({'floor', 'floors', 'ground'})
CHARACTER = 'character'
#: Metres from the origin; what is farther is no place of a home.
_FARTHEST = 1e6


@dataclass(frozen=True, slots=True)
class Box:
    """A box with sides parallel to the axes.

    :param center: x, y (up), z in metres. :param size: full extents in metres.
    """

    center: tuple[float, float, float]
    size: tuple[float, float, float]

    @property
    def volume(self) -> float:
        """Cubic metres; 0.0 for flat things."""
        return math.prod(self.size)

    @property
    def bottom(self) -> float:
        """Height of its lower side, in metres."""
        return self.center[1] - self.size[1] / 2

    def nearest(self, point: float, axis: int) -> float:
        """The coordinate within it that is nearest to a point's.

        :param axis: 0 for x, 1 for y, 2 for z.
        """
        half = self.size[axis] / 2
        return min(max(point, self.center[axis] - half), self.center[axis] + half)

    def gap(self, other: Box) -> float:
        """Free horizontal distance between two boxes in metres, 0.0 where they overlap."""
        return math.hypot(
            *(
                max(
                    0.0,
                    abs(self.center[axis] - other.center[axis])
                    - (self.size[axis] + other.size[axis]) / 2,
                )
                for axis in (0, 2)
            )
        )

    def on_top(self, thing: Box) -> Box:
        """Where a thing's box is once it lies on (or in) this one."""
        x, y, z = self.center
        top = y + (self.size[1] + thing.size[1]) / 2
        return Box((x, top, z), thing.size)

    def as_graph(self) -> dict[str, list[float]]:
        """In VirtualHome's form."""
        return {'center': list(self.center), 'size': list(self.size)}


#: What is in none of the states that its property has, as in old exports, is in the first of them.
_STATES = {'CAN_OPEN': ('CLOSED', 'OPEN'), 'HAS_SWITCH': ('OFF', 'ON')}


@dataclass(slots=True)
class Node:
    """One node.

    :param properties: e.g. GRABBABLE; None while nobody has said what a file leaves out.
    :param states: e.g. ['CLOSED', 'OFF'], in the file's order.
    :param source: the node as it stood in the file.
    :param assumed: those of its states of which the file says nothing, although it says others.
    """

    node_id: int
    class_name: str
    category: str
    properties: frozenset[str] | None
    states: list[str]
    box: Box | None
    source: Mapping[str, Any]
    assumed: tuple[str, ...] = ()

    @property
    def reported_states(self) -> list[str]:
        """Its states as a simulator reports them: Unity's fridge is CLOSED, and not OFF."""
        return [state for state in self.states if state not in self.assumed]

    @property
    def is_open(self) -> bool:
        """Whether it stands open."""
        return 'OPEN' in self.states

    @property
    def has_door(self) -> bool:
        """Whether it can be shut, so that what is in it is hidden."""
        return self.has('CAN_OPEN') or 'CLOSED' in self.states

    @property
    def is_shut(self) -> bool:
        """Whether it has a door that is not open."""
        return self.has_door and not self.is_open

    def has(self, name: str) -> bool:
        """Whether it has a property, by its name."""
        return self.properties is not None and name in self.properties

    def set_states(self, states: Iterable[str]) -> None:
        """Put other states in the place of all, and complete them: each property has one."""
        self.states = list(states)
        lacking = [
            first
            for name, (first, other) in _STATES.items()
            if self.has(name) and first not in self.states and other not in self.states
        ]
        self.assumed = tuple(lacking if self.states else ())
        self.states += lacking

    def swap_state(self, old: str, new: str) -> None:
        """Put one state in the place of another."""
        self.assumed = tuple(one for one in self.assumed if one not in (old, new))
        if old in self.states:
            self.states[self.states.index(old)] = new
        elif new not in self.states:
            self.states.append(new)


def read_node(source: Mapping[str, Any]) -> Node:
    """Take a node over from a graph whose form has been checked."""
    properties = source.get('properties')
    states = source.get('states')
    return Node(
        source['id'],
        source['class_name'].strip(),
        str(source.get('category') or ''),
        frozenset(map(str, properties)) if isinstance(properties, list) else None,
        [str(state) for state in states] if isinstance(states, list) else [],
        _read_box(source.get('bounding_box')),
        source,
    )


def is_room(node: Node) -> bool:
    """Whether a node is a room."""
    return node.category == 'Rooms' or (not node.category and node.class_name in ROOM_CLASSES)


def is_floor(node: Node) -> bool:
    """Whether standing on it is standing in the room."""
    return node.category in ('Floor', 'Floors') or node.class_name in FLOOR_CLASSES


def _read_box(value: Any) -> Box | None:
    if not isinstance(value, Mapping):
        return None
    center, size = _triple(value.get('center')), _triple(value.get('size'))
    return Box(center, size) if center and size else None


def _triple(value: Any) -> tuple[float, float, float] | None:
    if not isinstance(value, list) or len(value) != 3:
        return None
    if not all(isinstance(part, (int, float)) and abs(part) < _FARTHEST for part in value):
        return None
    return float(value[0]), float(value[1]), float(value[2])
