"""Several robots in one room, through the published client: one program for all of them."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.world import GraphWorld, TaskWorld
from sim_bridge.worlds.registry import given_back, make_world
from support.thor_walk import STAND_IN

#: A kitchen of the stand-in, with a task in which an egg is heated.
TASK = 'pick_heat_then_place_in_recep:3'


def made(**options):
    """The world; it is given time, for it is not alone on the machine."""
    return make_world('thor_team', stand_in=STAND_IN, answer=20, **options)


@pytest.fixture(params=['fifo', 'http'])
def first(request):
    """The first of two robots."""
    with given_back(made(transport=request.param)) as world:
        world.reset('', TASK, 3)
        yield world


def skills(robot, verb):
    return [skill for skill in robot.admissible_skills() if skill.startswith(verb)]


def taken(robot):
    """Have a robot look around until it can take something, and take it."""
    for way in skills(robot, 'go to '):
        robot.step(way)
        for skill in skills(robot, 'pick up '):
            if robot.step(skill).succeeded:
                return skill.removeprefix('pick up ')
    pytest.fail('nothing is within reach')


def test_two_robots_share_a_room_and_not_their_hands(first):
    assert isinstance(first, TaskWorld) and not isinstance(first, GraphWorld)
    one, other = first.team.members.values()
    name = taken(one)
    assert one.observe().held == (name,) and other.observe().held == ()
    where = one.observe().place
    other.step(f'go to {where}' if where else skills(other, 'go to ')[0])
    # What one holds the other neither takes nor tells to lie somewhere.
    assert f'pick up {name}' not in other.admissible_skills()
    plainly = name.replace('(', '').replace(')', '')
    assert plainly in {fact.name for fact in one.observe().facts}
    assert plainly not in {fact.name for fact in other.observe().facts}
    assert not other.step(f'pick up {name}').succeeded
    assert one.observe().held == (name,)


def test_what_one_treats_counts_for_all(first):
    one, other = first.team.members.values()
    assert one.progress() == other.progress() and not one.progress().success
    robots = first.team._robots
    assert len(robots) == 2 and robots[0].treated is robots[1].treated
    assert robots[0].metadata['agentId'] == 0 and robots[1].metadata['agentId'] == 1


def test_the_same_seed_puts_robots_at_the_same_points(first):
    def places():
        return [one.metadata['agent']['position'] for one in first.team._robots]

    before = places()
    assert before[0] != before[1]
    first.step(skills(first, 'go to ')[0])
    first.reset('', TASK, 3)
    assert places() == before


def test_more_robots_than_the_program_has_agents_are_refused():
    with given_back(made(robots=7)) as world:
        with pytest.raises(ConfigurationError, match='has 6 agents in FloorPlan'):
            world.reset('FloorPlan1', '', 1)
        with pytest.raises(ConfigurationError, match='no scene is loaded'):
            world.observe()


def test_the_program_ends_with_the_world():
    world = made()
    with given_back(world):
        world.reset('FloorPlan1', '', 1)
        assert world.team.home.pid
    assert not world.team.home.pid
