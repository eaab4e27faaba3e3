"""What a task asks for and forbids at once, found before anything moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import Relation, SkillKind, SkillType
from reactree_planner.facts.conditions import ALL, Condition, EVERYTHING
from reactree_planner.language.goal import Goal
from reactree_planner.language.meant_skills import contains, does, MeantSkills
from reactree_planner.language.names import Names
from reactree_planner.language.words import words_of


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A condition that nothing may bring about.

    :param asked: words of the text that ask for it. :param forbids: what it forbids, and
    :param forbidden: the words for that; '' where they are not known.
    """

    condition: Condition
    forbids: tuple[MeantSkills, ...]
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

    What holds already needs no skill: ask this of conditions that do not hold.

    :param vocabulary: of the skill server, which declares what its skills bring about.
    """
    names = Names(vocabulary)
    wanted = dict.fromkeys(one for milestone in goal.milestones for one in milestone)
    found = []
    for condition in wanted:
        forbids = next(_barred(condition, goal, names.skill_types), ())
        if forbids:
            told = '; '.join(_said(goal, one.wording) for one in forbids)
            found.append(Contradiction(condition, forbids, _said(goal, condition.text), told))
    return tuple(found)


def but_for_forbidden(goal: Goal, vocabulary: Vocabulary) -> Goal:
    """Except from "all" of a class the things that the same task forbids to bring there.

    :param vocabulary: of the skill server, which declares what its skills bring about.
    """
    things = {one.thing for one in goal.never if isinstance(one, MeantSkills) and one.thing}
    sets = [one for step in goal.milestones for one in step if one.count == ALL]
    if not things or not sets:
        return goal
    types = Names(vocabulary).skill_types

    def without(one: Condition) -> Condition:
        if one.count != ALL:
            return one
        subject = () if one.subject == EVERYTHING else tuple(words_of(one.subject))
        parts = [' '.join(each) for each in things if each != subject and contains(each, subject)]
        barred = [
            name
            for name in parts
            if any(_barred(replace(one, subject=name, count=1), goal, types))
        ]
        return replace(one, but=tuple(dict.fromkeys((*one.but, *sorted(barred)))))

    return replace(goal, milestones=tuple(tuple(map(without, step)) for step in goal.milestones))


def _barred(
    condition: Condition, goal: Goal, types: tuple[SkillType, ...]
) -> Iterator[tuple[MeantSkills, ...]]:
    """Prohibitions that together bar a step without which it cannot come about."""
    for step in _steps(condition, types):
        if not step:
            continue
        never = [one for one in goal.never if isinstance(one, MeantSkills)]
        by = [next((m for m in never if _bars(m, one, condition)), None) for one in step]
        barring = tuple(dict.fromkeys(one for one in by if one is not None))
        if len(by) == len(step) and None not in by:
            yield barring


def _steps(condition: Condition, types: tuple[SkillType, ...]) -> Iterator[tuple[SkillType, ...]]:
    """Skills of which one is needed: those that bring it about, and those that take its thing."""
    effects = (Relation.IN, Relation.HOLDING, Relation.AT)
    if condition.relation in effects:
        yield tuple(
            one
            for one in types
            if any(fact.holds and fact.relation is condition.relation for fact in one.facts)
        )
    if condition.relation is Relation.IN:
        # A robot that has a skill to take puts down what it has taken.
        yield tuple(one for one in types if one.kind is SkillKind.TAKE)
    if condition.relation is Relation.IS:
        yield tuple(
            one
            for one in types
            if any(fact.holds and fact.value == condition.value for fact in one.facts)
        )


def _bars(meant: MeantSkills, skill: SkillType, condition: Condition) -> bool:
    """Whether a prohibition bars a skill with the thing of a condition, wherever it is done."""
    moves = does(skill.verb, SkillKind.MOVE, meant.server)
    if (meant.verbs and skill.verb not in meant.verbs) or (not meant.verbs and moves):
        return False
    thing = condition.value if condition.relation is Relation.AT else condition.subject
    if not contains(tuple(words_of(thing)), meant.thing):
        return False
    puts = does(skill.verb, SkillKind.PUT, meant.server) and condition.relation is Relation.IN
    there = puts and contains(tuple(words_of(condition.value)), meant.where)
    return not meant.where or there


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
