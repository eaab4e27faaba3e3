"""Houses from seeds.

Every concern draws from streams of its own, so that a change in the tables of one leaves the
others as they are. Same seed, same house, on every machine: whole numbers, sorted orders, and
draws that Python promises to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.floor_plan import FloorPlan, plan_floor, PlannedRoom
from sim_bridge.worlds.procworld.furniture import can_be_reached, furnish, NEAR_DOOR, Placed
from sim_bridge.worlds.procworld.ground import inner_points, largest_part, metres_of, squared, Step
from sim_bridge.worlds.procworld.house import Door, House, Room
from sim_bridge.worlds.procworld.locations import joined, numbered_locations, Zone
from sim_bridge.worlds.procworld.stock import Stock
from sim_bridge.worlds.procworld.tables import tables

#: Of the published houses: things, furniture and its parts included, and locations.
FEWEST_THINGS, MOST_THINGS, MOST_LOCATIONS = 6, 243, 42
#: How often a room is furnished anew until all of it can be reached, and a house planned anew.
_ROOM_TRIES, _HOUSE_TRIES = 20, 50


@lru_cache(maxsize=64)
def generated_house(seed: int) -> House:
    """The house of a seed.

    :param seed: a whole number.
    """
    for attempt in range(_HOUSE_TRIES):
        house = _tried(seed, attempt)
        if house is not None and FEWEST_THINGS <= len(house.things) <= MOST_THINGS:
            return house
    raise AssertionError(f'no house of the seed {seed} in {_HOUSE_TRIES} tries')


def _tried(seed: int, attempt: int) -> House | None:
    table = tables()
    stream = partial(_stream, seed, attempt)
    kinds = SeededRandom(seed, 'procworld rooms').weighted(
        [(one.rooms, float(one.weight)) for one in table.room_lists]
    )
    plan = plan_floor(stream('plan'), kinds, table.room_sizes)
    names = [room.name for room in plan.rooms]
    stock = Stock(stream, plan.rooms)
    zones = []
    for zone in joined(names, plan.openings):
        rooms = [room for room in plan.rooms if room.name in zone]
        furnished = _furnished(stream, rooms, plan)
        if furnished is None:
            return None
        pieces, free = furnished
        for room, placed in zip(rooms, pieces, strict=True):
            stock.put_furniture(room, placed)
            stock.put_loose(room, _open_floor(free, room, placed, plan))
        things = {piece.at for placed in pieces for piece in placed}
        zones.append(Zone({room.name: room.squares for room in rooms}, free, things))
    locations = numbered_locations(zones, names)
    if len(locations) > MOST_LOCATIONS:
        return None
    return House(
        seed,
        tuple(Room(room.name, tuple(map(metres_of, room.outline))) for room in plan.rooms),
        tuple(
            Door(f'door {number}', metres_of(at), rooms)
            for number, (at, rooms) in enumerate(plan.doors, start=1)
        ),
        stock.stocked(),
        locations,
        stream('start').choose(locations).name,
        plan.openings,
    )


def _stream(seed: int, attempt: int, purpose: str) -> SeededRandom:
    return SeededRandom(seed, f'procworld {purpose} {attempt}')


def _furnished(
    stream: Callable[[str], SeededRandom], rooms: Sequence[PlannedRoom], plan: FloorPlan
) -> tuple[list[tuple[Placed, ...]], set[Step]] | None:
    """Furniture of each of some joined rooms, and where one can stand in them."""
    table = tables()
    floor = {square for room in rooms for square in room.squares}
    doors = [[at for at, pair in plan.doors if room.name in pair] for room in rooms]
    for again in range(_ROOM_TRIES):
        pieces = []
        for room, own in zip(rooms, doors, strict=True):
            random = stream(f'furniture {room.name} {again}')
            beyond = floor - room.squares
            wanted = table.rooms[room.kind]
            pieces.append(furnish(random, room.squares, beyond, own, wanted, table.furniture))
        placed = [piece for one in pieces for piece in one]
        taken = {square for piece in placed for square in piece.squares}
        free = largest_part(inner_points(floor - taken))
        if can_be_reached(free, placed, [at for own in doors for at in own]):
            return pieces, free
    return None


def _open_floor(
    free: set[Step], room: PlannedRoom, pieces: Sequence[Placed], plan: FloorPlan
) -> list[Step]:
    """Where something may stand about in a room: not at a door, and not where something hangs."""
    doors = [at for at, rooms in plan.doors if room.name in rooms]
    used = {piece.at for piece in pieces}
    return [
        point
        for point in inner_points(room.squares)
        if point in free
        and point not in used
        and all(squared(point, door) > NEAR_DOOR for door in doors)
    ]
