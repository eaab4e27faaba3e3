"""A scene: things with places and boxes, and the points where the agent can stand.

Coordinates are Unity's: x to the east, y up, z to the north, in metres; angles in degrees.
"""

from __future__ import annotations

import copy
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sim_bridge.worlds.thor.stand_in.classes import CLOSABLE, object_class, ObjectClass

Place = tuple[float, float, float]

#: Side of the grid of points where the agent can stand, in metres.
GRID = 0.25
#: Height below which a thing stands on the floor, in metres.
_ON_FLOOR = 0.05
#: Height of the agent's position, in metres.
AGENT_HEIGHT = 0.9009992
#: First floor plan of each sort of room; each has thirty.
ROOMS = (('kitchen', 1), ('living room', 201), ('bedroom', 301), ('bathroom', 401))
FLOOR_PLANS = tuple(f'FloorPlan{first + n}' for _, first in ROOMS for n in range(30))


@dataclass(slots=True)
class Box:
    """A box with sides parallel to the axes. :param low: lowest x, y, z. :param high: highest."""

    low: Place
    high: Place

    @property
    def center(self) -> Place:
        """Its middle."""
        (a, b, c), (d, e, f) = self.low, self.high
        return (a + d) / 2, (b + e) / 2, (c + f) / 2

    @property
    def size(self) -> Place:
        """Width, height and depth in metres."""
        (a, b, c), (d, e, f) = self.low, self.high
        return d - a, e - b, f - c

    def moved(self, by: Place) -> Box:
        """This box somewhere else."""
        (a, b, c), (d, e, f), (x, y, z) = self.low, self.high, by
        return Box((a + x, b + y, c + z), (d + x, e + y, f + z))

    def with_point(self, point: Place) -> Box:
        """The box grown so far that a point is above or below it."""
        (a, b, c), (d, e, f), (x, _, z) = self.low, self.high, point
        return Box((min(a, x), b, min(c, z)), (max(d, x), e, max(f, z)))

    def aside(self, point: Place) -> float:
        """Metres in the plane from a point to the box; 0.0 above or below it."""
        (a, _, c), (d, _, f), (x, _, z) = self.low, self.high, point
        return math.hypot(max(a - x, 0.0, x - d), max(c - z, 0.0, z - f))

    def apart(self, point: Place) -> float:
        """Metres in height from a point to the box."""
        return max(self.low[1] - point[1], 0.0, point[1] - self.high[1])


@dataclass(slots=True)
class Thing:
    """One thing of a scene.

    :param name: as the program names it, e.g. 'Mug_a12c171b'.
    :param rotation: about x, y and z. :param parent: id of what it lies in or on; '' for nothing.
    :param openness: 0 shut to 1. :param temperature: 'RoomTemp', 'Hot' or 'Cold'.
    :param room: id of the room of a house; '' where there is one room only.
    """

    object_id: str
    name: str
    class_name: str
    position: Place
    box: Box
    rotation: Place = (0.0, 0.0, 0.0)
    parent: str = ''
    contents: list[str] = field(default_factory=list)
    openness: float = 0.0
    toggled: bool = False
    sliced: bool = False
    broken: bool = False
    dirty: bool = False
    filled: str = ''
    used_up: bool = False
    cooked: bool = False
    temperature: str = 'RoomTemp'
    room: str = ''
    asset: str = ''

    @property
    def of_class(self) -> ObjectClass:
        """What its class says."""
        return object_class(self.class_name)

    def is_a(self, flag: str) -> bool:
        """Whether its class has a flag, as in metadata."""
        return flag in self.of_class.flags

    @property
    def hides(self) -> bool:
        """Whether what is in it cannot be seen."""
        return self.class_name in CLOSABLE and self.is_a('openable') and self.openness <= 0.0

    def move_to(self, position: Place) -> None:
        """Put it, and its box, somewhere else; what lies in it stays."""
        old = self.position
        by = (position[0] - old[0], position[1] - old[1], position[2] - old[2])
        self.box, self.position = self.box.moved(by), position


@dataclass(slots=True)
class Start:
    """Where the agent begins. :param horizon: degrees that it looks down."""

    position: Place
    rotation: float = 0.0
    horizon: float = 0.0


