"""Whatever is played, the home stays sound and the lists keep their word."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.observation import Outcome
from sim_bridge.worlds.household import HouseholdWorld
from support.random_play import CheckGraph, Graph, play


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_two_hundred_skills_in_a_small_home(
    home: Graph, check_graph: CheckGraph, seed: int
) -> None:
    world = HouseholdWorld(classes='properties' if seed % 3 == 0 else 'published')
    world.reset_to(home)
    play(world, Random(seed), check_graph)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(scene=st.integers(0, 10_000), seed=st.integers(0, 10_000))
def test_two_hundred_skills_in_a_generated_home(
    check_graph: CheckGraph, scene: int, seed: int
) -> None:
    world = HouseholdWorld()
    world.reset(f'generated:{scene}', '', seed)
    play(world, Random(seed), check_graph)


@settings(max_examples=8, deadline=None)
@given(scene=st.integers(0, 10_000), seed=st.integers(0, 10_000))
def test_what_somebody_else_moves_leaves_the_home_sound(
    check_graph: CheckGraph, scene: int, seed: int
) -> None:
    world = HouseholdWorld()
    world.reset(f'generated:{scene}', '', seed)
    first, random = world.graph(), Random(seed)
    assert not world.displace('moon 1', random) and not world.displace('bed 1', random)
    for _ in range(5):
        play(world, random, check_graph, steps=20)
        for name in world.vocabulary().object_classes:
            near = f'pick up {name} 1' in world.admissible_skills()
            moved = world.displace(f'{name} 1', random)
            assert not (moved and f'pick up {name} 1' in world.admissible_skills())
            assert moved or not near or f'{name} 1' in world.observe().held
        check_graph(first, world.graph())


def test_only_injected_failures_stop_admissible_skills(home: Graph) -> None:
    world = HouseholdWorld(failure_rate=0.3)
    observation = world.reset_to(home)
    random = Random(0)
    outcomes = set()
    for _ in range(500):
        skill = random.choice(observation.admissible_skills)
        observation = world.step(skill)
        outcomes.add(observation.outcome)
        if not observation.succeeded:
            assert skill.startswith(('pick up', 'put down', 'open'))
    assert outcomes == {Outcome.SUCCEEDED, Outcome.EXECUTION_FAILED}


def test_the_same_play_gives_the_same_observations() -> None:
    def observations() -> list[Any]:
        world = HouseholdWorld(failure_rate=0.1)
        seen = [world.reset('generated:7', '', 3)]
        random = Random(9)
        for _ in range(100):
            seen.append(world.step(random.choice(seen[-1].admissible_skills)))
        return seen

    assert observations() == observations()


@pytest.mark.parametrize('seed', range(4))
def test_the_answers_are_those_of_a_scan_of_the_whole_graph(seed: int) -> None:
    place = Path(__file__).parents[3] / 'benchmarks' / 'household_step.py'
    spec = importlib.util.spec_from_file_location('household_step', place)
    assert spec and spec.loader
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    assert benchmark.compare(f'generated:{seed}', 150, seed) == 0


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10_000), before=st.integers(0, 40), rate=st.sampled_from([0.0, 0.3]))
def test_a_restored_world_has_the_same_present_and_future(
    seed: int, before: int, rate: float
) -> None:
    world = HouseholdWorld(failure_rate=rate)
    world.reset(f'generated:{seed % 7}', f'generated:{seed}', seed)
    played(world, Random(seed), before)
    snapshot = world.snapshot()
    present = state_of(world)
    future = played(world, Random(seed + 1), 40)
    then = state_of(world)
    for _ in range(2):
        assert world.restore(snapshot) == present[0]
        assert state_of(world) == present
        assert played(world, Random(seed + 1), 40) == future
        assert state_of(world) == then
    # Whatever was loaded in between.
    world.reset('generated:9', '', 1)
    world.restore(snapshot)
    assert state_of(world) == present


def played(world: HouseholdWorld, random: Random, steps: int) -> list[Any]:
    return [world.step(random.choice(world.candidate_skills())) for _ in range(steps)]


def state_of(world: HouseholdWorld) -> tuple[Any, ...]:
    return (
        world.observe(),
        world.admissible_skills(),
        world.candidate_skills(),
        world.progress(),
        world.graph(),
        world.scene,
        world.task(),
    )
