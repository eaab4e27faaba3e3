"""From a written program to a task in a scene, as Tree-Planner builds its set.

What the scene lacks is added, and names become ids.

The published steps, with one choice of ours: what is drawn is drawn from the task's own text, so
that the same program in the same scene is the same task everywhere.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file, read_text
from sim_bridge.worlds.household.graph_reading import read_graph
from sim_bridge.worlds.household.nodes import CHARACTER, is_room
from sim_bridge.worlds.household.programs.execution import execute
from sim_bridge.worlds.household.programs.measures import goal_conditions
from sim_bridge.worlds.household.programs.script import folded, Named, read_script, Script, Step
from sim_bridge.worlds.household.programs.stage import PUBLISHED, Stage
from sim_bridge.worlds.programs.pairs import Pair

#: Fewest steps of a program that becomes a task.
FEWEST_STEPS = 3
#: Files of VirtualHome's resources, by what they hold.
_PLACING = 'object_script_placing.json'
_PROPERTIES = 'properties_data.json'
_EQUIVALENTS = 'class_name_equivalence.json'
_LARGEST_TABLE = 16 * 1024**2
_TRIMMED = re.compile(r'(?:Trimmed)?TestScene(\d+)_graph')
#: State of an added thing -> the property that it comes with.
_FIRST_STATES = {'OFF': 'HAS_SWITCH', 'CLOSED': 'CAN_OPEN', 'PLUGGED_IN': 'HAS_PLUG'}


class NotPossible(Exception):
    """Why a program is no task in a scene, in a sentence."""


@dataclass(frozen=True)
class Resources:
    """What is known of classes beside the scenes.

    :param placing: class -> classes that one of it may stand on.
    :param properties: class -> properties. :param equivalents: class -> its other names.
    """

    placing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    properties: Mapping[str, Sequence[str]] = field(default_factory=dict)
    equivalents: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_resources(folder: Path) -> Resources:
    """VirtualHome's resources: where things stand, properties, other names; each file is optional.

    :raises ConfigurationError: a file cannot be read, or the folder has none of them.
    """
    tables: dict[str, Any] = {}
    for name in (_PLACING, _PROPERTIES, _EQUIVALENTS):
        if (folder / name).is_file():
            kind = dict[str, list[dict[str, Any]]] if name == _PLACING else dict[str, list[str]]
            tables[name] = read_file(
                folder / name, kind, form='is no such table', largest=_LARGEST_TABLE
            )
    if not tables:
        raise ConfigurationError(
            f'{folder} has none of {_PLACING}, {_PROPERTIES} and {_EQUIVALENTS}: name the folder '
            "of VirtualHome's resources"
        )
    placing = {
        name: tuple(str(entry.get('destination', '')) for entry in entries)
        for name, entries in tables.get(_PLACING, {}).items()
    }
    return Resources(placing, tables.get(_PROPERTIES, {}), tables.get(_EQUIVALENTS, {}))


def make_pair(
    script: Script, graph: Mapping[str, Any], scene: str, resources: Resources, seed: int = 0
) -> Pair:
    """The task that a program is in a scene.

    :param graph: with a character; not changed.
    :param seed: changes what is drawn: places of added things, and which of several is meant.
    :raises NotPossible: it is too short, changes nothing, names what the scene lacks, or fails.
    """
    if len(script.steps) < FEWEST_STEPS:
        raise NotPossible(f'it has fewer than {FEWEST_STEPS} steps')
    text = '\n'.join(map(str, script.steps))
    drawn = random.Random(f'{script.title}\n{text}\n{scene}\n{seed}')
    completed = _with_missing(script, graph, resources, drawn)
    home = Stage(completed, resources.properties, resources.equivalents)
    steps = _Mapper(home, resources, drawn).mapped(script.steps)
    before = home.facts(PUBLISHED)
    execution = execute(home, steps, PUBLISHED)
    if not execution.succeeded:
        raise NotPossible(execution.reason)
    goal = goal_conditions(before, home.facts(PUBLISHED))
    if not goal:
        raise NotPossible('nothing is changed by it')
    description = ' '.join(script.description.split())
    pair_id = f'{slug_of(script.title)}-{re.sub("[^A-Za-z0-9]+", "-", scene)}'
    return Pair(pair_id, script.title, description, scene, completed, steps, goal)


def slug_of(title: str) -> str:
    """A title as a part of a name: 'Rest on the sofa' is 'rest_on_the_sofa'."""
    return '_'.join(re.findall('[a-z0-9]+', title.lower())) or 'task'


def _names_of(script: Script) -> list[str]:
    names = (named.name for step in script.steps for named in step.objects)
    return list(dict.fromkeys(names))


def _alike(name: str, resources: Resources) -> list[str]:
    return [folded(one) for one in (name, *resources.equivalents.get(name, ()))]


def _with_missing(
    script: Script, graph: Mapping[str, Any], resources: Resources, drawn: random.Random
) -> dict[str, Any]:
    """The scene with one of each class that the program names and the scene lacks."""
    nodes, edges = [*graph['nodes']], [*graph['edges']]
    completed = {**graph, 'nodes': nodes, 'edges': edges}
    by_class: dict[str, list[dict[str, Any]]] = {}
    for node in nodes:
        by_class.setdefault(folded(node['class_name']), []).append(node)
    home = Stage(completed)
    rooms = {folded(node.class_name): key for key, node in home.nodes.items() if is_room(node)}
    current = home.room_of(home.me)
    next_id = max(node['id'] for node in nodes) + 1
    first_room: dict[str, int | None] = {}
    for step in script.steps:
        for named in step.objects:
            current = next(
                (rooms[name] for name in _alike(named.name, resources) if name in rooms), current
            )
            first_room.setdefault(named.name, current)
    for name in _names_of(script):
        if name == CHARACTER or any(one in by_class for one in _alike(name, resources)):
            continue
        # The first of its names that may stand somewhere.
        known = [
            (one, places)
            for one in (name, *resources.equivalents.get(name, ()))
            if (places := _places(one, resources, by_class))
        ]
        added, places = known[0] if known else (name, [])
        properties = list(resources.properties.get(added, ()))
        loose = added == 'water' or 'BODY_PART' in properties
        if not places and not loose:
            raise NotPossible(f'there is no {name}, and no place where one may stand')
        room = first_room[name]
        if not loose:
            place = drawn.choice(drawn.choice(places))
            room = home.room_of(place)
            edges += _edge(next_id, place, 'ON'), _edge(next_id, place, 'CLOSE')
            edges.append(_edge(place, next_id, 'CLOSE'))
        if room is not None:
            edges.append(_edge(next_id, room, 'INSIDE'))
        states = [state for state, needed in _FIRST_STATES.items() if needed in properties]
        nodes.append(
            {
                'id': next_id,
                'class_name': added,
                'category': 'placable_objects',
                'properties': properties,
                'states': states,
            }
        )
        next_id += 1
    return completed


def _places(
    name: str, resources: Resources, by_class: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[list[int]]:
    """Nodes that a thing may stand on, by class."""
    classes = (folded(one) for one in resources.placing.get(name, ()))
    return [[node['id'] for node in by_class[one]] for one in classes if one in by_class]


def _edge(start: int, end: int, relation: str) -> dict[str, Any]:
    return {'from_id': start, 'relation_type': relation, 'to_id': end}


class _Mapper:
    """Gives every (name, number) of a program a node of its own."""

    def __init__(self, home: Stage, resources: Resources, drawn: random.Random) -> None:
        self._home = home
        self._resources = resources
        self._drawn = drawn
        self._meant: dict[tuple[str, int], int] = {}
        self._room = home.room_of(home.me)

    def mapped(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """The steps with ids as numbers. :raises NotPossible: a class is not there."""
        return tuple(
            Step(step.action, tuple(self._mapped(named) for named in step.objects), step.who)
            for step in steps
        )

    def _mapped(self, named: Named) -> Named:
        key = self._meant.get((named.name, named.number))
        if key is None:
            key = self._found(named)
            self._meant[named.name, named.number] = key
        node = self._home.nodes[key]
        if is_room(node):
            self._room = key
        return Named(node.class_name, key)

    def _found(self, named: Named) -> int:
        home = self._home
        if named.name == CHARACTER:
            return home.me
        taken = set(self._meant.values())
        for name in _alike(named.name, self._resources):
            alike = [key for key, node in home.nodes.items() if folded(node.class_name) == name]
            rooms = [key for key in alike if is_room(home.nodes[key])]
            if rooms:
                return rooms[0]
            free = sorted(key for key in alike if key not in taken)
            here = [key for key in free if home.room_of(key) == self._room]
            if free:
                return self._drawn.choice(here or free)
        raise NotPossible(f'there is no {named}, or every one has another number already')


@dataclass
class BuiltSet:
    """What became of programs.

    :param pairs: one a title and scene. :param left_out: program in scene -> why it is no task.
    """

    pairs: list[Pair] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def build_set(
    programs: Path, scenes: Sequence[Path], resources: Resources, seed: int = 0
) -> BuiltSet:
    """Tasks from programs and scenes that a user has.

    Of several programs of one title, that of median length is taken in each scene; of equally
    long ones the first by file name.

    :param programs: folder of `*.txt`, searched through. :param scenes: graph files.
    :raises ConfigurationError: a file cannot be read, or there is no program.
    """
    files = sorted(programs.rglob('*.txt')) if programs.is_dir() else []
    if not files:
        raise ConfigurationError(f'{programs} holds no program: name a folder of *.txt files')
    scripts = [(file, read_program(file)) for file in files]
    built = BuiltSet()
    for scene_file in scenes:
        scene, graph = scene_name_of(scene_file), read_graph(scene_file)
        by_title: dict[str, list[Pair]] = {}
        for file, script in scripts:
            try:
                pair = make_pair(script, graph, scene, resources, seed)
            except NotPossible as reason:
                built.left_out[f'{file.relative_to(programs)} in {scene}'] = str(reason)
            else:
                by_title.setdefault(slug_of(pair.task), []).append(pair)
        for pairs in by_title.values():
            # Files are in order, and sorting keeps it among equals.
            pairs.sort(key=lambda pair: len(pair.gold))
            built.pairs.append(pairs[(len(pairs) - 1) // 2])
    return built


def scene_name_of(path: Path) -> str:
    """The paper's name of a scene: TrimmedTestScene2_graph.json is 'ENV-2'."""
    found = _TRIMMED.fullmatch(path.stem)
    return f'ENV-{found[1]}' if found else path.stem


def read_program(file: Path) -> Script:
    """The program of a file. :raises ConfigurationError: it cannot be read; names the file."""
    text = read_text(file)
    try:
        return read_script(text)
    except ConfigurationError as error:
        raise ConfigurationError(f'{file} cannot be used: {error}') from None


def read_programs(text: str) -> Iterator[Script]:
    """Programs that stand below each other in one text, with an empty line between."""
    for part in re.split(r'\n\s*\n', text.strip()):
        yield read_script(part)
