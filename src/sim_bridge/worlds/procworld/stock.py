"""Things of generated houses: furniture with its parts, what lies on it, what stands about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.classes import CLEANABLE, CONTAINERS, may_hold, OPENABLE
from sim_bridge.worlds.procworld.floor_plan import PlannedRoom
from sim_bridge.worlds.procworld.furniture import Placed
from sim_bridge.worlds.procworld.ground import metres_of, Step
from sim_bridge.worlds.procworld.house import Thing
from sim_bridge.worlds.procworld.tables import is_kept_in, tables, things_of

#: Things of a class in a house at most, and one more for so many rooms.
_OF_A_CLASS, _ROOMS_FOR_MORE = 3, 4
#: How often a class of which there is one thing gets another.
_ANOTHER = 0.5
_FILLED, _DIRTY, _CLOSED = 0.05, 0.5, 0.9


class Stock:
    """Things as they come into a house; numbers of names count over all of it.

    :param stream: a source of choices for a purpose.
    """

    def __init__(
        self, stream: Callable[[str], SeededRandom], rooms: Sequence[PlannedRoom]
    ) -> None:
        self._stream = stream
        self._kinds = {room.name: room.kind for room in rooms}
        self._most = _OF_A_CLASS + len(rooms) // _ROOMS_FOR_MORE
        self._count: Counter[str] = Counter()
        self._things: list[Thing] = []

    def put_furniture(self, room: PlannedRoom, pieces: Sequence[Placed]) -> None:
        """Furniture of a room, with its parts."""
        for piece in pieces:
            whole = self._add(piece.name, room.name, metres_of(piece.at), fixed=True)
            for part in piece.parts:
                self._add(part, room.name, container=whole, fixed=True)

    def put_loose(self, room: PlannedRoom, free: Sequence[Step]) -> None:
        """What stands about in a room.

        :param free: where it may.
        """
        random = self._stream(f'loose {room.name}')
        points = random.shuffled(free)
        for name, share in tables().loose[room.kind].items():
            if random.chance(share / 100) and points and self._count[name] < self._most:
                self._add(name, room.name, metres_of(points.pop()))

    def stocked(self) -> tuple[Thing, ...]:
        """All things, in the states in which they begin, when receptacles have got theirs."""
        holders = [thing for thing in self._things if thing.fixed]
        streams = {room: self._stream(f'things {room}') for room in self._kinds}
        for holder in holders:
            for name, share in self._shares(holder).items():
                if streams[holder.room].chance(share / 100):
                    self._put(name, holder)
        self._add_second_ones(holders)
        self._fill_containers()
        random = self._stream('states')
        return tuple(_in_a_state(random, thing) for thing in self._things)

    def _add_second_ones(self, holders: Sequence[Thing]) -> None:
        """So that there is often more than one thing to choose from."""
        random = self._stream('second')
        for name in sorted(name for name, count in self._count.items() if count == 1):
            places = [
                (holder, float(share))
                for holder in holders
                if (share := self._shares(holder).get(name, 0))
            ]
            if places and random.chance(_ANOTHER):
                self._put(name, random.weighted(places))

    def _fill_containers(self) -> None:
        random = self._stream('content')
        for container in [one for one in self._things if one.thing_class in CONTAINERS]:
            fitting = [
                name
                for name in sorted(self._count)
                if may_hold(container.thing_class, name)
                and is_kept_in(name, self._kinds[container.room])
            ]
            if fitting and random.chance(_FILLED):
                self._put(random.choose(fitting), container)

    def _shares(self, holder: Thing) -> dict[str, int]:
        return things_of(holder.thing_class, self._kinds[holder.room])

    def _put(self, name: str, holder: Thing) -> None:
        if self._count[name] < self._most:
            self._add(name, holder.room, container=holder.name)

    def _add(
        self,
        name: str,
        room: str,
        at: tuple[float, float] | None = None,
        container: str = '',
        fixed: bool = False,
    ) -> str:
        self._count[name] += 1
        thing = Thing(f'{name} {self._count[name]}', name, room, at, container, fixed)
        self._things.append(thing)
        return thing.name


def _in_a_state(random: SeededRandom, thing: Thing) -> Thing:
    is_open = not random.chance(_CLOSED) if thing.thing_class in OPENABLE else None
    dirty = thing.thing_class in CLEANABLE and random.chance(_DIRTY)
    return replace(thing, open=is_open, states=('dirty',) if dirty else ())
