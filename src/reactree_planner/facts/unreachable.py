"""Why a goal cannot be reached: the missing link, as a value and as a sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf

from reactree_core.measures import fact_text, read_comparison
from reactree_core.record.trajectory_text import single_line
from reactree_core.skill_types import Effect, read_effect, Relation, SkillKind, SkillType
from reactree_planner.facts.amounts import leads_towards
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.binding import Bound
from reactree_planner.facts.conditions import Condition, EVERYTHING
from reactree_planner.facts.operators import AnyOf, brings_about, Fact, HERE, Operator
from reactree_planner.facts.search import Rules
from reactree_planner.facts.skills import Skill, Sort
from reactree_planner.facts.things import HAND

#: Characters of what was said as a skill failed.
_LONGEST_REASON = 200


class Cause(Enum):
    """Reason why there is no way."""

    NO_SKILL = 'no_skill'
    FORBIDDEN = 'forbidden'
    FAILED = 'failed'
    BLOCKED = 'blocked'
    NOT_FOUND = 'not_found'
    GRASPS = 'grasps'
    NOT_LOOKED = 'not_looked'
    NO_WAY = 'no_way'
    NOT_OFFERED = 'not_offered'
    NOT_KNOWN = 'not_known'
    NEED = 'need'
    REFUSED = 'refused'
    TAKEN_BACK = 'taken_back'
    NO_PLACE = 'no_place'


_SENTENCES = {
    Cause.NO_SKILL: 'nothing here brings about "{link}"',
    Cause.FORBIDDEN: '"{link}" would need "{skill}", which is forbidden',
    Cause.FAILED: '"{link}" would need "{skill}", which has failed too often{now}',
    Cause.BLOCKED: 'the way to {link} is blocked{now}',
    Cause.NOT_FOUND: 'no {link} was found, and nothing is left to look at',
    Cause.GRASPS: '{now} things cannot be held at once, only {link}',
    Cause.NOT_LOOKED: 'whether "{link}" holds is not known: not all places could be looked at',
    Cause.NO_WAY: 'no way to "{link}" is known from here',
    Cause.NOT_OFFERED: '"{skill}" cannot be done, and it is not known why',
    Cause.NOT_KNOWN: 'no way to "{link}" is known',
    Cause.NEED: '"{skill}" needs {link}, and {now}',
    Cause.REFUSED: '"{skill}" was refused: {now}',
    Cause.NO_PLACE: 'there is no {link} here; the places are {now}',
    Cause.TAKEN_BACK: '"{link}" cannot last to the end: after "{skill}", {now}',
}
#: Causes whose sentence ends with what was said as the skill failed.
_WITH_WORDS = (Cause.FAILED, Cause.BLOCKED)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A goal that cannot be reached.

    :param condition: that cannot be met. :param link: the fact or the class that is missing.
    :param skill: that would bring it about, or that needs it. :param now: how what it needs is
        instead, or what was said as it failed.
    """

    condition: Condition
    cause: Cause
    link: str = ''
    skill: str = ''
    now: str = ''

    @property
    def is_certain(self) -> bool:
        """Whether facts tell that there is no way, and not only that they know of none."""
        return self.cause not in (Cause.NOT_OFFERED, Cause.NOT_KNOWN)

    @property
    def text(self) -> str:
        """A sentence for people, without its full stop."""
        link = self.link or self.condition.subject or self.condition.text
        now = f': {self.now}' if self.now and self.cause in _WITH_WORDS else self.now
        return _SENTENCES[self.cause].format(link=link, skill=self.skill, now=now)


def told(fact: Fact) -> str:
    """A fact as conditions are written."""
    match fact:
        case ('is', name, word, so):
            return f'{"" if so else "not "}{fact_text(str(name), str(word))}'
        case ('done', skill, count):
            return f'{skill} done {count} times'
        case ('grip', name, hand):
            return f'holding {name} in {hand}'
        case ('in', name, place) if place == HAND:
            return f'holding {name}'
        case ('in' | 'within', name, place):
            return f'{name} in {place}'
        case ('free',):
            return 'a free hand'
        case (_, name):
            return f'at {name}'
    return str(fact)


def hopeless(
    belief: Belief, conditions: Sequence[Condition], allowed: Callable[[str], bool]
) -> Unreachable | None:
    """What no skill of the server brings about, whatever is found; None: all can be hoped for.

    Asked before the first move: a prohibition on all ways to a goal is found here.
    """
    if (held := too_many(belief, conditions)) is not None:
        return held
    for one in conditions:
        if one.relation is Relation.AT or belief.recipes.tell_of(one.subject):
            continue
        makers = tuple(makers_of(belief, one))
        if not makers:
            if one.relation is not Relation.IS or not _may_be_so(belief, one):
                return Unreachable(one, Cause.NO_SKILL, one.text)
            continue
        texts = [text for maker in makers for text in _texts(belief, maker, one)]
        if texts and not any(map(allowed, texts)):
            return Unreachable(one, Cause.FORBIDDEN, one.text, texts[0])
    return None


