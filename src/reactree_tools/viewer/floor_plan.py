"""A scene graph seen from above: rooms, what stands in them, the robot, in metres.

A world whose rooms are more than boxes tells a 'floor' beside its nodes: rooms with their corners,
doors, locations, and how far its robot reaches; of all this only what is known by now. A robot
that knows no rooms tells a map in the same form: its places, and its base in a frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, product
from typing import Any

from reactree_core.errors import ReactreeError
from reactree_tools.plain_text import visible
from sim_bridge.worlds.household.state import HouseholdState, Options

#: Rooms and furniture that are drawn at most, whatever a graph holds.
_MOST_ROOMS = 200
_MOST_FIXTURES = 1500
_MOST_CORNERS = 500
#: Characters of names and of reasons.
_LONGEST, _LONGEST_REASON = 80, 300
#: Metres from the origin at most: maps may be in the coordinates of a country.
_FARTHEST = 1e7
#: Points of the way that a robot went.
_MOST_POINTS = 1000
#: Side of a thing whose size is not given, in metres.
_THING = 0.4


#: Both ends of a straight line.
Segment = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Box:
    """Something that stands on the floor.

    :param name: as in skills, e.g. 'fridge 1'.
    :param x: of its centre, metres. :param y: of its centre, metres, growing downwards.
    :param width: metres. :param height: metres, as seen from above.
    :param corners: of a room that is no rectangle, in order; () for a rectangle.
    :param heading: rad, counterclockwise from the x axis as seen; None where it is not given.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    corners: tuple[tuple[float, float], ...] = ()
    heading: float | None = None


@dataclass(frozen=True, slots=True)
class RobotMap:
    """What a plan without rooms says besides.

    :param frame: that its coordinates are in. :param here: place where the robot is; '' for none.
    :param heading: of the robot, as that of a box. :param age: of its pose in s.
    :param trouble: why no newer pose is known; '' where one is.
    :param way: where it went, oldest first.
    :param unplaced: places that are not on the map, and why.
    """

    frame: str
    here: str = ''
    heading: float | None = None
    age: float = 0.0
    trouble: str = ''
    way: tuple[tuple[float, float], ...] = ()
    unplaced: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """What a page draws. The robot is None when the graph does not place it.

    :param doors: where one gets from room to room. :param locations: where one can stand.
    :param reach: of the robot in metres; None where it reaches everything.
    :param openings: pieces of walls that are not there: rooms are open to each other.
    :param explored: whether there may be more of it later.
    :param map: of a robot that tells no rooms.
    """

    scene: str
    rooms: tuple[Box, ...]
    fixtures: tuple[Box, ...]
    robot: tuple[float, float] | None = None
    doors: tuple[Box, ...] = ()
    locations: tuple[Box, ...] = ()
    reach: float | None = None
    openings: tuple[Segment, ...] = ()
    explored: bool = False
    map: RobotMap | None = None

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def floor_plan(scene: str, graph: Mapping[str, Any]) -> FloorPlan | None:
    """The plan of a graph in VirtualHome's format, with the names that a robot uses.

    :return: None when the graph cannot be read, or its rooms have no bounding boxes.
    """
    if isinstance(graph.get('floor'), Mapping):
        return _told_plan(scene, graph['floor'])
    try:
        state = HouseholdState(graph, Options(), 0)
    except ReactreeError:
        return None
    nodes, names = state.graph.nodes, state.names
    rooms = []
    fixtures = []
    robot = None
    for record in graph['nodes']:
        key = record['id']
        box = _box(names.name.get(key, ''), record)
        if box is None or key not in nodes:
            continue
        if key in state.graph.rooms:
            rooms.append(box)
        elif key == state.graph.character:
            robot = (box.x, box.y)
        elif state.roles[key].place and state.roles[key].observable:
            fixtures.append(box)
    if not rooms:
        return None
    # What is large lies under what is small.
    fixtures.sort(key=lambda box: -box.width * box.height)
    return FloorPlan(scene, tuple(rooms[:_MOST_ROOMS]), tuple(fixtures[:_MOST_FIXTURES]), robot)


