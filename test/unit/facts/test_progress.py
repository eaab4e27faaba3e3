"""The search always makes progress: it goes where the task says, and never to and fro."""

from __future__ import annotations

import pytest

from benchmarks.reasoner import milestones_of
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.registry import make_task_world
from unit.facts.made_up import GO, MadeUp, play, PUT, TAKE

WARDS = {f'ward {number}': '' for number in range(1, 8)}


@pytest.mark.parametrize('where', WARDS)
def test_where_the_task_says_that_a_thing_is_comes_first(where):
    places = {'lab 1': '', **WARDS}
    world = MadeUp((GO, TAKE, PUT), places, {'crate 1': where}, at='lab 1', seen=False)
    reasoner = Reasoner(world.vocabulary(), (conditions_of(('crate in lab',)),))
    reasoner.exploration.said = (('vial', 'ward 1'), ('crate', where))
    assert play(world, reasoner).is_done
    gone_to = [skill for skill in world.done if 'ward' in skill]
    assert all(where in skill for skill in gone_to), world.done


def known(belief):
    """How much is known; it grows with every fact."""
    return (
        belief.held,
        len(belief.looked),
        len(belief.visited),
        len(belief.things),
        sum(thing.holder is not None for thing in belief.things.values()),
    )


@pytest.mark.parametrize('seed', range(6001, 6013))
def test_households_are_never_walked_to_and_fro_and_end_within_bounds(seed):
    world = make_task_world('household')
    seen = with_skills(world, world.reset(world.scene_of(seed), f'generated:{seed}', seed))
    before = world.snapshot()
    fewest = len(world.expert())
    world.restore(before)
    reasoner = Reasoner(world.vocabulary(), milestones_of(world, own=True))
    belief, trail, done = reasoner.belief, [], []
    while True:
        reasoner.see(seen)
        trail.append((belief.at, known(belief)))
        step = reasoner.next()
        if not step.skill:
            break
        seen = with_skills(world, world.step(step.skill))
        done.append(step.skill)
    assert step.is_done and world.progress().success, (done, step)
    for first, between, again in zip(trail, trail[1:], trail[2:], strict=False):
        assert first != again or between[0] == first[0], done
    closed = sum(map(belief.can_be_shut, belief.things))
    assert len(done) <= fewest + 2 * closed + len(belief.rooms), done