def taken_back(
    belief: Belief, conditions: Sequence[Condition], rules: Rules
) -> Unreachable | None:
    """A state that each way to it obliges to end again before the run does; None for none."""
    for one in conditions:
        if one.relation is not Relation.IS:
            continue
        makers = makers_of(belief, one)
        texts = [text for maker in makers for text in _texts(belief, maker, one)]
        found = [(text, _undone_by(belief, one, rules.owed_after(text))) for text in texts]
        if found and all(why for _, why in found):
            text, why = found[0]
            return Unreachable(one, Cause.TAKEN_BACK, one.text, text, why)
    return None


def _undone_by(
    belief: Belief, condition: Condition, owed: Sequence[tuple[str, Sequence[str]]]
) -> str:
    """The rule of which every way undoes a state, as a clause; '' for none."""
    for rule, texts in owed:
        skills = [belief.skills.parse(text) for text in texts]
        if all(one is not None and _undoes(belief, one, condition) for one in skills):
            return f'{rule} wants "{" or ".join(texts)}" before the run ends'
    return ''


def _undoes(belief: Belief, skill: Skill, condition: Condition) -> bool:
    things = belief.of_class(condition.subject) or [condition.subject]
    # Rules write names without capitals.
    names = {name.casefold() for name in things}
    return any(
        effect.relation is Relation.IS
        and effect.subject.casefold() in names
        and (
            (effect.value == condition.value and not effect.holds)
            or (effect.holds and condition.value in belief.skills.excluded_by(effect.value))
        )
        for effect in skill.effects()
    )


def makers_of(belief: Belief, condition: Condition) -> Iterator[SkillType]:
    """Skill types that bring a condition about."""
    for one in belief.skills.types:
        slots = [
            slot.text
            for index, slot in enumerate(one.slots)
            if not slot.classes
            or condition.subject == EVERYTHING
            or belief.skills.fits(one, index, condition.subject)
        ]
        if condition.relation is Relation.DONE:
            if next(one.splits(condition.subject), None) is not None:
                yield one
            continue
        is_state = condition.relation is Relation.IS
        if is_state and any(told.state == condition.value for told in one.treatments):
            yield one
            continue
        for fact in (*one.facts, *_changes(belief, one, condition)):
            if fact.relation is not condition.relation or not fact.holds:
                continue
            if fact.relation is Relation.IS and fact.value != condition.value:
                wanted = belief.number_wanted(condition.value)
                if wanted is None or not brings_about(fact.value, wanted.text):
                    continue
            subject = fact.value if fact.relation is Relation.HOLDING else fact.subject
            if subject in slots or belief.skills.is_named(subject, condition.subject):
                yield one
                break
        else:
            if one.kind is SkillKind.MAKE and condition.relation is Relation.HOLDING:
                yield one


def _changes(belief: Belief, skill: SkillType, condition: Condition) -> Iterator[Effect]:
    """What its changes of numbers may bring about of a condition."""
    is_state = condition.relation is Relation.IS
    wanted = belief.number_wanted(condition.value) if is_state else None
    for change in skill.changes:
        if wanted is not None and leads_towards(change, wanted):
            yield Effect(Relation.IS, change.subject, condition.value)


def related_to(belief: Belief, conditions: Sequence[Condition]) -> frozenset[str]:
    """Classes that belong to a goal, and those of tools for it."""
    names = {name for one in conditions for name in one.names}
    for one in conditions:
        if one.relation is Relation.IS:
            for maker in makers_of(belief, one):
                names.update(slot.name for slot in maker.slots[1:])
    return frozenset(names)


def _may_be_so(belief: Belief, condition: Condition) -> bool:
    """Whether things are found in a state that no skill brings about."""
    named = [belief.things[name] for name in belief.of_class(condition.subject)]
    # What skills do to others, and not to it, it does not come by.
    is_made = any(
        (fact.relation, fact.value, fact.holds) == (Relation.IS, condition.value, True)
        for one in belief.skills.types
        for fact in one.facts
    )
    return (not named and not is_made) or any(thing.is_so(condition.value) for thing in named)


