"""How long the ways are that the reasoner finds, beside the shortest, which a search through all
states finds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from math import inf
from random import Random

import pytest

from benchmarks.reasoner import milestones_of
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.registry import make_world
from unit.facts.made_up import CLOSE, GO, MadeUp, OPEN, play, PUT, skill, TAKE

PLACES = ('dock 1', 'shed 1', 'truck 1', 'hose 1')
REGIONS = {'north': PLACES[:2], 'south': PLACES[2:]}
WASH = skill(
    'rinse <object> with <hose>',
    SkillKind.CHANGE,
    effects=('<object> is wet',),
    needs=('holding <object>', 'at <hose>'),
    slot_types=('thing', 'place'),
)


def made(seed, seen=True):
    """A world, and what is wanted there."""
    dice = Random(seed)
    things = {f'crate {n}': dice.choice(PLACES) for n in range(1, dice.randint(2, 3))}
    things |= {f'drum {n}': dice.choice(PLACES) for n in range(1, dice.randint(2, 3))}
    world = MadeUp(
        (GO, TAKE, PUT, OPEN, CLOSE, WASH),
        {place: region for region, places in REGIONS.items() for place in places},
        things,
        {place: {dice.choice(('closed', 'open'))} for place in PLACES[1:3]},
        hands=dice.randint(1, 2),
        at=dice.choice(PLACES),
        seen=seen,
    )
    one, other = dice.sample(sorted(things), 2)
    asked = [f'{one} in {dice.choice(PLACES[:3])}']
    whither = dice.choice((f'{other} in {dice.choice(PLACES[:3])}', f'holding {other}'))
    more = [whither, f'{other} is wet', f'{one} is wet', 'truck 1 is closed', 'shed 1 is open']
    return world, asked + dice.sample(more, dice.randint(1, 2))


def shortest(world, asked, without=lambda text: False):
    """The fewest skills to the goal; inf where there is no way. :param without: these skills."""
    closed = frozenset(name for name, words in world.states.items() if 'closed' in words)
    first = world.at, tuple(sorted(world.things.items())), closed, frozenset()
    steps, left = {first: 0}, deque([first])
    while left:
        state = left.popleft()
        if all(holds(state, one) for one in asked):
            return steps[state]
        for text, then in followers(state, world.hands):
            if then not in steps and not without(text):
                steps[then] = steps[state] + 1
                left.append(then)
    return inf


def holds(state, asked):
    """Whether a condition on one thing or place holds in a state."""
    _, told, closed, wet = state
    if asked.startswith('holding '):
        return dict(told)[asked.removeprefix('holding ')] == 'held'
    name, _, place = asked.partition(' in ')
    if place:
        return dict(told)[name] in REGIONS.get(place, (place,))
    name, _, word = asked.partition(' is ')
    return name in wet if word == 'wet' else (name in closed) is (word == 'closed')


def followers(state, hands):
    """The skills that can be done, and the states that they lead to."""
    at, told, closed, wet = state
    where = dict(told)
    held = [name for name, place in told if place == 'held']
    for place in PLACES:
        if place != at:
            yield f'drive to {place}', (place, told, closed, wet)
    if at in PLACES[1:3]:
        yield f'{"unfold" if at in closed else "fold"} {at}', (at, told, closed ^ {at}, wet)
    for name, place in told:
        if place == at and at not in closed and len(held) < hands:
            then = tuple(sorted({**where, name: 'held'}.items()))
            yield f'grab {name}', (at, then, closed, wet)
        if place == 'held' and at not in closed:
            then = tuple(sorted({**where, name: at}.items()))
            yield f'leave {name} at {at}', (at, then, closed, wet)
        if place == 'held' and at == 'hose 1':
            yield f'rinse {name} with hose 1', (at, told, closed, wet | {name})


def played(world, asked, told):
    """Skills until the goal is met. :param told: the vocabulary."""
    reasoner = Reasoner(told, (conditions_of(tuple(asked)),))
    assert play(world, reasoner).is_done
    end = (
        world.at,
        tuple(
            (name, 'held' if name in world.held else place) for name, place in world.things.items()
        ),
        frozenset(name for name, words in world.states.items() if 'closed' in words),
        frozenset(name for name, words in world.states.items() if 'wet' in words),
    )
    assert all(holds(end, one) for one in asked), (asked, world.done)
    return len(world.done)


def no_needs(told):
    """The same skills, of which the server declares no needs."""
    return replace(told, skill_types=tuple(replace(one, needs=()) for one in told.skill_types))


#: Skills that are told otherwise: with the place that a thing is taken from, or laid down here.
OTHERWISE = {
    'two names': {
        TAKE: skill(
            'pull <object> from <place>',
            SkillKind.TAKE,
            needs=('hands free', 'at <place>', '<object> in <place>', 'not <place> is closed'),
            slot_types=('thing', 'place'),
        )
    },
    'here': {
        PUT: skill('drop <object>', SkillKind.PUT, needs=('holding <object>',),
                   slot_types=('thing',)),
        OPEN: replace(OPEN, needs=(*OPEN.needs, 'hands free')),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ('kind', 'longer'),
    [
        ('seen', 1.03),
        ('no offers', 1.06),
        ('untold needs', 1.05),
        ('unseen', 1.19),
        ('failing', 1.4),
        ('two names', 1.03),
        ('here', 1.1),
        ('regions', 1.06),
    ],
)
def test_ways_are_hardly_longer_than_the_shortest(kind, longer):
    skills = fewest = 0
    for seed in range(60 if kind == 'regions' else 40):
        world, asked = made(seed, kind != 'unseen')
        told = world.vocabulary()
        if kind in OTHERWISE:
            world.types = tuple(OTHERWISE[kind].get(one, one) for one in world.types)
            told = world.vocabulary()
        elif kind == 'untold needs':
            told = no_needs(told)
        elif kind == 'no offers':
            world.tells_offers = False
        elif kind == 'regions':
            name, _, place = asked[0].partition(' in ')
            asked[0] = f'{name} in {world.places[place]}'
        elif kind == 'failing':
            dice = Random(seed)
            world.failing = {f'grab {name}': dice.randint(0, 2) for name in world.things}
            world.failing |= {f'drive to {name}': dice.randint(0, 1) for name in PLACES}
        fewest += shortest(world, asked)
        skills += played(world, asked, told)
    assert skills <= longer * fewest


def test_what_it_costs_is_how_many_skills_it_takes():
    same = 0
    for seed in range(40):
        world, asked = made(seed)
        reasoner = Reasoner(world.vocabulary(), (conditions_of(tuple(asked)),))
        reasoner.see(world.look())
        told = reasoner.cost()
        assert play(world, reasoner).is_done
        assert reasoner.cost() == 0.0
        same += told == len(world.done)
        assert abs(told - len(world.done)) <= 2, world.done
    assert same >= 32, 'the rest is reckoned anew on the way'


@pytest.mark.parametrize(
    ('name', 'count', 'solved', 'most'),
    [
        ('household', 24, 24, 1.53),
        ('faulty,world=household,fail=0.2', 12, 12, 2.03),
        ('procworld,reach=inf', 12, 11, 2.83),
        ('procworld', 12, 10, 1.93),
        ('textcraft', 12, 12, 1.29),
    ],
)
def test_tasks_are_done_with_few_skills_more_than_their_expert_needs(name, count, solved, most):
    """The expert knows where everything is; who has to look needs more."""
    done = skills = experts = 0
    for seed in range(5001, 5001 + count):
        world = make_world(name)
        scene = 'workshop' if name == 'textcraft' else f'generated:{seed}'
        seen = with_skills(world, world.reset(scene, f'generated:{seed}', seed))
        before = world.snapshot()
        expert = len(world.expert())
        world.restore(before)
        reasoner = Reasoner(world.vocabulary(), milestones_of(world, 'household' in name))
        number = 0
        for _ in range(100):
            reasoner.see(seen)
            step = reasoner.next()
            if not step.skill:
                break
            seen = with_skills(world, world.step(step.skill))
            number += 1
        if world.progress().success:
            done, skills, experts = done + 1, skills + number, experts + expert
    assert done >= solved
    assert skills <= most * experts, skills / experts
