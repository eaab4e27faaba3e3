"""What is told in a house, literally as in the published rollouts (ProcWorld, appendix).

Views list what is adjacent to the position of the agent; content is that of the thing it faces.
"""

from __future__ import annotations

from collections.abc import Iterable

from sim_bridge.worlds.alfworld.engine import described_condition, listed
from sim_bridge.worlds.procworld.classes import LAMPS, SLICEABLE
from sim_bridge.worlds.procworld.layout import written
from sim_bridge.worlds.procworld.state import State

#: Order of the words for what was done to a thing.
_WORDS = ('hot', 'cool', 'clean', 'sliced')


class Seen:
    """A text and the names of things in it. :param text: :param things: in order, each once."""

    __slots__ = ('text', 'things')

    def __init__(self, text: str = '', things: Iterable[str] = ()) -> None:
        self.text = text
        self.things = tuple(things)

    def __add__(self, other: Seen) -> Seen:
        text = f'{self.text} {other.text}'.strip()
        return Seen(text, dict.fromkeys((*self.things, *other.things)))


def where(state: State, has_map: bool) -> Seen:
    """Where the agent is, what it faces, and what is around it."""
    if not state.layout.bounded:
        return _facing(state) if state.faced else in_a_house(state)
    if state.faced:
        return _facing(state) + view(state, has_map)
    if not state.place:
        return Seen(f'You are in {state.room}.') + view(state, has_map)
    return Seen(f'You arrive at {state.place} {written(state.at)} in {state.room}.') + view(
        state, has_map
    )


def first(state: State, has_map: bool) -> Seen:
    """What is told first, before the task."""
    if not state.layout.bounded or state.faced:
        return where(state, has_map)
    return Seen(f'You arrive at {state.layout.told(state.place)} in {state.room}.') + view(
        state, has_map
    )


def in_a_house(state: State) -> Seen:
    """The whole house at once, where the reach has no bound."""
    house = state.layout.house
    things = sorted(name for name in state.layout.outermost if state.is_outermost(name))
    rooms = listed(sorted(room.name for room in house.rooms))
    seen = listed([f'a {name}' for name in things])
    return Seen(f'You are in a house with {rooms}. Looking quickly around you, you see {seen}.',
                things)  # fmt: skip


def view(state: State, has_map: bool) -> Seen:
    """Things, doors and locations around, and where one can go back to."""
    layout, place = state.layout, state.place
    near = layout.near(state.at, state.room)
    things = sorted(
        one
        for one in near
        if one in layout.outermost
        and one != place
        and one not in state.carried_off
        and not (has_map and one == state.left)
    )
    texts = [f'Looking around, you see {_around(state, things)}.']
    doors = sorted(layout.doors.get(place, ()), key=lambda pair: pair[0].name)
    if doors:
        listing = ', '.join(f'{door.name} at {written(door.at)}' for door, _ in doors)
        texts.append(f'You can see {listing} leading to other room{"s" * (len(doors) > 1)}.')
    of_the_map = state.known if has_map else frozenset()
    house = layout.house
    places = {one for one in (*near, *of_the_map) if one in house.location and one != place}
    back = sorted(of_the_map - places - {*things, place})
    if places:
        also = 'also ' if doors and not back else ''
        listing = ', '.join(sorted(map(layout.told, places)))
        texts.append(f'You can {also}go to {listing} to explore more.')
    if back:
        texts.append(f'You can also go back to {", ".join(back)}.')
    return Seen(' '.join(texts), (*things, *back))


def _around(state: State, things: list[str]) -> str:
    """Furniture first, then what is loose, which is given at the end of its group."""
    house = state.layout.house
    fixed = [f'a {name} at {written(state.layout.spot(name)[0])}' for name in things
             if house.thing[name].fixed]  # fmt: skip
    loose = [f'a {name} at {written(state.layout.spot(name)[0])}' for name in things
             if not house.thing[name].fixed]  # fmt: skip
    return listed([*fixed, *loose]) + (' on the floor/wall' if loose else '')


def _facing(state: State) -> Seen:
    name = state.faced
    if state.layout.house.thing[name].fixed:
        return Seen(f'You are facing {name} in {state.room}.') + content(state, name)
    sight = examined(state, name)
    return Seen(f'You are facing {name} on the floor in {state.room}.') + sight


def content(state: State, name: str) -> Seen:
    """What is to be seen of a receptacle: its parts, then what is in each of them."""
    parts = state.parts(name)
    if not parts or state.is_closed(name):
        return _in_one(state, name)
    seen = Seen(f'You can see {listed([f"a {part}" for part in parts])} on/inside the {name}.')
    seen += _in_one(state, name)
    for part in parts:
        seen += content(state, part)
    return seen


def _in_one(state: State, name: str) -> Seen:
    if state.is_closed(name):
        return Seen(f'The {name} is closed.', (name,))
    inside = state.inside.get(name, ())
    things = listed([f'a {thing}' for thing in inside])
    if state.can_open(name):
        return Seen(f'The {name} is open. In it, you see {things}.', (name, *inside))
    return Seen(f'On the {name}, you see {things}.', (name, *inside))


def examined(state: State, name: str) -> Seen:
    """What is to be seen of an object."""
    inside = state.inside.get(name, ())
    if inside and state.is_container(name):
        things = listed([f'a {thing}' for thing in inside])
        return Seen(f'This is a normal {name}. In it, you see {things}.', (name, *inside))
    states = state.states.get(name, frozenset())
    kind = state.class_of(name)
    words = [word for word in _WORDS if word in states]
    is_on = 'on' in states if kind in LAMPS else None
    return Seen(described_condition(name, words, is_on, kind in SLICEABLE), (name,))
