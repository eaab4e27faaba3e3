"""Rules in time that a task tells: at most so often, only after something, something else then."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from reactree_core.permission.matching import Condition
from reactree_core.permission.matching import FactPattern
from reactree_core.permission.rules import Rule
from reactree_core.skill_types import Effect
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillType
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.time_spans import time_spans
from reactree_planner.instructions.time_spans import TimeKind
from reactree_planner.instructions.time_spans import TimeSpan
from reactree_planner.instructions.told_skills import ToldSkillReader
from reactree_planner.instructions.words import Text

#: Words of the text, from the first of a rule to the one behind it, and the rule.
TimedRule = tuple[tuple[int, int], Rule]


def rules_in_time(task: str, reader: ToldSkillReader, names: Names) -> tuple[TimedRule, ...]:
    """What a task says of that kind, as far as skills of the server are meant for certain.

    :param reader: of the task's words.
    """
    found: list[TimedRule] = []
    for span in time_spans(Text(task, names.verbs)):
        rules = _rules_of(span, reader, names.skill_types)
        found += ((span.words, rule) for rule in rules)
    return tuple(found)


def _rules_of(
    span: TimeSpan, reader: ToldSkillReader, types: Sequence[SkillType]
) -> Iterator[Rule]:
    about = reader.told(*span.skill, span.count)
    if span.kind is TimeKind.AT_MOST:
        for skill in about:
            yield Rule('the task', skill, at_most=span.at_most, of_task=True)
        return
    begin, end = span.condition
    wanted = reader.told(begin, end, before=about) or reader.brought_about(begin, end, about)
    if not about and span.kind is TimeKind.THEN:
        # "close every gate that you open"
        about = tuple(
            replace(one, verbs=verbs) for one in wanted if (verbs := reader.verb(*span.skill))
        )
    if not about and wanted:
        about = reader.told(*span.skill, before=wanted)
    alternatives = [wanted] if reader.has_or(begin, end) else [(one,) for one in wanted]
    for skill in about:
        for some in alternatives:
            yield _joined(span.kind, skill, some, types)


def _joined(
    kind: TimeKind, skill: MeantSkills, wanted: Sequence[MeantSkills], types: Sequence[SkillType]
) -> Rule:
    """A rule of skills, and of what they wait for or bring with them; of the same thing, where
    both name it alike and without a number.
    """
    thing = skill.thing
    is_shared = bool(thing) and not thing[-1].isdigit()
    slot = ' '.join(thing) if is_shared and all(one.thing == thing for one in wanted) else ''
    conditions: dict[Condition, None] = {}
    for one in wanted:
        bound = replace(one, slot=slot)
        conditions[bound] = None
        conditions.update(dict.fromkeys(_facts(bound, types)))
    skill = replace(skill, slot=slot)
    if kind is TimeKind.THEN:
        return Rule('the task', skill, then=tuple(conditions), of_task=True)
    return Rule('the task', skill, only_after=tuple(conditions), of_task=True)


def _facts(meant: MeantSkills, types: Sequence[SkillType]) -> Iterator[FactPattern]:
    """Facts that hold after each of the skills: whoever brought them about, they will do."""
    thing = f'<{meant.slot}>' if meant.slot else ' '.join(meant.thing)
    where = ' '.join(meant.where)
    for type_ in types:
        slots = [slot.text for slot in type_.slots if slot.type.is_name]
        if type_.verb not in meant.verbs or not slots or not thing:
            continue
        for effect in type_.facts:
            told = _fact(effect, slots, thing, where)
            if told:
                yield FactPattern(told)


def _fact(effect: Effect, slots: Sequence[str], thing: str, where: str) -> str:
    """A fact with the thing in its slot; '' where it says nothing of the thing alone."""
    if not effect.holds:
        return ''
    if effect.relation is Relation.IN:
        is_put = effect.subject == slots[0] and effect.value in ('here', *slots[1:])
        return f'{thing} in {where}' if where and is_put else ''
    if where or len(slots) > 1:
        return ''
    if effect.relation is Relation.IS:
        is_plain = effect.subject == slots[0] and '<' not in effect.value
        return f'{thing} is {effect.value}' if is_plain else ''
    return f'{effect.relation.value} {thing}' if effect.value == slots[0] else ''
