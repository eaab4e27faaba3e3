"""A goal for the planner, made of a checked form: milestones, rules, and what is left open.

    put a tray in the washer, turn it on, and then set the tray on the loading table

    milestones   [tray in washer, washer is on]  then  [washer is on, tray in loading table]
    rules        nothing
    unread       nothing: the reading is whole

Only a whole reading lets facts choose skills without asking, refuses `done`, or is called
verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

from reactree_core.measures import converted, Measure, read_comparison
from reactree_core.permission.acts import Act, Side
from reactree_core.permission.matching import FactPattern, Matcher, SkillPattern
from reactree_core.permission.rules import Rule
from reactree_core.permission.selector import Selector
from reactree_core.permission.totals import Total
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    is_of_class,
    plain_name,
    Relation,
    SkillType,
    Slot,
    SlotType,
)
from reactree_planner.facts.conditions import (
    ALL,
    being_in,
    Condition,
    EVERYTHING,
    Milestone,
    where_is,
)
from reactree_planner.reading.check import End, Report
from reactree_planner.reading.form import (
    Circumstance,
    condition_text,
    FormCondition,
    FormMilestone,
    GoalForm,
    Limit,
    Prohibition,
    render,
)
from reactree_planner.reading.sentence import (
    inside_any,
    list_numbers,
    ORDERING,
    Sentence,
    Sign,
)
from reactree_planner.reading.small_words import COORDINATORS
from reactree_planner.reading.tokens import Token
from reactree_planner.reading.units import UNITS
from reactree_planner.reading.vocabulary import act_of_state, english, ServerWords, state_of

#: Begins the account of words that forbid.
MUST_NOT = 'must not '


class ReadBy(Enum):
    """Who read a goal."""

    SKILL = 'skill'
    GRAMMAR = 'grammar'
    MODEL = 'model'
    #: Grammar and model, which agree.
    BOTH = 'both'
    PERSON = 'person'


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence. :param account: parts of the goal that quote it; '' for none."""

    text: str
    account: str = ''


class When(Enum):
    """When the milestones of a goal are due.

    IF: now, where its conditions hold; decided as soon as that is known. ONCE: as soon as they
    hold. WHENEVER: each time that they come to hold. EVERY: again and again, after some seconds.
    AFTER: once, some seconds from now.
    """

    IF = 'if'
    ONCE = 'once'
    WHENEVER = 'whenever'
    EVERY = 'every'
    AFTER = 'in'


@dataclass(frozen=True, slots=True)
class Trigger:
    """Circumstances under which the milestones of a goal are due.

    :param conditions: that hold then. :param seconds: of EVERY and AFTER.
    :param times: how often at most; 0 for any number. :param lasts: seconds in all; 0: for ever.
    """

    when: When
    conditions: Milestone = ()
    seconds: float = 0.0
    times: int = 0
    lasts: float = 0.0

    @property
    def waits(self) -> bool:
        """Whether a run waits for it; else it is decided at once."""
        return self.when is not When.IF

    @property
    def repeats(self) -> bool:
        """Whether it may come more than once."""
        return self.when in (When.WHENEVER, When.EVERY)

    @property
    def text(self) -> str:
        """For people and events, e.g. 'whenever cup in counter', 'every 10 min'."""
        parts = [self.when.value]
        parts += [' and '.join(one.text for one in self.conditions)] if self.conditions else []
        parts += [span_text(self.seconds)] if self.seconds else []
        parts += [f'for {span_text(self.lasts)}'] if self.lasts else []
        parts += [f'at most {self.times} times'] if self.times else []
        return ' '.join(parts)


def span_text(seconds: float) -> str:
    """A time for people: '10 min', '90 s', '2 h'."""
    for unit, size in (('h', 3600), ('min', 60)):
        if seconds >= size and seconds % size == 0:
            return f'{seconds / size:g} {unit}'
    return f'{seconds:g} s'


