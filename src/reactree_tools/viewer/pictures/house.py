"""A floor plan as a picture of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import dist

from reactree_tools.viewer.floor_plan import Box, FloorPlan, Segment
from reactree_tools.viewer.pictures.plot import in_pixels

#: Units of a picture for one metre, and metres around a house.
SCALE, _AROUND = 70.0, 0.4
#: In metres: a letter of a room's name, its line, its middle above a wall; a letter of a thing's
#: name, and its line; half of a location.
_LETTER, _LINE, _NAME_ABOVE, _SPOT = 0.13, 0.2, 0.17, 0.14
_SMALL_LETTER, _SMALL_LINE = 0.08, 0.13
#: Parts of a side of a room between which its name is tried.
_TRIED = 24
_STYLE = (
    'text{font-family:Verdana,DejaVu Sans,sans-serif;text-anchor:middle}'
    '.room{fill:#fff;stroke:#333;stroke-width:4;stroke-linejoin:miter}'
    '.open{stroke:#fff;stroke-width:5}.gap{stroke:#9aa3ad;stroke-width:1.5;stroke-dasharray:6 6}'
    '.name{font-size:13px;fill:#9aa3ad;font-weight:bold;'
    'paint-order:stroke;stroke:#fff;stroke-width:3px}'
    '.thing{fill:#e8edf3;stroke:#8795a5;stroke-width:1}.label{font-size:8.5px;fill:#222;'
    'paint-order:stroke;stroke:#fff;stroke-width:2px;stroke-opacity:.7}'
    '.door{fill:#2a9d5c}.place{fill:none;stroke:#c2571a;stroke-width:1.4}'
    '.number{font-size:9px;fill:#c2571a}.start{fill:#c2571a}'
)


@dataclass(frozen=True)
class HousePicture:
    """A plan, drawn.

    :param plan: with one room or more.
    """

    plan: FloorPlan

    def svg(self) -> str:
        """The picture as a file of its own, on grey."""
        width, height = self._size
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" role="img">',
            f'<title>{escape(self.plan.scene)}</title><style>{_STYLE}</style>',
            '<rect width="100%" height="100%" fill="#f2f3f5"/>',
            *_parts(self.plan),
        ]
        return ''.join([*parts, '</svg>\n'])

    def png(self) -> bytes:
        """The same in pixels; see `in_pixels`."""
        return in_pixels(self.svg(), *self._size)

    @property
    def _size(self) -> tuple[float, float]:
        left, top, right, bottom = _edges(self.plan)
        return (right - left) * SCALE, (bottom - top) * SCALE


def _parts(plan: FloorPlan) -> Iterator[str]:
    left, top, _, _ = _edges(plan)

    def at(x: float, y: float) -> tuple[float, float]:
        return (x - left) * SCALE, (y - top) * SCALE

    for room in plan.rooms:
        corners = ' '.join('{:g},{:g}'.format(*at(*corner)) for corner in _corners(room))
        yield f'<polygon points="{corners}" class="room"/>'
    for ends in plan.openings:
        (x, y), (x_then, y_then) = (at(*end) for end in ends)
        # Short of its ends, where other walls stand.
        along, across = (2, 0) if y == y_then else (0, 2)
        line = (
            f'x1="{x + along:g}" y1="{y + across:g}" '
            f'x2="{x_then - along:g}" y2="{y_then - across:g}"'
        )
        yield f'<line {line} class="open"/><line {line} class="gap"/>'
    for thing in plan.fixtures:
        x, y = at(thing.x, thing.y)
        wide, high = thing.width * SCALE, thing.height * SCALE
        yield (
            f'<rect x="{x - wide / 2:g}" y="{y - high / 2:g}" width="{wide:g}" '
            f'height="{high:g}" rx="3" class="thing"/>'
        )
    for door in plan.doors:
        x, y = at(door.x, door.y)
        yield f'<circle cx="{x:g}" cy="{y:g}" r="9" class="door"/>'
    for place in plan.locations:
        x, y = at(place.x, place.y)
        here = (place.x, place.y) == plan.robot
        yield f'<circle cx="{x:g}" cy="{y:g}" r="9" class="{"start" if here else "place"}"/>'
        if not here:
            number = escape(place.name.removeprefix('loc '))
            yield f'<text x="{x:g}" y="{y + 3:g}" class="number">{number}</text>'
    for thing, (x, y) in _places_of_labels(plan):
        x, y = at(x, y)
        yield f'<text x="{x:g}" y="{y + 3:g}" class="label">{escape(thing.name)}</text>'
    for room in plan.rooms:
        x, y = at(*_place_of_name(plan, room))
        yield f'<text x="{x:g}" y="{y + 4.5:g}" class="name">{escape(room.name)}</text>'


def _places_of_labels(plan: FloorPlan) -> Iterator[tuple[Box, tuple[float, float]]]:
    """The middle of each thing's name: on it, or a line above or below where names would meet."""
    placed: list[tuple[float, float, float]] = []
    for thing in sorted(plan.fixtures, key=lambda thing: (thing.y, thing.x)):
        half = len(thing.name) * _SMALL_LETTER / 2
        lines = [thing.y + line * _SMALL_LINE for line in (0, -1, 1, -2, 2)]
        free = (
            y
            for y in lines
            if not any(
                abs(thing.x - x) < half + other and abs(y - taken) < _SMALL_LINE * 0.99
                for x, taken, other in placed
            )
        )
        y = next(free, thing.y)
        placed.append((thing.x, y, half))
        yield thing, (thing.x, y)


