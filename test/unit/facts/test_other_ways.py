"""Of two skills with one effect the other is tried before one that failed is tried again."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import ONLY_HAND_FREE, SkillKind, SkillType
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.retries import RETRIES
from reactree_planner.facts.unreachable import Cause
from support.carried_out import last_step

TIP = SkillType(
    'tip <sack> into <place>',
    ('thing', 'place'),
    SkillKind.PUT,
    needs=('holding <sack>', 'at <place>'),
)
SET = SkillType(
    'set <sack> down at <place>',
    ('thing', 'place'),
    SkillKind.PUT,
    needs=('holding <sack>', 'at <place>'),
)
MOVE = SkillType('roll to <place>', ('place',), SkillKind.MOVE)
HOIST = SkillType(
    'hoist <sack>', ('thing',), SkillKind.TAKE, needs=('<sack> in here', ONLY_HAND_FREE)
)
TYPES = (TIP, SET, MOVE, HOIST)


class Gantry:
    """Holds a sack at the store. :param works: a template that works there; '' for none."""

    def __init__(self, works: str, words: str = 'this is no vessel.') -> None:
        self.works, self.words, self.done, self.place = works, words, [], ''

    def vocabulary(self):
        return Vocabulary(
            templates=tuple(one.template for one in TYPES),
            object_classes=('sack',),
            place_classes=('store', 'bay'),
            skill_types=TYPES,
        )

    def look(self, skill='', outcome=Outcome.SUCCEEDED, text=''):
        offered = [one.filled(('sack 1', 'store')) for one in (TIP, SET)] if not self.place else []
        return Observation(
            text,
            outcome,
            skill,
            'store',
            held=() if self.place else ('sack 1',),
            admissible_skills=(*offered, 'roll to bay', 'roll to store'),
            facts=(ObjectFact('sack', 1, self.place, '', ''),) if self.place else (),
            sensed=('at', 'holding'),
        )

    def step(self, skill):
        self.done.append(skill)
        if self.works and skill == self.works:
            self.place = 'store'
            return self.look(skill)
        return self.look(skill, Outcome.EXECUTION_FAILED, self.words)


PUT = 'sack 1 in store'
BOTH = tuple(one.filled(('sack 1', 'store')) for one in (TIP, SET))


@pytest.mark.parametrize('works', BOTH)
def test_one_failure_that_the_robot_explains_is_enough_to_try_the_other_skill(works):
    world = Gantry(works)
    assert last_step(world, PUT).is_done
    assert world.done[-1] == works and len(world.done) <= 2


def test_without_words_the_same_skill_is_tried_again():
    other = Gantry('', words='')
    last_step(other, PUT)
    assert other.done[: 1 + RETRIES] == [other.done[0]] * (1 + RETRIES)


def test_no_skill_is_tried_more_often_than_its_policy_says():
    world = Gantry('')
    step = last_step(world, PUT)
    assert step.unreachable.cause is Cause.FAILED
    assert world.done[:2] == [BOTH[0], BOTH[1]] or world.done[:2] == [BOTH[1], BOTH[0]]
    assert all(world.done.count(one) == 1 + RETRIES for one in BOTH)


def test_more_than_the_only_hand_holds_is_refused_before_anything_is_done():
    milestones = (
        (read_condition('at bay'),),
        (read_condition('holding 2 sack'),),
    )
    reasoner = Reasoner(Gantry('').vocabulary(), milestones)
    reasoner.see(Observation('', place='store', admissible_skills=('roll to bay',)))
    step = reasoner.next()
    assert not step.skill and step.unreachable.cause is Cause.GRASPS
    assert step.unreachable.text == '2 things cannot be held at once, only 1'
