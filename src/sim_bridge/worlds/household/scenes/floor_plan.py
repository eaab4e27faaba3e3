"""Rooms and the doors between them: two rows of rooms on either side of one long wall."""

from __future__ import annotations

from dataclasses import dataclass

from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

ROOM_HEIGHT = 2.5
DOOR_WIDTH = 0.93
#: Thickness of a wall, left free between neighbours.
WALL = 0.06

#: Which room comes next as apartments grow.
_KINDS = (
    'kitchen',
    'livingroom',
    'bathroom',
    'bedroom',
    'bedroom',
    'bathroom',
    'bedroom',
    'livingroom',
    'bedroom',
    'kitchen',
)
_WIDTHS = {
    'kitchen': (5.4, 7.6),
    'livingroom': (5.4, 8.0),
    'bathroom': (3.4, 5.0),
    'bedroom': (4.6, 6.4),
}


@dataclass(frozen=True, slots=True)
class Room:
    """One room.

    :param kind: its class name, e.g. 'kitchen'.
    :param box: from floor to ceiling.
    """

    kind: str
    box: Box


@dataclass(frozen=True, slots=True)
class Doorway:
    """A door between two rooms, as indexes into the plan's rooms."""

    first: int
    second: int
    box: Box

    @property
    def clearance(self) -> Box:
        """What must stay free so that one can walk through."""
        return Box(self.box.x, self.box.y, self.box.z, 1.3, self.box.height, 1.3)


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """Rooms and the doorways between them; every room can be reached."""

    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]


def plan_floor(dice: SeededRandom, rooms: int) -> FloorPlan:
    """Lay out rooms.

    :param rooms: 1 to 10; a single room is a kitchen in which one also lives.
    """
    if rooms == 1:
        width, depth = dice.between(8.0, 9.5), dice.between(7.5, 9.0)
        studio = Box(width / 2, ROOM_HEIGHT / 2, depth / 2, width, ROOM_HEIGHT, depth)
        return FloorPlan((Room('kitchen', studio),), ())
    kinds = _KINDS[:rooms]
    front = kinds[:2] + tuple(kinds[4::2])
    back = tuple(kinds[2:4]) + tuple(kinds[5::2])
    rows = [_lay_row(dice, dice.shuffled(front), above=True)]
    if back:
        rows.append(_lay_row(dice, dice.shuffled(back), above=False))
    laid = tuple(room for row in rows for room in row)
    return FloorPlan(laid, tuple(_doorways(dice, rows)))


def _lay_row(dice: SeededRandom, kinds: list[str], above: bool) -> list[Room]:
    """Rooms from west to east, their long wall at z = 0."""
    depth = dice.between(5.4, 7.6)
    west, row = 0.0, []
    for kind in kinds:
        width = dice.between(*_WIDTHS[kind])
        z = (depth + WALL) / 2 if above else -(depth + WALL) / 2
        box = Box(west + width / 2, ROOM_HEIGHT / 2, z, width, ROOM_HEIGHT, depth)
        row.append(Room(kind, box))
        west += width + WALL
    return row


def _doorways(dice: SeededRandom, rows: list[list[Room]]) -> list[Doorway]:
    doorways = []
    offset = 0
    for row in rows:
        for index in range(len(row) - 1):
            left = row[index].box
            z = dice.between(left.south + DOOR_WIDTH, left.north - DOOR_WIDTH)
            box = Box(left.east + WALL / 2, 1.0, z, 0.1, 2.0, DOOR_WIDTH)
            doorways.append(Doorway(offset + index, offset + index + 1, box))
        offset += len(row)
    if len(rows) == 2:
        doorways += _doorways_between(dice, rows[0], rows[1])
    return doorways


def _doorways_between(dice: SeededRandom, front: list[Room], back: list[Room]) -> list[Doorway]:
    """One door at least, and more where two rooms share enough wall."""
    doorways: list[Doorway] = []
    for first, upper in enumerate(front):
        for second, lower in enumerate(back):
            west = max(upper.box.west, lower.box.west) + DOOR_WIDTH
            east = min(upper.box.east, lower.box.east) - DOOR_WIDTH
            if west <= east and (not doorways or dice.chance(0.4)):
                box = Box(dice.between(west, east), 1.0, 0.0, DOOR_WIDTH, 2.0, 0.1)
                doorways.append(Doorway(first, len(front) + second, box))
    return doorways
