"""What changes while one plays in a house."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reactree_core.observation import ObjectFact
from reactree_core.skill_types import class_and_number
from reactree_core.working_memory import AGENT
from sim_bridge.worlds.procworld.classes import CONTAINERS
from sim_bridge.worlds.procworld.house import Point
from sim_bridge.worlds.procworld.layout import Layout

#: Predicate of a goal -> word for the state.
STATES = {
    'isClean': 'clean',
    'isHot': 'hot',
    'isCool': 'cool',
    'isSliced': 'sliced',
    'isToggled': 'on',
}


@dataclass
class State:
    """Where the agent is, what it knows, and where all that can be carried is.

    :param place: the location, or the outermost thing that is faced; '' for neither.
    :param at: position of the agent. :param room: of the agent; '' where the reach has no bound
        and nothing is faced yet.
    :param holder: object -> what it is directly in or on; '' for what is loose or held.
    :param inside: thing -> objects directly in or on it, sorted; parts are none.
    :param opened: things with a door that stand open.
    :param states: thing -> words for its states, e.g. 'dirty'.
    :param held: the object in the hand. :param carried_off: loose things that were taken.
    :param left: what was faced before the last step, which the view leaves out.
    :param known: locations ever told, and outermost things ever seen.
    :param rooms: those that were entered, in order.
    """

    layout: Layout
    place: str
    at: Point
    room: str
    holder: dict[str, str]
    inside: dict[str, tuple[str, ...]]
    opened: frozenset[str]
    states: dict[str, frozenset[str]]
    held: str = ''
    carried_off: frozenset[str] = frozenset()
    left: str = ''
    known: frozenset[str] = frozenset()
    rooms: tuple[str, ...] = ()

    def copy(self) -> State:
        """One that changes by itself."""
        return replace(
            self, holder=dict(self.holder), inside=dict(self.inside), states=dict(self.states)
        )

    def is_so(self, predicate: str, things: Sequence[str]) -> bool:
        """Whether a condition of a goal holds now."""
        match predicate, things:
            case 'inReceptacle', [thing, receptacle]:
                return self.holder.get(thing) == receptacle
            case 'holds', [_, thing]:
                return self.held == thing
            case 'atLocation', [_, thing]:
                return bool(self.place) and self.place == self.outermost(thing)
            case _, [thing] if predicate in STATES:
                return STATES[predicate] in self.states.get(thing, ())
            case _:
                return False

    def container_of(self, name: str) -> str:
        """What a thing is directly in, on or part of; '' for an outermost thing."""
        return self.holder.get(name, self.layout.house.thing[name].container)

    def outermost(self, name: str) -> str:
        """What a thing is in, on or part of at last; itself where it stands alone or is held."""
        while container := self.container_of(name):
            name = container
        return name

    def is_outermost(self, name: str) -> bool:
        """Whether a thing has a position of its own now."""
        return name in self.layout.outermost and name not in self.carried_off

    def can_open(self, name: str) -> bool:
        """Whether a thing has a door."""
        return self.layout.house.thing[name].open is not None

    def is_closed(self, name: str) -> bool:
        """Whether what is in a thing cannot be seen."""
        return name not in self.opened and self.can_open(name)

    def parts(self, name: str) -> tuple[str, ...]:
        """Parts of a piece of furniture."""
        return self.layout.parts.get(name, ())

    @property
    def faced(self) -> str:
        """The outermost thing that is faced; '' at a location."""
        return self.place if self.place in self.layout.outermost else ''

    def fixtures(self, name: str) -> Iterator[str]:
        """A thing that is faced and its parts that can be reached."""
        yield name
        if not self.is_closed(name):
            for part in self.parts(name):
                yield from self.fixtures(part)

    def within(self, name: str) -> Iterator[tuple[str, str]]:
        """Objects that can be reached in a thing, each with what it is directly in or on."""
        for fixture in self.fixtures(name):
            if not self.is_closed(fixture):
                for thing in self.inside.get(fixture, ()):
                    yield thing, fixture
                    yield from ((one, thing) for one in self.inside.get(thing, ()))

    def around(self) -> set[str]:
        """Names of what can be gone to from here: locations, outermost things, doors."""
        doors = {door.name for door, _ in self.layout.doors.get(self.place, ())}
        near = {*self.layout.near(self.at, self.room)} - {self.place, *self.carried_off}
        return near | doors | ({self.faced} if self.faced else set())

    def level(self, name: str) -> int:
        """How deep a thing is: 1 for an outermost one, 2 for what is in it."""
        container = self.container_of(name)
        return 1 + self.level(container) if container else 1

    def class_of(self, name: str) -> str:
        """The class of a thing, e.g. 'mug'."""
        return self.layout.house.thing[name].thing_class

    def is_container(self, name: str) -> bool:
        """Whether an object can be carried with something in it."""
        return self.class_of(name) in CONTAINERS

    def fact(self, name: str) -> ObjectFact:
        """What is known of a thing that is seen."""
        words = sorted(self.states.get(name, ()))
        if self.can_open(name):
            words.append('closed' if self.is_closed(name) else 'open')
        kind, number = class_and_number(name)
        if name == self.held:
            return ObjectFact(kind, number, self.room, AGENT, ', '.join(words))
        outermost = self.outermost(name)
        room = self.room if outermost == self.held else self.layout.spot(outermost)[1]
        return ObjectFact(kind, number, room, self.container_of(name), ', '.join(words))

    def door_facts(self) -> Iterator[ObjectFact]:
        """Doors that can be used here."""
        for door, _ in self.layout.doors.get(self.place, ()):
            yield ObjectFact(*class_and_number(door.name), self.room, self.place)

    def put(self, thing: str, container: str) -> None:
        """Have an object directly in or on something, or nowhere ('')."""
        old = self.holder.get(thing, '')
        if old:
            self.inside[old] = tuple(one for one in self.inside[old] if one != thing)
        self.holder[thing] = container
        if container:
            self.inside[container] = tuple(sorted((*self.inside.get(container, ()), thing)))

    def change(self, thing: str, add: str = '', remove: tuple[str, ...] = ()) -> None:
        """Give a thing a state, and take others away."""
        words = self.states.get(thing, frozenset()) - {*remove}
        self.states[thing] = words | {add} if add else words


def beginning(layout: Layout, start: str = '') -> State:
    """How one begins in a house.

    :param start: a location or furniture; '' for the location of the house.
    """
    house = layout.house
    place = start or house.start
    at, room = layout.spot(place)
    state = State(
        layout,
        place if layout.bounded else '',
        at,
        room if layout.bounded else '',
        {one.name: one.container for one in house.things if not one.fixed},
        {name: tuple(sorted(things)) for name, things in layout.objects.items()},
        frozenset(one.name for one in house.things if one.open),
        {one.name: frozenset(one.states) for one in house.things if one.states},
    )
    if layout.bounded:
        arrive(state, place)
    else:
        state.known = frozenset(layout.outermost)
    return state


def arrive(state: State, place: str) -> None:
    """Be at a location or face an outermost thing, and know what is given there."""
    layout = state.layout
    state.left = state.faced if state.faced != place else ''
    state.place = place
    state.at, state.room = layout.spot(place)
    if layout.bounded:
        here = (one for one in layout.near(state.at, state.room) if one not in state.carried_off)
        state.known = state.known.union(here, (place,))
    if state.room not in state.rooms:
        state.rooms = (*state.rooms, state.room)
