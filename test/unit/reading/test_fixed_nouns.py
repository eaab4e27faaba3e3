"""Prohibitions of a noun that stands in the fixed words of a skill."""

import pytest

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

STABLE = Vocabulary(
    skill_types=(
        SkillType('muck out <stall>', ('stall',), effects=('<stall> is clean',)),
        SkillType('open the door of <stall>', ('stall',), effects=('<stall> is open',)),
        SkillType('open the dome'),
    ),
    templates=('muck out <stall>', 'open the door of <stall>', 'open the dome'),
    place_classes=('stall',),
)
DOOR_1, DOOR_2 = 'open the door of stall 1', 'open the door of stall 2'


@pytest.mark.parametrize(
    ('text', 'forbidden'),
    [
        ("don't open any door", {DOOR_1, DOOR_2}),
        ("don't open the roof", {'open the dome'}),
        ("don't open the door of stall 2", {DOOR_2}),
        ("don't open stall 2", {DOOR_2}),
    ],
)
def test_a_noun_in_the_words_of_a_skill_forbids_it(text: str, forbidden: set[str]) -> None:
    goal = read_alone(f'Muck out stall 1, but {text}.', Names(STABLE))
    moments = {
        skill: Moment(skill, Observation(''), {}, STABLE.skill_types)
        for skill in (DOOR_1, DOOR_2, 'open the dome', 'muck out stall 1')
    }
    kept = {s for s, moment in moments.items() if any(one.matches(moment) for one in goal.never)}
    assert kept == forbidden
