"""Robots that go from region to region, and to places within the one where they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from random import Random

import pytest

from reactree_core.skill_types import SkillKind
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from unit.facts.made_up import CLOSE, GO, MadeUp, OPEN, play, PUT, skill, TAKE

ENTER = skill('enter <region>', SkillKind.MOVE, slot_types=('region',))
PLACES = {'dock 1': 'yard 1', 'truck 1': 'yard 1', 'shelf 1': 'hall 1', 'locker 1': 'hall 1',
          'desk 1': 'room 1'}  # fmt: skip


@dataclass
class House(MadeUp):
    """Places can be gone to in the region where the robot is. :param tells: its region."""

    tells: bool = True

    def _can(self, one, values):
        here = self.places.get(self.at, self.at)
        if one is ENTER:
            return values[0] != here
        if one is GO and self.places.get(values[0]) != here:
            return False
        return super()._can(one, values)

    def look(self, *told, **more):
        seen = super().look(*told, **more)
        here = self.places.get(self.at, self.at)
        facts = tuple(
            one for one in seen.facts if self.seen or not one.receptacle or one.room == here
        )
        place = self.at if self.at in self.places else ''
        return replace(seen, facts=facts, place=place, room=here if self.tells else '',
                       looked_at=(place,) if place and not self.seen else ())  # fmt: skip


def house(seed, **changes):
    dice = Random(seed)
    things = {name: dice.choice(sorted(PLACES)) for name in ('crate 1', 'drum 1')}
    told = {'at': dice.choice(sorted(PLACES)), 'hands': 1 + seed % 2,
            'states': {'locker 1': {dice.choice(('open', 'closed'))}}}  # fmt: skip
    types = (ENTER, GO, TAKE, PUT, OPEN, CLOSE)
    return House(types, dict(PLACES), things, **{**told, **changes})


def is_met(asked, world):
    def holds(text):
        if text.startswith('at '):
            here = world.places.get(world.at, world.at)
            return f'{text[3:]} 1' in (world.at, here)
        if text.startswith('holding '):
            return f'{text[8:]} 1' in world.held
        name, _, place = text.partition(' in ')
        where = world.things[f'{name} 1']
        return f'{place} 1' in (where, world.places.get(where)) and f'{name} 1' not in world.held

    return all(map(holds, asked))


@pytest.mark.parametrize(
    ('asked', 'longer'),
    [
        ('crate in truck', 1.0),
        ('crate in hall', 1.14),
        ('crate in locker', 1.1),
        ('at shelf', 1.0),
        ('at room', 1.0),
        ('holding crate; at yard', 1.0),
    ],
)
@pytest.mark.parametrize('kind', ['seen', 'no region told', 'unseen'])
def test_ways_through_regions_are_hardly_longer_than_the_shortest(asked, longer, kind):
    skills = fewest = 0
    asked = asked.split('; ')
    for seed in range(4):
        told = {'no region told': {'tells': False}, 'unseen': {'seen': False}}.get(kind, {})
        world = house(seed, **told)
        least = world.fewest(lambda one: is_met(asked, one))
        assert least < inf
        before = replace(world)
        reasoner = Reasoner(world.vocabulary(), (conditions_of(tuple(asked)),))
        assert play(world, reasoner).is_done, (before, world.done)
        assert is_met(asked, world), world.done
        skills, fewest = skills + len(world.done), fewest + least
    assert skills <= (2.5 if kind == 'unseen' else longer) * fewest, skills / fewest


@pytest.mark.parametrize('shut', [False, True])
def test_in_a_region_of_many_places_it_is_laid_down_at_the_nearest(shut):
    places = {f'locker {n}': 'hall 1' for n in range(1, 10)}
    states = {name: {'closed'} for name in places if shut and name != 'locker 9'}
    world = House((ENTER, GO, TAKE, PUT, OPEN, CLOSE), places, {'crate 1': ''}, states,
                  at='locker 7', held=['crate 1'])  # fmt: skip
    reasoner = Reasoner(world.vocabulary(), (conditions_of(('crate in hall',)),))
    assert play(world, reasoner).is_done
    if shut:
        assert world.done in (
            ['drive to locker 9', 'leave crate 1 at locker 9'],
            ['unfold locker 7', 'leave crate 1 at locker 7'],
        )
    else:
        assert world.done == ['leave crate 1 at locker 7']
