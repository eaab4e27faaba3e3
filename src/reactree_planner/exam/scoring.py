"""Whether a reading is right."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.observation import Observation
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillType
from reactree_planner.exam.questions import ReadingQuestion
from reactree_planner.reading.goal import Goal


def passes(goal: Goal) -> bool:
    """Whether a reading passes the check, be it after a person's yes.

    A person is asked about prohibitions of what the server does not know, too.
    """
    forbidden = {one.words for one in goal.form.never} if goal.form is not None else set()
    return forbidden.issuperset((*goal.unread, *goal.left_to_model))


def reads_right(question: ReadingQuestion, goal: Goal, types: Sequence[SkillType]) -> bool:
    """Whether a reading is one of the right ones.

    Where a sentence asks for nothing, nothing may be read; else the reading has to pass the check.

    :param types: skills of the server.
    """
    means = _parts(goal.means)
    if not any(means == _parts(one) for one in question.right):
        return False
    if any(_is_forbidden(goal, skill, types) is False for skill in question.forbids):
        return False
    if any(_is_forbidden(goal, skill, types) is not False for skill in question.allows):
        return False
    if any(rule not in {one.wording for one in goal.rules} for rule in question.rules):
        return False
    is_asked = not question.asked or not goal.whole
    is_told = not question.unreachable or bool(goal.unreachable)
    return is_asked and is_told and (question.right == [''] or passes(goal))


def _parts(means: str) -> list[frozenset[str]]:
    return [frozenset(step.split('; ')) for step in means.split('; then ')]


def _is_forbidden(goal: Goal, skill: str, types: Sequence[SkillType]) -> bool | None:
    """False where nothing forbids a skill, None where something may."""
    moment = Moment(skill, Observation(''), types=tuple(types))
    found = [rule.skill.matches(moment) for rule in goal.permission_rules if rule.at_most == 0]
    return True if True in found else None if None in found else False
