"""The expert that knows everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.tasks.expert import solve
from sim_bridge.worlds.household.tasks.wording import FAMILIES

HomeOf = Callable[[int], dict[str, Any]]


@pytest.mark.parametrize('first', range(0, 100, 20))
@pytest.mark.parametrize('family', FAMILIES)
def test_every_generated_task_can_be_solved(
    home: HomeOf, world: HouseholdWorld, family: str, first: int
) -> None:
    counts = []
    for seed in range(first, first + 20):
        world.reset_to(home(seed), f'{family}:{seed}', seed)
        counts.append(len(solve(world)))
        progress = world.progress()
        assert progress is not None and progress.success, seed
    assert 6 <= sum(counts) / len(counts) <= 18


def test_the_same_plan_works_again(home: HomeOf, world: HouseholdWorld) -> None:
    world.reset_to(home(4), 'prepare_food:4', 0)
    skills = solve(world)
    world.reset_to(home(4), 'prepare_food:4', 0)
    assert all(world.step(skill).succeeded for skill in skills)
    progress = world.progress()
    assert progress is not None and progress.success


def play(world: HouseholdWorld, graph: dict[str, Any], tmp_path: Any, goal: str) -> list[str]:
    path = tmp_path / 'task.yaml'
    path.write_text(f'instruction: x\ngoal: {{{goal}}}\n', encoding='utf-8')
    world.reset_to(graph, str(path))
    return list(solve(world))


def test_two_things_are_carried_at_once(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    skills = play(world, small_home, tmp_path, 'on_plate_coffeetable: 2')
    assert skills == [
        'go to kitchen 1',
        'go to kitchen cabinet 1',
        'open kitchen cabinet 1',
        'pick up plate 1',
        'pick up plate 2',
        'go to living room 1',
        'go to coffee table 1',
        'put down plate 1',
        'put down plate 2',
    ]


def test_a_closed_target_is_opened_with_a_free_hand(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    skills = play(world, small_home, tmp_path, 'inside_plate_fridge: 2')
    assert skills.count('open fridge 1') == 1
    assert skills.index('open fridge 1') < max(
        skills.index('pick up plate 1'), skills.index('pick up plate 2')
    )


def test_what_is_there_stays_there(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    skills = play(world, small_home, tmp_path, 'on_apple_kitchentable: 2')
    assert skills == [
        'go to sofa 1',
        'pick up apple 1',
        'go to kitchen 1',
        'go to kitchen table 1',
        'put down apple 1',
    ]


def test_nothing_is_closed_to_turn_something_on(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    skills = play(world, small_home, tmp_path, 'inside_plate_dishwasher: 1, turnOn_dishwasher: 1')
    assert skills[-1] == 'turn on dishwasher 1'
    assert not any(skill.startswith('close') for skill in skills)


def test_a_slipping_hand_does_not_stop_it(home: HomeOf) -> None:
    world = HouseholdWorld(failure_rate=0.2)
    for seed in range(5):
        world.reset_to(home(seed), f'setup_table:{seed}', seed)
        solve(world)
        progress = world.progress()
        assert progress is not None and progress.success


def test_too_few_things_cannot_be_brought(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    with pytest.raises(SkillError, match='cannot solve'):
        play(world, small_home, tmp_path, 'on_plate_coffeetable: 3')


def test_it_needs_a_task_of_bringing_things(
    world: HouseholdWorld, small_home: dict[str, Any], tmp_path: Any
) -> None:
    world.reset_to(small_home)
    with pytest.raises(ConfigurationError, match='task'):
        solve(world)
    with pytest.raises(ConfigurationError, match='one class of place'):
        play(world, small_home, tmp_path, 'holds_apple: 1')