def _told_plan(scene: str, floor: Mapping[str, Any]) -> FloorPlan | None:
    """The plan of a floor; what is none of its entries is left out."""
    rooms = []
    for entry in _entries(floor, 'rooms', _MOST_ROOMS):
        listed = entry.get('polygon')
        corners = [_point(corner) for corner in listed] if isinstance(listed, list) else []
        points = tuple(corner for corner in corners[:_MOST_CORNERS] if corner is not None)
        if len(points) > 2:
            xs, ys = zip(*points, strict=True)
            middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
            size = max(xs) - min(xs), max(ys) - min(ys)
            rooms.append(Box(_name_of(entry), *middle, *size, points))
    is_map = not rooms and isinstance(floor.get('frame'), str)
    if not rooms and not is_map:
        return None
    fixtures, doors, locations = (
        tuple(
            Box(_name_of(entry), *at, side, side, heading=_number(entry.get('heading')))
            for entry in _entries(floor, key, _MOST_FIXTURES)
            if (at := _point(entry.get('at'))) is not None
        )
        for key, side in (('things', _THING), ('doors', 0.0), ('locations', 0.0))
    )
    return FloorPlan(
        scene,
        tuple(rooms),
        fixtures,
        _point(floor.get('agent')),
        doors,
        locations,
        _length(floor.get('reach')),
        tuple(islice(_openings(floor, rooms), _MOST_FIXTURES)),
        explored=True,
        map=_robot_map(floor) if is_map else None,
    )


def _openings(floor: Mapping[str, Any], rooms: Iterable[Box]) -> Iterator[Segment]:
    """The walls that rooms without a wall between them would share."""
    corners = {room.name: room.corners for room in rooms}
    listed = floor.get('openings')
    for pair in listed[:_MOST_ROOMS] if isinstance(listed, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            one, other = (corners.get(_words(name), ()) for name in pair)
            for axis in (0, 1):
                yield from _shared(one, other, axis)


def _shared(
    one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]], axis: int
) -> Iterator[Segment]:
    """What two rooms have in common of their walls across an axis."""
    beside = _walls(other, axis)
    for level, walls in _walls(one, axis).items():
        for (low, high), (low_too, high_too) in product(walls, beside.get(level, ())):
            begin, end = max(low, low_too), min(high, high_too)
            if begin < end:
                yield ((begin, level), (end, level)) if axis else ((level, begin), (level, end))


def _walls(
    corners: Sequence[tuple[float, float]], axis: int
) -> dict[float, list[tuple[float, float]]]:
    """Where walls across an axis stand on it, and from where to where each goes."""
    found: dict[float, list[tuple[float, float]]] = {}
    for a, b in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        if a[axis] == b[axis]:
            low, high = sorted((a[1 - axis], b[1 - axis]))
            found.setdefault(a[axis], []).append((low, high))
    return found


def _robot_map(floor: Mapping[str, Any]) -> RobotMap:
    listed = floor.get('way')
    way = map(_point, listed[-_MOST_POINTS:] if isinstance(listed, list) else [])
    return RobotMap(
        _words(floor.get('frame')),
        _words(floor.get('here')),
        _number(floor.get('heading')),
        _number(floor.get('age')) or 0.0,
        _words(floor.get('trouble'), _LONGEST_REASON),
        tuple(point for point in way if point is not None),
        tuple(
            (_name_of(entry), _words(entry.get('why'), _LONGEST_REASON))
            for entry in _entries(floor, 'unplaced', _MOST_ROOMS)
        ),
    )


def _entries(floor: Mapping[str, Any], key: str, most: int) -> list[Mapping[str, Any]]:
    listed = floor.get(key)
    entries = listed[:most] if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _name_of(entry: Mapping[str, Any]) -> str:
    return _words(entry.get('name'))


def _words(value: object, longest: int = _LONGEST) -> str:
    return '' if value is None else visible(str(value), longest)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and abs(value) < _FARTHEST:
        return float(value)
    return None


def _length(value: object) -> float | None:
    length = _number(value)
    return length if length is not None and length > 0 else None


def _point(at: object) -> tuple[float, float] | None:
    if not (isinstance(at, list) and len(at) == 2):
        return None
    sides = [side for side in at if isinstance(side, int | float) and abs(side) < _FARTHEST]
    return (round(sides[0], 3), round(-sides[1], 3)) if len(sides) == 2 else None


def _box(name: str, record: Mapping[str, Any]) -> Box | None:
    try:
        centre, size = record['bounding_box']['center'], record['bounding_box']['size']
        sides = [_number(value) for value in (centre[0], centre[2], size[0], size[2])]
    except (KeyError, TypeError, IndexError):
        return None
    if None in sides:
        return None
    x, z, width, depth = (round(side, 3) for side in sides if side is not None)
    return Box(name, x, -z, abs(width), abs(depth))
