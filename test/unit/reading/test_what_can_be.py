"""What no skill can bring about is not read from words, and is known to be hopeless."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import Relation, SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition, read_condition
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.unreachable import Cause, hopeless
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

THINGS, PLACES, ROOMS = ('plate', 'tin', 'lamp'), ('Oven', 'shelf'), ('scullery 1',)
SKILLS = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('take <thing>', ('thing: plate, tin',), SkillKind.TAKE),
    SkillType('put <thing> in <place>', ('thing: plate, tin', 'place'), SkillKind.PUT),
    SkillType('open <name>', ('name: tin, Oven',), SkillKind.OPEN, 'close <name>'),
    SkillType('close <name>', ('name: tin, Oven',), SkillKind.CLOSE, 'open <name>'),
    SkillType('switch on <name>', ('name: lamp, Oven',), SkillKind.SWITCH_ON),
)
VOCABULARY = Vocabulary((), THINGS, PLACES, ROOMS, SKILLS)


@pytest.fixture(scope='module')
def names():
    return Names(VOCABULARY)


@pytest.mark.parametrize('text', ['Open the plate.', 'OPEN the shelf', 'Switch on the tin.'])
def test_what_no_skill_can_change_is_told_to_be_out_of_reach(names, text):
    goal = read_alone(text, names)
    assert goal.unreachable or not goal.milestones


@pytest.mark.parametrize(
    ('text', 'so', 'is_hopeless'),
    [
        ('plate is open', '', True),
        ('tin is open', '', False),
        # Nobody could bring it about; it is so.
        ('plate is open', 'open', False),
        # A state that no skill brings about may be found.
        ('plate is ripe', '', False),
        ('2 plate is on', '', True),
    ],
)
def test_what_cannot_be_is_told_before_the_first_move(text, so, is_hopeless):
    reasoner = Reasoner(VOCABULARY, ((read_condition(text),),))
    facts = (ObjectFact('plate', 1, receptacle='shelf', state=so),) if so else ()
    reasoner.see(Observation('', facts=facts, admissible_skills=('go to shelf',)))
    step = reasoner.next()
    told = step.unreachable is not None and step.unreachable.cause is Cause.NO_SKILL
    assert told is is_hopeless
    if told:
        assert step.unreachable.text == f'nothing here brings about "{text}"'


def test_classes_of_a_slot_do_not_bound_what_is_said_of_everything():
    condition = Condition(Relation.IN, 'everything', 'shelf', 0)
    assert hopeless(Belief(VOCABULARY), (condition,), lambda skill: True) is None
