"""A floor plan as a picture of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from reactree_tools.viewer.floor_plan import Box
from reactree_tools.viewer.floor_plan import FloorPlan
from reactree_tools.viewer.pictures.plot import in_pixels

#: Units of a picture for one metre, and metres around a house.
SCALE, _AROUND = 70.0, 0.4
_STYLE = (
    'text{font-family:Verdana,DejaVu Sans,sans-serif;text-anchor:middle}'
    '.room{fill:#fff;stroke:#333;stroke-width:4;stroke-linejoin:miter}'
    '.name{font-size:13px;fill:#9aa3ad;font-weight:bold}'
    '.thing{fill:#e8edf3;stroke:#8795a5;stroke-width:1}.label{font-size:8.5px;fill:#222}'
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
    for room in plan.rooms:
        # On its lowest wall, which is in the room whatever its form.
        walls = zip(_corners(room), [*_corners(room)[1:], _corners(room)[0]], strict=True)
        level, middle = max((a[1], (a[0] + b[0]) / 2) for a, b in walls if a[1] == b[1])
        x, y = at(middle, level)
        yield f'<text x="{x:g}" y="{y - 7:g}" class="name">{escape(room.name)}</text>'
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
    for thing in plan.fixtures:
        x, y = at(thing.x, thing.y)
        yield f'<text x="{x:g}" y="{y + 3:g}" class="label">{escape(thing.name)}</text>'


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
