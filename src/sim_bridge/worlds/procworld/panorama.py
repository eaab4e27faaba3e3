"""What one sees standing in a house: four views of 90 degrees side by side, with OpenCV.

Looking towards greater z, greater x, smaller z and smaller x. Walls, doors and things are where
they are; what can be gone to has its name, locations as numbered markers on the floor.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import LARGEST_SIDE
from sim_bridge.pictures import opencv
from sim_bridge.pictures import Picture
from sim_bridge.pictures import picture_of
from sim_bridge.thor_stand_in.classes import object_class
from sim_bridge.worlds.household.drawing import class_colour
from sim_bridge.worlds.procworld.classes import spelling
from sim_bridge.worlds.procworld.house import House
from sim_bridge.worlds.procworld.house import Point
from sim_bridge.worlds.procworld.locations import joined
from sim_bridge.worlds.procworld.tables import tables

#: Pixels of a side at least.
LEAST_WIDTH, LEAST_HEIGHT = 160, 60
#: Metres: height of rooms, of the eyes, of doors, and half the width of a door.
_CEILING, _EYES, _DOOR, _HALF_DOOR = 2.5, 1.5, 2.0, 0.45
#: Height at which furniture hangs on a wall or stands upon other furniture, in metres.
_RAISED = {'hung': 1.3, 'upon': 0.9}
#: What is nearer than this is not in the picture, in metres; what is behind a wall by so much.
_NEAR, _BEHIND = 0.2, 0.3
#: Direction of each view, and what is to its right.
_VIEWS = (((0, 1), (1, 0)), ((1, 0), (0, -1)), ((0, -1), (-1, 0)), ((-1, 0), (0, 1)))
#: Blue, green, red.
_SKY, _FLOOR, _WALL, _DOOR_COLOUR = (236, 234, 232), (186, 200, 210), 205, (70, 110, 150)
_INK, _MARKER, _FRAME = (30, 30, 30), (30, 90, 210), (120, 120, 120)

_Wall = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Something in the picture.

    :param bottom: metres above the floor. :param size: width and height in metres.
    :param label: '' for what cannot be gone to.
    """

    at: Point
    bottom: float
    size: tuple[float, float]
    colour: tuple[int, int, int]
    label: str
    marker: bool = False


