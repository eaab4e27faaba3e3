"""An apartment while it is being filled: its things, and what each stands on or lies in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sim_bridge.worlds.household.scenes import layout
from sim_bridge.worlds.household.scenes.catalogue import KINDS
from sim_bridge.worlds.household.scenes.floor_plan import FloorPlan
from sim_bridge.worlds.household.scenes.geometry import Box
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

#: Furniture with a back: things lie on the seat, not on the highest point.
_SEATS = ('sofa', 'chair', 'toilet')


@dataclass(eq=False, slots=True)
class Thing:
    """One node of the scene graph.

    :param room: index into the plan's rooms.
    :param fixed: belongs to the building or its furniture, and gets a low id.
    """

    class_name: str
    box: Box
    room: int
    on: Thing | None = None
    inside: Thing | None = None
    fixed: bool = True
    states: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class Household:
    """Everything placed so far.

    :param budget: how many nodes the finished graph is to have.
    """

    plan: FloorPlan
    dice: SeededRandom
    budget: int
    things: list[Thing] = field(default_factory=list)
    _floor: list[list[Box]] = field(default_factory=list)
    _contents: dict[int, list[Box]] = field(default_factory=dict)
    _tiles: list[list[Thing]] = field(default_factory=list)
    #: (class, host, whether inside) that did not fit: nothing ever leaves, so it never will.
    _full: set[tuple[str, int, bool]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for index in range(len(self.plan.rooms)):
            doors = [way for way in self.plan.doorways if index in (way.first, way.second)]
            self._floor.append([way.clearance for way in doors])
            self._tiles.append([])

    @property
    def left(self) -> int:
        """Nodes that may still be added (rooms and the character are counted)."""
        return self.budget - len(self.plan.rooms) - 1 - len(self.things)

    def of_class(self, class_name: str, room: int | None = None) -> list[Thing]:
        """Things of a class, of the whole apartment or of one room, oldest first."""
        return [
            thing
            for thing in self.things
            if thing.class_name == class_name and room in (None, thing.room)
        ]

    def build(self, class_name: str, room: int, box: Box) -> Thing:
        """Add a part of the building: a tile, a wall, a door, a lamp."""
        thing = Thing(class_name, box, room, states=KINDS[class_name].states)
        self.things.append(thing)
        if class_name == 'floor':
            self._tiles[room].append(thing)
        return thing

    def stand(self, class_name: str, room: int, anchor: str) -> Thing | None:
        """Put up a piece of furniture; None when there is no place for it.

        :param anchor: 'wall', 'open', 'ceiling', 'wall <height>' for what hangs on a wall,
            'beside <class>' for what stands next to another piece, 'on <class>' for what
            stands on one, 'part <class>' for what is built into one.
        """
        size = self._size(class_name)
        space = self.plan.rooms[room]
        taken = self._floor[room]
        kind, _, detail = anchor.partition(' ')
        if kind in ('on', 'part'):
            hosts = self.of_class(detail, room)
            piece = self._fit(class_name, size, hosts, kind == 'part', True)
            if piece is not None and kind == 'part':
                piece.inside = None
            return piece
        box = None
        if kind == 'wall':
            box = layout.along_wall(self.dice, space, size, taken, float(detail or 0.0))
        elif kind == 'open':
            box = layout.in_the_open(self.dice, space, size, taken)
        elif kind == 'ceiling':
            box = layout.under_ceiling(self.dice, space, size, taken)
        elif kind == 'beside':
            for host in self.dice.shuffled(self.of_class(detail, room)):
                box = box or layout.beside(self.dice, space, host.box, size, taken)
        if box is None:
            return None
        thing = self.build(class_name, room, box)
        taken.append(box)
        thing.states = self._states(class_name)
        if box.bottom < 0.01:
            thing.on = self._tile_under(room, box)
        return thing

    def put(self, class_name: str, host_class: str, into: bool) -> Thing | None:
        """Lay a small thing on or in some piece of furniture, wherever one has space."""
        hosts = self.dice.shuffled([thing for thing in self.of_class(host_class) if thing.fixed])
        return self._fit(class_name, self._size(class_name), hosts, into, False)

    def _fit(
        self, class_name: str, size: layout.Size, hosts: Sequence[Thing], into: bool, fixed: bool
    ) -> Thing | None:
        for host in hosts:
            if (class_name, id(host), into) in self._full:
                continue
            # A thing on a top and a thing on a shelf below it can never meet.
            taken = self._contents.setdefault(id(host), [])
            if into:
                box = layout.within(self.dice, host.box, size, taken)
            else:
                seat = host.class_name in _SEATS
                box = layout.on_top(self.dice, host.box, size, taken, seat)
            if box is not None:
                taken.append(box)
                thing = Thing(
                    class_name,
                    box,
                    host.room,
                    on=None if into else host,
                    inside=host if into else None,
                    fixed=fixed,
                    states=self._states(class_name),
                )
                self.things.append(thing)
                return thing
            self._full.add((class_name, id(host), into))
        return None

    def _size(self, class_name: str) -> layout.Size:
        width, height, depth = KINDS[class_name].size
        scale = self.dice.between(0.92, 1.08)
        return width * scale, height * scale, depth * scale

    def _states(self, class_name: str) -> tuple[str, ...]:
        """First states; one container in ten was left open, never a book or a bottle."""
        kind = KINDS[class_name]
        ajar = 'CONTAINERS' in kind.properties and 'CLOSED' in kind.states
        if ajar and self.dice.chance(0.1):
            return tuple('OPEN' if state == 'CLOSED' else state for state in kind.states)
        return kind.states

    def _tile_under(self, room: int, box: Box) -> Thing | None:
        for tile in self._tiles[room]:
            floor = tile.box
            if floor.west <= box.x <= floor.east and floor.south <= box.z <= floor.north:
                return tile
        return None