def _place_of_name(plan: FloorPlan, room: Box) -> tuple[float, float]:
    """The middle of a room's name: at its lowest wall, or near it where that is covered."""
    walls = [*_walls(room)]
    # Its lowest wall is in the room whatever its form.
    level, middle = max((a[1], (a[0] + b[0]) / 2) for a, b in walls if a[1] == b[1])
    wanted = middle, level - _NAME_ABOVE
    wide, high = len(room.name) * _LETTER / 2, _LINE / 2
    taken = [
        (box.x, box.y, max(box.width / 2, len(box.name) * _SMALL_LETTER / 2), box.height / 2)
        for box in plan.fixtures
    ]
    taken += [(box.x, box.y, _SPOT, _SPOT) for box in (*plan.locations, *plan.doors)]
    taken += [
        ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, abs(a[0] - b[0]) / 2, abs(a[1] - b[1]) / 2)
        for a, b in walls
    ]
    taken = [
        (left, top, half, tall)
        for left, top, half, tall in taken
        if abs(room.x - left) < room.width / 2 + half + wide
        and abs(room.y - top) < room.height / 2 + tall + high
    ]

    def is_free(x: float, y: float) -> bool:
        inside = sum(
            a[0] < x and min(a[1], b[1]) <= y < max(a[1], b[1]) for a, b in walls if a[0] == b[0]
        )
        return inside % 2 == 1 and not any(
            abs(x - left) < wide + half and abs(y - top) < high + tall
            for left, top, half, tall in taken
        )

    spots = [wanted] + [
        (room.x + room.width * (i / _TRIED - 0.5), room.y + room.height * (j / _TRIED - 0.5))
        for i in range(1, _TRIED)
        for j in range(1, _TRIED)
    ]
    spots.sort(key=lambda spot: dist(spot, wanted))
    return next((spot for spot in spots if is_free(*spot)), wanted)


def _walls(room: Box) -> Iterator[Segment]:
    corners = _corners(room)
    return zip(corners, [*corners[1:], corners[0]], strict=True)


def _corners(room: Box) -> tuple[tuple[float, float], ...]:
    if room.corners:
        return room.corners
    wide, high = room.width / 2, room.height / 2
    return tuple(
        (room.x + x * wide, room.y + y * high) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )


def _edges(plan: FloorPlan) -> tuple[float, float, float, float]:
    corners = [corner for room in plan.rooms for corner in _corners(room)]
    xs, ys = zip(*corners, strict=True)
    return min(xs) - _AROUND, min(ys) - _AROUND, max(xs) + _AROUND, max(ys) + _AROUND
