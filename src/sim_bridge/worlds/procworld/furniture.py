"""Furniture of generated rooms: against walls, with free floor before it and at doors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.ground import inner_points, squared, Step, STEPS_A_METRE
from sim_bridge.worlds.procworld.tables import Piece, Wanted

#: Share of furniture that may stand anywhere and is put at a wall nevertheless.
_AT_WALL = 0.7
#: Steps of free floor before furniture, and on either side of a door.
_BEFORE, _AT_DOOR = 2, 2
#: Steps within which somebody must be able to stand, squared: of a door, and of furniture.
NEAR_DOOR, _NEAR_PIECE = 16, 25
#: What stands on a countertop, by steps from its middle.
_UPON, _SPOTS = 'countertop', (-2, 2, -1, 1)
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of furniture in its place.

    :param at: its middle. :param squares: the floor that it takes.
    :param parts: classes of its parts.
    """

    name: str
    at: Step
    squares: frozenset[Step]
    parts: tuple[str, ...]


@dataclass(slots=True)
class _Room:
    """A room as it fills.

    :param walls: squares along walls, with the direction into the room.
    :param at_doors: squares at its doors. :param kept: these, and those before furniture.
    :param taken: squares on which something stands.
    """

    floor: frozenset[Step]
    walls: list[tuple[Step, Step]]
    at_doors: frozenset[Step]
    kept: set[Step]
    taken: set[Step] = field(default_factory=set)
    placed: list[Placed] = field(default_factory=list)
    turned: dict[Step, Step] = field(default_factory=dict)


def furnish(
    random: SeededRandom,
    floor: frozenset[Step],
    joined: Collection[Step],
    doors: Sequence[Step],
    wanted: Sequence[Wanted],
    pieces: Mapping[str, Piece],
) -> tuple[Placed, ...]:
    """Furniture of a room; what finds no place is left out.

    :param floor: squares of the room. :param joined: of rooms that no wall parts from it.
    :param doors: middles of its doors.
    """
    at_doors = frozenset(
        square
        for x, z in doors
        for square in floor
        if -_AT_DOOR <= square[0] - x < _AT_DOOR and -_AT_DOOR <= square[1] - z < _AT_DOOR
    )
    room = _Room(floor, list(_walls(floor, joined)), at_doors, set(at_doors))
    for want in wanted:
        if not random.chance(want.share / 100):
            continue
        for number in range(random.integer(*want.count)):
            parts = [
                name
                for counts in (want.parts, want.first if number == 0 else {})
                for name, (fewest, most) in counts.items()
                for _ in range(random.integer(fewest, most))
            ]
            _put_up(random, room, want.name, pieces[want.name], tuple(parts))
    return tuple(room.placed)


def can_be_reached(
    free: Collection[Step], placed: Sequence[Placed], doors: Sequence[Step]
) -> bool:
    """Whether there is somewhere to stand by every piece and every door."""
    return bool(free) and all(
        any(squared(point, at) <= near for point in free)
        for near, places in ((_NEAR_PIECE, [piece.at for piece in placed]), (NEAR_DOOR, doors))
        for at in places
    )


def _walls(floor: frozenset[Step], joined: Collection[Step]) -> Iterator[tuple[Step, Step]]:
    """In order along each wall."""
    for x, z in _DIRECTIONS:
        along = sorted(floor, key=lambda square: (square[abs(z)], square) if z else square)
        for square in along:
            behind = (square[0] - x, square[1] - z)
            if behind not in floor and behind not in joined:
                yield square, (x, z)


def _put_up(
    random: SeededRandom, room: _Room, name: str, piece: Piece, parts: tuple[str, ...]
) -> None:
    used = {placed.at for placed in room.placed}
    if piece.stands == 'upon':
        for host in room.placed:
            if host.name != _UPON:
                continue
            x, z = room.turned[host.at]
            for spot in _SPOTS:
                at = (host.at[0] + spot * z, host.at[1] + spot * x)
                if at not in used:
                    room.placed.append(Placed(name, at, frozenset(), parts))
                    return
    wide, deep = (round(side * STEPS_A_METRE) // 2 for side in piece.size)
    if piece.stands == 'free' and not random.chance(_AT_WALL):
        places = _in_the_middle(random, room, wide, deep)
    else:
        places = _at_walls(random, room, wide, deep)
    for at, direction, squares, before in places:
        if at in used or not squares <= room.floor:
            continue
        if piece.stands == 'hung':
            if not squares & room.at_doors:
                room.placed.append(Placed(name, at, frozenset(), parts))
                return
            continue
        if squares & room.taken or squares & room.kept or before & room.taken:
            continue
        if before <= room.floor:
            room.placed.append(Placed(name, at, frozenset(squares), parts))
            room.turned[at] = direction
            room.taken |= squares
            room.kept |= before
            return


#: Middle, where its front looks, squares that it takes, and squares before it.
_Place = tuple[Step, Step, set[Step], set[Step]]


def _at_walls(random: SeededRandom, room: _Room, wide: int, deep: int) -> Iterator[_Place]:
    begin = random.integer(0, len(room.walls) - 1)
    for (column, row), (x, z) in (*room.walls[begin:], *room.walls[:begin]):
        # A wall is at the near side of a square, or at its far one.
        at = (column + (x < 0) + x * deep, row + (z < 0) + z * deep)
        across, along = (deep, wide) if x else (wide, deep)
        squares = _rectangle(at, across, along)
        front = (at[0] + x * (deep + _BEFORE // 2), at[1] + z * (deep + _BEFORE // 2))
        half = _BEFORE // 2
        before = _rectangle(front, half if x else wide, half if z else wide)
        behind = [(s, t) for s, t in squares if (s - x, t - z) not in squares]
        # Its whole back stands at the wall.
        if any((s - x, t - z) in room.floor for s, t in behind):
            continue
        yield at, (x, z), squares, before


def _in_the_middle(random: SeededRandom, room: _Room, wide: int, deep: int) -> Iterator[_Place]:
    x, z = random.choose(_DIRECTIONS)
    across, along = (deep, wide) if x else (wide, deep)
    points = inner_points(room.floor - room.taken)
    if not points:
        return
    begin = random.integer(0, len(points) - 1)
    for at in (*points[begin:], *points[:begin]):
        squares = _rectangle(at, across, along)
        around = _rectangle(at, across + _BEFORE, along + _BEFORE)
        yield at, (x, z), squares, around - squares


def _rectangle(at: Step, across: int, along: int) -> set[Step]:
    """Squares of a rectangle around a point, by half its sides."""
    return {(at[0] + i, at[1] + j) for i in range(-across, across) for j in range(-along, along)}
