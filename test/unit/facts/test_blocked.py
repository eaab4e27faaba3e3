"""A blocked way and an unmet need end a run with that reason, and without wandering."""

from __future__ import annotations

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.retries import RETRIES
from reactree_planner.facts.unreachable import Cause
from support.carried_out import last_step

WAY = 'at seed room'
PLACES = ('seed room', 'tap', 'bin', 'dock 2')
MOVE = SkillType('drive to <place>', ('place',), SkillKind.MOVE)
NEEDS = SkillType('drive to <place>', ('place',), SkillKind.MOVE, needs=('battery > 20 %',))


class Rover:
    """Drives between declared places; a door is before the seed room.

    :param door: open or closed; '' where nobody reports it.
    """

    def __init__(self, types, *, door='', battery=80, at='tap'):
        self.types, self.door, self.battery, self.at = types, door, battery, at
        self.shut, self.done = door != 'open', []

    def vocabulary(self):
        return Vocabulary(
            templates=tuple(one.template for one in self.types),
            place_classes=('seed room', 'tap', 'bin', 'dock'),
            other_classes=('door', 'battery'),
            skill_types=self.types,
            states=('open', 'closed'),
            numbers=('battery',),
        )

    def look(self, skill='', outcome=Outcome.SUCCEEDED, text=''):
        facts = [ObjectFact('battery', 0, '', '', f'{self.battery} %')]
        facts += [ObjectFact('door', 0, '', '', self.door)] if self.door else []
        offered = [f'drive to {place}' for place in PLACES if place != self.at]
        offered += [one.template for one in self.types if not one.slots]
        return Observation(
            text, outcome, skill, self.at, admissible_skills=tuple(offered), facts=tuple(facts)
        )

    def step(self, skill):
        self.done.append(skill)
        if skill == 'open the door':
            self.door, self.shut = 'open', False
        elif skill == 'charge':
            self.battery = 100
        elif skill == 'drive to seed room' and self.shut:
            return self.look(skill, Outcome.EXECUTION_FAILED, 'the door is closed.')
        else:
            self.at = skill.removeprefix('drive to ')
        return self.look(skill)


def test_a_blocked_way_is_tried_as_often_as_the_policy_says_and_named():
    world = Rover((MOVE,))
    step = last_step(world, WAY)
    assert world.done == ['drive to seed room'] * (1 + RETRIES)
    assert step.unreachable.cause is Cause.BLOCKED and step.unreachable.is_certain
    assert step.unreachable.text == 'the way to seed room is blocked: the door is closed'


def test_a_door_that_a_skill_opens_is_opened_where_the_way_needs_it():
    opens = SkillType('open the door', effects=('door is open',))
    way = SkillType('drive to <place>', ('place',), SkillKind.MOVE, needs=('door is open',))
    world = Rover((way, opens), door='closed')
    assert last_step(world, WAY).is_done
    assert world.done == ['open the door', 'drive to seed room']


def test_a_need_that_is_not_met_is_named_with_its_value():
    world = Rover((NEEDS,), battery=10, door='open')
    step = last_step(world, 'at dock 2')
    assert world.done == []
    assert step.unreachable.cause is Cause.NEED and step.unreachable.is_certain
    assert step.unreachable.text == '"drive to dock 2" needs battery > 20 %, and it is 10 %'


def test_a_need_that_a_skill_meets_is_met():
    charge = SkillType('charge', effects=('battery > 90 %',))
    world = Rover((NEEDS, charge), battery=10, door='open')
    assert last_step(world, 'at dock 2').is_done
    assert world.done == ['charge', 'drive to dock 2']


def test_the_state_of_a_door_that_nothing_opens_is_named():
    way = SkillType('drive to <place>', ('place',), SkillKind.MOVE, needs=('door is open',))
    step = last_step(Rover((way,), door='closed'), WAY)
    assert step.unreachable.text == '"drive to seed room" needs door is open, and it is closed'
