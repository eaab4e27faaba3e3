"""The same skills in process and over HTTP: every observation is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.registry import make_world
from sim_bridge.worlds.virtualhome_unity import VirtualHomeUnityWorld
from support.needs import need_data


@pytest.fixture
def remote() -> Iterator[VirtualHomeUnityWorld]:
    service = VirtualHomeService([generate_apartment(1)])
    with VirtualHomeServer(service, 0) as server:
        world = make_world('virtualhome_unity', url=server.url)
        assert isinstance(world, VirtualHomeUnityWorld)
        yield world
        world.close()


def play(
    local: HouseholdWorld, remote: VirtualHomeUnityWorld, scene: str, task: str, count: int
) -> None:
    random = Random(scene)
    observation = local.reset(scene, task, 5)
    assert remote.reset(scene, task, 5) == observation
    assert remote.vocabulary() == local.vocabulary()
    outcomes = set()
    for number in range(count):
        skills: tuple[str, ...] = observation.admissible_skills
        if random.random() < 0.25:
            skills = local.candidate_skills()
        handling = [skill for skill in skills if not skill.startswith('go to')]
        skill = random.choice(handling if handling and random.random() < 0.6 else skills)
        observation = local.step(skill)
        assert remote.step(skill) == observation, f'step {number}: {skill}'
        assert remote.progress() == local.progress()
        outcomes.add(observation.outcome)
    assert remote.candidate_skills() == local.candidate_skills()
    assert len(outcomes) > 1


def test_five_hundred_skills_of_a_generated_home(remote: VirtualHomeUnityWorld) -> None:
    play(HouseholdWorld(), remote, 'generated:7', 'generated:7', 500)


def test_skills_of_real_graphs(remote: VirtualHomeUnityWorld, shared_data: Path) -> None:
    for name in ('unity_graph_tests.json', 'graph_env_setup_3.json'):
        graph = shared_data / 'wah_graphs' / name
        need_data(graph)
        play(HouseholdWorld(), remote, str(graph), '', 150)


def test_an_apartment_of_the_server_is_played(remote: VirtualHomeUnityWorld) -> None:
    local = HouseholdWorld()
    first = local.reset('generated:1', '', 3)
    there = remote.reset('apartment:0', '', 3)
    assert replace(there, facts=()).looked_at == first.looked_at
    rooms: Any = local.vocabulary().rooms
    assert remote.vocabulary().rooms == rooms
    assert remote.scene == 'apartment:0'
    assert remote.reset('', '', 3) == there
