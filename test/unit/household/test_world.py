"""Resets, scenes, tasks and the registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.world import World
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.registry import make_world

Graph = dict[str, Any]


@pytest.fixture
def file(home: Graph, tmp_path: Path) -> str:
    place = tmp_path / 'home.json'
    place.write_text(json.dumps(home))
    return str(place)


def test_the_registry_makes_a_household_with_options() -> None:
    world: World = make_world('household', failure_rate=0.25, reach=2.0)
    assert world.name == 'household' and world.scene == ''


def test_the_registry_refuses_unknown_names_and_options() -> None:
    with pytest.raises(ConfigurationError, match=r'choose one of: .*household'):
        make_world('atlantis')
    with pytest.raises(ConfigurationError, match='no such option'):
        make_world('household', colour='red')
    with pytest.raises(ConfigurationError, match='failure_rate must be 0 to 1'):
        make_world('household', failure_rate=2.0)


def test_before_the_first_reset_there_is_nothing_to_ask() -> None:
    world = HouseholdWorld()
    for ask in (
        world.observe,
        world.admissible_skills,
        world.candidate_skills,
        world.progress,
        world.vocabulary,
        world.graph,
        lambda: world.step('go to kitchen 1'),
    ):
        with pytest.raises(ConfigurationError, match='reset the world first'):
            ask()


def test_a_generated_home_is_the_same_for_the_same_seed() -> None:
    first, second = HouseholdWorld(), HouseholdWorld()
    assert first.reset('generated:5', '', 1) == second.reset('generated:5', '', 1)
    assert first.graph() == second.graph()
    assert first.scene == 'generated:5'


@pytest.mark.parametrize('scene', ['generated:', 'generated:x', 'generated:1.5', '/nowhere.json'])
def test_a_scene_that_cannot_be_loaded_leaves_the_world_as_it_was(scene: str, file: str) -> None:
    world = HouseholdWorld()
    world.reset(file, '', 0)
    world.step('go to fridge 1')
    before = world.observe(), world.graph(), world.scene
    with pytest.raises(ConfigurationError):
        world.reset(scene, '', 0)
    assert (world.observe(), world.graph(), world.scene) == before


def test_a_task_that_cannot_be_loaded_leaves_the_world_as_it_was(file: str) -> None:
    world = HouseholdWorld()
    world.reset(file, '', 0)
    world.step('go to fridge 1')
    before = world.observe(), world.graph(), world.task()
    with pytest.raises(ConfigurationError):
        world.reset('generated:1', '/nowhere/task.json', 0)
    assert (world.observe(), world.graph(), world.task()) == before


def test_an_empty_scene_keeps_the_home_and_puts_it_back_as_it_was(file: str) -> None:
    world = HouseholdWorld()
    first = world.reset(file, '', 0)
    for skill in ('go to fridge 1', 'open fridge 1', 'pick up apple 1'):
        assert world.step(skill).succeeded
    assert world.reset('', '', 0) == first
    assert world.scene == file


def test_an_empty_scene_before_any_other_is_a_home_of_the_seed() -> None:
    world = HouseholdWorld()
    world.reset('', '', 3)
    assert world.scene == 'generated:3'


def test_a_changed_file_is_read_again(file: str, home: Graph) -> None:
    world = HouseholdWorld()
    world.reset(file, '', 0)
    home['nodes'] = [node for node in home['nodes'] if node['id'] != 22]
    Path(file).write_text(json.dumps(home))
    assert 'fridge' not in world.reset(file, '', 0).text


def test_a_task_brings_its_goal(tmp_path: Path, file: str) -> None:
    task = tmp_path / 'task.json'
    task.write_text(
        json.dumps(
            {
                'task_id': 'cold-apple',
                'task_type': 'put_fridge',
                'instruction': 'Cool two apples.',
                'goal': {'inside_apple_fridge': 2},
            }
        )
    )
    world = HouseholdWorld()
    world.reset(file, str(task), 0)
    assert world.task().instruction == 'Cool two apples.'
    progress = world.progress()
    assert progress is not None
    assert (progress.met, progress.total) == (1, 2)
    assert progress.conditions == ('inside apple fridge: 1 of 2',)
    for skill in (
        'go to kitchen table 1',
        'pick up apple 2',
        'go to fridge 1',
        'open fridge 1',
        'put down apple 2',
    ):
        assert world.step(skill).succeeded
    progress = world.progress()
    assert progress is not None and progress.success


def test_a_reset_without_a_task_has_no_goal(tmp_path: Path, file: str) -> None:
    world = HouseholdWorld()
    world.reset('generated:0', 'generated:0', 0)
    assert world.task() is not None and world.progress() is not None
    world.reset('', '', 0)
    assert world.task() is None and world.progress() is None
