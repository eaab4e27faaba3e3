"""A home as a tree of rooms, furniture and things."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from rich.tree import Tree

from reactree_tools.plain_text import count, visible
from sim_bridge.worlds.household.state import HouseholdState, Options

_NUMBERED = re.compile(r'(.+) (\d+)')


def home_heading(scene: str, home: Home, separator: str) -> Text:
    """One line: the scene and its counts."""
    heading = Text(visible(scene), style='bold')
    parts = [
        count(len(home.rooms), 'room'),
        count(home.fixtures, 'piece of furniture', 'pieces of furniture'),
        count(home.things, 'portable object'),
        count(home.nodes, 'node'),
    ]
    heading.append('  ' + f' {separator} '.join(parts), style='not bold dim')
    return heading


def home_tree(heading: Text, home: Home) -> Tree:
    """The whole home."""
    tree = Tree(heading, guide_style='bright_black')
    for room in home.rooms:
        branch = tree.add(_room_label(room, home))
        for fixture in room.fixtures:
            branch.add(_fixture_label(fixture))
        if room.loose:
            label = Text('elsewhere', style='dim')
            label.append(f': {grouped(room.loose)}', style='not dim green')
            branch.add(label)
    return tree


def room_lines(home: Home) -> Text:
    """The rooms in one line, each with the count of its furniture."""
    line = Text()
    for number, room in enumerate(home.rooms):
        line.append(', ' if number else '')
        line.append(visible(room.name), style='bold' if room.name == home.robot else '')
    line.append(f'; the robot is in the {visible(home.robot)}')
    return line


def _room_label(room: Room, home: Home) -> Text:
    label = Text(visible(room.name), style='bold blue')
    things = len(room.loose) + sum(len(fixture.things) for fixture in room.fixtures)
    figures = [
        count(len(room.fixtures), 'piece of furniture', 'pieces of furniture'),
        count(things, 'thing'),
    ]
    label.append(f'  {", ".join(figures)}', style='not bold dim')
    if room.name == home.robot:
        label.append('  robot', style='bold magenta')
        if home.held:
            label.append(f' holds {grouped(home.held)}', style='not bold magenta')
    return label


def _fixture_label(fixture: Fixture) -> Text:
    label = Text(visible(fixture.name))
    if fixture.condition:
        label.append(f' ({visible(fixture.condition)})', style='yellow')
    if fixture.things:
        label.append(f': {grouped(fixture.things)}', style='green')
    return label


def grouped(names: Sequence[str]) -> str:
    """Names with numbers, those of one word together: 'apple 1, plate (2, 3)'."""
    numbers: dict[str, list[str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        word, number = match.groups() if match else (name, '')
        numbers.setdefault(word, []).append(number)
    parts = [
        f'{word} ({", ".join(found)})' if len(found) > 1 else f'{word} {found[0]}'.strip()
        for word, found in numbers.items()
    ]
    return visible(', '.join(parts))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A piece of furniture or an appliance.

    :param name: with its number, e.g. 'fridge 1'.
    :param condition: e.g. 'closed' or 'open, on'; '' for most.
    :param things: what can be carried away from it, with numbers.
    """

    name: str
    condition: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """One room.

    :param loose: what can be carried away and lies on no furniture.
    """

    name: str
    fixtures: tuple[Fixture, ...]
    loose: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Home:
    """A whole home.

    :param robot: the room in which the robot is.
    :param held: what the robot holds.
    :param nodes: of the scene graph, whatever they are.
    """

    rooms: tuple[Room, ...]
    robot: str
    held: tuple[str, ...]
    nodes: int
    edges: int

    @property
    def fixtures(self) -> int:
        """How many pieces of furniture and appliances."""
        return sum(len(room.fixtures) for room in self.rooms)

    @property
    def things(self) -> int:
        """How many things can be carried."""
        return len(self.held) + sum(
            len(room.loose) + sum(len(fixture.things) for fixture in room.fixtures)
            for room in self.rooms
        )


def read_home(graph: Mapping[str, Any], seed: int = 0) -> Home:
    """The home of a scene graph, with the names that the robot uses.

    :param graph: in VirtualHome's format.
    :param seed: chooses where the robot starts when the graph does not say.
    :raises ConfigurationError: it is not a scene graph.
    """
    state = HouseholdState(graph, Options(), seed)
    scene, names = state.graph, state.names
    held = set(scene.held)
    fixtures: dict[int, list[int]] = {room: [] for room in scene.rooms}
    things: dict[int, list[int]] = {}
    loose: dict[int, list[int]] = {room: [] for room in scene.rooms}
    for key in sorted(scene.nodes, key=names.rank.__getitem__):
        room = scene.room_of(key)
        roles = state.roles[key]
        if key in held or room is None or key in scene.rooms or key == scene.character:
            continue
        if roles.place and roles.observable:
            fixtures[room].append(key)
        elif roles.grabbable and roles.observable:
            holder = _holder(state, key)
            (loose[room] if holder is None else things.setdefault(holder, [])).append(key)
    rooms = tuple(
        Room(
            names.name[room],
            tuple(
                Fixture(
                    names.name[key],
                    state.condition(key),
                    tuple(names.name[thing] for thing in things.get(key, ())),
                )
                for key in fixtures[room]
            ),
            tuple(names.name[key] for key in loose[room]),
        )
        for room in sorted(scene.rooms, key=names.rank.__getitem__)
    )
    return Home(
        rooms,
        names.name[state.room],
        tuple(names.name[key] for key in scene.held),
        len(graph['nodes']),
        len(graph['edges']),
    )


def home_of_floor(floor: Mapping[str, Any]) -> Home:
    """The home of a floor that a `FloorWorld` tells."""
    things = {thing['name']: thing for thing in floor['things']}
    within: dict[str, list[str]] = {}
    for name, thing in things.items():
        holder = thing['in']
        while holder and not things[holder]['fixed']:
            holder = things[holder]['in']
        if not thing['fixed']:
            within.setdefault(holder or thing['room'], []).append(name)
    rooms = tuple(
        Room(
            room['name'],
            tuple(
                Fixture(name, ', '.join(thing['states']), tuple(within.get(name, ())))
                for name, thing in things.items()
                if thing['fixed'] and thing['room'] == room['name']
            ),
            tuple(within.get(room['name'], ())),
        )
        for room in floor['rooms']
    )
    return Home(rooms, floor['room'], (), len(things), 0)


def _holder(state: HouseholdState, node_id: int) -> int | None:
    """The nearest furniture or appliance that a thing is in or on."""
    here = node_id
    while here in state.graph.parent:
        here = state.graph.parent[here][1]
        if state.roles[here].place:
            return here
    return None
