"""Frontier locations: where one can stand, such that everything of a room is seen from them.

Connected farthest-point sampling: begin in the middle, then always add the point farthest from
all chosen ones among those within reach of one. So locations of a room hang together, and are
spread as far as that allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim_bridge.worlds.procworld.ground import metres_of, squared, Step
from sim_bridge.worlds.procworld.house import Location

#: Steps from one location to the next at most, and to what is seen from it, squared: 1.5 m.
REACH = 36


#: A point of the grid; what more it has belongs to the rule for distances.
Spot = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Zone:
    """Rooms that openings make one, mostly a single one.

    :param rooms: their floors by name. :param free: where one can stand, one point or more.
    :param things: where their outermost things are.
    :param apart: distance of two of these points, squared.
    """

    rooms: Mapping[str, Collection[Step]]
    free: Collection[Spot]
    things: Collection[Spot]
    apart: Callable[[Spot, Spot], int] = squared


def joined(rooms: Sequence[str], openings: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Rooms by which of them openings make one, in their order.

    So are two rooms that are both open to a third, even if a wall parts them. What one reaches
    and sees goes by pairs (`House.open_to`). Generated houses are furnished and sampled without
    regard to such a wall: that keeps the houses of all seeds as they are.
    """
    group = {room: number for number, room in enumerate(rooms)}
    for one, other in openings:
        old, new = sorted((group[one], group[other]), reverse=True)
        group = {room: new if name == old else name for room, name in group.items()}
    return [[room for room in rooms if group[room] == name] for name in sorted({*group.values()})]


def numbered_locations(zones: Sequence[Zone], rooms: Sequence[str]) -> tuple[Location, ...]:
    """All locations of a house: by room, and as they were chosen.

    :param rooms: names of all rooms in their order.
    """
    found: dict[str, list[Step]] = {name: [] for name in rooms}
    for zone in zones:
        floor = [square for squares in zone.rooms.values() for square in squares]
        for x, z, *_ in frontier_locations(zone.free, zone.things, floor, zone.apart):
            # A point between joined rooms is in the one of the square beyond it.
            home = next((name for name, squares in zone.rooms.items() if (x, z) in squares))
            found[home].append((x, z))
    places = [(point, name) for name, points in found.items() for point in points]
    return tuple(
        Location(f'loc {number}', metres_of(point), name)
        for number, (point, name) in enumerate(places, start=1)
    )


def frontier_locations(
    free: Collection[Spot],
    things: Collection[Spot],
    floor: Collection[Step],
    apart: Callable[[Spot, Spot], int] = squared,
) -> list[Spot]:
    """Locations of a room, or of rooms that are joined, in the order in which they were chosen.

    :param free: points where one can stand, one or more.
    :param things: where its outermost things are. :param floor: its squares, for the middle.
    :param apart: distance of two points, squared; of neighbours within `REACH`.
    """

    def within(point: Spot, others: Collection[Spot]) -> int:
        return sum(apart(point, other) <= REACH for other in others)

    points = sorted(free)
    first = _nearest_to_middle(points, floor)
    chosen = [first]
    away = {point: apart(point, first) for point in points}
    unseen = {thing for thing in things if apart(thing, first) > REACH}
    while True:
        far = {point for point, distance in away.items() if distance > REACH}
        reached = [point for point in points if 0 < away[point] <= REACH]
        if far:
            most = max(away[point] for point in reached)
            farthest = [point for point in reached if away[point] == most]
            nearest = min(farthest, key=lambda point: (-within(point, far), point))
        else:
            # Only things are left: from where are most of them seen?
            near = [(within(point, unseen), away[point]) for point in reached]
            best = max(near, default=(0, 0))
            if not best[0]:
                return chosen
            nearest = reached[near.index(best)]
        chosen.append(nearest)
        for point in points:
            away[point] = min(away[point], apart(point, nearest))
        unseen = {thing for thing in unseen if apart(thing, nearest) > REACH}


def _nearest_to_middle(points: Sequence[Spot], floor: Collection[Step]) -> Spot:
    # In whole numbers: sums in place of means, and twice a square's corner in place of its middle.
    count = len(floor)
    x = sum(2 * square[0] + 1 for square in floor)
    z = sum(2 * square[1] + 1 for square in floor)
    return min(
        points,
        key=lambda point: (
            (2 * count * point[0] - x) ** 2 + (2 * count * point[1] - z) ** 2,
            point,
        ),
    )
