"""Floors on the grid: which points are inside a room, and which of them hang together.

Everything is in steps of the grid (0.25 m), as whole numbers, so that it comes out the same on
every machine. A square is named by its corner with the smaller x and z.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sim_bridge.worlds.procworld.house import GRID, Point

#: x and z in steps of the grid.
Step = tuple[int, int]

STEPS_A_METRE = round(1 / GRID)
#: Square metres of all rooms of a house that is read, each as a rectangle around it.
MOST_FLOOR = 2000


def steps_of(point: Point) -> Step:
    """The point of the grid nearest to a position."""
    return round(point[0] * STEPS_A_METRE), round(point[1] * STEPS_A_METRE)


def metres_of(step: Step) -> Point:
    """The position of a point of the grid."""
    return step[0] / STEPS_A_METRE, step[1] / STEPS_A_METRE


def squared(one: Step, other: Step) -> int:
    """The distance of two points, squared."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def is_too_large(polygons: Iterable[Sequence[Step]]) -> bool:
    """Whether rooms take more than `MOST_FLOOR`: before their squares are counted out."""
    total = 0
    for polygon in polygons:
        xs, zs = zip(*polygon, strict=True)
        total += (max(xs) - min(xs)) * (max(zs) - min(zs))
    return total > MOST_FLOOR * STEPS_A_METRE**2


def squares_of(polygon: Sequence[Step]) -> set[Step]:
    """The squares within a polygon whose edges are parallel to the axes; edges askew count not."""
    walls: dict[int, list[int]] = {}
    for (x, z), (x_then, z_then) in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        if x == x_then:
            for row in range(min(z, z_then), max(z, z_then)):
                walls.setdefault(row, []).append(x)
    found: set[Step] = set()
    for row, crossed in walls.items():
        crossed.sort()
        for left, right in zip(crossed[::2], crossed[1::2], strict=False):
            found.update((column, row) for column in range(left, right))
    return found


def inner_points(squares: Collection[Step]) -> list[Step]:
    """Points with floor on all four sides: at least a step from every wall."""
    return sorted(
        (x, z)
        for x, z in squares
        if (x - 1, z) in squares and (x, z - 1) in squares and (x - 1, z - 1) in squares
    )


def outline_of(squares: Collection[Step]) -> tuple[Step, ...] | None:
    """The corners of a floor in order; None where it has a hole or hangs together by a corner."""
    ahead: dict[Step, Step] = {}
    for x, z in sorted(squares):
        for begin, end, beyond in (
            ((x, z), (x + 1, z), (x, z - 1)),
            ((x + 1, z), (x + 1, z + 1), (x + 1, z)),
            ((x + 1, z + 1), (x, z + 1), (x, z + 1)),
            ((x, z + 1), (x, z), (x - 1, z)),
        ):
            if beyond in squares:
                continue
            if begin in ahead:
                return None
            ahead[begin] = end
    first = here = min(ahead)
    walked = [first]
    while (here := ahead[here]) != first:
        walked.append(here)
    if len(walked) != len(ahead):
        return None
    return tuple(
        here
        for before, here, after in zip(
            [walked[-1], *walked], walked, [*walked[1:], first], strict=False
        )
        if not (before[0] == here[0] == after[0] or before[1] == here[1] == after[1])
    )


def largest_part(points: Iterable[Step]) -> set[Step]:
    """The most points that hang together by single steps; of equals the one with the least."""
    left = set(points)
    best: set[Step] = set()
    for point in sorted(left):
        if point not in left:
            continue
        left.discard(point)
        part, edge = {point}, [point]
        while edge:
            x, z = edge.pop()
            for beside in ((x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)):
                if beside in left:
                    left.discard(beside)
                    part.add(beside)
                    edge.append(beside)
        if len(part) > len(best):
            best = part
    return best


def shared_wall(one: Collection[Step], other: Collection[Step]) -> tuple[Step, Step] | None:
    """Ends of the longest straight wall between two floors."""
    runs: list[tuple[int, Step, Step]] = []
    for axis in (0, 1):
        lines: dict[tuple[int, int], list[int]] = {}
        for square in one:
            for side in (0, 1):
                # The square beyond the far (1) or near (0) side along this axis.
                beyond = list(square)
                beyond[axis] += 1 if side else -1
                if tuple(beyond) in other:
                    lines.setdefault((square[axis] + side, side), []).append(square[1 - axis])
        for (level, _), found in lines.items():
            found.sort()
            begin = end = found[0]
            for along in [*found[1:], None]:
                if along == end + 1:
                    end = along
                    continue
                ends = ((level, begin), (level, end + 1))
                low, high = ends if axis == 0 else (ends[0][::-1], ends[1][::-1])
                runs.append((end + 1 - begin, low, high))
                if along is not None:
                    begin = end = along
    if not runs:
        return None
    _, low, high = min(runs, key=lambda run: (-run[0], *run[1:]))
    return low, high
