"""Tasks from a seed: families, sizes, feasibility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.tasks.generator import generate_task
from sim_bridge.worlds.household.tasks.home import Home
from sim_bridge.worlds.household.tasks.wording import FAMILIES

HomeOf = Callable[[int], dict[str, Any]]
SEEDS = range(8)
TARGETS = {
    'setup_table': 'kitchentable',
    'put_fridge': 'fridge',
    'prepare_food': 'kitchentable',
    'put_dishwasher': 'dishwasher',
    'prepare_snack': 'coffeetable',
}


@pytest.mark.parametrize('family', FAMILIES)
def test_a_goal_has_the_form_of_its_family(home: HomeOf, family: str) -> None:
    for seed in SEEDS:
        task = generate_task(home(seed), family, seed)
        relation = 'inside' if family in ('put_fridge', 'put_dishwasher') else 'on'
        brought = {key: need for key, need in task.goal.items() if key.startswith(relation)}
        switched = set(task.goal) - set(brought)
        assert switched == ({'turnOn_dishwasher'} if family == 'put_dishwasher' else set())
        assert all(key.endswith('_' + TARGETS[family]) for key in task.goal)
        assert 2 <= sum(brought.values()) <= 6
        assert (task.task_id, task.task_type) == (f'{family}:{seed}', family)


@pytest.mark.parametrize('family', FAMILIES)
def test_a_task_can_be_done_and_is_not_done_yet(home: HomeOf, family: str) -> None:
    for seed in SEEDS:
        graph = home(seed)
        task = generate_task(graph, family, seed)
        belief = Home(graph)
        assert belief.missing(task.goal) >= 2
        for condition in belief.conditions(task.goal):
            if condition.thing:
                supply = belief.supply(condition.thing, condition.target)
                assert supply >= condition.need


def test_most_tasks_begin_with_nothing_done(home: HomeOf) -> None:
    partly = 0
    for seed in SEEDS:
        for family in FAMILIES:
            task = generate_task(home(seed), family, seed)
            total = sum(need for key, need in task.goal.items() if not key.startswith('turnOn'))
            partly += Home(home(seed)).missing(task.goal) < total
    assert partly < len(SEEDS) * len(FAMILIES) / 4


def test_the_same_seed_gives_the_same_task(home: HomeOf) -> None:
    first = [generate_task(home(3), None, seed) for seed in range(10)]
    assert first == [generate_task(home(3), None, seed) for seed in range(10)]
    assert len({str(task.goal) for task in first}) > 5


def test_a_free_seed_reaches_every_family(home: HomeOf) -> None:
    seen = Counter(generate_task(home(2), None, seed).task_type for seed in range(60))
    assert set(seen) == set(FAMILIES)


def test_things_nobody_can_reach_are_not_asked_for(small_home: dict[str, Any]) -> None:
    for node in small_home['nodes']:
        if node['class_name'] == 'kitchencabinet':
            node['properties'] = ['CONTAINERS']
    with pytest.raises(ConfigurationError, match='setup_table'):
        generate_task(small_home, 'setup_table', 1)


def test_a_home_without_the_target_allows_no_such_task(small_home: dict[str, Any]) -> None:
    small_home['nodes'] = [
        node for node in small_home['nodes'] if node['class_name'] != 'dishwasher'
    ]
    with pytest.raises(ConfigurationError, match='dishwasher'):
        generate_task(small_home, 'put_dishwasher', 1)
    for seed in range(10):
        assert generate_task(small_home, None, seed).task_type != 'put_dishwasher'


def test_what_is_there_already_is_rather_not_asked_for(small_home: dict[str, Any]) -> None:
    # One apple lies on the kitchen table, the other has to come from the sofa.
    goal = {'on_apple_kitchentable': 2}
    assert Home(small_home).supply('apple', 'kitchentable') == 1
    assert Home(small_home).stored('apple', 'kitchentable') == 1
    assert Home(small_home).missing(goal) == 1


def test_an_unknown_family_or_seed_is_refused(small_home: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match='setup_table, put_fridge'):
        generate_task(small_home, 'dance', 1)
    with pytest.raises(ConfigurationError, match='0 or more'):
        generate_task(small_home, 'setup_table', -1)
