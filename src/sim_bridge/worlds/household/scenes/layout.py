"""Where a thing can stand: along a wall, in the open, on a top, in a container, on a wall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sim_bridge.worlds.household.scenes.floor_plan import Room, ROOM_HEIGHT
from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

Size = tuple[float, float, float]

#: Between a piece of furniture and the wall or its neighbour.
GAP = 0.04
_STEP = 0.15
_SHELF = 0.36
_TRIES = 24


def free(box: Box, taken: Iterable[Box], margin: float = GAP) -> bool:
    """Whether a box keeps its distance from all others."""
    return not any(box.overlaps(other, margin) for other in taken)


def turned(size: Size, quarter: bool) -> Size:
    """A size, turned by 90 degrees about the vertical when asked."""
    width, height, depth = size
    return (depth, height, width) if quarter else size


def along_wall(
    dice: SeededRandom, room: Room, size: Size, taken: Sequence[Box], bottom: float = 0.0
) -> Box | None:
    """A place with the back to a wall, or None when every wall is full.

    :param bottom: height of the lower side above the floor, in metres.
    """
    for side in dice.shuffled(('west', 'east', 'south', 'north')):
        quarter = side in ('west', 'east')
        width, height, depth = turned(size, quarter)
        box = room.box
        length = (box.depth - depth) if quarter else (box.width - width)
        length -= 2 * GAP
        if length < 0.0:
            continue
        steps = int(length / _STEP) + 1
        start = dice.integer(0, steps - 1)
        y = bottom + height / 2
        for number in range(steps):
            shift = GAP + (start + number) % steps * _STEP
            if quarter:
                x = box.west + width / 2 + GAP if side == 'west' else box.east - width / 2 - GAP
                candidate = Box(x, y, box.south + shift + depth / 2, width, height, depth)
            else:
                z = box.south + depth / 2 + GAP if side == 'south' else box.north - depth / 2 - GAP
                candidate = Box(box.west + shift + width / 2, y, z, width, height, depth)
            if free(candidate, taken):
                return candidate
    return None


def in_the_open(dice: SeededRandom, room: Room, size: Size, taken: Sequence[Box]) -> Box | None:
    """A place away from the walls, or None when there is no room."""
    for _ in range(4 * _TRIES):
        width, height, depth = turned(size, dice.chance(0.5))
        span_x = (room.box.width - width) / 2 - 0.3
        span_z = (room.box.depth - depth) / 2 - 0.3
        if span_x < 0.0 or span_z < 0.0:
            continue
        x = room.box.x + dice.between(-span_x, span_x)
        z = room.box.z + dice.between(-span_z, span_z)
        candidate = Box(x, height / 2, z, width, height, depth)
        if free(candidate, taken):
            return candidate
    return None


def beside(
    dice: SeededRandom, room: Room, host: Box, size: Size, taken: Sequence[Box]
) -> Box | None:
    """A place next to another piece of furniture, e.g. a chair at a table."""
    for _ in range(_TRIES):
        width, height, depth = turned(size, dice.chance(0.5))
        if dice.chance(0.5):
            shift = (host.width + width) / 2 + 2 * GAP
            x = host.x + (shift if dice.chance(0.5) else -shift)
            z = dice.between(host.south, host.north)
        else:
            shift = (host.depth + depth) / 2 + 2 * GAP
            x = dice.between(host.west, host.east)
            z = host.z + (shift if dice.chance(0.5) else -shift)
        candidate = Box(x, height / 2, z, width, height, depth)
        if room.box.contains(candidate) and free(candidate, taken):
            return candidate
    return None


def on_top(
    dice: SeededRandom, host: Box, size: Size, taken: Sequence[Box], seat: bool
) -> Box | None:
    """A place on an upper side, or None when it is full or too small.

    :param seat: the host has a back: one puts things on its seat, at half its height.
    """
    level = host.bottom + host.height / 2 if seat else host.top
    for _ in range(_TRIES):
        width, height, depth = turned(size, dice.chance(0.5))
        span_x, span_z = (host.width - width) / 2, (host.depth - depth) / 2
        if span_x < 0.0 or span_z < 0.0:
            continue
        x = host.x + dice.between(-span_x, span_x)
        z = host.z + dice.between(-span_z, span_z)
        candidate = Box(x, level + height / 2, z, width, height, depth)
        if free(candidate, taken, 0.0):
            return candidate
    return None


def within(dice: SeededRandom, host: Box, size: Size, taken: Sequence[Box]) -> Box | None:
    """A place on one of the shelves of a container, or None when it is full or too small."""
    shelves = max(1, int(host.height / max(_SHELF, size[1] + 0.06)))
    for _ in range(_TRIES):
        width, height, depth = turned(size, dice.chance(0.5))
        span_x, span_z = (host.width - width) / 2 - 0.02, (host.depth - depth) / 2 - 0.02
        if span_x < 0.0 or span_z < 0.0 or height > host.height - 0.04:
            continue
        level = host.bottom + 0.03 + dice.integer(0, shelves - 1) * host.height / shelves
        x = host.x + dice.between(-span_x, span_x)
        z = host.z + dice.between(-span_z, span_z)
        candidate = Box(x, level + height / 2, z, width, height, depth)
        if host.contains(candidate) and free(candidate, taken, 0.0):
            return candidate
    return None


def under_ceiling(dice: SeededRandom, room: Room, size: Size, taken: Sequence[Box]) -> Box | None:
    """A place hanging from the ceiling."""
    width, height, depth = size
    for _ in range(_TRIES):
        x = room.box.x + dice.between(-0.3, 0.3) * room.box.width
        z = room.box.z + dice.between(-0.3, 0.3) * room.box.depth
        candidate = Box(x, ROOM_HEIGHT - height / 2, z, width, height, depth)
        if free(candidate, taken):
            return candidate
    return None
