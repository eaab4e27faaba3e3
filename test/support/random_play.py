"""Playing at random in a household world, checking that it stays sound and keeps its word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from reactree_core.observation import Outcome
from sim_bridge.worlds.household import HouseholdWorld

Graph = dict[str, Any]
#: Asserts that a graph that was played in is sound: the first graph, and that of now.
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
        # These work, and are only left out as useless.
        if skill not in admissible
        and not skill.startswith('go to')
        and skill.removeprefix('pick up ') not in world.observe().held
    ]
    if others:
        before = world.graph()
        skill = random.choice(others)
        observation = world.step(skill)
        assert observation.outcome is Outcome.PRECONDITION_FAILED, f'{skill}: {observation.text}'
        assert world.graph() == before
        assert set(world.admissible_skills()) == admissible
