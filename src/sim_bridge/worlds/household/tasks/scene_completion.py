"""Things that a goal asks for and a home lacks: put where they are usually found, by a seed.

The published tasks were set in homes that had been stocked for them. A task whose home is not part
of it can be set in any home when what is missing is added: things at places where the robot can
fetch them (not at the goal's own target), and the target itself, a dishwasher say, in its room.
What was added is given in sentences, so that nobody takes such a home for the published one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.nodes import Box
from sim_bridge.worlds.household.roles import known_classes, name_of, PUBLISHED, roles_of
from sim_bridge.worlds.household.tasks.home import Home

#: Where things are put when the task does not say.
_USUAL = ('kitchencabinet', 'fridge', 'kitchentable', 'kitchencounter', 'coffeetable', 'sofa')
#: Rooms of targets; others go to the first room.
_ROOMS = {
    'dishwasher': 'kitchen',
    'fridge': 'kitchen',
    'kitchentable': 'kitchen',
    'kitchencounter': 'kitchen',
    'microwave': 'kitchen',
    'stove': 'kitchen',
    'coffeetable': 'livingroom',
    'sofa': 'livingroom',
    'desk': 'bedroom',
    'bed': 'bedroom',
}
_SWITCHED = ('dishwasher', 'fridge', 'microwave', 'stove')
#: New ids start above; the published clients number added things alike.
_FIRST_ID = 1000
_SMALL = (0.1, 0.1, 0.1)
_MOST_PLACED = 100


@dataclass(frozen=True, slots=True)
class CompletedScene:
    """A home that has what a goal needs.

    :param graph: shares unchanged nodes and edges with the home it was made from.
    :param notes: a sentence for each class of added things; empty when nothing was missing.
    """

    graph: Mapping[str, Any]
    notes: tuple[str, ...]


def add_missing_objects(
    graph: Mapping[str, Any], goal: Mapping[str, int], sources: Mapping[str, str], seed: int
) -> CompletedScene:
    """Add what a goal needs.

    :param graph: in VirtualHome's format; not changed.
    :param sources: class of thing -> class of where it should be, where the home has one.
    :param seed: chooses among the places.
    :raises ConfigurationError: the goal cannot be understood, or there is nowhere to put things.
    """
    builder = _SceneBuilder(graph, seed)
    for target in dict.fromkeys(one.target for one in builder.home.conditions(goal)):
        if target and not builder.home.has_class(target):
            builder.add_target(target)
    # Read again: a class that is there now can be distinguished from an underscore in a name.
    for condition in Home(builder.graph).conditions(goal):
        if condition.relation in ('on', 'inside', 'holds'):
            short = condition.need - builder.home.supply(condition.thing, condition.target)
            if short > _MOST_PLACED:
                raise ConfigurationError(
                    f'the goal asks for {condition.need} of {name_of(condition.thing)}: '
                    f'at most {_MOST_PLACED} are added to a home'
                )
            source = sources.get(condition.thing, '')
            for _ in range(short):
                builder.add_thing(condition.thing, condition.target, source)
    notes = tuple(builder.notes())
    return CompletedScene(builder.graph if notes else graph, notes)


def start_in(graph: Mapping[str, Any], room: str) -> Mapping[str, Any]:
    """The home with its character in the first room of a class.

    :param graph: in VirtualHome's format; not changed.
    :raises ConfigurationError: there is no such room.
    """
    scene = SceneGraph(graph)
    rooms = [key for key in scene.rooms if scene.nodes[key].class_name == room]
    if not rooms:
        known = ', '.join(sorted({scene.nodes[key].class_name for key in scene.rooms}))
        raise ConfigurationError(f'the home has no {room!r} to start in; its rooms are: {known}')
    me = scene.character
    nodes = list(graph['nodes'])
    if all(node['id'] != me for node in nodes):
        nodes.append(dict(scene.nodes[me].source))
    edges = [
        edge
        for edge in graph['edges']
        if not (edge['from_id'] == me and edge['relation_type'].upper() in ('INSIDE', 'ON'))
    ]
    edges.append(_edge(me, 'INSIDE', rooms[0]))
    return {**graph, 'nodes': nodes, 'edges': edges}


class _SceneBuilder:
    """A home while things are added."""

    def __init__(self, graph: Mapping[str, Any], seed: int) -> None:
        self.home = Home(graph)
        self._scene = SceneGraph(graph)
        self._names = Names(self._scene.nodes)
        self._random = Random(f'provisions {int(seed)}')
        self._source = graph
        self._nodes: list[dict[str, Any]] = []
        self._edges: list[dict[str, Any]] = []
        self._next = max(_FIRST_ID, *self._scene.nodes) + 1
        self._placed: dict[tuple[str, str], int] = {}

    @property
    def graph(self) -> Mapping[str, Any]:
        """The home with what was added so far."""
        return {
            **self._source,
            'nodes': [*self._source['nodes'], *self._nodes],
            'edges': [*self._source['edges'], *self._edges],
        }

    def notes(self) -> list[str]:
        """What was added where."""
        return [
            f'Added {count} {name_of(class_name)} {place}.'
            for (class_name, place), count in self._placed.items()
        ]

    def add_target(self, class_name: str) -> None:
        """A piece of furniture or an appliance, in the room where it usually stands."""
        known = known_classes().get(class_name)
        if known is None or not known.roles.receptacle or known.roles.grabbable:
            raise ConfigurationError(
                f'the home has no {name_of(class_name)}, and that cannot be added: choose another '
                'scene or task'
            )
        rooms = self._scene.rooms
        wanted = _ROOMS.get(class_name)
        room = next(
            (key for key in rooms if self._scene.nodes[key].class_name == wanted), rooms[0]
        )
        properties = ['CONTAINERS' if known.roles.container else 'SURFACES']
        states = []
        if known.roles.openable:
            properties.append('CAN_OPEN')
            states.append('CLOSED')
        if class_name in _SWITCHED:
            properties.append('HAS_SWITCH')
            states.append('OFF')
        self._add(class_name, 'Furniture', properties, states, room)
        self._note(class_name, f'in {self._names.name[room]}')

    def add_thing(self, class_name: str, target: str, source: str) -> None:
        """Something to carry, at a place of the class `source` if there is one."""
        known = known_classes().get(class_name)
        if known is None or not known.roles.grabbable or not known.roles.observable:
            raise ConfigurationError(
                f'the home has too few of {name_of(class_name)}, and more cannot be added: choose '
                'another scene or task'
            )
        place = self._choose_place(target, source)
        scene, room = self._scene, self._scene.room_of(place)
        assert room is not None, 'places are in rooms'
        inside = roles_of(scene.nodes[place], PUBLISHED).container
        properties = ['GRABBABLE', 'MOVABLE'] + (['SURFACES'] if known.roles.surface else [])
        box = scene.nodes[place].box
        added = self._add(class_name, 'Props', properties, [], room)
        if box is not None:
            laid = box.on_top(Box((0.0, 0.0, 0.0), _SMALL))
            self._nodes[-1]['bounding_box'] = laid.as_graph()
        self._edges.append(_edge(added, 'INSIDE' if inside else 'ON', place))
        self._note(class_name, f'{"in" if inside else "on"} {self._names.name[place]}')

    def _choose_place(self, target: str, source: str) -> int:
        for classes in ((source,), _USUAL):
            places = self._places(classes, target)
            if places:
                return self._random.choice(places)
        raise ConfigurationError(
            'there is no place in this home for things that the goal needs: choose another scene'
        )

    def _places(self, classes: Sequence[str], target: str) -> list[int]:
        """Where things can be put and fetched from again, in the order of ids."""
        scene = self._scene
        places = []
        for key, node in scene.nodes.items():
            if node.class_name not in classes or node.class_name.casefold() == target:
                continue
            roles = roles_of(node, PUBLISHED)
            if scene.room_of(key) is None or not (roles.observable and roles.receptacle):
                continue
            if roles.container:
                fits = node.has('CONTAINERS') and (
                    node.is_open or (roles.openable and node.has('CAN_OPEN'))
                )
            else:
                fits = node.has('SURFACES')
            if fits:
                places.append(key)
        return places

    def _add(
        self, class_name: str, category: str, properties: list[str], states: list[str], room: int
    ) -> int:
        added = self._next
        self._next += 1
        self._nodes.append(
            {
                'id': added,
                'category': category,
                'class_name': class_name,
                'properties': properties,
                'states': states,
            }
        )
        self._edges.append(_edge(added, 'INSIDE', room))
        return added

    def _note(self, class_name: str, place: str) -> None:
        key = (class_name, place)
        self._placed[key] = self._placed.get(key, 0) + 1


def _edge(start: int, relation: str, end: int) -> dict[str, Any]:
    return {'from_id': start, 'relation_type': relation, 'to_id': end}
