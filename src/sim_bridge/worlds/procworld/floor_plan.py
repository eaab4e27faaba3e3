"""Floor plans: rooms grown on coarse cells, with doors and openings, as ProcTHOR plans its houses.

Rooms grow as rectangles to their share of the floor (after Lopes and others, 2010); what is left
over goes to whom it touches most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isqrt

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.ground import outline_of, shared_wall, Step

#: Rooms through which one gets to others.
_PUBLIC = ('kitchen', 'livingroom')
#: Centimetres of a cell's side, and of the grid.
_CELL, _GRID = (160, 220), 25
#: Cells a side for one room, in hundredths; it grows with the root of the number of rooms.
_SIDE = 200
#: Cells cut off a corner at most.
_MOST_CUT = 6
#: Steps of a wall that has a door at least, and of a room that nobody could furnish at most.
_LEAST_WALL, _LEAST_SQUARES = 4, 60
_EXTRA_DOOR, _OPENING = 0.3, 0.25
_TRIES = 200

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlannedRoom:
    """A room without anything in it.

    :param name: e.g. 'bedroom 1'. :param kind: e.g. 'bedroom'.
    :param squares: its floor. :param outline: its corners in order.
    """

    name: str
    kind: str
    squares: frozenset[Step]
    outline: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """Rooms, and the ways between them.

    :param doors: where they are, and between which rooms.
    :param openings: rooms without a wall between them.
    """

    rooms: tuple[PlannedRoom, ...]
    doors: tuple[tuple[Step, tuple[str, str]], ...]
    openings: tuple[tuple[str, str], ...]


def plan_floor(random: SeededRandom, kinds: Sequence[str], sizes: dict[str, int]) -> FloorPlan:
    """A plan of rooms of some kinds.

    :param sizes: each kind's share of the floor.
    """
    shares = [sizes[kind] for kind in kinds]
    for _ in range(_TRIES):
        plan = _tried(random, kinds, shares)
        if plan is not None:
            return plan
    raise AssertionError(f'no floor plan of {", ".join(kinds)} in {_TRIES} tries')


def _tried(random: SeededRandom, kinds: Sequence[str], shares: Sequence[int]) -> FloorPlan | None:
    side = (_SIDE * isqrt(len(kinds) * 10000) // 100 + 50) // 100
    wide, deep = (max(1, side + random.integer(-1, 1)) for _ in range(2))
    cell = (random.integer(*_CELL) + _GRID // 2) // _GRID
    cells = _with_cut_corners(random, wide, deep)
    if len(cells) < len(kinds):
        return None
    floors = _grown(random, cells, shares)
    numbers: Counter[str] = Counter()
    rooms = []
    for kind, floor in zip(kinds, floors, strict=True):
        squares = frozenset(
            (x * cell + along, z * cell + across)
            for x, z in sorted(floor)
            for along in range(cell)
            for across in range(cell)
        )
        outline = outline_of(squares) if len(squares) >= _LEAST_SQUARES else None
        if outline is None:
            return None
        numbers[kind] += 1
        rooms.append(PlannedRoom(f'{kind} {numbers[kind]}', kind, squares, outline))
    ways = _ways(random, rooms)
    return None if ways is None else FloorPlan(tuple(rooms), *ways)


def _with_cut_corners(random: SeededRandom, wide: int, deep: int) -> set[Cell]:
    cells = {(x, z) for x in range(wide) for z in range(deep)}
    if min(wide, deep) < 3:
        return cells
    for right in (False, True):
        for far in (False, True):
            if not random.chance(0.25):
                continue
            across, along = random.integer(1, wide // 2), random.integer(1, deep // 2)
            if across * along > _MOST_CUT:
                continue
            cells -= {
                (wide - 1 - x if right else x, deep - 1 - z if far else z)
                for x in range(across)
                for z in range(along)
            }
    return cells


# Rooms


def _grown(random: SeededRandom, cells: set[Cell], shares: Sequence[int]) -> list[set[Cell]]:
    free = set(cells)
    floors: list[set[Cell]] = []
    taken: set[Cell] = set()
    for _ in shares:
        open_cells = sorted(free - taken) or sorted(free)
        x, z = random.choose(open_cells)
        floors.append({(x, z)})
        free.discard((x, z))
        taken |= {(x + i, z + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
    total = sum(shares)
    growing = list(range(len(shares)))
    while growing:
        room = random.weighted([(index, float(shares[index])) for index in growing])
        line = _longest_line(random, floors[room], free)
        if line is None or len(floors[room]) * total >= shares[room] * len(cells):
            growing.remove(room)
            continue
        floors[room] |= line
        free -= line
    while free:
        touching = [
            (sum(beside in floor for beside in _beside(cell)), -len(floor) * 60 // share, cell, n)
            for cell in sorted(free)
            for n, (floor, share) in enumerate(zip(floors, shares, strict=True))
        ]
        _, _, cell, room = max(touching, key=lambda one: (one[0], one[1], -one[3], one[2]))
        floors[room].add(cell)
        free.discard(cell)
    return floors


def _longest_line(random: SeededRandom, floor: set[Cell], free: set[Cell]) -> set[Cell] | None:
    """The longest row or column of free cells along a whole side of a rectangle."""
    (left, right), (near, far) = (
        (min(cell[axis] for cell in floor), max(cell[axis] for cell in floor)) for axis in (0, 1)
    )
    columns = [{(x, z) for z in range(near, far + 1)} for x in (left - 1, right + 1)]
    rows = [{(x, z) for x in range(left, right + 1)} for z in (near - 1, far + 1)]
    lines = [line for line in (*columns, *rows) if line <= free]
    longest = [line for line in lines if len(line) == max(map(len, lines))]
    return random.choose(longest) if longest else None


def _beside(cell: Cell) -> Iterator[Cell]:
    x, z = cell
    yield from ((x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1))


# Ways between rooms


def _ways(
    random: SeededRandom, rooms: Sequence[PlannedRoom]
) -> tuple[tuple[tuple[Step, tuple[str, str]], ...], tuple[tuple[str, str], ...]] | None:
    """Doors and openings, such that every room can be got to."""
    walls = {}
    for one, other in combinations(range(len(rooms)), 2):
        wall = shared_wall(rooms[one].squares, rooms[other].squares)
        if wall is not None and _length(wall) >= _LEAST_WALL:
            walls[one, other] = wall
    public = {index for index, room in enumerate(rooms) if room.kind in _PUBLIC}
    # Public rooms first, then the others on them, and through others only where need be.
    order = sorted(
        random.shuffled(sorted(walls)), key=lambda pair: -len(public.intersection(pair))
    )
    group = {index: index for index in range(len(rooms))}
    used = []
    for one, other in order:
        if group[one] != group[other]:
            used.append((one, other))
            old, new = group[one], group[other]
            group = {index: new if name == old else name for index, name in group.items()}
    if len(set(group.values())) > 1:
        return None
    for pair in order:
        if pair not in used and public.issuperset(pair) and random.chance(_EXTRA_DOOR):
            used.append(pair)
    doors, openings = [], []
    for pair in sorted(used):
        low, high = walls[pair]
        first, second = (rooms[index] for index in pair)
        if {first.kind, second.kind} == set(_PUBLIC) and random.chance(_OPENING):
            openings.append((first.name, second.name))
        else:
            middle = ((low[0] + high[0]) // 2, (low[1] + high[1]) // 2)
            doors.append((middle, (first.name, second.name)))
    return tuple(doors), tuple(openings)


def _length(wall: tuple[Step, Step]) -> int:
    (x, z), (x_then, z_then) = wall
    return x_then - x + z_then - z
