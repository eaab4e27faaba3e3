"""Worlds that several robots share, and a study of teams in them."""

from contextlib import ExitStack
from itertools import pairwise
from random import Random

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.without_model import load_without_model, NONE
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.bench.episodes import EpisodeRunner, Unfinished
from reactree_tools.bench.report.layouts import LAYOUTS
from reactree_tools.bench.report.tables import text_of
from reactree_tools.bench.rows import Cell
from reactree_tools.bench.study import ModelEntry
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.team_episode import LIMITS
from sim_bridge.worlds.registry import given_back, make_task_world
from support.episode_rows import episode_row

#: With options that make it what it is with one robot.
THOR = 'thor_team,answer=20,stand_in=--made-up --failures none --frames plain'
WORLDS = ('household_team', 'procworld_team', THOR)


@pytest.fixture
def made():
    """Makes worlds by their names, and gives them back."""
    with ExitStack() as worlds:
        yield lambda name: worlds.enter_context(given_back(make_task_world(name)))


def members(first, task: str, seed: int):
    first.reset(first.scene_of(seed), task, seed)
    return list(first.team.members.values())


def ways(member) -> set[str]:
    return {
        text.partition(' at [')[0]
        for text in member.admissible_skills()
        if text.startswith('go to')
    }


def way_to(member) -> str:
    return f'go to {member.observe().place}'


@pytest.mark.parametrize('world', WORLDS)
@pytest.mark.parametrize('seed', range(6))
def test_what_robots_do_in_turn_leaves_each_its_place_and_hands(
    world: str, seed: int, made
) -> None:
    team = members(made(world), f'generated:{seed}', seed)
    choice = Random(seed)
    in_thor = world.startswith('thor')
    carried_off = ('pick up', 'slice') if in_thor else 'take'
    for _ in range(60):
        who = choice.choice(team)
        others = [(one, one.observe()) for one in team if one is not who]
        skills = who.admissible_skills()
        if not skills:
            break  # its task is done
        skill = choice.choice(skills)
        seen = who.step(skill)
        # Robots of AI2-THOR stand in each other's way.
        assert seen.succeeded or (in_thor and seen.outcome is Outcome.EXECUTION_FAILED), seen.text
        assert who.observe().held == seen.held
        for one, before in others:
            now = one.observe()
            assert now.held == before.held
            # Where somebody has taken what it stood at, it stands on the floor.
            same = (now.place, now.room) == (before.place, before.room)
            assert same or skill.startswith(carried_off)
            assert not set(now.held) & set(seen.held)
            for text in now.admissible_skills:
                assert not any(
                    text.startswith((f'take {thing} ', f'pick up {thing}')) for thing in seen.held
                )


@pytest.mark.parametrize('world', WORLDS)
def test_the_first_robot_begins_as_it_would_alone(world: str, made) -> None:
    alone = made(world.replace('_team', ''))
    first = made(f'{world},robots=3')
    for one in (alone, first):
        one.reset(one.scene_of(5), 'generated:5', 5)
    assert first.observe().room == alone.observe().room
    assert first.task() == alone.task() and first.progress() == alone.progress()
    assert first.task_families() == alone.task_families()
    assert list(first.team.members) == ['robot_1', 'robot_2', 'robot_3']


def test_what_one_robot_was_told_of_a_house_the_other_may_go_to() -> None:
    one, other = members(make_task_world('procworld_team'), 'generated:103', 103)
    choice = Random(1)
    before = ways(other)
    for _ in range(40):
        one.step(
            choice.choice([text for text in one.admissible_skills() if text.startswith('go ')])
        )
    assert ways(other) > before
    # All but where each of them stands.
    assert ways(one) ^ ways(other) <= {way_to(one), way_to(other)}


def test_a_robot_that_holds_what_is_wanted_counts_whichever_it_is() -> None:
    team = members(make_task_world('procworld_team'), 'look_at_obj_in_light:102', 102)
    met = [one.progress().met for one in team]
    assert met[0] == met[1]


@pytest.mark.parametrize('robots', [0, 9, True, ''])
def test_a_number_of_robots_that_cannot_be_is_refused(robots: object) -> None:
    from sim_bridge.worlds.procworld.team import first_of_team

    with pytest.raises(ConfigurationError, match='1 to 8'):
        first_of_team(robots)  # type: ignore[arg-type]


