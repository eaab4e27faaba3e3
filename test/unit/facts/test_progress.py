"""The search always makes progress: it goes where the task says, and never to and fro."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from benchmarks.reasoner import milestones_of
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.skills import Sort
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.registry import make_task_world
from unit.facts.made_up import CLOSE, GO, MadeUp, OPEN, play, PUT, TAKE

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


def known(belief, spots):
    """How much is known; it grows with every fact, and with every place where the robot was."""
    return (
        belief.held,
        len(belief.looked),
        len(belief.visited),
        len(belief.things),
        sum(thing.holder is not None for thing in belief.things.values()),
        [(name, word) for name, thing in belief.things.items() for word in thing.states.items()],
        len(spots),
    )


def tried(world, reasoner, seen, step):
    """Play to the end, and check that nothing was gone to and fro without a new fact.

    :param step: does a skill in the world, and gives what is seen then.
    """
    belief, trail, done, spots = reasoner.belief, [], [], set()
    while True:
        reasoner.see(seen)
        spots.add(belief.at)
        trail.append((belief.at, known(belief, spots)))
        last = reasoner.next()
        if not last.skill:
            break
        assert len(done) < 150, done
        seen = step(last.skill)
        done.append(last.skill)
    for first, between, again in zip(trail, trail[1:], trail[2:], strict=False):
        assert first != again or between[0] == first[0], done
    return last, done


@pytest.mark.parametrize('name', ['household', 'procworld,reach=inf'])
@pytest.mark.parametrize('seed', range(6001, 6007))
def test_tasks_are_done_without_going_to_and_fro_and_within_bounds(name, seed):
    world = make_task_world(name)
    scene = world.scene_of(seed) or f'generated:{seed}'
    seen = with_skills(world, world.reset(scene, f'generated:{seed}', seed))
    before = world.snapshot()
    fewest = len(world.expert())
    world.restore(before)
    reasoner = Reasoner(world.vocabulary(), milestones_of(world, own=True))
    belief = reasoner.belief
    last, done = tried(world, reasoner, seen, lambda skill: with_skills(world, world.step(skill)))
    assert last.is_done and world.progress().success, (seed, done, last)
    places = [one for one in belief.things if belief.sort(one) is Sort.PLACE]
    assert len(done) <= fewest + 2 * len(places) + len(belief.rooms), (seed, done)


class Sealed(MadeUp):
    """Some things are shown, and can be gone to, and never be taken: in a locked glass case."""

    sealed: frozenset[str] = frozenset()

    def _can(self, one, values):
        is_sealed = one.kind is SkillKind.TAKE and values[0] in self.sealed
        return not is_sealed and super()._can(one, values)


def generated(seed):
    """A world of an invented domain, what is asked there, and whether needs are told."""
    dice = Random(seed)
    verbs = [
        ''.join(dice.choices('bdfgklmnprst', k=1) + dice.choices('aeiou', k=1)) for _ in 'xyz'
    ]
    words = {'drive to': f'{verbs[0]}ve by', 'grab': f'{verbs[1]}b', 'unfold': f'un{verbs[2]}'}
    types = tuple(
        replace(one, template=one.template.replace(old, new))
        for one in (GO, TAKE, PUT, OPEN, CLOSE)
        for old, new in [next((p for p in words.items() if p[0] in one.template), ('', ''))]
    )
    count = dice.randint(3, 8)
    places = {f'{dice.choice(("bin", "shelf", "rack"))} {n}': '' for n in range(1, count + 1)}
    things = {f'{kind} {n}': dice.choice([*places]) for kind in ('cog', 'nut') for n in (1, 2, 3)}
    world = Sealed(
        types,
        places,
        things,
        {place: {dice.choice(('closed', 'open'))} for place in places if dice.random() < 0.6},
        hands=dice.randint(1, 2),
        at=dice.choice([*places]),
        seen=dice.random() < 0.3,
    )
    world.sealed = frozenset(name for name in things if dice.random() < 0.3)
    target = dice.choice([*places])
    asked = [f'{kind} in {target}' for kind in dice.sample(('cog', 'nut'), dice.randint(1, 2))]
    return world, asked, dice.random() < 0.5


@pytest.mark.parametrize('seed', range(8001, 8061))
def test_invented_worlds_are_done_without_going_to_and_fro_and_within_bounds(seed):
    world, asked, are_told = generated(seed)
    vocabulary = world.vocabulary()
    if not are_told:
        types = tuple(replace(one, needs=()) for one in vocabulary.skill_types)
        vocabulary = replace(vocabulary, skill_types=types)
    goal = [text.split(' in ') for text in asked]

    def is_met(state):
        return all(
            any(
                name.startswith(kind) and state.things[name] == place and name not in state.held
                for name in state.things
            )
            for kind, place in goal
        )

    fewest = sum(4 + 2 for _ in goal)
    can = all(
        any(name.startswith(kind) and name not in world.sealed for name in world.things)
        for kind, _ in goal
    )
    last, done = tried(world, Reasoner(vocabulary, (conditions_of(tuple(asked)),)),
                       world.look(), world.step)  # fmt: skip
    if can or last.is_done:
        assert last.is_done and is_met(world), (seed, done, last)
    # Each place may have to be gone to and opened, and each thing that cannot be taken be tried.
    assert len(done) <= fewest + 2 * len(world.places) + 2 * len(world.sealed), (seed, done)
