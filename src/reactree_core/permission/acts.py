"""Acts that a rule forbids, by what skills change and where things are, whatever they are called.

    take anything out of the fridge   a skill after which something is held that was in it
    open the fridge                   a skill of kind OPEN on it, or with that effect
    enter the bathroom                a skill after which the robot is in it, or at a place in it

What a skill changes follows from its declared effects, else from its kind; where things are, from
what is known at that moment. What may be such an act, where that is not known, counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from reactree_core.observation import ObjectFact
from reactree_core.permission.matching import (
    Binding,
    is_name_of,
    Matcher,
    Moment,
    plain,
    SkillPattern,
)
from reactree_core.skill_types import Effect, plain_name, Relation, SkillKind, SkillType, SlotType

#: Places that a thing is followed through: a cup on a tray in a cabinet in a room.
_MOST_PLACES = 8
_STATE_OF_DOING = {'open': 'open', 'close': 'closed', 'switch on': 'on', 'switch off': 'off'}
_KIND_OF_DOING = {
    'open': SkillKind.OPEN,
    'close': SkillKind.CLOSE,
    'take': SkillKind.TAKE,
    'put': SkillKind.PUT,
    'go': SkillKind.MOVE,
    'switch on': SkillKind.SWITCH_ON,
    'switch off': SkillKind.SWITCH_OFF,
}
#: Kinds of skills that do nothing with a thing.
_WITHOUT_TOUCH = frozenset({SkillKind.MOVE, SkillKind.LOOK, SkillKind.ASK, SkillKind.END})
_HERE = 'here'


class Side(Enum):
    """How an act is bound to a place."""

    FROM = 'from'
    TO = 'to'
    #: Done there, out of it, or into it.
    AT = 'at'


@dataclass(frozen=True, slots=True)
class Act:
    """Skills that a person means by an act; a rule of permission reads it (`Matcher`).

    :param doing: open, close, take, put, go, switch on, switch off, touch, or the verb of a skill.
    :param thing: name or class of what it is done with; '' for anything.
    :param place: name or class; '' for everywhere.
    :param but: names and classes that are excepted.
    """

    doing: str
    thing: str = ''
    place: str = ''
    side: Side = Side.AT
    but: tuple[str, ...] = ()

    @property
    def wording(self) -> str:
        """For people: 'take anything from fridge'."""
        any_thing = 'anything' if self.doing in ('take', 'put', 'touch') else ''
        parts = [self.doing, self.thing or any_thing]
        if self.place:
            side = 'to' if self.doing == 'go' else self.side.value
            parts.append(f'{side} {self.place}')
        parts += [f'but {", ".join(self.but)}'] if self.but else []
        return ' '.join(filter(None, parts))

    @property
    def patterns(self) -> tuple[SkillPattern, ...]:
        """Nothing: no text tells all skills that are meant."""
        return ()

    @property
    def slots(self) -> frozenset[str]:
        """Nothing: it has no slots."""
        return frozenset()

    def readings(self, skill: str) -> Iterable[dict[str, str]]:
        """Nothing: it has no slots."""
        del skill
        return ()

    def bound(self, binding: Binding) -> Act:
        """Itself: it has no slots."""
        del binding
        return self

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too; False where nothing says so."""
        if not isinstance(other, Act) or self.but:
            return False
        things = self.thing in ('', other.thing) or bool(
            other.thing and is_name_of(other.thing, self.thing)
        )
        sides = self.place == '' or (self.place, self.side) == (other.place, other.side)
        return self.doing in (other.doing, 'touch') and things and sides

    def matches(self, moment: Moment) -> bool | None:
        """Whether the skill of this moment is such an act; None where that is not known."""
        if not moment.skill:
            return False
        changes = tuple(changes_of(moment))
        if not changes:
            # No declared type fits: its words alone speak.
            return None if self._is_worded(moment.skill) else False
        answers = [self._is_meant(one, moment) for one in changes]
        if all(answer is False for answer in answers):
            return False
        return True if all(answer is True for answer in answers) else None

    def _is_worded(self, skill: str) -> bool:
        words = plain(skill)
        named = not self.thing or plain(self.thing) in words
        return named and (not self.place or plain(self.place) in words)

    def _is_meant(self, change: Change, moment: Moment) -> bool | None:
        if self.doing == 'go':
            return self._leads_there(change, moment)
        done = [name for name in self._done_with(change) if not self._is_excepted(name)]
        meant = [name for name in done if not self.thing or is_name_of(name, self.thing)]
        if not meant and not (self.thing and self._is_inside(done, moment)):
            own = not done and not self.thing and self._is_own_verb(change)
            if not own:
                return False
        if not self.place:
            return True
        answers = [self._is_there(name, change, moment) for name in meant or ('',)]
        return True if True in answers else None if None in answers else False

    def _is_inside(self, names: Iterable[str], moment: Moment) -> bool:
        """Whether the thing is carried with another: "don't move the fork", on a plate."""
        if self.doing not in ('take', 'put', 'touch'):
            return False
        inner = [one.name for one in moment.facts.values() if is_name_of(one.name, self.thing)]
        chains = [holders_of(name, moment.facts) for name in inner]
        return any(
            is_name_of(holder, name) for each in chains for holder in each for name in names
        )

    def _done_with(self, change: Change) -> Iterator[str]:
        """Names of what the act is done with by a skill; nothing where it is another act."""
        kind, doing = change.type.kind, self.doing
        state = _STATE_OF_DOING.get(doing)
        for fact in change.facts:
            if not fact.holds:
                continue
            if fact.relation is Relation.IS and fact.value == state:
                yield fact.subject
            elif fact.relation is Relation.HOLDING and doing == 'take':
                yield fact.value
            elif fact.relation is Relation.IN and doing == 'put':
                yield fact.subject
        if kind is _KIND_OF_DOING.get(doing) or self._is_own_verb(change):
            yield from (
                change.names[:1] if kind in (SkillKind.TAKE, SkillKind.PUT) else change.names
            )
        elif doing == 'touch' and kind not in _WITHOUT_TOUCH:
            yield from change.names
            yield from (fact.subject or fact.value for fact in change.facts)

    def _is_own_verb(self, change: Change) -> bool:
        doing = plain(self.doing)
        verbs = (change.type.verb, *change.type.other_words)
        return doing not in _KIND_OF_DOING and any(plain(verb) == doing for verb in verbs)

    def _is_excepted(self, name: str) -> bool:
        return any(is_name_of(name, one) for one in self.but)

    def _is_there(self, name: str, change: Change, moment: Moment) -> bool | None:
        others = [one for one in change.names if one != name]
        moves = (Relation.IN, Relation.HOLDING)
        if others and all(fact.relation not in moves for fact in change.facts):
            # Nobody declares its effects: it names its place itself.
            return any(self._contains(one, moment) for one in others)
        answers: list[bool | None] = []
        if self.side in (Side.FROM, Side.AT) and self.doing != 'put':
            answers.append(self._is_at(name, moment))
        if self.side in (Side.TO, Side.AT) and self.doing != 'take':
            goals = [
                one.value for one in change.facts if one.relation is Relation.IN and one.holds
            ]
            goals = [moment.now.place if goal == _HERE else goal for goal in goals]
            found: list[bool | None] = [
                self._contains(goal, moment) if goal else None for goal in goals
            ]
            answers += found or [self._contains(moment.now.place, moment)]
        return True if True in answers else None if None in answers else False

    def _is_at(self, name: str, moment: Moment) -> bool | None:
        """Whether a thing is at the place, by where it is known to be."""
        if name and is_name_of(name, self.place):
            return True
        known = (
            [one for one in moment.facts.values() if is_name_of(one.name, name)] if name else []
        )
        where = [holders_of(one.name, moment.facts) for one in known]
        if any(is_name_of(place, self.place) for each in where for place in each):
            return True
        return False if known and all(where) else None

    def _contains(self, place: str, moment: Moment) -> bool | None:
        """Whether a place is the one meant, or is in it."""
        if not place:
            return None
        around = (place, *holders_of(place, moment.facts))
        return any(is_name_of(one, self.place) for one in around)

    def _leads_there(self, change: Change, moment: Moment) -> bool | None:
        """Whether the robot is there afterwards, or in the region around it."""
        goals = [one.value for one in change.facts if one.relation is Relation.AT and one.holds]
        if change.type.kind is SkillKind.MOVE:
            goals += change.names
        wanted = self.place or self.thing
        goals = [one for one in dict.fromkeys(goals) if not self._is_excepted(one)]
        if not wanted:
            return bool(goals) or change.type.kind is SkillKind.MOVE
        answers: list[bool | None] = []
        for goal in goals:
            around = holders_of(goal, moment.facts)
            if is_name_of(goal, wanted) or any(is_name_of(one, wanted) for one in around):
                return True
            known = bool(around) or not any(one.room for one in moment.facts.values())
            is_region = any(one.room == goal for one in moment.facts.values())
            answers.append(False if known or is_region else None)
        return None if None in answers else False