def panorama(
    house: House,
    at: Point,
    room: str,
    near: Collection[str],
    width: int,
    height: int,
    gone: Collection[str] = (),
) -> Picture:
    """What is seen from a point of a room.

    :param near: names of what can be gone to: locations, outermost things, doors.
    :param width: pixels, of all four views together. :param height: pixels.
    :param gone: outermost things that are not there any more.
    :raises ConfigurationError: no such size, or OpenCV is missing.
    """
    if not (LEAST_WIDTH <= width <= LARGEST_SIDE and LEAST_HEIGHT <= height <= LARGEST_SIDE):
        raise ConfigurationError(
            f'a panorama has {LEAST_WIDTH} to {LARGEST_SIDE} pixels in width and {LEAST_HEIGHT} '
            f'to {LARGEST_SIDE} in height'
        )
    library = opencv()
    rooms = next(
        zone for zone in joined([one.name for one in house.rooms], house.openings) if room in zone
    )
    walls = _walls(house, rooms)
    shown = [*_things(house, rooms, near, gone), *_markers(house, near)]
    pixels = np.full((height, width, 3), 255, np.uint8)
    for number, (ahead, right) in enumerate(_VIEWS):
        columns = np.s_[number * width // 4 : (number + 1) * width // 4]
        view = _View(library, pixels[:, columns], at, ahead, right)
        view.draw(walls, [door.at for door in house.doors if {*door.rooms} & {*rooms}])
        doors = [
            _Seen(door.at, 0.0, (2 * _HALF_DOOR, _DOOR), _DOOR_COLOUR, door.name, marker=True)
            for door in house.doors
            if door.name in near
        ]
        view.put([*shown, *doors])
        view.pixels[:, -1] = _FRAME
    return picture_of(pixels)


def _walls(house: House, rooms: Sequence[str]) -> list[_Wall]:
    """Pieces of walls a grid step long, those between joined rooms left out."""
    count: dict[_Wall, int] = {}
    for room in house.rooms:
        if room.name not in rooms:
            continue
        for a, b in zip(room.polygon, [*room.polygon[1:], room.polygon[0]], strict=True):
            for piece in _pieces(a, b):
                count[piece] = count.get(piece, 0) + 1
    return [piece for piece, times in count.items() if times == 1]


def _pieces(a: Point, b: Point) -> Iterator[_Wall]:
    low, high = sorted((a, b))
    steps = round((high[0] - low[0] + high[1] - low[1]) * 4)
    along = (0.25, 0.0) if low[1] == high[1] else (0.0, 0.25)
    for step in range(steps):
        x, z = low[0] + along[0] * step, low[1] + along[1] * step
        yield (x, z), (x + along[0], z + along[1])


def _things(
    house: House, rooms: Sequence[str], near: Collection[str], gone: Collection[str]
) -> Iterator[_Seen]:
    furniture = tables().furniture
    for thing in house.things:
        if thing.at is None or thing.room not in rooms or thing.name in gone:
            continue
        wide, high, deep = object_class(spelling(thing.thing_class)).size
        piece = furniture.get(thing.thing_class)
        bottom = _RAISED.get(piece.stands, 0.0) if piece is not None else 0.0
        if thing.thing_class == 'countertop':
            # ALFRED's is the slab alone.
            high = _RAISED['upon']
        red, green, blue = class_colour(thing.thing_class)
        colour = (105 + blue // 2, 105 + green // 2, 105 + red // 2)
        label = thing.name if thing.name in near else ''
        yield _Seen(thing.at, bottom, (max(wide, deep), high), colour, label)


def _markers(house: House, near: Collection[str]) -> Iterator[_Seen]:
    for one in house.locations:
        if one.name in near:
            yield _Seen(one.at, 0.0, (0.25, 0.08), _MARKER, one.name, marker=True)


class _View:
    """One of the four views.

    :param pixels: changed in place.
    """

    def __init__(
        self,
        library: Any,
        pixels: Any,
        at: Point,
        ahead: tuple[int, int],
        right: tuple[int, int],
    ) -> None:
        self._library = library
        self.pixels = pixels
        self._at, self._ahead, self._right = at, ahead, right
        self._height, self._width = pixels.shape[:2]
        # 90 degrees: half the width is seen one metre ahead for each metre to the side.
        self._focus = self._width / 2
        self._depth = np.full(self._width, np.inf)

    def draw(self, walls: Sequence[_Wall], doors: Sequence[Point]) -> None:
        """Floor, ceiling, and the nearest wall of each column."""
        middle = self._height // 2
        self.pixels[:middle] = _SKY
        self.pixels[middle:] = _FLOOR
        slope = (np.arange(self._width) + 0.5) / self._focus - 1.0
        shade, is_door = np.zeros(self._width), np.zeros(self._width, bool)
        for a, b in walls:
            (side_a, ahead_a), (side_b, ahead_b) = self._seen(a), self._seen(b)
            # Where side = slope * ahead on the line between the two.
            across = (side_b - side_a) - slope * (ahead_b - ahead_a)
            with np.errstate(divide='ignore', invalid='ignore'):
                share = (slope * ahead_a - side_a) / across
                ahead = ahead_a + share * (ahead_b - ahead_a)
            hit = (share >= 0) & (share <= 1) & (ahead > 0.01) & (ahead < self._depth)
            self._depth[hit] = ahead[hit]
            shade[hit] = 1.0 if ahead_a == ahead_b else 0.85
            centre = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
            is_door[hit] = any(
                abs(centre[0] - x) + abs(centre[1] - z) <= _HALF_DOOR for x, z in doors
            )
        for column in map(int, np.flatnonzero(np.isfinite(self._depth))):
            away = self._depth[column]
            grey = int(_WALL * shade[column] / (1 + away / 25))
            self._upright(column, away, 0.0, _CEILING, (grey, grey, grey))
            if is_door[column]:
                self._upright(column, away, 0.0, _DOOR, _DOOR_COLOUR)

    def put(self, things: Sequence[_Seen]) -> None:
        """Things, the farthest first; names at last, so that nothing covers them."""
        order = sorted(things, key=lambda thing: -self._seen(thing.at)[1])
        labels = []
        for thing in order:
            side, ahead = self._seen(thing.at)
            if ahead < _NEAR or abs(side) > ahead + thing.size[0]:
                continue
            column = self._focus * (1 + side / ahead)
            behind = self._depth[min(max(int(column), 0), self._width - 1)]
            if ahead > behind + _BEHIND:
                continue
            half = self._focus * thing.size[0] / 2 / ahead
            top, bottom = (
                self._row(metres, ahead) for metres in (thing.bottom + thing.size[1], thing.bottom)
            )
            corners = (round(column - half), top), (round(column + half), bottom)
            if not (thing.marker and thing.size[1] == _DOOR):
                self._library.rectangle(self.pixels, *corners, thing.colour, -1)
                self._library.rectangle(self.pixels, *corners, _INK, 1)
            if thing.label and 0 <= column < self._width:
                labels.append((thing, column, top))
        self._write(labels)

    def _write(self, labels: Sequence[tuple[_Seen, float, int]]) -> None:
        font = self._library.FONT_HERSHEY_SIMPLEX
        scale = max(0.3, min(0.5, self._width / 640))
        taken: list[tuple[int, int, int, int]] = []
        for thing, column, top in reversed(labels):
            (wide, high), _ = self._library.getTextSize(thing.label, font, scale, 1)
            left = min(max(round(column - wide / 2), 1), max(self._width - wide - 2, 1))
            line = min(max(top - 3, high + 2), self._height - 3)
            # Below what is written already, as far as that goes.
            while (
                any(
                    left < right and left + wide > begin and line - high < low and line > above
                    for begin, above, right, low in taken
                )
                and line + high + 3 < self._height
            ):
                line += high + 3
            taken.append((left, line - high, left + wide, line))
            box = ((left - 1, line - high - 2), (left + wide + 1, line + 2))
            self._library.rectangle(self.pixels, *box, (255, 255, 255), -1)
            colour = _MARKER if thing.marker else _INK
            place = (left, line)
            self._library.putText(
                self.pixels, thing.label, place, font, scale, colour, 1, self._library.LINE_AA
            )

    def _seen(self, point: Point) -> tuple[float, float]:
        """Metres to the right of the eyes, and ahead of them."""
        x, z = point[0] - self._at[0], point[1] - self._at[1]
        return (
            x * self._right[0] + z * self._right[1],
            x * self._ahead[0] + z * self._ahead[1],
        )

    def _row(self, metres: float, ahead: float) -> int:
        row = self._height / 2 + (_EYES - metres) * self._focus / ahead
        return int(min(max(row, -1), self._height))

    def _upright(
        self, column: int, ahead: float, low: float, high: float, colour: tuple[int, int, int]
    ) -> None:
        top, bottom = self._row(high, ahead), self._row(low, ahead)
        self.pixels[max(top, 0) : max(bottom, 0), column] = colour