def _texts(belief: Belief, maker: SkillType, condition: Condition) -> Iterator[str]:
    """Skills of a type that would meet a condition, with the names that are known."""
    if condition.relation is Relation.DONE:
        yield condition.subject
        return
    things = belief.of_class(condition.subject) or [condition.subject]
    places = belief.of_class(condition.value) or [condition.value]
    names = [index for index, slot in enumerate(maker.slots) if slot.type.is_name]
    if len(names) < len(maker.slots) or len(names) > 2:
        return
    if len(names) == 2 and condition.relation is not Relation.IN:
        fill = [name for name in belief.things if belief.skills.fits(maker, 1, name)]
        places = fill or [f'<{maker.slots[1].name}>']
    for thing in things:
        for place in places if len(names) == 2 else ['']:
            yield maker.filled((thing, place) if place else (thing,) * len(names))


#: What no look around changes.
_FOR_GOOD = (Cause.FORBIDDEN, Cause.FAILED, Cause.BLOCKED, Cause.NEED)


def blocked(belief: Belief, bound: Bound) -> Unreachable | None:
    """What keeps the robot, or things, from a place where they are to be, or a skill from being
    done, whatever else is found; None where a look around may help.
    """
    for condition, fact in bound.closed:
        link = _link(belief, bound, condition, fact)
        if link.cause in _FOR_GOOD:
            return link
    links = [(_link(belief, bound, one, fact), fact) for one, fact in bound.hopeless]
    # Another thing of the sort would need the same, unless this one cannot be taken.
    needs = (link for link, fact in links if link.link != told(('in', fact[1], HAND)))
    found = next((link for link in needs if link.cause is Cause.NEED), None)
    # Of what has a name of its own there is no other.
    failed = (link for link, _ in links if link.cause is Cause.FAILED)
    found = found or next(
        (one for one in failed if belief.is_individual(one.condition.subject)), None
    )
    return found or _forbidden_need(belief, bound) or _no_such_place(belief, bound)


def _forbidden_need(belief: Belief, bound: Bound) -> Unreachable | None:
    """A state that may not be brought about, without which a skill on known things is not done."""
    for group in (*bound.goal, *bound.later):
        fact = group[0]
        skill = belief.skills.parse(str(fact[1])) if fact[0] == 'done' else None
        if skill is None or any(name not in belief.things for name in skill.names):
            continue
        if bound.problem.costs([fact])[fact] < inf:
            continue
        link = _link(belief, bound, Condition(Relation.DONE, skill.text), fact)
        lacking = read_effect(link.link)
        is_state = lacking is not None and lacking.relation is Relation.IS
        if is_state and link.cause is Cause.FORBIDDEN:
            return link
    return None


def _no_such_place(belief: Belief, bound: Bound) -> Unreachable | None:
    """A place that a robot which names its sources does not have: it has told of all places."""
    places = [name for name in belief.things if belief.sort(name) is Sort.PLACE]
    for name in bound.missing if belief.names_sources else ():
        if belief.sort(name) is Sort.PLACE and not belief.of_class(name):
            about = Condition(Relation.AT, '', name)
            return Unreachable(about, Cause.NO_PLACE, name, now=', '.join(sorted(places)))
    return None


def too_many(belief: Belief, conditions: Sequence[Condition]) -> Unreachable | None:
    """More things that are to be held at once than the robot can hold; None: as far as is known,
    no more.
    """
    held = [one for one in conditions if one.relation is Relation.HOLDING]
    number = sum(one.count for one in held)
    if belief.capacity is None or number <= belief.capacity:
        return None
    return Unreachable(held[0], Cause.GRASPS, str(belief.capacity), now=str(number))


def missing_link(belief: Belief, bound: Bound, left: Sequence[Condition]) -> Unreachable | None:
    """What is missing on the way to what is known; else what was not found."""
    if (held := too_many(belief, left)) is not None:
        return held
    for condition, fact in (*bound.closed, *bound.hopeless):
        return _link(belief, bound, condition, fact)
    for name in bound.missing:
        about = next((one for one in left if name in one.names), left[0])
        link = f'{name} {about.being}' if about.being_in and name == about.subject else name
        return Unreachable(about, Cause.NOT_FOUND, link)
    return _unmet_need(belief, bound, left)


def _unmet_need(belief: Belief, bound: Bound, left: Sequence[Condition]) -> Unreachable | None:
    """A declared need without which no skill brings a part of the goal about."""
    problem = bound.problem
    for group in (*bound.goal, *bound.later):
        if not problem.has(group) and min(problem.costs(group).values()) == inf:
            link = _link(belief, bound, left[0], group[0])
            if link.cause in (Cause.NEED, Cause.FORBIDDEN, Cause.FAILED):
                return link
    return None


