"""Questions are answered from what is known, with its time, and only of what was looked at."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.answering import Answers
from reactree_planner.runs.run_belief import RunBelief

VOCABULARY = Vocabulary(
    object_classes=('jar', 'lid'),
    place_classes=('cupboard', 'bench'),
    rooms=('store 1',),
    skill_types=(
        SkillType('walk to <place>', ('place',), SkillKind.MOVE),
        SkillType('take <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
        SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
        SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    ),
)


def answer(text, *observations):
    belief = RunBelief(VOCABULARY)
    for one in observations:
        belief.update(one)
    question = read_alone(text, belief.names).form.question
    assert question is not None, text
    return Answers(belief, lambda name: belief.memory.facts(name)).answer(question)


JARS = Observation(
    'seen',
    place='bench 1',
    looked_at=('bench 1',),
    facts=(
        ObjectFact('jar', 1, 'store 1', 'bench 1'),
        ObjectFact('jar', 2, 'store 1', 'bench 1'),
        ObjectFact('cupboard', 1, 'store 1', '', 'closed'),
    ),
)
LATER = Observation('nothing new', stamp=500.0, place='cupboard 1')


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('How many jars are there on the bench?', '2. jar 1: in or on bench 1'),
        ('Are there any jars left?', 'Yes. jar 1'),
        ('Where is the jar?', 'jar 1: in or on bench 1'),
        ('Is the cupboard closed?', 'cupboard 1 is closed'),
        ('Is the cupboard open?', 'cupboard 1 is not open'),
        ('Is there a lid on the bench?', 'No: no lid was seen in or on the bench.'),
    ],
)
def test_what_was_seen_is_told(text, words):
    assert words in answer(text, JARS)


def test_of_a_place_that_was_not_looked_at_nothing_is_said():
    told = answer('How many jars are there in the cupboard?', JARS)
    assert told == 'Not known: no jar was seen in or on the cupboard. Not looked at: cupboard.'
    assert answer('How many jars are there on the bench?').startswith('Not known')


def test_what_was_seen_long_ago_says_since_when():
    assert 'ago)' in answer('Where is the jar?', JARS, LATER)
    assert 'ago)' not in answer('Where is the jar?', JARS)


def test_who_asks_for_a_look_is_told_that_none_was_taken():
    assert 'To have it looked at' in answer('Go and see whether the cupboard is closed.', JARS)
