"""A prohibition whose words name nothing of the server forbids what they may mean."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('open <name>', ('name',), SkillKind.OPEN),
    SkillType('pick up <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put down <thing>', ('thing',), SkillKind.PUT),
)
HOME = Vocabulary(
    tuple(one.template for one in TYPES),
    ('juice', 'plate'),
    ('fridge', 'sofa', 'stove'),
    ('bathroom 1', 'kitchen 1'),
    TYPES,
)
FACTS = {
    'juice 1': ObjectFact('juice', 1, 'kitchen 1', 'fridge 1'),
    'plate 1': ObjectFact('plate', 1, 'kitchen 1', 'stove 1'),
    'sofa 1': ObjectFact('sofa', 1, 'kitchen 1'),
}


def forbids(sentence: str, skill: str) -> bool:
    goal = read_alone(sentence, Names(HOME))
    moment = Moment(skill, Observation('', place='stove 1'), FACTS, TYPES)
    return any(one.matches(moment) is not False for one in goal.never)


@pytest.mark.parametrize('noun', ['refrigerator', 'icebox', 'freezer', 'fridge'])
@pytest.mark.parametrize(
    'lead', ["Don't open the {}.", 'Never open the {}.', 'without opening the {}']
)
def test_a_synonym_is_forbidden_like_the_name(noun: str, lead: str) -> None:
    sentence = f'Put the juice on the sofa. {lead.format(noun)}'
    assert forbids(sentence, 'open fridge 1') and not forbids(sentence, 'open stove 1')


@pytest.mark.parametrize(
    ('words', 'skill'),
    [
        ("Don't set foot in the bathroom.", 'go to bathroom 1'),
        ("Don't take a step into the bathroom.", 'go to bathroom 1'),
        ("Don't put your hands on the fridge.", 'open fridge 1'),
        ('Never put a finger on the fridge.', 'open fridge 1'),
    ],
)
def test_what_is_said_in_other_words_is_forbidden(words: str, skill: str) -> None:
    assert forbids(f'Put the juice on the sofa. {words}', skill)
    assert not forbids(f'Put the juice on the sofa. {words}', 'go to sofa 1')


def test_what_is_in_a_place_is_not_taken_out_of_it_from_beside() -> None:
    sentence = "Put the juice on the sofa. Don't take anything out of the fridge."
    assert forbids(sentence, 'pick up juice 1') and not forbids(sentence, 'pick up plate 1')


def test_what_forbids_nothing_has_no_prohibition() -> None:
    assert not read_alone('Put the juice on the sofa.', Names(HOME)).never