@dataclass(frozen=True, slots=True)
class Change:
    """What a skill changes, by one of the declared types.

    :param facts: effects, with names in place of slots. :param names: in its slots.
    """

    type: SkillType
    facts: tuple[Effect, ...]
    names: tuple[str, ...]


def changes_of(moment: Moment) -> Iterator[Change]:
    """What the skill of a moment may change, by each type that it can be read as."""
    yield from _changes(plain(moment.skill), moment.types)


@lru_cache(maxsize=8192)
def _changes(skill: str, types: tuple[SkillType, ...]) -> tuple[Change, ...]:
    found = []
    for one in types:
        lowered = SkillType(plain(one.template), one.slot_types)
        for values in lowered.splits(skill):
            slots = {slot.text: value for slot, value in zip(one.slots, values, strict=True)}
            facts = tuple(_bound(fact, slots) for fact in one.facts)
            names = tuple(
                value
                for slot, value in zip(one.slots, values, strict=True)
                if slot.type is not SlotType.NUMBER and slot.type is not SlotType.TEXT
            )
            found.append(Change(one, facts, names))
    return tuple(found)


def _bound(fact: Effect, slots: Mapping[str, str]) -> Effect:
    subject, value = slots.get(fact.subject, fact.subject), slots.get(fact.value, fact.value)
    return Effect(fact.relation, subject, value, fact.holds)


def holders_of(name: str, facts: Mapping[str, ObjectFact]) -> tuple[str, ...]:
    """What a thing is in, what that is in, and so on, its room last; () where it is not known."""
    by_name = {plain(plain_name(one.name)): one for one in facts.values()}
    found: list[str] = []
    fact = by_name.get(plain(plain_name(name)))
    while fact is not None and len(found) < _MOST_PLACES:
        if fact.room:
            found.append(fact.room)
        if not fact.receptacle or fact.receptacle in found:
            break
        found.append(fact.receptacle)
        fact = by_name.get(plain(plain_name(fact.receptacle)))
    return tuple(dict.fromkeys(found))
