"""Programs on a small home: what each action needs, changes and says."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.programs import execute, read_script
from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.execution import Execution
from sim_bridge.worlds.household.programs.measures import goal_conditions, measure
from sim_bridge.worlds.household.programs.stage import Stage

#: Of Tree-Planner's statistics.
PUBLISHED = (
    'Find Walk Grab TurnTo SwitchOn LookAt Sit PutObjBack PutBack Wash Wipe SwitchOff PointAt '
    'Scrub Pour Rinse Lie Sleep Type Pull Open Touch Drop PutOff StandUp Read PutOn Drink'
)


def run(home: Stage, *lines: str) -> Execution:
    return execute(home, read_script('\n'.join(lines)).steps)


def test_the_published_actions_are_there() -> None:
    published = PUBLISHED.upper().split()
    assert len(published) == 28
    assert set(published) <= set(ACTIONS)


def test_milk_is_fetched_and_poured(graph: dict[str, Any]) -> None:
    before = deepcopy(graph)
    home = Stage(graph)
    execution = run(
        home,
        '[WALK] <fridge> (10)',
        '[OPEN] <fridge> (10)',
        '[GRAB] <milk> (20)',
        '[WALK] <table> (11)',
        '[POUR] <milk> (20) <cup> (21)',
        '[PUTBACK] <milk> (20) <table> (11)',
    )
    assert execution.succeeded and execution.done == 6 and len(execution.visited) == 7
    assert {(20, 'ON', 11), (20, 'INSIDE', 21), (10, 'STATE', 'OPEN')} <= home.facts()
    assert not {(20, 'INSIDE', 10), (3, 'HOLDS_RH', 20)} & home.facts()
    assert graph == before


@pytest.mark.parametrize(
    ('lines', 'reason'),
    [
        (['[DANCE]'], '[DANCE] is not an action of VirtualHome'),
        (['[WALK]'], '[WALK] takes 1 objects, not 0'),
        (['[WALK] <dragon> (1)', '[STANDUP]'], None),
        (['[WALK] <dragon> (99)'], '<dragon> (99) cannot be found'),
        (['[OPEN] <fridge> (10)'], '<character> (3) is not close to <fridge> (10)'),
        (
            ['[WALK] <fridge> (10)', '[GRAB] <milk> (20)'],
            '<milk> (20) is inside other closed thing',
        ),
        (['[WALK] <table> (11)', '[GRAB] <table> (11)'], '<table> (11) is not grabbable'),
        (['[WALK] <table> (11)', '[OPEN] <table> (11)'], '<table> (11) can not be opened'),
        (['[WALK] <fridge> (10)', '[CLOSE] <fridge> (10)'], '<fridge> (10) is not open'),
        (['[PUTBACK] <cup> (21) <table> (11)'], '<character> (3) is not holding <cup> (21)'),
        (['[DRINK] <cup> (21)'], '<character> (3) is not holding <cup> (21)'),
        (
            [
                '[WALK] <table> (11)',
                '[GRAB] <cup> (21)',
                '[WALK] <fridge> (10)',
                '[PUTIN] <cup> (21) <fridge> (10)',
            ],
            '<fridge> (10) is not open or is not openable',
        ),
        (
            [
                '[WALK] <table> (11)',
                '[GRAB] <cup> (21)',
                '[GRAB] <book> (22)',
                '[WALK] <fridge> (10)',
                '[OPEN] <fridge> (10)',
            ],
            '<character> (3) does not have a free hand',
        ),
        (['[STANDUP]'], '<character> (3) is not lying or sitting'),
        (
            ['[WALK] <bed> (12)', '[LIE] <bed> (12)', '[SLEEP]', '[WALK] <table> (11)'],
            '<character> (3) is sitting',
        ),
        (['[WATCH] <television> (13)'], '<character> (3) does not face <television> (13)'),
        (['[SWITCHOFF] <television> (13)'], '<character> (3) is not close to'),
        (['[WALK] <cup> (21)', '[WIPE] <table> (11)'], '<character> (3) does not hold anything'),
        (['[PUTOFF] <shirt> (23)'], '<shirt> (23) is not on <character> (3)'),
    ],
)
def test_what_stands_against_a_step_is_said_and_nothing_changes(
    graph: dict[str, Any], lines: list[str], reason: str | None
) -> None:
    home = Stage(graph)
    execution = run(home, *lines)
    if reason is None:
        return
    assert not execution.succeeded and execution.done == len(lines) - 1
    assert reason in execution.reason
    assert execution.reason.endswith(f'when executing "{lines[-1]} [{len(lines)}]"')
    assert home.facts() == execution.visited[-1]


def test_every_action_can_be_done(graph: dict[str, Any]) -> None:
    home = Stage(graph)
    execution = run(
        home,
        '[FIND] <shirt> (23)',
        '[GRAB] <shirt> (23)',
        '[PUTON] <shirt> (23)',
        '[PUTOFF] <shirt> (23)',
        '[TURNTO] <television> (13)',
        '[LOOKAT] <television> (13)',
        '[POINTAT] <television> (13)',
        '[WATCH] <television> (13)',
        '[WALK] <television> (13)',
        '[SWITCHON] <television> (13)',
        '[SWITCHOFF] <television> (13)',
        '[TYPE] <television> (13)',
        '[WALK] <bed> (12)',
        '[LIE] <bed> (12)',
        '[SLEEP]',
        '[STANDUP]',
        '[RUN] <table> (11)',
        '[GRAB] <book> (22)',
        '[READ] <book> (22)',
        '[PUTOBJBACK] <book> (22)',
        '[GRAB] <cup> (21)',
        '[WASH] <cup> (21)',
        '[TOUCH] <cup> (21)',
        '[WIPE] <table> (11)',
        '[PUSH] <table> (11)',
        '[DRINK] <cup> (21)',
        '[DROP] <cup> (21)',
    )
    assert execution.succeeded, execution.reason
    assert (21, 'STATE', 'CLEAN') in home.facts() and (22, 'ON', 11) in home.facts()


def test_numbers_that_are_no_ids_tell_things_of_a_name_apart(graph: dict[str, Any]) -> None:
    home = Stage(graph, equivalents={'mug': ['cup']})
    assert run(home, '[WALK] <Mug> (1)', '[GRAB] <mug> (1)').succeeded
    assert home.held() == [21]
    assert '<mug> (2) cannot be found' in run(home, '[WALK] <mug> (2)').reason


def test_properties_that_a_file_leaves_out_come_from_the_resources(graph: dict[str, Any]) -> None:
    del graph['nodes'][8]['properties']
    lines = ('[WALK] <cup> (21)', '[GRAB] <cup> (21)')
    assert 'not grabbable' in run(Stage(graph), *lines).reason
    assert run(Stage(graph, properties={'cup': ['GRABBABLE']}), *lines).succeeded


def test_a_scene_without_a_character_is_refused(graph: dict[str, Any]) -> None:
    graph['nodes'] = [node for node in graph['nodes'] if node['id'] != 3]
    with pytest.raises(ConfigurationError, match='0 characters'):
        Stage(graph)


def test_measures_take_the_best_moment(graph: dict[str, Any]) -> None:
    gold = Stage(graph)
    before = gold.facts()
    run(gold, '[WALK] <fridge> (10)', '[OPEN] <fridge> (10)', '[GRAB] <milk> (20)')
    goal = goal_conditions(before, gold.facts())
    half = run(Stage(graph), '[WALK] <kitchen> (1)', '[WALK] <bed> (12)')
    full = run(
        Stage(graph),
        '[WALK] <fridge> (10)',
        '[OPEN] <fridge> (10)',
        '[GRAB] <milk> (20)',
        '[DROP] <milk> (20)',
        '[DANCE]',
    )
    found = measure([(half, goal), (full, goal)])
    assert found.executability == 0.5 and found.success == 0.5
    assert found.recall == pytest.approx((1 / len(goal) + 1.0) / 2)
    assert measure([]).success == 0.0