def _link(belief: Belief, bound: Bound, condition: Condition, fact: Fact) -> Unreachable:
    """Go back from a fact without a way to what keeps it from having one."""
    problem, begun = bound.problem, fact
    seen: set[Fact] = set()
    group: AnyOf = (fact,)
    needing: Operator | None = None
    while fact not in seen:
        seen.add(fact)
        costs = problem.costs([fact])
        ways = [one for one in bound.grounding.operators if fact in one.brings]
        if not ways:
            break
        blocked_by = [
            (one, [each for each in one.needs if min(problem.costs(each).values()) == inf])
            for one in ways
        ]
        # What it comes back to tells nothing: a thing is near once it is held.
        onwards = [pair for pair in blocked_by if not pair[1] or pair[1][0][0] not in seen]
        way, nearest = min(onwards or blocked_by, key=lambda pair: len(pair[1]))
        if not nearest or costs[fact] < inf:
            break
        if way.skill is not None:
            needing, group = way, nearest[0]
        fact = nearest[0][0]
    given_up = bound.grounding.left_out_for(fact)
    if given_up:
        return _given_up(belief, condition, fact, given_up)
    if needing is not None:
        is_state = fact[0] == 'is' and fact != begun and not _is_found(belief, str(fact[1]))
        if needing.row < 0 or is_state:
            needed = ' or '.join(map(told, group))
            now = _as_it_is(belief, group[0])
            return Unreachable(condition, Cause.NEED, needed, needing.text, now)
    cause = Cause.NO_WAY if fact[0] in ('at', 'near', 'room') else Cause.NO_SKILL
    return Unreachable(condition, cause, told(fact))


def unmet_need(belief: Belief, condition: Condition, text: str) -> Unreachable | None:
    """The declared need, on the robot's own place or what is here, that a skill lacks now.

    :param text: of a skill that is not on offer.
    """
    skill = belief.skills.parse(text)
    for need in skill.type.needs if skill is not None and belief.at else ():
        assert skill is not None
        ways = [
            fact
            for one in need.split(' or ')
            if (fact := read_effect(one)) and _is_away(belief, skill, fact)
        ]
        if len(ways) == len(need.split(' or ')):
            slots = skill.by_slot()
            filled = (
                replace(
                    one,
                    subject=slots.get(one.subject, one.subject),
                    value=slots.get(one.value, one.value),
                ).text
                for one in ways
            )
            now = f'the robot is at {belief.at}'
            return Unreachable(condition, Cause.NEED, ' or '.join(filled), text, now)
    return None


def _is_away(belief: Belief, skill: Skill, fact: Effect) -> bool:
    """Test for a need that another place of the robot would meet."""
    slots = skill.by_slot()
    subject, place = (slots.get(one, one) for one in (fact.subject, fact.value))
    if fact.relation is Relation.AT and fact.holds:
        return place not in (belief.at, belief.room)
    if fact.relation is Relation.IN and fact.holds and place == HERE:
        return belief.holder(subject) not in ('', belief.at) and subject not in belief.held
    return False


def _as_it_is(belief: Belief, fact: Fact) -> str:
    """How it is instead of a fact that does not hold, as a clause."""
    match fact:
        case ('is', str(name), str(word), _):
            thing = belief.things.get(name)
            comparison = read_comparison(word) or belief.number_wanted(word)
            if comparison is not None:
                number = thing.numbers.get(comparison.name) if thing is not None else None
                return (
                    'that is not known'
                    if number is None
                    else f'it is {replace(number, name="").text}'
                )
            states = thing.states if thing is not None else {}
            held = [state for state, holds in states.items() if holds]
            return f'it is {", ".join(held)}' if held else 'that is not known'
        case ('grip', str(name), _):
            return f'it is in {belief.grips.get(name, "none")}'
        case ('free',):
            return f'the robot holds {", ".join(belief.held)}'
        case ('in' | 'within', str(name), place):
            at = belief.holder(name)
            if name in belief.held:
                return 'it is held'
            return f'it is at {at}' if at else 'it is not held' if place == HAND else 'it is not'
        case ('at' | 'near' | 'room', _):
            return (
                f'the robot is at {belief.at}' if belief.at else 'where the robot is, is not known'
            )
    return 'that is not so'


def _is_found(belief: Belief, name: str) -> bool:
    """Whether a look around may find another one, which may be in another state."""
    return belief.sort(name) in (Sort.THING, Sort.PLACE)


def _given_up(belief: Belief, condition: Condition, fact: Fact, text: str) -> Unreachable:
    if not belief.attempts.has_given_up(text):
        return Unreachable(condition, Cause.FORBIDDEN, told(fact), text)
    said = single_line(belief.attempts.said(text), _LONGEST_REASON).rstrip('.')
    skill = belief.skills.parse(text)
    if skill is not None and skill.kind is SkillKind.MOVE:
        return Unreachable(condition, Cause.BLOCKED, skill.target, text, said)
    return Unreachable(condition, Cause.FAILED, told(fact), text, said)
