"""What never changes while one plays in a house: who is near whom, where doors lead, which parts.

Two positions are adjacent when they are in the same room, or in rooms without a wall between them,
and at most the reach apart; nothing in a room is in the way (ProcWorld, section 3).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from math import dist, inf

from sim_bridge.worlds.procworld.house import Door, House, Location, Point, Thing

#: Least reach in metres, not included: locations are farther apart than this.
LEAST_REACH = 0.5
#: Slack of distances: positions are written in quarters of a metre, so that none is this small.
_SLACK = 1e-9


def written(at: Point) -> str:
    """A position as texts have it, e.g. '[3.5, 5.25]'."""
    return f'[{float(at[0])}, {float(at[1])}]'


class Layout:
    """A house for one reach.

    :param reach: metres over `LEAST_REACH`; inf reaches all furniture of the house at once.
    """

    def __init__(self, house: House, reach: float = inf) -> None:
        self.house = house
        self.reach = reach
        #: Furniture and loose things as the house begins, by name.
        self.outermost = {one.name: one for one in house.things if one.at is not None}
        #: Parts of each piece of furniture, in the order of the house.
        self.parts: dict[str, tuple[str, ...]] = _by_container(house, fixed=True)
        #: Objects in, on or within each thing at first.
        self.objects: dict[str, tuple[str, ...]] = _by_container(house, fixed=False)
        #: Location -> doors that are given and used there, with the location beyond each.
        self.doors: dict[str, list[tuple[Door, Location]]] = defaultdict(list)
        self._near: dict[tuple[Point, str], tuple[str, ...]] = {}
        self._steps: dict[str, tuple[str, ...]] = {}
        for door in house.doors:
            a, b = (self._location_at(door, room) for room in door.rooms)
            # Two rooms that are open to each other may share the location: nothing is beyond it.
            if a is not None and b is not None and a is not b:
                self.doors[a.name].append((door, b))
                self.doors[b.name].append((door, a))

    @property
    def bounded(self) -> bool:
        """Whether one has to walk: there are locations and doors."""
        return self.reach < inf

    def _location_at(self, door: Door, room: str) -> Location | None:
        """The nearest of the room itself; of one that is open to it where the room has none."""
        at = door.at
        here = [one for one in self.house.locations if one.room in self.house.open_to[room]]
        return min(here, key=lambda one: (one.room != room, dist(one.at, at)), default=None)

    def spot(self, name: str) -> tuple[Point, str]:
        """Where a location or an outermost thing is, and in which room."""
        location = self.house.location.get(name)
        if location is not None:
            return location.at, location.room
        thing = self.outermost[name]
        assert thing.at is not None
        return thing.at, thing.room

    def told(self, name: str) -> str:
        """A destination as skills name it: locations with their position."""
        location = self.house.location.get(name)
        return f'{name} at {written(location.at)}' if location else name

    def near(self, at: Point, room: str) -> tuple[str, ...]:
        """Locations, then things that are outermost at first, adjacent to a position."""
        key = at, room
        found = self._near.get(key)
        if found is None:
            rooms = self.house.open_to[room]
            spots: Iterable[Location | Thing] = (*self.house.locations, *self.outermost.values())
            found = self._near[key] = tuple(
                one.name
                for one in spots
                if one.room in rooms
                and one.at is not None
                and dist(one.at, at) <= self.reach + _SLACK
            )
        return found

    def steps_from(self, name: str) -> tuple[str, ...]:
        """What one gets to in one step from a location or an outermost thing."""
        if name not in self._steps:
            beyond = [location.name for _, location in self.doors.get(name, ())]
            near = self.near(*self.spot(name)) if self.bounded else tuple(self.outermost)
            self._steps[name] = (*near, *beyond)
        return self._steps[name]


def _by_container(house: House, *, fixed: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for one in house.things:
        if one.container and one.fixed is fixed:
            found[one.container].append(one.name)
    return {name: tuple(things) for name, things in found.items()}


def distances(
    starts: Iterable[str], steps_from: Callable[[str], Iterable[str]], until: str = ''
) -> dict[str, tuple[int, str]]:
    """Fewest steps to whatever can be reached, and from where the last step is made.

    :param starts: what is reached with one step. :param until: no farther than to this.
    """
    found = dict.fromkeys(starts, (1, ''))
    waiting = deque(found)
    while waiting and until not in found:
        name = waiting.popleft()
        count = found[name][0] + 1
        for one in steps_from(name):
            if one not in found:
                found[one] = count, name
                waiting.append(one)
    return found


def way_to(name: str, found: dict[str, tuple[int, str]]) -> Iterator[str]:
    """The steps to what `distances` has found, in order."""
    way = []
    while name:
        way.append(name)
        name = found[name][1]
    return reversed(way)