@dataclass(frozen=True, slots=True)
class Goal:
    """What a task asks for.

    :param text: the sentence, word for word.
    :param milestones: sets of conditions, met one after another; each is all that holds then, and
        the last one holds at the end.
    :param sources: things, and where the sentence says that they are now.
    :param never: acts that are forbidden. :param rules: what it limits and orders.
    :param words: every word of the sentence with what accounts for it.
    :param unread: phrases that nothing accounts for, or that cannot be expressed.
    :param left_to_model: what forbids something and cannot be kept, in the sentence's words.
    :param ties: words that were taken for a name, as sentences.
    :param questions: what a person has to confirm, as sentences.
    :param unreachable: what no skill brings about, as sentences.
    :param language: ISO 639-1 code of the sentence's language; '' where it is not known.
    :param acts: whether facts may choose skills for the milestones.
    :param trigger: when the milestones are due; None: now.
    :param form: as it was read; None where a person wrote conditions.
    :param contradicts: whether it asks for what it forbids, each of which was read.
    """

    text: str
    milestones: tuple[Milestone, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    never: tuple[Act, ...] = ()
    rules: tuple[Rule, ...] = ()
    words: tuple[Word, ...] = ()
    unread: tuple[str, ...] = ()
    left_to_model: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    language: str = 'en'
    by: ReadBy = ReadBy.GRAMMAR
    acts: bool = False
    trigger: Trigger | None = None
    form: GoalForm | None = None
    contradicts: bool = False

    @property
    def whole(self) -> bool:
        """Whether every word was read, and nothing is to be confirmed."""
        open_ends = self.unread or self.left_to_model or self.questions
        return not (self.is_empty or self.contradicts or open_ends)

    @property
    def is_empty(self) -> bool:
        """Whether nothing that is asked or forbidden was read."""
        return not (self.milestones or self.never or self.rules)

    @property
    def conditions(self) -> Milestone:
        """What shall hold at the end."""
        return self.milestones[-1] if self.milestones else ()

    @property
    def permission_rules(self) -> tuple[Rule, ...]:
        """What it forbids, as rules of permission."""
        never = (Rule('the task', one, at_most=0, of_task=True) for one in self.never)
        return (*never, *self.rules)

    @property
    def means(self) -> str:
        """The milestones for people, e.g. `tray in sink; then pump is on`; '' for none."""
        text = '; then '.join('; '.join(one.text for one in new) for new in self.steps)
        return f'{self.trigger.text}: {text}' if self.trigger is not None and text else text

    @property
    def plainly(self) -> str:
        """The goal as plain sentences; '' where a person wrote conditions."""
        return render(self.form) if self.form is not None else ''

    @property
    def steps(self) -> tuple[Milestone, ...]:
        """Of each milestone what is new in it; of one that only takes back, all of it."""
        before: Milestone = ()
        found = []
        for milestone in self.milestones:
            found.append(tuple(one for one in milestone if one not in before) or milestone)
            before = milestone
        return tuple(found)


def confirmed(goal: Goal) -> Goal:
    """A goal that a person has confirmed: no word of it is unread any more."""
    words = tuple(Word(one.text, one.account or 'a person') for one in goal.words)
    return replace(goal, words=words, unread=(), questions=(), by=ReadBy.PERSON, acts=True)


# Of a form -------------------------------------------------------------------------------------


def goal_of(report: Report, text: str, words: ServerWords, by: ReadBy) -> Goal:
    """The goal of a checked form."""
    form, kept = report.form, _with_cases_as_sorts(report.form, words)
    sentence = Sentence(text, words, form.language[:2].casefold())
    steps = [tuple(_conditions(_due(one), words)) for one in kept.milestones]
    steps = [step for step in steps if step]
    unread = (*_unread(form, sentence), *_unkept(kept, words))
    unbound = _unbound(form, words)
    unread = tuple(dict.fromkeys((*unread, *unbound)))
    negated = tuple(one for one in unread if one in unbound or _negates(one, sentence))
    contradicts = any(one.contradicts for one in report.findings)
    refused = [one for one in report.findings if one.end is End.REFUSED and not one.contradicts]
    asked = [one for one in report.findings if one.end is End.TO_CONFIRM]
    questions = tuple(dict.fromkeys(one.text for one in asked if not one.widens))
    widened = tuple(dict.fromkeys(one.text for one in asked if one.widens))
    if refused and not unread:
        lost = [one.lost for one in refused]
        unread = tuple(dict.fromkeys(lost)) if all(lost) else (text.strip(),)
        # What forbids and is not kept may be about any of these words.
        loose = _has_loose_negation(form, sentence)
        negated = (*negated, *(one for one in unread if loose or _negates(one, sentence)))
    acts = bool(steps) and not (contradicts or questions or unread)
    alone = kept.milestones[0].when if len(kept.milestones) == 1 else None
    circumstance = kept.when or alone
    trigger = None
    if circumstance is not None and circumstance.kind in _WHENS:
        trigger = _trigger(circumstance, words)
    return Goal(
        text,
        accumulated(steps, words),
        tuple((one.thing, one.source) for one in form.wanted if one.thing and one.source),
        (*map(act_of, form.never), *_excepted(form, words)),
        tuple(_rules(form, words)),
        tuple(_accounts(form, sentence)),
        unread,
        negated,
        (*(f'"{one.words}" is {one.name}' for one in form.taken_for), *widened),
        questions,
        report.unreachable,
        form.language,
        by,
        acts,
        trigger,
        form,
        contradicts,
    )


def _with_cases_as_sorts(form: GoalForm, words: ServerWords) -> GoalForm:
    """The form with things that are so now: "if fern 2 is dry, water it" is of a dry fern 2.

    So a task may go on behind it.
    """
    alone = len(form.milestones) == 1
    steps = tuple(
        _of_sort(one, one.when or (form.when if alone else None), words) for one in form.milestones
    )
    return replace(
        form, milestones=steps, when=None if alone and steps != form.milestones else form.when
    )


def _of_sort(step: FormMilestone, case: Circumstance | None, words: ServerWords) -> FormMilestone:
    held = case.conditions if case is not None and case.kind == 'if' else ()
    if len(held) != 1 or (held[0].relation, held[0].holds) != ('is', True):
        return step
    thing = held[0].thing or ''
    is_one = words.is_numbered(thing) or thing in words.own_numbers
    if not is_one or {(o.relation, o.thing, o.being) for o in step.conditions} != {
        ('is', thing, None)
    }:
        return step
    sort = (replace(one, count='all', being=held[0].value) for one in step.conditions)
    return FormMilestone(tuple(sort))


def _unbound(form: GoalForm, words: ServerWords) -> tuple[str, ...]:
    """Quotes of prohibitions on nouns that stand for nothing known, of which nothing is kept."""

    def is_known(ban: Prohibition) -> bool:
        nouns = (noun for noun in (ban.thing, ban.place) if noun)
        return all(words.kind(one) or one in words.fixed_nouns for one in nouns)

    kept = {ban.words for ban in form.never if is_known(ban)}
    return tuple(dict.fromkeys(ban.words for ban in form.never if ban.words not in kept))


def _excepted(form: GoalForm, words: ServerWords) -> Iterator[Act]:
    """Acts on what is excepted: "open all lockers but locker 2" leaves that closed."""
    for one in form.wanted:
        place = one.value if one.relation == 'in' else None
        for name in one.but:
            yield Act(_act_for(one, words), name, place or '', Side.TO if place else Side.AT)


def _act_for(one: FormCondition, words: ServerWords) -> str:
    """The act that brings a condition about."""
    if one.relation == 'is':
        return act_of_state(one.value or '', words)
    return {'in': 'put', 'near': 'put', 'holding': 'take', 'at': 'go'}.get(one.relation, 'touch')


def _due(milestone: FormMilestone) -> tuple[FormCondition, ...]:
    """Conditions of a milestone; of "water it until it is above 40 %" what holds then."""
    until = milestone.when
    if until is None or until.kind != 'until':
        return milestone.conditions
    ends = {one.thing for one in until.conditions}
    kept = (one for one in milestone.conditions if one.relation != 'is' or one.thing not in ends)
    return (*kept, *until.conditions)


def _is_kept(milestone: FormMilestone, words: ServerWords) -> bool:
    """Whether what is done until something holds is what brings that about."""
    until = milestone.when
    assert until is not None, 'asked for those that have one'
    changed = {(one.thing, one.value) for one in milestone.conditions if one.relation == 'is'}

    def follows(one: FormCondition) -> bool:
        name, state = one.thing or '', one.value or ''
        makers = (s for s in words.skills if (name, state_of(s)) in changed)
        return (name, state) in changed or any(words.moves(s, name, state) for s in makers)

    return until.kind == 'until' and all(
        one.relation == 'is' and follows(one) for one in until.conditions
    )


def _conditions(wanted: Sequence[FormCondition], words: ServerWords) -> Iterator[Condition]:
    for one in wanted:
        found = condition_of(one, words)
        if found is not None:
            yield replace(found, where=_own_place(one, wanted) or found.where)


def _own_place(one: FormCondition, wanted: Sequence[FormCondition]) -> str:
    """Where a state is asked of one of several: "a cup on the rack and a clean cup in the bin"."""
    if one.relation != 'is':
        return ''
    put = [each for each in wanted if (each.relation, each.thing) == ('in', one.thing)]
    places = [each.value or '' for each in put if one.words and one.words in each.words]
    return places[0] if len({each.value for each in put}) > 1 and places else ''


def condition_of(one: FormCondition, words: ServerWords) -> Condition | None:
    """The planner's condition; None where it has none for it ("not in the sink")."""
    count = ALL if one.count == 'all' else one.count
    subject = one.thing or EVERYTHING
    being = one.being or ''
    if one.source and (count == ALL or being):
        being = being or being_in(one.source)
    if one.relation == 'at':
        return Condition(Relation.AT, '', one.value or '') if one.holds else None
    if one.relation == 'done':
        return Condition(Relation.DONE, one.thing or '', '', count or 1) if one.holds else None
    if one.relation == 'is':
        value = one.value or ''
        if not one.holds:
            opposite = english()['opposite'].get(value)
            if not opposite:
                return None
            value = opposite[0]
        # "every dry plant in row 1"
        where = one.source if one.source and one.being else ''
        return Condition(Relation.IS, subject, value, count, where, being, one.but)
    if not one.holds:
        return None
    if one.relation == 'holding':
        return Condition(Relation.HOLDING, subject, '', count, '', being, one.but)
    place = one.value or ''
    value = where_is(place) if one.relation == 'near' else place
    return Condition(Relation.IN, subject, value, count, '', being, one.but)


def accumulated(steps: Sequence[Milestone], words: ServerWords) -> tuple[Milestone, ...]:
    """Milestones that hold all that was asked before and is not superseded."""
    found: list[Milestone] = []
    kept: Milestone = ()
    for step in steps:
        kept = tuple(one for one in kept if not any(supersedes(new, one, words) for new in step))
        kept = tuple(one for one in kept if one.relation is not Relation.DONE)
        kept = (*kept, *(one for one in step if one not in kept))
        found.append(kept)
    return tuple(found)


def supersedes(new: Condition, old: Condition, words: ServerWords) -> bool:
    """Whether a later condition supersedes an earlier one."""
    if old.relation is Relation.IS and old.subject in words.own_numbers:
        # What is charged may be used up by what is done then.
        return True
    if new.relation is Relation.DONE:
        effects = effects_of(new.subject, words)
        return any(_takes_back(one, old, words) for one in effects)
    if new.relation is Relation.AT:
        return old.relation is Relation.AT
    if old.relation is Relation.AT:
        return True
    places = (Relation.IN, Relation.HOLDING)
    same = is_of_class(new.subject, old.subject) or is_of_class(old.subject, new.subject)
    if new.relation in places and old.relation in places:
        return same and new.being == old.being
    if new.relation is Relation.IN and old.relation is Relation.HOLDING:
        return same
    if new.relation is Relation.IS and old.relation is Relation.IS:
        return same and excludes(new.value, old.value, words)
    return False


def effects_of(skill: str, words: ServerWords) -> Iterator[Effect]:
    """Effects of a skill, with names in place of its slots."""
    for one in words.skills:
        for values in one.splits(skill):
            slots = (slot.text for slot in one.slots)
            names = dict(zip(slots, map(plain_name, values), strict=True))
            for fact in one.facts:
                subject, value = (names.get(side, side) for side in (fact.subject, fact.value))
                yield replace(fact, subject=subject, value=value)


def _takes_back(effect: Effect, old: Condition, words: ServerWords) -> bool:
    """Whether a condition no longer holds once an effect does."""
    relation, subject, value = old.relation, old.subject, old.value
    if relation is Relation.HOLDING:
        subject, value = '', subject
    if effect.relation is not relation or effect.subject != subject:
        return False
    if not effect.holds:
        return effect.value == value
    if relation is Relation.IS:
        return excludes(effect.value, value, words)
    return relation in (Relation.AT, Relation.IN) and effect.value != value


def excludes(state: str, other: str, words: ServerWords) -> bool:
    """Whether nothing is in both states: opposites, and what skills undo with one another."""
    if state == other or read_comparison(state) is not None:
        return False
    if other in english()['opposite'].get(state, ()):
        return True
    inverse = {one.template: one.inverse for one in words.skills if one.inverse}
    makers = [one for one in words.skills if state_of(one) == state]
    undone = [one for one in words.skills if state_of(one) == other]
    return any(
        inverse.get(a.template) == b.template
        or inverse.get(b.template) == a.template
        or any(fact.value == other and not fact.holds for fact in a.facts)
        or _same_slotless(a, b)
        for a in makers
        for b in undone
    )


def _same_slotless(one: SkillType, other: SkillType) -> bool:
    """Whether two skills without slots bring states of one thing about."""
    things = {fact.subject for fact in one.facts if fact.holds}
    return not one.slots and not other.slots and bool(things & {f.subject for f in other.facts})


def _rules(form: GoalForm, words: ServerWords) -> Iterator[Rule]:
    for limit in form.limits:
        act = act_of(Prohibition(limit.doing, limit.thing, limit.place))
        if not limit.unit:
            yield Rule('the task', act, at_most=int(limit.at_most), of_task=True)
        for which, total in _together(_totals(limit, words)):
            yield Rule('the task', which, total=total, per_hour=limit.hourly, of_task=True)
    for sequel in form.sequels:
        tied, then = _tied(sequel.after, sequel.then, words)
        if then:
            yield Rule('the task', tied, then=then, within=sequel.within, of_task=True)
    for one in form.order:
        tied, first = _tied(one.then, one.first, words)
        if first:
            yield Rule('the task', tied, only_after=first, of_task=True)


def _tied(
    ban: Prohibition, one: FormCondition, words: ServerWords
) -> tuple[Matcher, tuple[Matcher | FactPattern, ...]]:
    """Skills of an act, and what a condition comes about by: a skill, or the fact itself.

    Where both are about a class, they are about the same thing of it: "do not load a crate until
    it has been scanned".
    """
    condition = condition_of(one, words)
    if condition is None:
        return act_of(ban), ()
    shared = ban.thing is not None and ban.thing == condition.subject
    own = ban.thing or ''
    is_class = class_and_number(own)[0] == own
    slot = f'<{own}>' if shared and is_class else ''
    if slot:
        condition = replace(condition, subject=slot, count=1)
    if condition.relation is Relation.DONE:
        return act_of(ban), (SkillPattern(condition.subject),)
    fact = FactPattern(condition.text)
    if not shared:
        return act_of(ban), (*_acts_for(condition, words), fact)
    makers = dict(_makers(condition, words))
    patterns = tuple(
        SkillPattern(skill.template.replace(place.text, slot or own))
        for skill in words.skills_of(ban.doing)
        for place in skill.slots
        # Nothing waits for itself: "touch it only after it was cleaned".
        if words.fits(place, own) and skill.template not in makers
    )
    skill = Selector(patterns, things=(own,)) if patterns else act_of(ban)
    return skill, (*map(SkillPattern, makers.values()), fact)


def _acts_for(condition: Condition, words: ServerWords) -> Iterator[Act]:
    """Acts that bring a condition about."""
    if condition.relation is Relation.AT:
        yield Act('go', '', condition.value, Side.TO)
    elif condition.relation is Relation.HOLDING:
        yield Act('take', condition.subject)
    elif condition.relation is Relation.IN and words.kind(condition.value) is not None:
        yield Act('put', condition.subject, condition.value, Side.TO)
    elif condition.value in _DOING_OF_STATE:
        yield Act(_DOING_OF_STATE[condition.value], condition.subject)
    else:
        verbs = (one.verb for one in words.skills if state_of(one) == condition.value)
        yield from (Act(verb, condition.subject) for verb in dict.fromkeys(verbs) if verb)


_DOING_OF_STATE = {'open': 'open', 'closed': 'close', 'on': 'switch on', 'off': 'switch off'}


def _makers(condition: Condition, words: ServerWords) -> Iterator[tuple[str, str]]:
    """Templates of skills that bring a condition about, and each with its names in its slots."""
    for skill in words.skills:
        for fact in skill.facts:
            names = {fact.subject: condition.subject, fact.value: condition.value}
            if condition.relation is Relation.HOLDING:
                names = {fact.value: condition.subject}
            slots = {slot.text for slot in skill.slots}
            fixed = all(side in slots or side == name for side, name in names.items())
            if fact.holds and fact.relation is condition.relation and fixed:
                filled = skill.filled([names.get(one.text, one.text) for one in skill.slots])
                yield skill.template, filled
                break


def _together(
    counted: Iterable[tuple[SkillPattern, Total]],
) -> Iterator[tuple[Matcher, Total]]:
    """Skills whose numbers are counted together, with one name for their slots."""
    found: dict[Total, list[tuple[SkillPattern, Total]]] = {}
    for skill, total in counted:
        found.setdefault(replace(total, slot='amount'), []).append((skill, total))
    for shared, each in found.items():
        if len(each) == 1:
            yield each[0]
            continue
        texts = (skill.text.replace(f'<{total.slot}>', '<amount>') for skill, total in each)
        yield Selector(tuple(map(SkillPattern, texts))), shared


def _totals(limit: Limit, words: ServerWords) -> Iterator[tuple[SkillPattern, Total]]:
    """Skills with a number in a limit's unit, and most of it."""
    for skill in words.skills_of(limit.doing) if limit.unit else ():
        for slot in skill.slots:
            told = Measure('', Decimal(f'{limit.at_most:g}'), limit.unit)
            amount = converted(told, _unit_of(skill, slot))
            if slot.type is not SlotType.NUMBER or amount is None:
                continue
            thing = next((one for one in skill.slots if one.type is not SlotType.NUMBER), None)
            text = skill.template
            named = limit.thing and class_and_number(limit.thing)[0] != limit.thing
            if thing is not None and named:
                text = text.replace(thing.text, limit.thing or '')
            each = thing.name if thing is not None and limit.per == 'thing' else ''
            yield SkillPattern(text), Total(slot.name, amount, each, limit.per == 'time')


def _unit_of(skill: SkillType, slot: Slot) -> str:
    """The unit of a slot: as declared, or the word behind it."""
    declared = slot.bounds.unit if slot.bounds else ''
    behind = skill.template.partition(slot.text)[2].split()
    return declared or (UNITS.get(behind[0], behind[0]) if behind else '')


def act_of(ban: Prohibition) -> Act:
    """The act that a prohibition forbids."""
    return Act(ban.doing, ban.thing or '', ban.place or '', Side(ban.side), ban.but)


_WHENS = {
    'if': When.IF,
    'unless': When.IF,
    'once': When.ONCE,
    'whenever': When.WHENEVER,
    'every': When.EVERY,
    'after': When.AFTER,
}


def _trigger(one: Circumstance, words: ServerWords) -> Trigger:
    conditions = one.conditions
    if one.kind == 'unless':
        conditions = tuple(replace(each, holds=not each.holds) for each in conditions)
    found = tuple(_conditions(conditions, words))
    return Trigger(_WHENS[one.kind], found, one.seconds or 0.0, one.times or 0)


# Words -----------------------------------------------------------------------------------------


def _parts(form: GoalForm, words: ServerWords) -> Iterator[tuple[str, str]]:
    """Quotes of a form, and what each accounts for."""
    for one in form.wanted:
        condition = condition_of(one, words)
        yield one.words, condition.text if condition is not None else condition_text(one)
    yield from ((one.words, f'{MUST_NOT}{act_of(one).wording}') for one in form.never)
    yield from ((one.words, f'at most {one.at_most:g}') for one in form.limits)
    yield from ((one.words, one.kind) for one in form.circumstances)
    yield from ((one.words, 'order') for one in form.order)
    yield from ((one.words, 'order') for one in form.sequels)
    yield from ((one.words, f'is {one.name}') for one in form.taken_for)
    if form.question is not None:
        yield form.question.words, 'a question'
    yield from ((one.words, one.why) for one in form.cannot_say if not one.matters)


def _written(sentence: Sentence) -> list[Token]:
    """Words as they are written: of the two words of "don't" the last."""
    words = [token for token in sentence.tokens if token.is_word]
    behind = [token.start for token in words[1:]] + [-1]
    return [token for token, start in zip(words, behind, strict=True) if token.start != start]


#: Account of words that say nothing of things, places and states.
NOTHING = 'asks for nothing'
_WORD = re.compile(r'\w')
_JOINS = '|'.join(sorted(COORDINATORS | {'then'}))
_ENDS_PHRASE = re.compile(rf'[,;:.!?\n]|\b(?:{_JOINS})\b', re.IGNORECASE)


def _accounts(form: GoalForm, sentence: Sentence) -> Iterator[Word]:
    spans = []
    for quote, account in _parts(form, sentence.words):
        start = sentence.text.find(quote) if quote else -1
        if start >= 0:
            spans.append(((start, start + len(quote)), account))
    marks = [mark.span for mark in sentence.marked(*ORDERING)]
    marks += [(token.start, token.end) for token in list_numbers(sentence.tokens)]
    for token in _written(sentence):
        span = (token.start, token.end)
        found = [account for outer, account in spans if inside_any(span, [outer])]
        if not found and inside_any(span, marks):
            found = ['order']
        elif not found and sentence.is_function(token):
            found = [NOTHING]
        yield Word(sentence.part(span), '; '.join(dict.fromkeys(found)))


def _unread(form: GoalForm, sentence: Sentence) -> Iterator[str]:
    """Phrases without an account, as written, and what cannot be expressed."""
    start: int | None = None
    end = 0
    for token, word in zip(_written(sentence), _accounts(form, sentence), strict=True):
        if start is not None:
            if word.account == NOTHING:
                # "shine on the lamp" is one phrase, though its small words say nothing.
                continue
            between = sentence.text[end : token.start]
            if word.account or (_WORD.search(between) and _ENDS_PHRASE.search(between)):
                yield sentence.text[start:end]
                start = None
        if not word.account:
            start = token.start if start is None else start
            end = token.end
    if start is not None:
        yield sentence.text[start:end]


def _unkept(form: GoalForm, words: ServerWords) -> Iterator[str]:
    """Quotes of what the form says and a goal of the planner cannot hold."""
    follow = (one.then for one in form.sequels)
    for one in (*form.wanted, *(one.first for one in form.order), *follow):
        if condition_of(one, words) is None:
            yield one.words
    yield from (one.words for one in form.limits if one.unit and not any(_totals(one, words)))
    for case in form.circumstances:
        turned = case.kind == 'unless'
        held = (replace(one, holds=one.holds is not turned) for one in case.conditions)
        if any(condition_of(one, words) is None for one in held):
            # "if there is no crate on the rack": the planner has no such condition.
            yield case.words
    for step in form.milestones:
        # A goal has circumstances as a whole.
        if step.when is not None and not _is_kept(step, words):
            if len(form.milestones) > 1 or step.when.kind == 'until':
                yield step.when.words
    if form.when is not None and form.when.kind == 'until':
        yield form.when.words


def _has_loose_negation(form: GoalForm, sentence: Sentence) -> bool:
    """Test for a negation that stands in no prohibition or limit of the form."""
    quotes = [*(one.words for one in form.never), *(one.words for one in form.limits)]
    marks = (sentence.part(mark.span) for mark in sentence.marked(Sign.NEGATION))
    return any(all(mark not in quote for quote in quotes) for mark in marks)


def _negates(phrase: str, sentence: Sentence) -> bool:
    start = sentence.text.find(phrase)
    span = (start, start + len(phrase))
    marks = sentence.marked(Sign.NEGATION)
    return any(mark.span[0] < span[1] and span[0] < mark.span[1] for mark in marks)
