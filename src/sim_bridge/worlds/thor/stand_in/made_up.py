"""Rooms of one's own: a kitchen, living room, bedroom or bathroom from a seed, without any file.

Furniture stands along the walls in units, e.g. a counter with what is below, on and above it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.thor.stand_in.scene import (
    AGENT_HEIGHT,
    Box,
    box_at,
    GRID,
    name_of,
    Place,
    room_kind,
    Scene,
    Start,
    Thing,
    thing_at,
)
from sim_bridge.worlds.thor.stand_in.stocking import stock, usual_stock

#: Metres between units, and around furniture where nobody can stand.
_GAP, _AROUND = 0.12, 0.22
_SIDES = (3.5, 5.5)


@dataclass(frozen=True, slots=True)
class _Unit:
    """Furniture that stands together.

    :param wide: metres along the wall. :param deep: metres from it; 0 for what hangs there.
    :param parts: class, metres to the right of the middle, height of its position, metres from
        the wall.
    """

    wide: float
    deep: float
    parts: tuple[tuple[str, float, float, float], ...]


_BELOW = (('Cabinet', -0.4, 0.38, 0.3), ('Cabinet', 0.4, 0.38, 0.3), ('Drawer', 0.0, 0.78, 0.3))
_COUNTER = ('CounterTop', 0.0, 0.92, 0.31)
_SINK = (('Sink', 0.0, 0.86, 0.31), ('SinkBasin', 0.0, 0.88, 0.31), ('Faucet', 0.0, 1.07, 0.08))
_UNITS: Mapping[str, _Unit] = {
    'counter': _Unit(1.4, 0.62, (_COUNTER, *_BELOW, ('Cabinet', 0.0, 1.75, 0.23))),
    'sink': _Unit(
        1.4,
        0.62,
        (_COUNTER, ('Cabinet', 0.4, 0.38, 0.3), *_SINK),
    ),
    'appliances': _Unit(
        1.4,
        0.62,
        (
            _COUNTER,
            *_BELOW[:2],
            ('Microwave', -0.4, 1.1, 0.25),
            ('CoffeeMachine', 0.1, 1.13, 0.25),
            ('Toaster', 0.5, 1.05, 0.25),
        ),
    ),
    'stove': _Unit(
        0.7,
        0.62,
        tuple(('StoveBurner', a, 0.94, b) for a in (-0.15, 0.15) for b in (0.18, 0.43))
        + tuple(('StoveKnob', a, 0.85, 0.6) for a in (-0.2, -0.07, 0.07, 0.2)),
    ),
    'fridge': _Unit(0.8, 0.72, (('Fridge', 0.0, 0.0, 0.37),)),
    'garbage': _Unit(0.36, 0.36, (('GarbageCan', 0.0, 0.0, 0.18),)),
    'shelves': _Unit(
        0.7,
        0.3,
        (('Shelf', 0.0, 0.5, 0.15), ('Shelf', 0.0, 0.95, 0.15), ('Shelf', 0.0, 1.4, 0.15)),
    ),
    'switch': _Unit(0.1, 0.0, (('LightSwitch', 0.0, 1.3, 0.02),)),
    'window': _Unit(1.2, 0.0, (('Window', 0.0, 1.5, 0.0),)),
    'sofa': _Unit(1.9, 0.9, (('Sofa', 0.0, 0.0, 0.45),)),
    'armchair': _Unit(0.85, 0.85, (('ArmChair', 0.0, 0.0, 0.43),)),
    'television': _Unit(1.4, 0.45, (('TVStand', 0.0, 0.0, 0.23), ('Television', 0.0, 0.86, 0.2))),
    'dresser': _Unit(
        1.1,
        0.45,
        (
            ('Dresser', 0.0, 0.0, 0.23),
            ('Drawer', -0.28, 0.65, 0.25),
            ('Drawer', 0.28, 0.65, 0.25),
            ('Drawer', -0.28, 0.3, 0.25),
            ('Drawer', 0.28, 0.3, 0.25),
        ),
    ),
    'side table': _Unit(0.5, 0.45, (('SideTable', 0.0, 0.0, 0.23), ('DeskLamp', 0.0, 0.83, 0.15))),
    'floor lamp': _Unit(0.4, 0.4, (('FloorLamp', 0.0, 0.0, 0.2),)),
    'safe': _Unit(0.4, 0.4, (('Safe', 0.0, 0.0, 0.2),)),
    'bed': _Unit(1.6, 2.0, (('Bed', 0.0, 0.0, 1.0),)),
    'desk': _Unit(
        1.2,
        0.6,
        (
            ('Desk', 0.0, 0.0, 0.3),
            ('Drawer', -0.35, 0.6, 0.3),
            ('Drawer', -0.35, 0.3, 0.3),
            ('DeskLamp', 0.45, 0.98, 0.15),
        ),
    ),
    'hamper': _Unit(0.45, 0.4, (('LaundryHamper', 0.0, 0.0, 0.2),)),
    'washing': _Unit(
        1.4,
        0.62,
        (_COUNTER, *_BELOW[:2], *_SINK, ('Mirror', 0.0, 1.65, 0.02)),
    ),
    'toilet': _Unit(
        0.6, 0.7, (('Toilet', 0.0, 0.0, 0.35), ('ToiletPaperHanger', 0.35, 0.7, 0.04))
    ),
    'bathtub': _Unit(
        1.6,
        0.75,
        (
            ('Bathtub', 0.0, 0.0, 0.38),
            ('BathtubBasin', 0.0, 0.3, 0.38),
            ('Faucet', 0.6, 0.75, 0.1),
        ),
    ),
    'towels': _Unit(0.6, 0.0, (('TowelHolder', 0.0, 1.3, 0.04),)),
    'hand towels': _Unit(0.3, 0.0, (('HandTowelHolder', 0.0, 1.4, 0.04),)),
}
#: Units of each room: always there, and there by chance.
_ROOMS: Mapping[str, tuple[str, str]] = {
    'kitchen': ('fridge,stove,sink,appliances,counter,garbage,switch', 'shelves,counter,window'),
    'living room': (
        'sofa,television,side table,floor lamp,dresser,garbage,shelves,switch',
        'armchair,armchair,safe,window',
    ),
    'bedroom': ('bed,desk,side table,shelves,garbage,switch', 'dresser,safe,hamper,window'),
    'bathroom': ('washing,toilet,bathtub,towels,hand towels,garbage,switch', 'shelves,window'),
}
#: What stands in the middle of a room.
_MIDDLE = {'kitchen': 'DiningTable', 'living room': 'CoffeeTable'}


def made_up_room(name: str, seed: int) -> Scene:
    """A room as its name has it (`FloorPlan205` is a living room), from a seed."""
    random = SeededRandom(seed, f'thor stand-in {name}')
    kind = room_kind(name)
    always, perhaps = (units.split(',') for units in _ROOMS[kind])
    chosen = random.shuffled(always) + [one for one in perhaps if random.chance(0.6)]
    room = _furnished([_UNITS[one] for one in chosen], random)
    if kind in _MIDDLE:
        room.stand_in_the_middle(_middle(_MIDDLE[kind], room))
    for thing in room.things:
        thing.name = name_of(thing.class_name, f'{name} {thing.object_id}')
    points = standing_points(room.floor, room.taken)
    start = Start(_at(random.choose(points)), 90.0 * random.integer(0, 3), 30.0)
    scene = Scene(name, room.things, points, start)
    stock(scene, usual_stock(kind, random), random)
    return scene


def _middle(class_name: str, room: _Room) -> list[Thing]:
    """What stands in the middle: with chairs, if everything can still be walked to then."""
    x, _, z = room.floor.center
    table = thing_at(class_name, (round(x, 2), 0.0, round(z, 2)))
    sides = (-0.9, 0.9) if class_name == 'DiningTable' else ()
    chairs = [thing_at('Chair', (round(x + side, 2), 0.0, round(z, 2))) for side in sides]
    for things in ([table, *chairs], [table]):
        free = [*_free_points(room.floor, [*room.taken, *(one.box for one in things)])]
        if len(connected(free)) == len(free):
            return things
    return []


def standing_points(floor: Box, taken: Sequence[Box]) -> list[tuple[float, float]]:
    """The largest connected part of the grid where nothing is in the way.

    :param floor: of the room. :param taken: what stands there.
    """
    return connected(_free_points(floor, taken))


def _free_points(floor: Box, taken: Sequence[Box]) -> Iterator[tuple[float, float]]:
    """All points of the grid where nothing is in the way."""
    return (
        (x * GRID, z * GRID)
        for x in range(math.ceil(floor.low[0] / GRID), int(floor.high[0] / GRID) + 1)
        for z in range(math.ceil(floor.low[2] / GRID), int(floor.high[2] / GRID) + 1)
        if min(x * GRID - floor.low[0], floor.high[0] - x * GRID) >= _AROUND
        and min(z * GRID - floor.low[2], floor.high[2] - z * GRID) >= _AROUND
        and all(box.aside((x * GRID, 0.0, z * GRID)) >= _AROUND for box in taken)
    )


def connected(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The largest part of some points of the grid that can be walked."""
    left = {(round(x / GRID), round(z / GRID)) for x, z in points}
    best: list[tuple[int, int]] = []
    while left:
        part = [min(left)]
        left.remove(part[0])
        for x, z in part:
            for near in ((x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)):
                if near in left:
                    left.remove(near)
                    part.append(near)
        best = max(best, part, key=len)
    return sorted((x * GRID, z * GRID) for x, z in best)


