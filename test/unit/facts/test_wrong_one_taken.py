"""A gripper that closes on another thing than the one that was to be taken."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import ONLY_HAND_FREE, SkillKind, SkillType
from reactree_planner.facts.retries import RETRIES
from reactree_planner.facts.unreachable import Cause
from support.carried_out import last_step

MOVE = SkillType('roll to <place>', ('place',), SkillKind.MOVE)
TAKE = SkillType('grip <rod>', ('thing',), SkillKind.TAKE, needs=('<rod> in here', ONLY_HAND_FREE))
SET = SkillType(
    'set <rod> down at <place>',
    ('thing', 'place'),
    SkillKind.PUT,
    needs=('holding <rod>', 'at <place>'),
)
TYPES = (MOVE, TAKE, SET)
PLACES = ('rack', 'bay', 'yard')
RODS = ('rod 1', 'rod 2')


class Rack:
    """Two rods on the rack, which a camera shows. :param slips: grips that take the other rod."""

    def __init__(self, slips: int) -> None:
        self.slips, self.done, self.at, self.held = slips, [], 'rack', ''

    def vocabulary(self):
        return Vocabulary(
            templates=tuple(one.template for one in TYPES),
            object_classes=('rod',),
            place_classes=PLACES,
            skill_types=TYPES,
        )

    def look(self, skill='', outcome=Outcome.SUCCEEDED, text=''):
        here = [rod for rod in RODS if self.at == 'rack' and rod != self.held]
        offered = [MOVE.filled((place,)) for place in PLACES if place != self.at]
        offered += [SET.filled((self.held, self.at))] if self.held else []
        offered += [TAKE.filled((rod,)) for rod in here if not self.held]
        return Observation(
            text,
            outcome,
            skill,
            self.at,
            looked_at=(self.at,),
            held=(self.held,) if self.held else (),
            admissible_skills=tuple(offered),
            facts=tuple(ObjectFact('rod', int(rod[-1]), 'rack', '', '') for rod in here),
            sensed=('at', 'holding'),
        )

    def step(self, skill):
        self.done.append(skill)
        if skill.startswith('roll'):
            self.at = skill.removeprefix('roll to ')
        elif skill.startswith('set'):
            self.held = ''
        else:
            rod = skill.removeprefix('grip ')
            self.held = rod if not self.slips else RODS[rod == RODS[0]]
            if self.slips:
                self.slips -= 1
                return self.look(skill, Outcome.EXECUTION_FAILED, f'You hold {self.held}.')
        return self.look(skill)


def test_it_is_put_back_and_the_right_one_is_taken_where_it_is_seen():
    world = Rack(slips=1)
    assert last_step(world, 'holding rod 2').is_done
    assert world.done == ['grip rod 2', 'set rod 1 down at rack', 'grip rod 2']


@pytest.mark.parametrize('goal', ['holding rod 2', 'rod 2 in bay'])
def test_a_thing_that_is_never_taken_is_looked_for_nowhere_else(goal):
    world = Rack(slips=99)
    step = last_step(world, goal)
    assert step.unreachable is not None and step.unreachable.cause is Cause.FAILED
    assert world.done.count('grip rod 2') == 1 + RETRIES
    assert not [one for one in world.done if one.startswith('roll')]


def test_of_a_class_another_one_will_do():
    world = Rack(slips=1)
    assert last_step(world, 'holding rod').is_done
    assert not [one for one in world.done if one.startswith('roll')]
