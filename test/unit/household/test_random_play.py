"""Whatever is played, the home stays sound and the lists keep their word."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import HealthCheck
from hypothesis import settings
from hypothesis import strategies as st

from reactree_core.observation import Outcome
from sim_bridge.worlds.household import HouseholdWorld

Graph = dict[str, Any]
CheckGraph = Callable[[Mapping[str, Any], Mapping[str, Any]], None]

_STEPS = 200


def play(world: HouseholdWorld, random: Random, check: CheckGraph, steps: int = _STEPS) -> None:
    """Admissible skills always succeed; other candidates fail and change nothing."""
    first = world.graph()
    observation = world.observe()
    for number in range(steps):
        offered = observation.admissible_skills
        assert list(offered) == sorted(set(offered))
        skill = random.choice(offered)
        observation = world.step(skill)
        assert observation.outcome is Outcome.SUCCEEDED, f'{skill}: {observation.text}'
        assert observation.admissible_skills == world.admissible_skills()
        assert len(observation.held) <= 2
        if number % 20 == 0:
            check(first, world.graph())
            _try_something_else(world, random)
    check(first, world.graph())


def _try_something_else(world: HouseholdWorld, random: Random) -> None:
    admissible = set(world.admissible_skills())
    assert admissible <= set(world.candidate_skills())
    others = [
        skill
        for skill in world.candidate_skills()
        # Walking always works; the place one is at is only left out as useless.
        if skill not in admissible and not skill.startswith('go to')
    ]
    if others:
        before = world.graph()
        skill = random.choice(others)
        observation = world.step(skill)
        assert observation.outcome is Outcome.PRECONDITION_FAILED, f'{skill}: {observation.text}'
        assert world.graph() == before
        assert set(world.admissible_skills()) == admissible


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