def _at(point: tuple[float, float]) -> Place:
    return point[0], AGENT_HEIGHT, point[1]


@dataclass(slots=True)
class _Room:
    """A furnished room, one corner at the origin. :param taken: where nobody can stand."""

    floor: Box
    things: list[Thing]
    taken: list[Box]

    def stand_in_the_middle(self, added: Sequence[Thing]) -> None:
        """More furniture."""
        self.things += added
        self.taken += [thing.box for thing in added]


def _furnished(units: Sequence[_Unit], random: SeededRandom) -> _Room:
    """A room with units along its walls: in the south, north, west and east."""
    walls: list[list[_Unit]] = [[], [], [], []]
    for deep in (True, False):
        for unit in units:
            if (unit.deep > 0.0) == deep:
                min(walls, key=lambda wall: _length(wall, deep)).append(unit)
    # The side walls' units begin where those of the south and north walls end.
    south, north = (max((unit.deep for unit in walls[n]), default=0.0) + 0.1 for n in (0, 1))
    wide, deep_ = (random.between(*_SIDES) for _ in range(2))
    wide = max(wide, *(max(_length(walls[n], stands) for stands in (True, False)) for n in (0, 1)))
    across = max(max(_length(walls[n], stands) for stands in (True, False)) for n in (2, 3))
    free = max((unit.deep for unit in walls[2]), default=0.0) + max(
        (unit.deep for unit in walls[3]), default=0.0
    )
    wide = math.ceil(max(wide, free + 2.2) / GRID) * GRID
    long = math.ceil(max(deep_, across + south + north, south + north + 2.0) / GRID) * GRID
    room = _Room(Box((0.0, 0.0, 0.0), (wide, 2.7, long)), [], [])
    for number, wall in enumerate(walls):
        begin = 0.05 if number < 2 else south
        for stands in (True, False):
            along = begin
            for unit in wall:
                if (unit.deep > 0.0) == stands:
                    _stand(room, unit, number, along + unit.wide / 2)
                    along += unit.wide + _GAP
    return room


def _length(wall: Sequence[_Unit], stands: bool) -> float:
    return sum(unit.wide + _GAP for unit in wall if (unit.deep > 0.0) == stands)


def _stand(room: _Room, unit: _Unit, wall: int, along: float) -> None:
    for class_name, right, height, away in unit.parts:
        x, y, z = _place(room.floor, wall, along + right, height, away)
        place = (round(x, 2), round(y, 2), round(z, 2))
        thing = thing_at(class_name, place)
        thing.box = box_at(class_name, place, turned=wall > 1)
        room.things.append(thing)
    if unit.deep:
        one = _place(room.floor, wall, along - unit.wide / 2, 0.0, 0.0)
        other = _place(room.floor, wall, along + unit.wide / 2, 1.0, unit.deep)
        low, high = (tuple(map(pick, one, other)) for pick in (min, max))
        room.taken.append(Box(low, high))  # type: ignore[arg-type]


def _place(floor: Box, wall: int, along: float, height: float, away: float) -> Place:
    """A place by its wall, metres along it, and metres from it."""
    wide, _, deep = floor.high
    return (
        (along, height, away),
        (along, height, deep - away),
        (away, height, along),
        (wide - away, height, along),
    )[wall]
