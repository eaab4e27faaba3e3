"""Requests in other words than the world's: what facts, chance and a model make of each.

    python -m benchmarks.vague --half looked_at --model none random:1 qwen2.5-coder-1.5b

Each request of `household.yaml` is told in the first home from seed 9861 on that has what it may
mean, and where it is not so yet, if there is one. It is done when, in the world itself, something
that does it justice holds at the end of a thing of which it did not at the beginning.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.registry import given_back, make_task_world

FILE = Path(__file__).with_name('household.yaml')
#: Homes that are tried for a request, and where something is served.
_HOMES = range(9861, 9901)
_TABLES = frozenset(
    {'coffee table', 'kitchen table', 'desk', 'nightstand', 'sofa', 'kitchen counter', 'bed'}
)
_MOST = 60


@dataclass
class Result:
    """What one request came to. :param means: what it was taken for."""

    say: str
    met: bool
    ended: str
    skills: int
    requests: int
    means: str


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--half', choices=('looked_at', 'held_out'), default='looked_at')
    parser.add_argument('--model', nargs='+', default=['none', 'random:1'])
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('-a', '--all', action='store_true', help='a line for every request')
    asked = parser.parse_args(words)
    requests = yaml.safe_load(FILE.read_text(encoding='utf-8'))[asked.half]
    print('| model | requests | done | said done, and was not | skills | requests to the model |')
    print('|---' * 6 + '|')
    for name in asked.model:
        model = load_model(name, ModelOptions(threads=asked.threads))
        found = []
        for request in requests:
            one = _played(request, model)
            found.append(one)
            mark = 'done' if one.met else 'not'
            if asked.all:
                means = f'{one.say} -> {one.means or "-"}'
                print(f'  {mark}: {means} ({one.ended}, {one.skills} skills)', flush=True)
        model.close()
        false = sum(one.ended == 'success' and not one.met for one in found)
        print(
            f'| {name} | {len(found)} | {sum(one.met for one in found)} | {false} | '
            f'{sum(one.skills for one in found)} | {sum(one.requests for one in found)} |'
        )


def _played(request: dict[str, Any], model: Any) -> Result:
    made: Any = make_task_world('household')
    with given_back(made) as world:
        wanted = request['wanted']
        found: dict[bool, int] = {}
        for seed in _HOMES:
            before = _begun(world, seed, wanted)
            if all(_possible(world._now.state.graph, one, before) for one in wanted):
                found.setdefault(not before, seed)
            if True in found:
                break
        if not found:
            raise SystemExit(f'No home has what is wanted by "{request["say"]}".')
        before = _begun(world, found.get(True, found.get(False, 0)), wanted)
        episode = plan_episode(
            world,
            model,
            InProcessMemory(),
            PlannerSettings(),
            Limits(_MOST, _MOST),
            sentence=request['say'],
        )
        goal = episode.run.aims.goal
        return Result(
            request['say'],
            bool(_held_by(world._now.state.graph, wanted) - before),
            episode.ended,
            episode.run.tree.steps,
            episode.run.budget.usage.requests,
            goal.means if goal is not None else '',
        )


def _begun(world: Any, seed: int, wanted: Sequence[dict[str, Any]]) -> frozenset[int]:
    """A home as it is at first. :return: the things of which what is wanted holds already."""
    world.reset(f'generated:{seed}', f'generated:{seed}', seed)
    return frozenset(_held_by(world._now.state.graph, wanted))


def _of(graph: Any, names: Sequence[str]) -> list[int]:
    return [key for key, node in graph.nodes.items() if name_of(node.class_name) in names]


def _possible(graph: Any, wanted: dict[str, Any], before: frozenset[int]) -> bool:
    things = {*_of(graph, wanted['thing'])} - before
    return bool(things) and bool('in' not in wanted or _of(graph, wanted['in']))


def _held_by(graph: Any, wanted: Sequence[dict[str, Any]]) -> set[int]:
    """The things of which a condition holds."""
    things = ((key, one) for one in wanted for key in _of(graph, one['thing']))
    return {key for key, one in things if _holds(graph, key, one)}


def _holds(graph: Any, thing: int, wanted: dict[str, Any]) -> bool:
    if 'is' in wanted:
        return wanted['is'].upper() in graph.nodes[thing].states
    places = {name_of(graph.nodes[place].class_name) for _, place in graph.places(thing)}
    if wanted.get('served'):
        return thing in graph.held or not places.isdisjoint(_TABLES)
    return not places.isdisjoint(wanted['in'])


if __name__ == '__main__':
    main()
