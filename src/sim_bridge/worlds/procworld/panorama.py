"""What one sees standing in a house: four views of 90 degrees side by side, with OpenCV.

Looking towards greater z, greater x, smaller z and smaller x. Walls, doors and things are where
they are; what can be gone to has its name, locations as numbered markers on the floor. What is
open is dark inside, and what can be seen in or on furniture lies on it in a row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import dist
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import LARGEST_SIDE, opencv, Picture, picture_of
from sim_bridge.worlds.household.pictures.drawing import class_colour
from sim_bridge.worlds.procworld.classes import spelling
from sim_bridge.worlds.procworld.eyes import (
    DOOR,
    draw_box,
    Eyes,
    HALF_DOOR,
    Mark,
    markers,
    place,
    QUARTERS,
    rooms_in_sight,
    Wall,
    walls_of,
    write_names,
)
from sim_bridge.worlds.procworld.house import House, Point
from sim_bridge.worlds.procworld.state import State
from sim_bridge.worlds.procworld.tables import tables
from sim_bridge.worlds.thor.stand_in.classes import object_class

#: Pixels of a side at least.
LEAST_WIDTH, LEAST_HEIGHT = 160, 60
#: Metres: height of rooms, and how far before a thing one stands to see it.
_CEILING, _BEFORE = 2.5, 1.2
#: Height at which furniture hangs on a wall or stands upon other furniture, in metres.
_RAISED = {'hung': 1.3, 'upon': 0.9}
#: Blue, green, red.
_SKY, _FLOOR, _WALL, _DOOR_COLOUR = (236, 234, 232), (186, 200, 210), 205, (70, 110, 150)
_FRAME = (120, 120, 120)


def panorama_of(state: State, width: int, height: int) -> Picture:
    """What the robot sees from where it stands; see `panorama`."""
    house, at = state.layout.house, state.at
    opened, inside = set(), {}
    for name in state.layout.outermost:
        inside[name] = [state.class_of(thing) for thing, _ in state.within(name)]
        if any(one in state.opened for one in state.fixtures(name)):
            opened.add(name)
    if state.faced:
        at = before(house, at, state.room)
    gone, near = state.carried_off, state.around()
    return panorama(house, at, state.room, near, width, height, gone, opened, inside)


def panorama(
    house: House,
    at: Point,
    room: str,
    near: Collection[str],
    width: int,
    height: int,
    gone: Collection[str] = (),
    opened: Collection[str] = (),
    inside: Mapping[str, Sequence[str]] | None = None,
) -> Picture:
    """What is seen from a point of a room.

    :param near: names of what can be gone to: locations, outermost things, doors.
    :param width: pixels, of all four views together. :param height: pixels.
    :param gone: outermost things that are not there any more.
    :param opened: outermost things with a door that stands open.
    :param inside: outermost thing -> classes of what can be seen in or on it.
    :raises ConfigurationError: no such size, or OpenCV is missing.
    """
    check_size(width, height)
    library = opencv()
    rooms = rooms_in_sight(house, room)
    walls = walls_of(house, rooms)
    doors = [door.at for door in house.doors if {*door.rooms} & {*rooms}]
    marks = [*_things(house, rooms, near, gone, opened, inside or {}), *markers(house, near)]
    pixels = np.full((height, width, 3), 255, np.uint8)
    for number in range(QUARTERS):
        eyes, view = Eyes(at).turned(number), pixels[:, columns_of(number, width)]
        _draw_room(view, eyes, walls, doors)
        placed = place(eyes, marks, walls, view.shape[1], height)
        for one in placed:
            draw_box(library, view, one)
        write_names(library, view, eyes, placed)
        view[:, -1] = _FRAME
    return picture_of(pixels)


def before(house: House, at: Point, room: str) -> Point:
    """Where one stands to see a thing: before it, towards the nearest location far enough away.

    :param at: of the thing.
    """
    rooms = house.open_to[room]
    away = {one.at: dist(one.at, at) for one in house.locations if one.room in rooms}
    far = [spot for spot, metres in away.items() if metres >= _BEFORE]
    if not away:
        return at
    # The farthest, where none is.
    to = min(far or away, key=lambda spot: (away[spot] if far else -away[spot], spot))
    # Not at the location, which could not be seen then.
    share = min(_BEFORE / away[to], 0.8) if away[to] else 0.0
    return at[0] + (to[0] - at[0]) * share, at[1] + (to[1] - at[1]) * share


def check_size(width: int, height: int) -> None:
    """Refuse what is no size of a panorama.

    :raises ConfigurationError: it is too small or too large.
    """
    if not (LEAST_WIDTH <= width <= LARGEST_SIDE and LEAST_HEIGHT <= height <= LARGEST_SIDE):
        raise ConfigurationError(
            f'a panorama has {LEAST_WIDTH} to {LARGEST_SIDE} pixels in width and {LEAST_HEIGHT} '
            f'to {LARGEST_SIDE} in height'
        )


def columns_of(number: int, width: int) -> slice:
    """The columns of one of the views. :param width: pixels, of all together."""
    return slice(number * width // QUARTERS, (number + 1) * width // QUARTERS)


def _things(
    house: House,
    rooms: Sequence[str],
    near: Collection[str],
    gone: Collection[str],
    opened: Collection[str],
    inside: Mapping[str, Sequence[str]],
) -> Iterator[Mark]:
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
        yield Mark(
            thing.at,
            bottom,
            (max(wide, deep), high),
            _colour(thing.thing_class),
            thing.name if thing.name in near else '',
            opened=thing.name in opened,
            inside=tuple(map(_colour, inside.get(thing.name, ()))),
        )


def _colour(thing_class: str) -> tuple[int, int, int]:
    red, green, blue = class_colour(thing_class)
    return 105 + blue // 2, 105 + green // 2, 105 + red // 2


def _draw_room(pixels: Any, eyes: Eyes, walls: Sequence[Wall], doors: Sequence[Point]) -> None:
    """Floor, ceiling, and the nearest wall of each column of a view.

    :param pixels: of the view, changed in place. :param eyes: they look straight ahead.
    """
    height, width = pixels.shape[:2]
    focus = eyes.focus(width)
    pixels[: height // 2] = _SKY
    pixels[height // 2 :] = _FLOOR
    depth = np.full(width, np.inf)
    slope = (np.arange(width) + 0.5 - width / 2) / focus
    shade, is_door = np.zeros(width), np.zeros(width, bool)
    for a, b in walls:
        (side_a, ahead_a), (side_b, ahead_b) = eyes.beside(a), eyes.beside(b)
        # Where side = slope * ahead on the line between the two.
        across = (side_b - side_a) - slope * (ahead_b - ahead_a)
        with np.errstate(divide='ignore', invalid='ignore'):
            share = (slope * ahead_a - side_a) / across
            ahead = ahead_a + share * (ahead_b - ahead_a)
        hit = (share >= 0) & (share <= 1) & (ahead > 0.01) & (ahead < depth)
        depth[hit] = ahead[hit]
        shade[hit] = 1.0 if ahead_a == ahead_b else 0.85
        centre = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        is_door[hit] = any(abs(centre[0] - x) + abs(centre[1] - z) <= HALF_DOOR for x, z in doors)
    for column in map(int, np.flatnonzero(np.isfinite(depth))):
        away = depth[column]
        grey = int(_WALL * shade[column] / (1 + away / 25))
        for top, colour in ((_CEILING, (grey, grey, grey)), (DOOR, _DOOR_COLOUR)):
            if top == _CEILING or is_door[column]:
                high, low = (
                    int(min(max(height / 2 + (eyes.height - metres) * focus / away, 0), height))
                    for metres in (top, 0.0)
                )
                pixels[high:low, column] = colour
