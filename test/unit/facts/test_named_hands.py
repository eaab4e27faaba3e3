"""Hands with names: what one arm does not reach goes by the other one."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import class_and_number, Relation, SkillKind, SkillType
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.reasoner import Reasoner

_THING, _PLACE = 'thing', 'place'
#: Places that each arm reaches.
REACHED = {'left': ('left tray', 'fixture'), 'right': ('right tray', 'fixture')}


def types(hands_over: bool):
    for side, other in (('left', 'right'), ('right', 'left')):
        yield SkillType(
            f'pick up <thing> with {side} arm',
            (_THING,),
            kind=SkillKind.TAKE,
            effects=('holding <thing>',),
            needs=(f'{side} hand free',),
        )
        yield SkillType(
            f'put <thing> on <place> with {side} arm',
            (_THING, _PLACE),
            kind=SkillKind.PUT,
            effects=('<thing> in <place>', 'not holding <thing>'),
            needs=(f'holding <thing> in {side} hand',),
        )
        if hands_over:
            yield SkillType(
                f'hand <thing> over to {side} arm',
                (_THING,),
                kind=SkillKind.CHANGE,
                effects=('holding <thing>',),
                needs=(f'holding <thing> in {other} hand', f'{side} hand free'),
            )


class Bench:
    """Two arms over trays. :param begins: the hand that holds the gear at first; '' for none."""

    def __init__(self, hands_over: bool, begins: str = '') -> None:
        self.types = tuple(types(hands_over))
        self.vocabulary = Vocabulary(
            templates=tuple(one.template for one in self.types),
            object_classes=('gear',),
            place_classes=('left tray', 'right tray', 'fixture'),
            skill_types=self.types,
        )
        self.gear = 'left tray'
        self.grip = begins
        self.done: list[str] = []

    def see(self, skill='', outcome=Outcome.SUCCEEDED, text=''):
        texts = []
        for side, other in (('left', 'right'), ('right', 'left')):
            if not self.grip:
                texts.append(f'pick up gear 1 with {side} arm')
            if self.grip == side:
                texts += [
                    f'put gear 1 on {place} with {side} arm'
                    for place in ('left tray', 'fixture', 'right tray')
                ]
            if self.grip == other and len(self.types) > 4:
                texts.append(f'hand gear 1 over to {side} arm')
        places = [ObjectFact(*class_and_number(one), '', '', '') for one in
                  ('left tray', 'right tray', 'fixture')]  # fmt: skip
        gear = [] if self.grip else [ObjectFact('gear', '1', '', self.gear, '')]
        return Observation(
            text,
            outcome,
            skill=skill,
            held=('gear 1',) if self.grip else (),
            sensed=('holding',),
            admissible_skills=tuple(texts),
            facts=(*places, *gear),
        )

    def step(self, skill):
        self.done.append(skill)
        side = 'left' if skill.endswith('left arm') else 'right'
        if skill not in self.see().admissible_skills:
            return self.see(skill, Outcome.PRECONDITION_FAILED, 'It is not in that hand.')
        place = skill.partition(' on ')[2].partition(' with')[0] or self.gear
        if 'over to' not in skill and place not in REACHED[side]:
            reason = f'The {side} arm does not reach that.'
            return self.see(skill, Outcome.PRECONDITION_FAILED, reason)
        if skill.startswith('put'):
            self.gear, self.grip = place, ''
        else:
            self.grip = side
        return self.see(skill)


def played(bench: Bench):
    goal = ((Condition(Relation.IN, 'gear', 'right tray'),),)
    reasoner, seen = Reasoner(bench.vocabulary, goal), bench.see()
    while len(bench.done) < 12:
        reasoner.see(seen)
        step = reasoner.next()
        if not step.skill:
            return step
        seen = bench.step(step.skill)
    return None


def test_a_thing_is_handed_over_to_the_arm_that_reaches_its_place():
    bench = Bench(hands_over=True)
    end = played(bench)
    assert end is not None and end.is_done and bench.gear == 'right tray'
    assert bench.done[-3:] == [
        'put gear 1 on right tray with left arm',
        'hand gear 1 over to right arm',
        'put gear 1 on right tray with right arm',
    ]


def test_a_thing_is_laid_down_where_both_arms_reach_when_nothing_hands_it_over():
    bench = Bench(hands_over=False)
    end = played(bench)
    assert end is not None and end.is_done and bench.gear == 'right tray'
    assert bench.done[-3:] == [
        'put gear 1 on fixture with left arm',
        'pick up gear 1 with right arm',
        'put gear 1 on right tray with right arm',
    ]


@pytest.mark.parametrize('side', ['left', 'right'])
def test_the_hand_that_holds_something_at_the_start_is_known_from_what_is_on_offer(side):
    bench = Bench(hands_over=True, begins=side)
    end = played(bench)
    assert end is not None and end.is_done
    assert not any(skill.startswith('pick up') for skill in bench.done)
    assert bench.done[0] == f'put gear 1 on right tray with {side} arm'
