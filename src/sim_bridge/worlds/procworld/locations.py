"""Frontier locations: where one can stand, such that everything of a room is seen from them.

Connected farthest-point sampling: begin in the middle, then always add the point farthest from
all chosen ones among those within reach of one. So locations of a room hang together, and are
spread as far as that allows.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge.worlds.procworld.ground import metres_of
from sim_bridge.worlds.procworld.ground import squared
from sim_bridge.worlds.procworld.ground import Step
from sim_bridge.worlds.procworld.house import Location

#: Steps from one location to the next at most, and to what is seen from it, squared: 1.5 m.
REACH = 36


@dataclass(frozen=True, slots=True)
class Zone:
    """Rooms that no wall parts, mostly a single one.

    :param rooms: their floors by name. :param free: where one can stand, one point or more.
    :param things: where their outermost things are.
    """

    rooms: Mapping[str, Collection[Step]]
    free: Collection[Step]
    things: Collection[Step]


def joined(rooms: Sequence[str], openings: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Rooms by which of them openings make one, in their order."""
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
        for point in frontier_locations(zone.free, zone.things, floor):
            # A point between joined rooms is in the one of the square beyond it.
            home = next((name for name, squares in zone.rooms.items() if point in squares))
            found[home].append(point)
    places = [(point, name) for name, points in found.items() for point in points]
    return tuple(
        Location(f'loc {number}', metres_of(point), name)
        for number, (point, name) in enumerate(places, start=1)
    )


def frontier_locations(
    free: Collection[Step], things: Collection[Step], floor: Collection[Step]
) -> list[Step]:
    """Locations of a room, or of rooms that are joined, in the order in which they were chosen.

    :param free: points where one can stand, one or more.
    :param things: where its outermost things are. :param floor: its squares, for the middle.
    """
    points = sorted(free)
    first = _nearest_to_middle(points, floor)
    chosen = [first]
    away = {point: squared(point, first) for point in points}
    unseen = {thing for thing in things if squared(thing, first) > REACH}
    while True:
        far = {point for point, distance in away.items() if distance > REACH}
        reached = [point for point in points if 0 < away[point] <= REACH]
        if far:
            most = max(away[point] for point in reached)
            farthest = [point for point in reached if away[point] == most]
            nearest = min(farthest, key=lambda point: (-_within(point, far), point))
        else:
            # Only things are left: from where are most of them seen?
            near = [(_within(point, unseen), away[point]) for point in reached]
            best = max(near, default=(0, 0))
            if not best[0]:
                return chosen
            nearest = reached[near.index(best)]
        chosen.append(nearest)
        for point in points:
            away[point] = min(away[point], squared(point, nearest))
        unseen = {thing for thing in unseen if squared(thing, nearest) > REACH}


def _within(point: Step, others: Collection[Step]) -> int:
    return sum(squared(point, other) <= REACH for other in others)


def _nearest_to_middle(points: Sequence[Step], floor: Collection[Step]) -> Step:
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
