"""What a model may write is bounded by what skills can bring about."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import Relation, SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition, read_condition
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.unreachable import Cause, hopeless
from reactree_planner.language.interpreting import Interpreter
from reactree_planner.language.model_reader import OwnSessions
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from reactree_planner.llm.policy import PolicyModel

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


def written(names, numbers, most=60):
    """What a model writes that takes options by these numbers, and what it was offered."""
    left, offered = [*numbers], []

    def choose(text, options):
        if options is None:
            return ' do it.'
        offered.append([one.strip() for one in options])
        return left.pop(0) % len(options) if left else len(options) - 1

    goal = read_with_grammar('It is a strange evening, friend.', names)
    model = PolicyModel(choose)
    taken = Interpreter(OwnSessions(model)).interpret(goal, names)
    return [one for step in taken.milestones for one in step], offered


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 60), max_size=24))
def test_whatever_a_model_chooses_some_skill_brings_it_about(numbers):
    found, _ = written(Names(VOCABULARY), numbers)
    belief = Belief(VOCABULARY)
    for one in found:
        assert hopeless(belief, (one,), lambda skill: True) is None, one.text
        if one.relation is Relation.IS:
            openable = {'tin', 'Oven'} if one.value != 'on' else {'lamp', 'Oven'}
            assert one.subject in openable and one.value in ('open', 'closed', 'on')
        if one.relation is Relation.IN:
            assert one.subject in ('plate', 'tin')
            assert one.value in ('Oven', 'shelf', 'scullery')
        if one.relation is Relation.HOLDING:
            assert one.subject in ('plate', 'tin')


def test_what_cannot_be_is_not_offered(names):
    _, (forms, *_) = written(names, [0])
    assert 'tin is' in forms and 'Oven is' in forms and 'lamp is' in forms
    assert not {'plate is', 'shelf is', 'scullery is', 'lamp in', 'Oven in'} & set(forms)


@pytest.mark.parametrize('text', ['Open the plate.', 'OPEN the shelf', 'Switch on the tin.'])
def test_nor_is_it_read_from_words(names, text):
    assert not read_with_grammar(text, names).milestones


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
