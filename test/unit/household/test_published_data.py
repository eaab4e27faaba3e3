"""Real VirtualHome and Watch-And-Help graphs, and an episode recorded in the simulator."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.graph_reading import read_graph
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.scoring import Goal
from support.needs import need_data, skip_for
from support.random_play import CheckGraph, play

_VERBS = {
    'walk': 'go to',
    'open': 'open',
    'close': 'close',
    'grab': 'pick up',
    'putback': 'put down',
    'putin': 'put down',
    'switchon': 'turn on',
}


def files(shared_data: Path, folder: str) -> list[Path]:
    found = sorted((shared_data / folder).glob('*.json'))
    if not found:
        skip_for('shared data', f'there is no {folder}')
    return found


@pytest.mark.parametrize('folder', ['virtualhome_scenes', 'wah_graphs'])
@pytest.mark.parametrize(
    'options', [{}, {'classes': 'properties', 'doorless': 'show'}], ids=['published', 'properties']
)
def test_every_real_graph_can_be_played(
    shared_data: Path, check_graph: CheckGraph, folder: str, options: dict[str, Any]
) -> None:
    played = 0
    for file in files(shared_data, folder):
        world = HouseholdWorld(**options)
        try:
            world.reset(str(file), '', played)
        except ConfigurationError as error:
            assert 'holds no scene graph' in str(error)
            continue
        play(world, Random(played), check_graph)
        played += 1
    assert played


def test_places_and_states_of_a_real_graph_are_written_as_they_were_read(
    shared_data: Path,
) -> None:
    for file in files(shared_data, 'wah_graphs'):
        try:
            graph = read_graph(file)
        except ConfigurationError:
            continue
        world = HouseholdWorld()
        world.reset(str(file), '', 0)
        written = world.graph()
        me = {node['id'] for node in graph['nodes'] if node['class_name'] == 'character'}

        def places(one: Mapping[str, Any], without: set[int]) -> set[tuple[int, str, int]]:
            return {
                (edge['from_id'], edge['relation_type'], edge['to_id'])
                for edge in one['edges']
                if edge['relation_type'] in ('INSIDE', 'ON') and edge['from_id'] not in without
            }

        added = {node['id'] for node in written['nodes']} - {node['id'] for node in graph['nodes']}
        rooms = {node['id'] for node in graph['nodes'] if node['category'] == 'Rooms'}
        given = places(graph, me)
        with_room = {
            start for start, relation, end in given if relation == INSIDE and end in rooms
        }
        completed = places(written, me | added) - given
        assert places(written, me | added) >= given
        assert {start for start, _, _ in completed}.isdisjoint(with_room)
        assert {relation for _, relation, _ in completed} <= {INSIDE}
        states = {node['id']: node['states'] for node in written['nodes']}
        for node in graph['nodes']:
            given = node['states']
            assert states[node['id']] == given or not given
            assert set(states[node['id']]) - set(given) <= {'CLOSED', 'OFF'}


def test_published_goals_can_be_scored(shared_data: Path) -> None:
    goals = shared_data / 'wah_graphs' / 'env_to_pred.json'
    scene = shared_data / 'wah_graphs' / 'graph_env_setup_0.json'
    need_data(goals, scene)
    world = HouseholdWorld()
    world.reset(str(scene), '', 0)
    for goal in json.loads(goals.read_text()).values():
        progress = Goal(goal, world._now.state.graph).progress()
        assert progress is not None
        assert 0 <= progress.met <= progress.total == sum(goal.values())


def test_a_recorded_episode_of_the_simulator_can_be_replayed(shared_data: Path) -> None:
    folder = shared_data / 'wah_recorded_episode'
    need_data(folder)
    world = HouseholdWorld()
    world.reset(str(folder / 'init_graph.json'), '', 0)
    state = world._now.state
    steps = sorted(folder.glob('file_*.json'), key=lambda file: int(file.stem[5:]))
    last: dict[str, Any] = {}
    moved: dict[int, int] = {}
    for step in steps:
        last = json.loads(step.read_text())
        action = last['instruction'][0].partition('|')[0]
        verb = re.findall(r'\[(\w+)\]', action)[0]
        ids = [int(number) for number in re.findall(r'\((\d+)\)', action)]
        skill = f'{_VERBS[verb]} {state.names.name[ids[0]]}'
        observation = world.step(skill)
        if not observation.succeeded and verb == 'walk':
            room = state.graph.room_of(ids[0])
            assert room is not None
            world.step(f'go to {state.names.name[room]}')
            observation = world.step(skill)
        assert observation.succeeded, f'{action}: {observation.text}'
        if verb.startswith('put'):
            moved[ids[0]] = ids[1]
    assert moved
    for thing, receptacle in moved.items():
        assert ('ON', receptacle) in state.graph.places(thing)
    doors = {'OPEN', 'CLOSED'}
    first = {
        node['id']: doors.intersection(node['states'])
        for node in read_graph(folder / 'init_graph.json')['nodes']
    }
    for node in last['graph']['nodes']:
        # Some nodes gain a state in the recording that the first graph does not have.
        if first.get(node['id']) and doors.intersection(node['states']):
            assert doors.intersection(state.graph.nodes[node['id']].states) == (
                doors.intersection(node['states'])
            )
