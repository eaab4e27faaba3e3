"""Operators: what a skill needs and brings about, as facts, grounded only where a goal needs them.

The precondition table says what skills of a kind need where the server declares nothing. A row
that turns out not to be offered where all it says holds is doubted; the next one is tried.

Facts are tuples: `('at', place)`, `('room', region)`, `('in', thing, place)`,
`('in', thing, HAND)`, `('grip', thing, hand)` with the name of the hand, '' for none,
`('is', name, word, True)`, `('done', skill, count)`. Three follow from these: `('free',)` a hand
is free, `('near', name)` it can be handled from here, `('within', thing, place)` a place has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reactree_core.measures import read_comparison
from reactree_core.skill_types import Effect, read_effect, Relation, SkillKind, SlotType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.skills import (
    hand_of,
    hand_with,
    HANDS_FREE,
    needed_facts,
    Skill,
    Sort,
)
from reactree_planner.facts.things import HAND

Fact = tuple[str | bool, ...]
#: Any one of these facts.
AnyOf = tuple[Fact, ...]
FREE: Fact = ('free',)
HERE = 'here'
_KIND_WORD = re.compile(r'\[([A-Z_]+)\]')

#: What skills of a kind need where the server declares nothing: the first row that is offered
#: holds. `{0}` and `{1}` are the names in it, `{1}` is `here` where it has one only. "at" a thing
#: is near it, or holding it; a word in brackets is any that skills of that kind leave.
PRECONDITIONS: dict[SkillKind, tuple[tuple[str, ...], ...]] = {
    SkillKind.MOVE: ((),),
    SkillKind.TAKE: ((HANDS_FREE, 'at {0}'),),
    SkillKind.PUT: (('holding {0}', 'at {1}', 'not {1} is [CLOSE]'),),
    SkillKind.OPEN: (
        ('at {0}', 'not {0} is [OPEN]', HANDS_FREE),
        ('at {0}', 'not {0} is [OPEN]'),
    ),
    SkillKind.CLOSE: (
        ('at {0}', 'not {0} is [CLOSE]', HANDS_FREE),
        ('at {0}', 'not {0} is [CLOSE]'),
    ),
    SkillKind.SWITCH_ON: (
        ('at {0}', 'not {0} is [SWITCH_ON]', HANDS_FREE),
        ('at {0}', 'not {0} is [SWITCH_ON]'),
    ),
    SkillKind.SWITCH_OFF: (
        ('at {0}', 'not {0} is [SWITCH_OFF]', HANDS_FREE),
        ('at {0}', 'not {0} is [SWITCH_OFF]'),
    ),
    SkillKind.CHANGE: (
        ('holding {0}', 'at {1}'),
        ('{0} in {1}', 'at {1}'),
        ('holding {1}', 'at {0}'),
    ),
    SkillKind.OTHER: (('at {0}', 'at {1}'), ('holding {0}', 'at {1}'), ()),
}
#: The same for skills with one name in them.
NEEDS_OF_ONE: dict[SkillKind, tuple[tuple[str, ...], ...]] = {
    SkillKind.PUT: (('holding {0}',),),
    SkillKind.CHANGE: (('holding {0}',), ('at {0}',)),
    SkillKind.OTHER: (('at {0}',), ('holding {0}',), ()),
}


@dataclass(frozen=True, slots=True)
class Operator:
    """One way in which a skill can be done.

    :param needs: of each any fact. :param brings: facts that hold afterwards.
    :param row: of the table; -1 where the server has declared the needs.
    :param skill: None for what follows by itself.
    """

    skill: Skill | None
    needs: tuple[AnyOf, ...]
    brings: tuple[Fact, ...]
    cost: float = 1.0
    row: int = -1

    @property
    def text(self) -> str:
        """The skill's; '' for what follows by itself."""
        return self.skill.text if self.skill else ''


def following(needs: tuple[AnyOf, ...], fact: Fact) -> Operator:
    """A fact follows by itself where others hold."""
    return Operator(None, needs, (fact,), 0.0)


def brings_about(state: str, wanted: str) -> bool:
    """Whether a thing in a state is in another one, too: the same, or by its number."""
    if state == wanted:
        return True
    told, asked = read_comparison(state), read_comparison(wanted)
    return told is not None and asked is not None and told.implies(asked)


def rows_of(skill: Skill, can_hold: bool = True) -> list[tuple[int, tuple[str, ...]]]:
    """What a skill needs, as texts with its names: the server's own words, else rows of the table.

    :param can_hold: whether any skill leaves something held; else things are handled where they
        are.
    :return: numbers of rows, -1 for the server's, with the needs of each.
    """
    if skill.type.needs:
        return [(-1, (*skill.type.needs, *_presupposed(skill)))]
    if not skill.names:
        # The table is about the names in a skill.
        return [(0, ())]
    table = NEEDS_OF_ONE.get(skill.kind) if len(skill.names) < 2 else None
    rows = table or PRECONDITIONS.get(skill.kind, ((),))
    names = (*skill.names, HERE, HERE)
    if not can_hold:
        rows = tuple(tuple(text.replace('holding ', 'at ') for text in texts) for texts in rows)
    return [(row, tuple(text.format(*names) for text in texts)) for row, texts in enumerate(rows)]


