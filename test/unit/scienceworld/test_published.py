"""ScienceWorld by its package and Java, where both are installed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from sim_bridge.worlds.scienceworld import ScienceWorldWorld
from sim_bridge.worlds.scienceworld.simulator import task_names
from support.needs import needs

pytestmark = needs('java')
#: Tables of sockets, by the beginning of lines that listen on loopback.
_LISTENS = '0A'
_LOOPBACK = ('0100007F', '0000000000000000FFFF00000100007F', '00000000000000000000000001000000')


@pytest.fixture(scope='module')
def world():
    """One Java for all tests that leave it alive."""
    made = ScienceWorldWorld()
    yield made
    made.close()


def test_there_are_thirty_tasks_and_half_of_their_variations_are_for_training(world):
    assert len(task_names()) == 30
    world.reset('', 'boil:3', 0)
    splits = world._simulator.splits('boil')
    assert {name: len(found) for name, found in splits.items()} == {
        'train': 14,
        'dev': 7,
        'test': 9,
    }
    assert sorted(sum(splits.values(), ())) == list(range(30))


@pytest.mark.parametrize(
    'task', ['find-plant:7', 'lifespan-longest-lived:1', 'chemistry-mix:2', 'power-component:2']
)
def test_the_gold_path_solves_a_task(world, task):
    first = world.reset('', task, 0)
    # Some begin with part of their score: what is wanted is in the first room.
    assert first.text.startswith('This ') and not world.progress().success
    assert world.expert()
    assert world.progress().success and world.observe().over


def test_a_variation_is_the_same_each_time_and_its_texts_are_the_packages(world):
    first = world.reset('', 'boil:3', 0)
    assert world.reset('', 'boil:3', 9) == first
    assert 'a fire pit (containing nothing)' in first.text and first.place == 'outside'
    assert first.held == ('orange',)
    assert 'open door to kitchen' in first.admissible_skills
    assert not [text for text in first.admissible_skills if 'agent' in text.split()]
    assert 'connect agent to axe' in world.candidate_skills()
    assert world.step('go to kitchen').outcome is Outcome.PRECONDITION_FAILED
    world.step('open door to kitchen')
    seen = world.step('go to kitchen')
    assert seen.place == 'kitchen' and 'a stove, which is turned off' in seen.text
    assert 100 < len(seen.admissible_skills) <= 400 < len(world.candidate_skills())
    assert world.step('open door').text.startswith('Ambiguous request')
    assert world.step('choose 0').text.startswith('The door is')
    assert world.step('dance').outcome is Outcome.INVALID_SKILL
    assert world.step('focus on stove').over and world.progress().score == 0.0


def test_simplifications_are_the_packages():
    world = ScienceWorldWorld('teleportAction,openDoors')
    try:
        world.reset('', 'boil:3', 0)
        seen = world.step('teleport to kitchen')
        assert seen.succeeded and seen.place == 'kitchen'
        assert 'go to hallway' in seen.admissible_skills
    finally:
        world.close()


def test_java_listens_to_this_machine_alone_and_ends_with_the_world():
    world = ScienceWorldWorld()
    world.reset('', 'lifespan-longest-lived:1', 0)
    pid = world._simulator.pid
    own = {str(link.readlink()) for link in Path(f'/proc/{pid}/fd').iterdir() if link.is_symlink()}
    addresses = []
    for table in ('tcp', 'tcp6'):
        for line in Path(f'/proc/{pid}/net/{table}').read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and f'socket:[{fields[9]}]' in own:
                addresses.append(fields[1].split(':')[0])
    assert addresses and set(addresses) <= set(_LOOPBACK)
    world.close()
    assert not Path(f'/proc/{pid}').exists()


def test_a_java_that_was_killed_is_told_of_and_started_again():
    world = ScienceWorldWorld()
    try:
        world.reset('', 'lifespan-longest-lived:1', 0)
        os.kill(world._simulator.pid, signal.SIGKILL)
        with pytest.raises(SkillError, match='reset the world, which starts it again'):
            world.step('look around')
        with pytest.raises(SkillError, match='has ended'):
            world.observe()
        assert world.reset('', 'lifespan-longest-lived:1', 0).text
    finally:
        world.close()


def test_an_unknown_task_leaves_the_world_as_it_was(world):
    world.reset('', 'boil:3', 0)
    with pytest.raises(ConfigurationError, match='tasks are boil, change-the-state'):
        world.reset('', 'cook:3', 0)
    assert world.scene == 'boil:3' and world.observe().place == 'outside'
