"""Conflicts between the goal and the prohibitions of one task, found before anything moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.acts import Act
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import is_of_class, Relation, SkillKind, SkillType
from reactree_planner.facts.conditions import ALL, Condition, EVERYTHING
from reactree_planner.reading.goal import Goal, MUST_NOT


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A condition that nothing may bring about.

    :param asked: words of the text that ask for it. :param forbids: the acts that it forbids, and
    :param forbidden: the words for them; '' where they are not known.
    """

    condition: Condition
    forbids: tuple[Act, ...]
    asked: str = ''
    forbidden: str = ''

    @property
    def sentence(self) -> str:
        """For people."""
        asked = f'"{self.asked}" asks that {_in_words(self.condition)}'
        skills = '; '.join(one.wording for one in self.forbids)
        by = f'"{self.forbidden}"' if self.forbidden else 'the same text'
        return f'{asked}, but {by} forbids what would bring it about (must not: {skills}).'


def contradictions(goal: Goal, vocabulary: Vocabulary) -> tuple[Contradiction, ...]:
    """Conditions of a goal for which every skill that brings them about is forbidden.

    A condition that holds already needs no skill: ask this of conditions that do not hold.

    :param vocabulary: of the skill server, which declares the effects of its skills.
    """
    wanted = dict.fromkeys(one for milestone in goal.milestones for one in milestone)
    found = []
    for condition in wanted:
        forbids = next(_barred(condition, goal.never, vocabulary.skills), ())
        if forbids:
            words = '; '.join(
                filter(None, (_said(goal, f'{MUST_NOT}{a.wording}') for a in forbids))
            )
            found.append(Contradiction(condition, forbids, _said(goal, condition.text), words))
    return tuple(found)


def but_for_forbidden(goal: Goal, vocabulary: Vocabulary) -> Goal:
    """Except from "all" of a class the things that the same task forbids to bring there.

    :param vocabulary: of the skill server, which declares the effects of its skills.
    """
    things = sorted({one.thing for one in goal.never if one.thing})
    if not things or all(one.count != ALL for step in goal.milestones for one in step):
        return goal

    def without(one: Condition) -> Condition:
        if one.count != ALL:
            return one
        inner = (
            name
            for name in things
            if name != one.subject
            and (one.subject == EVERYTHING or is_of_class(name, one.subject))
        )
        barred = [
            name
            for name in inner
            if any(_barred(replace(one, subject=name, count=1), goal.never, vocabulary.skills))
        ]
        return replace(one, but=tuple(dict.fromkeys((*one.but, *barred))))

    return replace(goal, milestones=tuple(tuple(map(without, step)) for step in goal.milestones))


def _barred(
    condition: Condition, never: tuple[Act, ...], types: tuple[SkillType, ...]
) -> Iterator[tuple[Act, ...]]:
    """Prohibitions that together bar a step without which a condition cannot come about."""
    for step in _steps(condition, types):
        moments = [Moment(skill, Observation(''), {}, types) for skill in step]
        by = [next((act for act in never if act.matches(one)), None) for one in moments]
        barring = tuple(dict.fromkeys(one for one in by if one is not None))
        if step and None not in by:
            yield barring


def _steps(condition: Condition, types: tuple[SkillType, ...]) -> Iterator[tuple[str, ...]]:
    """Skills of which one is needed: those that bring it about, and those that take its thing."""
    yield tuple(filter(None, (_towards(condition, one) for one in types)))
    if condition.relation is Relation.IN:
        # A robot that has a skill to take puts down what it has taken.
        held = Condition(Relation.HOLDING, condition.subject)
        takes = (one for one in types if one.kind is SkillKind.TAKE)
        yield tuple(filter(None, (_towards(held, one) for one in takes)))


def _towards(condition: Condition, skill: SkillType) -> str:
    """The skill with the names of a condition that it brings about; '' where it does not."""
    for fact in skill.facts:
        holds = fact.holds and fact.relation is condition.relation
        if condition.relation is Relation.IS and fact.value != condition.value:
            continue
        if holds:
            names = {fact.subject: condition.subject, fact.value: condition.value}
            if condition.relation is Relation.HOLDING:
                names = {fact.value: condition.subject}
            if condition.relation is Relation.AT:
                names = {fact.value: condition.value}
            return _filled(skill, names)
    return ''


def _filled(skill: SkillType, names: Mapping[str, str]) -> str:
    return skill.filled([names.get(slot.text, slot.text) for slot in skill.slots])


def _said(goal: Goal, account: str) -> str:
    """The words of a text that something accounts for."""
    return ' '.join(one.text for one in goal.words if account in one.account and one.text.strip())


def _in_words(condition: Condition) -> str:
    if condition.relation is Relation.AT:
        return f'the robot is at {condition.value}'
    if condition.relation is Relation.HOLDING:
        return f'the robot is {condition.text}'
    verb = '' if condition.relation is Relation.IS else 'is '
    return condition.text if not verb else condition.text.replace(' in ', ' is in ', 1)