def _presupposed(skill: Skill) -> Iterator[str]:
    """Needs that follow from effects: what is laid down is held before, unless needs place it."""
    declared = needed_facts(skill.type)
    if any(one.relation is Relation.HOLDING for one in declared):
        return
    placed = {one.subject for one in declared if one.relation is Relation.IN}
    for effect in skill.type.facts:
        if effect.relation is Relation.HOLDING and not effect.holds and effect.value not in placed:
            yield f'holding {effect.value}'


def needs_of(belief: Belief, skill: Skill, texts: Iterable[str]) -> Iterator[AnyOf]:
    """The facts of needs, in the form of the table or of a robot's file."""
    for text in texts:
        if text.endswith(' free') and ' is ' not in text:
            yield (FREE,)
            continue
        ways = [list(_groups(belief, skill, one)) for one in text.split(' or ')]
        if len(ways) == 1:
            yield from ways[0]
        elif all(len(groups) == 1 for groups in ways):
            yield tuple(fact for groups in ways for fact in groups[0])


def _groups(belief: Belief, skill: Skill, text: str) -> Iterator[AnyOf]:
    for slot, value in zip(skill.type.slots, skill.values, strict=True):
        if slot.type is SlotType.NUMBER:
            text = text.replace(slot.text, value)
    for word in _words(belief, text):
        fact = read_effect(_KIND_WORD.sub(word, text) if word else text)
        if fact is not None:
            yield from _facts_of(belief, fact, skill)


def _words(belief: Belief, text: str) -> tuple[str, ...]:
    """States that a word in brackets stands for; '' where there is none."""
    found = _KIND_WORD.search(text)
    if found is None or found[1] not in SkillKind.__members__:
        return ('',)
    return tuple(sorted(belief.skills.states_after(SkillKind[found[1]])))


def _facts_of(belief: Belief, fact: Effect, skill: Skill) -> Iterator[AnyOf]:
    slots = skill.by_slot()
    subject = slots.get(fact.subject, fact.subject)
    value = slots.get(fact.value, fact.value)
    if fact.relation is Relation.HOLDING:
        held, _, hand = fact.value.partition(' in ')
        name = slots.get(held, held)
        # "holding knife" is to hold any knife.
        known = [] if held in slots or name in belief.things else belief.of_class(name)
        yield tuple(('in', one, HAND) for one in known or [name])
        if hand and not known:
            yield (('grip', name, hand),)
    elif fact.relation is Relation.AT:
        if value != HERE:
            yield (('room' if value in belief.rooms else 'near', value),)
    elif fact.relation is Relation.IN:
        yield (('near', subject),) if value == HERE else (('within', subject, value),)
    else:
        yield (('is', subject, fact.value, fact.holds),)


def unshut(belief: Belief, place: str) -> list[AnyOf]:
    """What it takes to reach into a place that can be shut."""
    if not belief.can_be_shut(place):
        return []
    return [(('is', place, word, False),) for word in sorted(belief.shut_words)]


def way_of(belief: Belief, skill: Skill) -> Iterator[AnyOf]:
    """From where a move can be done."""
    target = skill.target
    begun = belief.offered_at.get(target)
    if target in belief.rooms or not belief.tells_offers:
        return
    room = belief.room_of(target)
    if belief.local_moves or (belief.local_things and belief.sort(target) is Sort.THING):
        here = tuple(('at', place) for place in sorted(begun or ()) if place != target)
        if here:
            yield here
    elif room and belief.rooms and not belief.crosses_regions and belief.leads_to_regions:
        yield (('room', room),)


def arrival(belief: Belief, place: str) -> tuple[Fact, ...]:
    """What holds once the robot is at a place."""
    room = belief.room_of(place)
    return (('at', place), *((('room', room),) if room else ()))


def effects_of(belief: Belief, skill: Skill, place: str) -> tuple[Fact, ...]:
    """What a skill brings about. :param place: where a thing is put."""
    facts: list[Fact] = []
    for effect in skill.effects():
        if effect.relation is Relation.AT and effect.holds:
            facts += arrival(belief, effect.value)
        elif effect.relation is Relation.HOLDING and effect.holds:
            facts.append(('in', effect.value, HAND))
            if hand := hand_of(skill.type):
                facts.append(('grip', effect.value, hand))
        elif effect.relation is Relation.HOLDING and hand_with(skill, effect.value):
            facts.append(('grip', effect.value, ''))
        elif effect.relation is Relation.IN and effect.holds:
            where = place or belief.at if effect.value == HERE else effect.value
            facts.append(('in', effect.subject, where))
        elif effect.relation is Relation.IS:
            subject = effect.subject or 'robot'
            facts.append(('is', subject, effect.value, effect.holds))
            if effect.holds:
                others = sorted(belief.skills.excluded_by(effect.value))
                facts += [('is', subject, other, False) for other in others]
    return tuple(facts)
