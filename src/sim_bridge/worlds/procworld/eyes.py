"""Where things of a house are in a picture, and the names that are written upon it.

The same for pictures that are drawn and for those of a program: a camera at some height, turned
to one side and down, without distortion.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim_bridge.worlds.procworld.house import House, Point
from sim_bridge.worlds.procworld.locations import joined

#: Views side by side in a panorama, each turned by a quarter more.
QUARTERS = 4
#: Metres: height of doors, and half the width of one.
DOOR, HALF_DOOR = 2.0, 0.45
#: What is nearer than this is not in the picture, in metres; what is behind a wall by so much.
_NEAR, _BEHIND = 0.2, 0.3
#: Blue, green, red.
INK, MARKER = (30, 30, 30), (30, 90, 210)

Wall = tuple[Point, Point]


@dataclass(frozen=True, slots=True)
class Eyes:
    """A camera.

    :param at: x and z in metres. :param height: metres above the floor.
    :param heading: degrees from greater z towards greater x. :param pitch: degrees downwards.
    :param field_of_view: degrees from the left of its picture to the right, under 180.
    """

    at: Point
    height: float = 1.5
    heading: float = 0.0
    pitch: float = 0.0
    field_of_view: float = 90.0

    def turned(self, quarters: int) -> Eyes:
        """The same, turned to the right by quarters."""
        return replace(self, heading=(self.heading + 90.0 * quarters) % 360.0)

    def beside(self, point: Point) -> tuple[float, float]:
        """Metres to the right of the eyes, and ahead of them, in the plane."""
        x, z = point[0] - self.at[0], point[1] - self.at[1]
        angle = math.radians(self.heading)
        # Rounded, so that a quarter turn is one to the last digit.
        sine, cosine = round(math.sin(angle), 15), round(math.cos(angle), 15)
        return x * cosine - z * sine, x * sine + z * cosine

    def faces(self, point: Point) -> bool:
        """Whether a point is in the quarter of the plane that is looked at."""
        right, ahead = self.beside(point)
        return -ahead < right <= ahead

    def focus(self, width: float) -> float:
        """Pixels to the side for a metre to the side, one metre ahead.

        :param width: of the picture in pixels.
        """
        return width / 2 / math.tan(math.radians(self.field_of_view) / 2)

    def depth(self, point: Point, metres: float) -> float:
        """Metres along the camera's axis. :param metres: above the floor."""
        pitch = math.radians(self.pitch)
        _, ahead = self.beside(point)
        return ahead * math.cos(pitch) + (self.height - metres) * math.sin(pitch)

    def pixel(
        self, point: Point, metres: float, width: float, height: float
    ) -> tuple[float, float] | None:
        """Column and row of a point; None for one that is behind.

        :param metres: above the floor. :param width: of the picture in pixels.
        :param height: of the picture in pixels.
        """
        pitch, depth = math.radians(self.pitch), self.depth(point, metres)
        if depth <= 0.0:
            return None
        right, ahead = self.beside(point)
        low = (self.height - metres) * math.cos(pitch) - ahead * math.sin(pitch)
        scale = self.focus(width) / depth
        return width / 2 + right * scale, height / 2 + low * scale


