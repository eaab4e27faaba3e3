"""A house of ProcWorld: rooms, doors, things and the locations one can stand at.

Positions are (x, z) in metres, on a grid of `GRID`. Values only: files are read and written in
`house_file`, houses are made in `generator`, and what changes while one plays is `state`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

#: Metres between the points that positions stand on.
GRID = 0.25

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Room:
    """One room.

    :param name: type and number within the type, e.g. 'bedroom 1'.
    :param polygon: corners in order, its edges parallel to the axes.
    """

    name: str
    polygon: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Door:
    """A way through a wall that is always open.

    :param name: e.g. 'door 2'.
    :param rooms: names of the two rooms.
    """

    name: str
    at: Point
    rooms: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Thing:
    """Furniture, a part of furniture, or an object.

    :param name: class and number over the whole house, e.g. 'drawer 8'.
    :param at: where an outermost thing stands; None for what is in or on something.
    :param container: name of what it is directly in, on or part of; '' for an outermost thing.
    :param fixed: whether it stays where it is: furniture and its parts.
    :param open: None where it cannot be opened.
    :param states: e.g. 'dirty', 'hot', 'cool', 'sliced', 'on'; sorted.
    """

    name: str
    thing_class: str
    room: str
    at: Point | None = None
    container: str = ''
    fixed: bool = False
    open: bool | None = None
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Location:
    """Where one can stand to look around: a frontier location, e.g. 'loc 3'."""

    name: str
    at: Point
    room: str


@dataclass(frozen=True)
class House:
    """A whole house as it is before anybody plays in it.

    :param openings: pairs of rooms that are joined without a door: one room for sight and reach.
        Of two rooms that are open to a third, a wall may still part one from the other.
    :param things: in the order of their numbers within each class.
    :param locations: in the order of their numbers.
    :param start: name of the location at which one begins.
    """

    seed: int
    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]
    things: tuple[Thing, ...]
    locations: tuple[Location, ...]
    start: str
    openings: tuple[tuple[str, str], ...] = ()

    @cached_property
    def thing(self) -> dict[str, Thing]:
        """Each thing by its name."""
        return {thing.name: thing for thing in self.things}

    @cached_property
    def location(self) -> dict[str, Location]:
        """Each location by its name."""
        return {location.name: location for location in self.locations}

    @cached_property
    def open_to(self) -> dict[str, tuple[str, ...]]:
        """Each room, followed by those without a wall between them and it."""
        found: dict[str, tuple[str, ...]] = {room.name: (room.name,) for room in self.rooms}
        for one, other in self.openings:
            found[one] += (other,)
            found[other] += (one,)
        return found

    def outermost(self, name: str) -> Thing:
        """What a thing is in, on or part of at last; the thing itself where it stands alone."""
        thing = self.thing[name]
        while thing.container:
            thing = self.thing[thing.container]
        return thing
