"""A task in a scene, with the program that solves it and what that brings about (Tree-Planner).

A set is a folder: `index.json` lists the pairs, and each is a file beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file, Written
from sim_bridge.worlds.household.graph_reading import find_graph, LARGEST_FILE
from sim_bridge.worlds.household.programs.execution import misuse
from sim_bridge.worlds.household.programs.script import read_step, Step
from sim_bridge.worlds.household.programs.stage import Fact, Stage

INDEX = 'index.json'
_STATE = 'STATE'


@dataclass(frozen=True, slots=True)
class Pair:
    """A task in a scene.

    :param pair_id: names its file, e.g. 'rest_on_the_sofa-ENV-1'.
    :param task: title of the program. :param description: the lines after it, or ''.
    :param scene: e.g. 'ENV-1'.
    :param graph: before the first step, with what was added for the task, in VirtualHome's form.
    :param gold: steps that solve it; numbers are ids of the graph.
    :param goal: what they bring about, FACING included.
    """

    pair_id: str
    task: str
    description: str
    scene: str
    graph: Mapping[str, Any]
    gold: tuple[Step, ...]
    goal: frozenset[Fact]

    @property
    def instruction(self) -> str:
        """The task as a planner reads it."""
        return f'{self.task}. {self.description}' if self.description else self.task


class _GoalFile(Written):
    edges: list[Annotated[list[int | str], Field(min_length=3, max_length=3)]]
    states: list[Annotated[list[int | str], Field(min_length=3, max_length=3)]]


class _PairFile(Written):
    format: Literal[1]
    task: str = Field(min_length=1, max_length=200)
    description: str = Field(max_length=2000)
    scene: str = Field(max_length=200)
    graph: dict[str, Any]
    gold: list[str] = Field(min_length=1, max_length=1000)
    goal: _GoalFile
    length: int
    actions: list[str]


class _IndexFile(Written):
    format: Literal[1]
    pairs: list[str] = Field(min_length=1, max_length=100_000)


def new_set_folder(folder: Path) -> Path:
    """The folder of a set to come; made if it is not there.

    :raises ConfigurationError: it cannot be made, or holds something.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigurationError(f'the folder {folder} is not empty: name a new one')
    except OSError as error:
        raise ConfigurationError(f'the folder {folder} cannot be used: {error}') from error
    return folder


def write_set(folder: Path, pairs: Iterable[Pair]) -> int:
    """Write a set; what has the same pairs has the same bytes. Answers how many.

    :param folder: new, or empty.
    :raises ConfigurationError: it cannot be written, or holds something.
    """
    new_set_folder(folder)
    try:
        names = []
        for pair in sorted(pairs, key=lambda pair: pair.pair_id):
            names.append(pair.pair_id)
            _write_json(folder / f'{pair.pair_id}.json', as_file(pair))
        _write_json(folder / INDEX, {'format': 1, 'pairs': names})
    except OSError as error:
        raise ConfigurationError(f'the set cannot be written: {error}') from error
    return len(names)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, sort_keys=True) + '\n', encoding='utf-8')


def as_file(pair: Pair) -> dict[str, Any]:
    """A pair as its file holds it."""
    names = {node['id']: node['class_name'] for node in pair.graph['nodes']}
    goal = sorted(pair.goal, key=str)
    return {
        'format': 1,
        'task': pair.task,
        'description': pair.description,
        'scene': pair.scene,
        'graph': pair.graph,
        'gold': [str(step) for step in pair.gold],
        'goal': {
            'edges': [list(fact) for fact in goal if fact[1] != _STATE],
            'states': [[key, names[key], state] for key, kind, state in goal if kind == _STATE],
        },
        'length': len(pair.gold),
        'actions': sorted({step.action for step in pair.gold}),
    }


def read_pair(path: Path) -> Pair:
    """Read one pair.

    :raises ConfigurationError: the file cannot be read, or is none.
    """
    form = 'is no task of a program: it needs a task, a graph, gold steps and a goal'
    found: _PairFile = read_file(path, _PairFile, form=form, largest=LARGEST_FILE)
    try:
        graph = find_graph(found.graph)
        ids = {node['id'] for node in graph['nodes']}
        goal = frozenset(
            [
                *(_fact(start, relation, end) for start, relation, end in found.goal.edges),
                *(_fact(key, _STATE, state) for key, _, state in found.goal.states),
            ]
        )
        mentioned = (key for fact in goal for key in (fact[0], fact[2]) if isinstance(key, int))
        unknown = sorted(set(mentioned) - ids)
        if unknown:
            raise ConfigurationError(f'its goal names the id {unknown[0]}, which no node has')
        gold = tuple(read_step(line) for line in found.gold)
        for line, step in zip(found.gold, gold, strict=True):
            strangers = [str(one) for one in step.objects if one.number not in ids]
            lack = f'no node has the id of {strangers[0]}' if strangers else ''
            if fault := misuse(step) or lack:
                raise ConfigurationError(f'its gold step {line!r:.200} cannot be done: {fault}')
    except ConfigurationError as error:
        raise ConfigurationError(f'{path} cannot be used: {error}') from error
    return Pair(path.stem, found.task, found.description, found.scene, graph, gold, goal)


def _fact(start: int | str, relation: int | str, end: int | str) -> Fact:
    """A condition of a file.

    :raises ConfigurationError: it is not made of an id, a word, and an id or the name of a state.
    """
    is_state = relation == _STATE
    if not (
        isinstance(start, int) and isinstance(relation, str) and isinstance(end, str) == is_state
    ):
        raise ConfigurationError(
            f'its goal has {[start, relation, end]!r}: write [id, relation, id] under edges, '
            '[id, class, state] under states'
        )
    return start, relation, end


def files_of_set(path: Path) -> Sequence[Path]:
    """The files of a set's pairs, in order.

    :param path: the set's folder, its index, or the file of one pair.
    :raises ConfigurationError: the index cannot be read, or names what is no file beside it.
    """
    index = path / INDEX if path.is_dir() else path
    if index.name != INDEX:
        return (index,)
    found: _IndexFile = read_file(index, _IndexFile, form='is no index: it lists pairs')
    files = [index.parent / f'{name}.json' for name in found.pairs]
    for name, file in zip(found.pairs, files, strict=True):
        if Path(name).name != name or not file.is_file():
            raise ConfigurationError(f'{index} lists {name!r}, which is no file beside it')
    return files


def sentence_of(fact: Fact, home: Stage) -> str:
    """A condition of a goal, for people: 'apple 12 is inside fridge 30', 'you are sitting'."""
    start, relation, end = fact
    me = start == home.me
    subject = 'you' if me else spoken_name(home, start)
    is_ = 'are' if me else 'is'
    if isinstance(end, str):
        return f'{subject} {is_} {end.lower().replace("_", " ")}'
    other = 'you' if end == home.me else spoken_name(home, end)
    verb = {
        'HOLDS_RH': 'hold{} {} in the right hand',
        'HOLDS_LH': 'hold{} {} in the left hand',
    }.get(relation)
    if verb is not None:
        return f'{subject} {verb.format("" if me else "s", other)}'
    return f'{subject} {is_} {relation.lower().replace("_", " ")} {other}'


def spoken_name(home: Stage, key: int) -> str:
    """Class and id of a node in words, e.g. 'kitchen counter 12'."""
    return f'{home.nodes[key].class_name.replace("_", " ")} {key}'