@dataclass(frozen=True, slots=True)
class Mark:
    """Something in the picture.

    :param bottom: metres above the floor. :param size: width and height in metres.
    :param label: '' for what cannot be gone to. :param marker: a location or a door.
    :param opened: whether its door is open. :param inside: colours of what is seen in or on it.
    """

    at: Point
    bottom: float
    size: tuple[float, float]
    colour: tuple[int, int, int]
    label: str
    marker: bool = False
    opened: bool = False
    inside: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a mark is in a picture, in pixels; columns and rows may be outside of it."""

    mark: Mark
    column: float
    half: float
    top: int
    bottom: int


def rooms_in_sight(house: House, room: str) -> list[str]:
    """A room, and those into which one may look from it, perhaps through others."""
    names = [one.name for one in house.rooms]
    return next(zone for zone in joined(names, house.openings) if room in zone)


def walls_of(house: House, rooms: Sequence[str]) -> list[Wall]:
    """Pieces of walls a grid step long, those between rooms that are open to each other left out.

    :param rooms: whose walls.
    """
    beside: dict[Wall, list[str]] = {}
    for room in house.rooms:
        if room.name not in rooms:
            continue
        for a, b in zip(room.polygon, [*room.polygon[1:], room.polygon[0]], strict=True):
            for piece in _pieces(a, b):
                beside.setdefault(piece, []).append(room.name)
    return [
        piece
        for piece, (one, *others) in beside.items()
        if not any(other in house.open_to[one] for other in others)
    ]


def _pieces(a: Point, b: Point) -> Iterator[Wall]:
    low, high = sorted((a, b))
    steps = round((high[0] - low[0] + high[1] - low[1]) * 4)
    along = (0.25, 0.0) if low[1] == high[1] else (0.0, 0.25)
    for step in range(steps):
        x, z = low[0] + along[0] * step, low[1] + along[1] * step
        yield (x, z), (x + along[0], z + along[1])


def is_hidden(walls: Sequence[Wall], at: Point, to: Point) -> bool:
    """Whether a wall is in the way from one point to another, well before the other."""
    x, z = to[0] - at[0], to[1] - at[1]
    away = math.hypot(x, z)
    for a, b in walls:
        along, beyond = (b[0] - a[0], b[1] - a[1]), (a[0] - at[0], a[1] - at[1])
        across = x * along[1] - z * along[0]
        if abs(across) < 1e-12:
            continue
        share = (beyond[0] * along[1] - beyond[1] * along[0]) / across
        where = (beyond[0] * z - beyond[1] * x) / across
        if 0.0 <= where <= 1.0 and 0.01 < share * away < away - _BEHIND:
            return True
    return False


def markers(house: House, near: Collection[str]) -> Iterator[Mark]:
    """Locations and doors that can be gone to."""
    for one in house.locations:
        if one.name in near:
            yield Mark(one.at, 0.0, (0.25, 0.08), MARKER, one.name, marker=True)
    for door in house.doors:
        if door.name in near:
            yield Mark(door.at, 0.0, (2 * HALF_DOOR, DOOR), MARKER, door.name, marker=True)


def place(
    eyes: Eyes, marks: Sequence[Mark], walls: Sequence[Wall], width: int, height: int
) -> list[Placed]:
    """What of some marks is in a view, the farthest first.

    :param width: of the view in pixels. :param height: of the view in pixels.
    """
    found = []
    for mark in sorted(marks, key=lambda one: -eyes.beside(one.at)[1]):
        side, ahead = eyes.beside(mark.at)
        if ahead < _NEAR or abs(side) > ahead + mark.size[0] or is_hidden(walls, eyes.at, mark.at):
            continue
        top = eyes.pixel(mark.at, mark.bottom + mark.size[1], width, height)
        bottom = eyes.pixel(mark.at, mark.bottom, width, height)
        if top is None or bottom is None:
            continue
        half = eyes.focus(width) * mark.size[0] / 2 / eyes.depth(mark.at, mark.bottom)
        rows = (int(min(max(row, -1), height)) for row in (top[1], bottom[1]))
        found.append(Placed(mark, bottom[0], half, *rows))
    return found


def draw_box(library: Any, pixels: Any, placed: Placed) -> None:
    """A mark as a box, with what is seen in or on it; doors are no boxes.

    :param pixels: of its view, changed in place.
    """
    mark = placed.mark
    if mark.marker and mark.size[1] == DOOR:
        return
    left, right = round(placed.column - placed.half), round(placed.column + placed.half)
    library.rectangle(pixels, (left, placed.top), (right, placed.bottom), mark.colour, -1)
    library.rectangle(pixels, (left, placed.top), (right, placed.bottom), INK, 1)
    low = placed.top
    if mark.opened:
        # A dark hollow.
        edge = max((right - left) // 8, 1)
        low = placed.bottom - edge
        library.rectangle(pixels, (left + edge, placed.top + edge), (right - edge, low), INK, -1)
    for number, colour in enumerate(mark.inside):
        step = (right - left) / (len(mark.inside) + 1)
        middle, size = left + step * (number + 1), max(min(step * 0.8, placed.half / 4), 2.0)
        corners = (round(middle - size / 2), round(low - size)), (round(middle + size / 2), low)
        library.rectangle(pixels, *corners, colour, -1)
        library.rectangle(pixels, *corners, INK, 1)


def write_names(library: Any, pixels: Any, eyes: Eyes, placed: Sequence[Placed]) -> None:
    """The names of what is in a view, such that none covers another, as far as that goes.

    :param pixels: of the view, changed in place. :param placed: the farthest first.
    """
    height, width = pixels.shape[:2]
    font = library.FONT_HERSHEY_SIMPLEX
    scale = max(0.3, min(0.5, width / 640))
    taken: list[tuple[int, int, int, int]] = []
    for one in reversed(placed):
        mark = one.mark
        # What is at the edge of two views has its name in one.
        if not mark.label or not eyes.faces(mark.at):
            continue
        (wide, high), _ = library.getTextSize(mark.label, font, scale, 1)
        left = min(max(round(one.column - wide / 2), 1), max(width - wide - 2, 1))
        line = min(max(one.top - 3, high + 2), height - 3)
        # Below what is written already, as far as that goes.
        while (
            any(
                left < right and left + wide > begin and line - high < low and line > above
                for begin, above, right, low in taken
            )
            and line + high + 3 < height
        ):
            line += high + 3
        taken.append((left, line - high, left + wide, line))
        box = ((left - 1, line - high - 2), (left + wide + 1, line + 2))
        library.rectangle(pixels, *box, (255, 255, 255), -1)
        colour = MARKER if mark.marker else INK
        library.putText(pixels, mark.label, (left, line), font, scale, colour, 1, library.LINE_AA)
