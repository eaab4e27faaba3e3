"""Nothing that a sentence forbids is dropped, whatever it calls it."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation
from reactree_core.permission.matching import Moment
from reactree_planner.reading.check import check
from reactree_planner.reading.goal import Goal, goal_of, ReadBy
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.vocabulary import ServerWords
from support.prohibited import asking, FACTS, Forbidding, forbidding, HOUSE

_WORDS = ServerWords(HOUSE)
_FORBIDDING = forbidding(200)


def _goal(text: str) -> Goal:
    return goal_of(check(read(text, _WORDS), text, _WORDS), text, _WORDS, ReadBy.GRAMMAR)


def _forbids(goal: Goal, skill: str) -> bool:
    """Whether a goal forbids a skill, or may."""
    moment = Moment(
        skill, Observation('', place='kitchen table 1', room='kitchen'), FACTS, HOUSE.skills
    )
    return any(act.matches(moment) is not False for act in goal.never)


@pytest.mark.parametrize('one', _FORBIDDING, ids=lambda one: one.text)
def test_what_is_forbidden_is_forbidden_or_asked_about(one: Forbidding) -> None:
    goal = _goal(one.text)
    is_kept = bool(one.skill) and _forbids(goal, one.skill)
    assert is_kept or not goal.whole, goal.plainly


@pytest.mark.parametrize(('text', 'wanted'), tuple(asking(60)))
def test_a_polite_question_is_not_read_as_its_opposite(text: str, wanted: str) -> None:
    goal = _goal(text)
    thing, place = wanted.split(' in ')
    told = ' '.join(one.text for one in goal.conditions)
    assert wanted in told or not goal.whole
    assert not _forbids(goal, f'put {thing} 1 on {place} 1')