def carried_out(cell: Cell):
    runner = EpisodeRunner({'none': ModelEntry(name='none')}, Limits(decisions=1000, steps=1000))
    try:
        return runner.run(cell, 'none')
    finally:
        runner.close()


def cell_of(world: str, planner: str, seed: int) -> Cell:
    scene = f'generated:{seed}' if world.startswith('household') else ''
    return Cell(
        world, 'generated', f'generated:{seed}', scene, seed, planner, model='none', memory='none'
    )


@pytest.mark.parametrize('world', WORLDS)
def test_a_study_runs_a_team_and_one_robot_alone(world: str) -> None:
    seed = 20 if world.startswith('thor') else 9
    alone, team = (carried_out(cell_of(world, name, seed)).row for name in ('reactree', 'team'))
    assert alone.success and team.success
    assert (alone.robots, alone.makespan, alone.idle) == (1, None, None)
    assert team.robots == 2 and team.asked == 0
    assert team.idle is not None and 0.0 <= team.idle < 0.5
    # Two robots at work for all of the time but what they are idle.
    assert team.makespan is not None
    assert team.steps == pytest.approx(2 * team.makespan * (1 - team.idle), abs=0.01)
    assert team.makespan < team.steps
    (table,) = LAYOUTS['team']([alone, team])
    line = dict(zip([one.head for one in table.columns], table.rows[1], strict=True))
    assert text_of(line['time']) == f'{team.makespan / alone.steps:.2f}'


def test_a_team_is_refused_where_there_is_one_robot() -> None:
    result = carried_out(cell_of('household', 'team', 9))
    assert isinstance(result, Unfinished) and result.lasting
    assert 'household_team' in result.reason


def test_the_table_of_teams_compares_what_both_solve() -> None:
    rows = [episode_row(number, steps=11, success=number != 2) for number in range(3)]
    rows += [
        episode_row(number, planner='team', robots=2, steps=12, makespan=7.0, idle=1 / 7)
        for number in range(3)
    ]
    (table,) = LAYOUTS['team'](rows)
    told = [text_of(value) for value in table.rows[1]]
    assert told[-3:] == ['2', '0.64', '0.55']
    assert not list(LAYOUTS['team'](rows[:3]))


def _in_procworld(family: str, seed: int) -> list[Decision]:
    """The skills of two robots with a task of ProcWorld, which they solve."""
    world = make_task_world('procworld_team')
    world.reset(world.scene_of(seed), f'{family}:{seed}', seed)
    events: list[Event] = []
    episode = plan_episode(
        world,
        load_without_model(NONE),
        InProcessMemory(None),
        settings_of_preset('default', 'team'),
        LIMITS,
        'team',
        CancelToken(),
        events.append,
    )
    assert episode.goal_met
    return [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.ACT]


def test_no_two_look_at_the_same_where_one_does_the_rest_alone() -> None:
    acts = _in_procworld('look_at_obj_in_light', 7701)
    assert {act.who for act in acts} == {'robot_1', 'robot_2'}
    # Every skill takes as long: two decisions of two robots in turn are under way at once. On the
    # way elsewhere they may pass the same spot.
    both = [one.skill == then.skill for one, then in pairwise(acts) if one.who != then.who]
    assert len(both) > 10 and sum(both) <= len(both) // 10


@pytest.mark.parametrize(
    ('family', 'seed', 'kind'),
    [
        ('pick_and_place_with_movable_recep', 7755, 'bowl'),
        ('pick_heat_and_place_with_movable_recep', 7821, 'pan'),
    ],
)
def test_one_container_of_a_class_is_brought_for_all(family: str, seed: int, kind: str) -> None:
    skills = [act.skill for act in _in_procworld(family, seed)]
    brought = {skill.split(' in/on ')[0] for skill in skills if skill.startswith(f'put {kind} ')}
    taken = {skill.split(' from ')[0] for skill in skills if skill.startswith(f'take {kind} ')}
    assert len(brought) <= 1 and len(taken) <= 1


def test_a_tool_that_another_robot_holds_holds_nobody_up() -> None:
    # Two slices of bread, and one knife: who has the other bread lays it down.
    acts = _in_procworld('pick_two_obj_and_place_slice', 7872)
    assert len(acts) < 60
    cuts = [(act.who, act.skill) for act in acts if act.skill.startswith('slice ')]
    assert len(cuts) == 2 and len({who for who, _ in cuts}) == 1