@dataclass(slots=True)
class Room:
    """A room of a house. :param corners: x and z of its floor, in order."""

    room_id: str
    kind: str
    corners: tuple[tuple[float, float], ...]

    def has(self, x: float, z: float) -> bool:
        """Whether a point is on its floor."""
        inside = False
        for (a, b), (c, d) in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            if (b > z) != (d > z) and x < (c - a) * (z - b) / (d - b) + a:
                inside = not inside
        return inside


@dataclass(slots=True)
class Scene:
    """A scene as `Reset` finds it.

    :param reachable: x and z of each point where the agent can stand.
    :param approximate: some places and sizes are guessed: no file has them.
    :param rooms: of a house; () where all is one room.
    """

    name: str
    things: list[Thing]
    reachable: list[tuple[float, float]]
    start: Start
    approximate: bool = False
    rooms: Sequence[Room] = ()

    def copy(self) -> Scene:
        """The same once more, for one episode."""
        return copy.deepcopy(self)


def room_kind(scene: str) -> str:
    """'kitchen', 'living room', 'bedroom' or 'bathroom', by the number of a floor plan."""
    digits = ''.join(letter for letter in scene if letter.isdigit())[:6]
    number = int(digits or 0)
    for kind, first in reversed(ROOMS):
        if number >= first:
            return kind
    return 'kitchen'


def id_of(class_name: str, position: Place) -> str:
    """An id in the program's form: `Class|+xx.xx|+yy.yy|+zz.zz`."""
    return '|'.join((class_name, *(_written(value) for value in position)))


def _written(value: float) -> str:
    # Unity's own spelling has a sign for minus and for plus, and two digits before the point.
    return f'{"-" if value < 0 else "+"}{abs(value):05.2f}'


def name_of(class_name: str, of: str) -> str:
    """A name in the program's form, `Class_xxxxxxxx`, that follows from a text."""
    return f'{class_name}_{zlib.crc32(of.encode()):08x}'


def thing_at(class_name: str, position: Place, name: str = '', object_id: str = '') -> Thing:
    """A thing with the box that its class has there.

    :param position: of the middle, or of the lower side for what stands on the floor.
    """
    object_id = object_id or id_of(class_name, position)
    box = box_at(class_name, position)
    return Thing(object_id, name or name_of(class_name, object_id), class_name, position, box)


def box_at(class_name: str, position: Place, turned: bool = False) -> Box:
    """The box of a class at a place.

    :param turned: width and depth change places.
    """
    width, height, depth = object_class(class_name).size
    if turned:
        width, depth = depth, width
    x, y, z = position
    stands = y < 0.1 and 'pickupable' not in object_class(class_name).flags
    low = y if stands else y - height / 2
    return Box((x - width / 2, low, z - depth / 2), (x + width / 2, low + height, z + depth / 2))


def settle(things: Iterable[Thing]) -> None:
    """Tell each thing what lies in it, from the parents that all have."""
    by_id = {thing.object_id: thing for thing in things}
    for thing in by_id.values():
        thing.contents = []
    for thing in by_id.values():
        if thing.parent in by_id and not _around_itself(thing, by_id):
            by_id[thing.parent].contents.append(thing.object_id)
        else:
            thing.parent = ''


def _around_itself(thing: Thing, by_id: Mapping[str, Thing]) -> bool:
    """Whether its parents lead back to it, as in a damaged file."""
    seen: set[str] = set()
    key = thing.parent
    while key in by_id and key not in seen and key != thing.object_id:
        seen.add(key)
        key = by_id[key].parent
    return key == thing.object_id


def parent_for(thing: Thing, receptacles: Iterable[Thing], reach: float = 0.6) -> Thing | None:
    """What a thing lies in or on, by its place: the nearest that may hold it.

    :param reach: metres beside a receptacle's box that still count.
    """
    best: tuple[float, float, Thing] | None = None
    for receptacle in receptacles:
        if receptacle is thing or not receptacle.of_class.may_hold(thing.class_name):
            continue
        aside = receptacle.box.aside(thing.position)
        apart = receptacle.box.apart(thing.position)
        if aside > reach or apart > 0.3:
            continue
        if thing.position[1] < _ON_FLOOR and aside > 0.0:
            # It stands on the floor, beside it.
            continue
        middle = receptacle.box.center
        away = math.dist(middle[::2], thing.position[::2]) + abs(middle[1] - thing.position[1])
        score = (aside + 2.0 * apart, away, receptacle)
        if best is None or score[:2] < best[:2]:
            best = score
    return best[2] if best else None
