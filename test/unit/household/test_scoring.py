"""Goal conditions, and which instance of the target counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.scoring import Goal

Graph = dict[str, Any]
MakeHome = Callable[..., Graph]


def score(graph: Graph, goal: dict[str, int]) -> tuple[int, int]:
    progress = Goal(goal, SceneGraph(graph)).progress()
    assert progress is not None
    assert progress.ratio == progress.met / progress.total
    return progress.met, progress.total


@pytest.fixture
def tables(make_home: MakeHome) -> Graph:
    """Two tables: one with two plates, one with a plate and two forks."""
    return make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchentable', '', 10),
        (21, 'kitchentable', '', 10),
        (22, 'dishwasher/CLOSED ON', '', 10),
        (23, 'dishwasher/CLOSED OFF', '', 10),
        (30, 'plate', 'on 20', 10),
        (31, 'plate', 'on 20', 10),
        (32, 'plate', 'on 21', 10),
        (33, 'cutleryfork', 'on 21', 10),
        (34, 'cutleryfork', 'on 21', 10),
        (35, 'cutleryfork', 'in 23', 10),
        (36, 'apple', 'on 30', 10),
        character=10,
    )


@pytest.mark.parametrize(
    ('goal', 'met', 'total'),
    [
        ({'on_plate_kitchentable': 2}, 2, 2),
        ({'on_plate_kitchentable': 3}, 2, 3),
        ({'on_plate_kitchentable': 1}, 1, 1),
        ({'on_plate_kitchentable': 2, 'on_cutleryfork_kitchentable': 2}, 3, 4),
        ({'on_plate_kitchentable': 1, 'on_cutleryfork_kitchentable': 1}, 2, 2),
        ({'ON_Plate_KitchenTable': 2}, 2, 2),
        ({'inside_plate_kitchentable': 2}, 0, 2),
        ({'on_apple_kitchentable': 1}, 0, 1),
        ({'inside_cutleryfork_dishwasher': 1, 'turnOn_dishwasher': 1}, 1, 2),
        ({'turnOn_dishwasher': 1}, 1, 1),
        ({'on_plate_sofa': 2}, 0, 2),
        ({'on_pudding_kitchentable': 1}, 0, 1),
        ({'holds_apple': 1, 'on_plate_kitchentable': 1}, 1, 2),
        ({'sit_sofa': 1, 'on_plate_kitchentable': 1}, 1, 2),
        ({'on_plate_kitchentable': 1, 'turnOn_dishwasher': 1}, 2, 2),
    ],
)
def test_the_best_instance_of_the_target_counts(
    tables: Graph, goal: dict[str, int], met: int, total: int
) -> None:
    assert score(tables, goal) == (met, total)


def test_class_names_with_underscores_are_told_apart(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'dining_room', '', 0),
        (20, 'kitchen_counter', '', 10),
        (30, 'water_glass', 'on 20', 10),
        character=10,
    )
    assert score(graph, {'on_water_glass_kitchen_counter': 1}) == (1, 1)


def test_progress_is_read_off_the_graph_as_it_is_now(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    goal = Goal({'inside_apple_dishwasher': 1, 'turnOn_dishwasher': 1}, world._now.state.graph)
    lines = []
    for skill in (
        'go to kitchen table 1',
        'pick up apple 2',
        'go to dishwasher 1',
        'open dishwasher 1',
        'put down apple 2',
        'close dishwasher 1',
        'turn on dishwasher 1',
    ):
        assert world.step(skill).succeeded
        progress = goal.progress()
        assert progress is not None
        lines.append(progress.conditions)
    assert lines[0] == ('inside apple dishwasher: 0 of 1', 'turn on dishwasher: 0 of 1')
    assert lines[-1] == ('inside apple dishwasher: 1 of 1', 'turn on dishwasher: 1 of 1')
    assert progress is not None and progress.success and progress.ratio == 1.0


def test_conditions_are_worded_in_natural_names(tables: Graph) -> None:
    goal = {'on_cutleryfork_kitchentable': 2, 'holds_apple': 1, 'sit_sofa': 1}
    progress = Goal(goal, SceneGraph(tables)).progress()
    assert progress is not None
    assert progress.conditions == (
        'on cutlery fork kitchen table: 2 of 2',
        'hold apple: 0 of 1',
        'sit sofa: 0 of 1',
    )


def test_holding_is_counted(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    goal = Goal({'holds_apple': 1}, world._now.state.graph)
    for skill in ('go to kitchen table 1', 'pick up apple 2'):
        world.step(skill)
    progress = goal.progress()
    assert progress is not None and progress.success


def test_without_conditions_there_is_no_progress(world: HouseholdWorld) -> None:
    assert world.progress() is None
    assert world.task() is None


@pytest.mark.parametrize(
    'goal',
    [
        {'on_plate': 1},
        {'plate': 1},
        {'under_plate_sofa': 1},
        {'on_plate_sofa': 0},
        {'on_plate_sofa': -1},
        {'on_plate_sofa': True},
        {'on_plate_sofa': '2'},
        {'on_': 1},
        {'': 1},
    ],
)
def test_conditions_that_cannot_be_understood_are_refused(
    tables: Graph, goal: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError):
        Goal(goal, SceneGraph(tables))
