"""Events that a rule forbids, by what skills change and where things are, however they are called.

    opened(fridge)              a skill of kind OPEN on it, or with that effect
    leaves(*, fridge)           a skill after which something is elsewhere that was in it
    enters(robot, bathroom)     a skill after which the robot is in it, or at a place in it
    held(knife)                 a skill after which it is in a hand, or on a plate that is

What a skill changes follows from its declared effects, else from its kind; without either, it may
do anything with what it names. Where things are follows from the evidence at that moment. What may
be such an event, where that is not known, counts as one.
"""

from __future__ import annotations

import re
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
from reactree_core.skill_types import (
    Effect,
    plain_name,
    Relation,
    SkillKind,
    SkillType,
    SLOT,
    SlotType,
    Treatment,
)

#: Places that a thing is followed through: a cup on a tray in a cabinet in a room.
_MOST_PLACES = 8
#: Begins an act that is known by the state it brings about: 'make fired'.
MAKING = 'make '
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
#: Acts that are known by effects; all others are verbs of skills.
_BY_EFFECTS = frozenset({*_KIND_OF_DOING, 'touch', 'enter', 'leave'})
_EVENT = re.compile(r'(?P<event>[a-z ]+)\((?P<thing>[^(),]+)(?:,(?P<place>[^(),]+))?\)')
#: Events of rules, and whether each names a place.
_DOING_OF_EVENT = {
    'opened': ('open', False),
    'closed': ('close', False),
    'switched on': ('switch on', False),
    'switched off': ('switch off', False),
    'held': ('take', False),
    'leaves': ('leave', True),
    'enters': ('enter', True),
}
#: The robot, among things that enter and leave.
ROBOT = 'robot'
#: A hand, among places that things come to.
HAND = '\N{RAISED HAND}'


class Side(Enum):
    """How an act is bound to a place."""

    FROM = 'from'
    TO = 'to'
    #: Done there, out of it, or into it.
    AT = 'at'


@dataclass(frozen=True, slots=True)
class Act:
    """Skills that a person means by an act; a rule of permission reads it (`Matcher`).

    :param doing: open, close, take, put, go, switch on, switch off, touch, enter or leave a place,
        the verb of a skill, or 'make ' and a state that skills bring about.
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
        if self.doing in ('enter', 'leave'):
            return f'{self.thing or "anything"} {self.doing}s {self.place}'
        any_thing = 'anything' if self.doing in ('take', 'put', 'touch') else ''
        if self.doing.startswith(MAKING):
            return f'make {self.thing or "anything"} {self.doing.removeprefix(MAKING)}'
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
            return None if self._is_worded(moment.skill) or self._is_begun(moment) else False
        answers = [self._is_meant(one, moment) for one in changes]
        if all(answer is False for answer in answers):
            return False
        return True if all(answer is True for answer in answers) else None

    def _is_begun(self, moment: Moment) -> bool:
        """Test for the verb of a skill that brings the state about, its names left out."""
        state = self.doing.removeprefix(MAKING)
        makers = (one for one in moment.types if any(t.state == state for t in one.treatments))
        return any(plain(moment.skill) == plain(one.verb) for one in makers)

    def _is_worded(self, skill: str) -> bool:
        words = plain(skill)
        named = not self.thing or plain(self.thing) in words
        return named and (not self.place or plain(self.place) in words)

    def _is_meant(self, change: Change, moment: Moment) -> bool | None:
        where = Whereabouts(moment)
        if not change.is_declared and self.doing in _BY_EFFECTS:
            if not self.place and self._is_in_wording(change):
                return True
            return self._may_be(change, where)
        if self.doing == 'go' or self.is_of_robot:
            return self._moves_robot(change, where)
        if self._crosses:
            crossed = [self._crosses_border(one, where) for one in moved(change, where)]
            return _any(crossed)
        done = [name for name in self._done_with(change, where) if self._is_thing(name)]
        if not done and not (not self.thing and self._is_own_verb(change)):
            treated = self._is_treated(change, where)
            return self._is_in_wording(change) if treated is False else treated
        if not self.place:
            return True
        return _any(self._is_there(name, change, where) for name in done or ('',))

    @property
    def is_of_robot(self) -> bool:
        """Test whether it is the robot that enters or leaves."""
        return self.thing == ROBOT and self.doing in ('enter', 'leave')

    @property
    def _crosses(self) -> bool:
        """Test whether a thing comes into a place or out of it."""
        taken_out = self.doing == 'take' and bool(self.place) and self.side is Side.FROM
        return taken_out or self.doing in ('enter', 'leave')

    def _is_thing(self, name: str) -> bool:
        if any(is_name_of(name, one) for one in self.but):
            return False
        return not self.thing or is_name_of(name, self.thing)

    def _may_be(self, change: Change, where: Whereabouts) -> bool | None:
        """Possibility that a skill without declared effects is such an act, by its words."""
        names = [name for name in change.names if not any(is_name_of(name, b) for b in self.but)]
        if self.doing == 'go' or self.is_of_robot:
            wanted = self.place or self.thing
            if self.doing == 'leave':
                return None if names and where.has_robot(wanted) is not False else False
            near = (is_name_of(one, wanted) or where.inside(one, wanted) for one in names)
            return None if any(near) else False
        # The robot may go where the words say, with what it holds.
        carried = where.moment.now.held if names and self._crosses else ()
        things = [one for name in (*names, *carried) for one in (name, *where.contents(name))]
        things = [one for one in things if self._is_thing(one)]
        if self.doing in ('touch', 'put') and self.side is Side.TO and things and len(names) > 1:
            # The skill names its place itself.
            chains = [(one, *where.chain(one)) for one in names]
            there = any(is_name_of(one, self.place) for chain in chains for one in chain)
            return None if there else False
        if not self.place or self.doing in ('enter', 'put'):
            return None if things else False
        if any(is_name_of(one, self.place) for one in names):
            return None
        return None if any(where.inside(one, self.place) is not False for one in things) else False

    def _crosses_border(self, move: Move, where: Whereabouts) -> bool | None:
        """Test whether a thing, or what is in or on it, comes out of the place or into it."""
        answers = []
        for name in (move.thing, *where.contents(move.thing)):
            if not self._is_thing(name):
                continue
            around = where.chain(name) if name != move.thing else ()
            inner = around[: around.index(move.thing) + 1] if move.thing in around else ()
            if any(is_name_of(one, self.place) for one in inner):
                # It stays in what it is carried with.
                continue
            before = where.inside(name, self.place)
            after = where.comes_into(move, self.place)
            pair = (before, _not(after)) if self.doing != 'enter' else (_not(before), after)
            answers.append(_all(pair))
        return _any(answers)

    def _done_with(self, change: Change, where: Whereabouts) -> Iterator[str]:
        """Names of what the act is done with by a skill; nothing where it is another act."""
        kind, doing = change.type.kind, self.doing
        if doing in ('take', 'put'):
            for move in moved(change, where):
                held = move.goal == HAND and move.thing in where.moment.now.held
                if not (held or move.with_robot) and (move.goal == HAND) is (doing == 'take'):
                    # What is on a plate goes with it.
                    yield from (move.thing, *where.contents(move.thing))
            return
        state = _STATE_OF_DOING.get(doing, doing.removeprefix(MAKING))
        for fact in change.facts:
            if fact.holds and fact.relation is Relation.IS and fact.value == state:
                yield fact.subject
        for one in change.treatments:
            if one.state == state or doing == 'touch':
                yield from where.contents(one.place)
        if kind is _KIND_OF_DOING.get(doing) or self._is_own_verb(change):
            yield from change.names
        elif doing == 'touch' and kind not in _WITHOUT_TOUCH:
            touched = [*change.names, *(fact.subject or fact.value for fact in change.facts)]
            # What is put on a table touches it, and not what lies there.
            goals = [one.goal for one in moved(change, where) if not one.with_robot]
            for name in dict.fromkeys((*touched, *goals)):
                yield from (name, *(where.contents(name) if name not in goals else ()))

    def _is_treated(self, change: Change, where: Whereabouts) -> bool | None:
        """Test whether what is in a place comes into the state; None for a thing not seen."""
        state = _STATE_OF_DOING.get(self.doing, self.doing.removeprefix(MAKING))
        treated = [one for one in change.treatments if one.state == state]
        if not self.thing:
            return bool(treated)
        return _any(where.inside(self.thing, one.place) for one in treated)

    def _is_in_wording(self, change: Change) -> bool:
        """Test for a skill that names the thing in its fixed words: "fold the arm"."""
        kind = change.type.kind
        fixed = ' '.join(plain(part) for part in SLOT.split(change.type.template))
        touches = self.doing == 'touch' and kind not in _WITHOUT_TOUCH
        does = touches or kind is _KIND_OF_DOING.get(self.doing) or self._is_own_verb(change)
        begins = f'{fixed} '.startswith(f'{plain(self.doing)} ')
        # "fold the fold": the verb is no name of its thing
        rest = fixed[len(plain(self.doing)) :] if begins else fixed
        return (does or begins) and bool(self.thing) and f' {plain(self.thing)} ' in f' {rest} '

    def _is_own_verb(self, change: Change) -> bool:
        doing = plain(self.doing)
        verbs = (change.type.verb, *change.type.other_words)
        return doing not in _KIND_OF_DOING and any(plain(verb) == doing for verb in verbs)

    def _is_there(self, name: str, change: Change, where: Whereabouts) -> bool | None:
        """Test whether an act is done at the place: where the thing is, or where it is brought."""
        others = [one for one in change.names if one != name]
        moving = (Relation.IN, Relation.HOLDING)
        if others and all(fact.relation not in moving for fact in change.facts):
            # No effect says where it is brought: the skill names its place itself.
            chains = [(one, *where.chain(one)) for one in others]
            return any(is_name_of(one, self.place) for chain in chains for one in chain)
        answers: list[bool | None] = []
        if self.doing != 'put':
            is_it = bool(name) and is_name_of(name, self.place)
            answers.append(is_it or where.inside(name, self.place))
        if self.doing != 'take':
            moves = [one for one in moved(change, where) if one.goal != HAND]
            robot = Move(name, where.robot)
            into = [where.comes_into(one, self.place) for one in moves or (robot,)]
            answers += into
        return _any(answers)

    def _moves_robot(self, change: Change, where: Whereabouts) -> bool | None:
        """Test whether the robot is there afterwards, or in the region around it, or has left."""
        wanted = self.place or ('' if self.is_of_robot else self.thing)
        goals = [one for one in led_to(change) if not any(is_name_of(one, b) for b in self.but)]
        if not wanted:
            return bool(goals) or change.type.kind is SkillKind.MOVE
        at, there = where.has_robot(wanted), (where.leads(goal, wanted) for goal in goals)
        if self.doing == 'leave':
            return _any(_all((at, _not(one))) for one in there)
        if self.doing == 'enter':
            return _any(_all((_not(at), one)) for one in there)
        return _any(there)


@dataclass(frozen=True, slots=True)
class Move:
    """A thing that comes somewhere by a skill.

    :param goal: a place, `HAND`, or '' where that is not known.
    :param left: what it is taken out of, where only that is declared.
    :param with_robot: it is in a hand of a robot that goes to the goal.
    """

    thing: str
    goal: str
    left: str = ''
    with_robot: bool = False


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Places of things at a moment, as far as its evidence says; None is not known."""

    moment: Moment

    @property
    def robot(self) -> str:
        """Place of the robot; '' where that is not known."""
        return self.moment.now.place

    def chain(self, name: str) -> tuple[str, ...]:
        """Holders of a thing from the inside out, its room last; () where not known."""
        return self._chain(name)[0]

    def _chain(self, name: str) -> tuple[tuple[str, ...], bool]:
        """The same, and whether nothing is missing between its parts.

        What sources disagree about, or only an earlier run knows, is not known.
        """
        found: list[str] = []
        rooms: list[str] = []
        is_known = True
        while len(found) < _MOST_PLACES:
            fact = self.moment.by_name.get(_key(name))
            inside = self._place(name if fact is None else fact.name, fact)
            if inside is None:
                is_known = False
                break
            if fact is not None and fact.room and inside in ('', fact.receptacle):
                rooms.append(fact.room)
            if not inside or inside in found:
                # What is shown without a room, where others have one, may be anywhere.
                is_known = fact is None or bool(fact.room) or not self._tells_rooms
                break
            found.append(inside)
            name = inside
        return tuple(dict.fromkeys((*found, *rooms))), is_known

    def _place(self, name: str, fact: ObjectFact | None) -> str | None:
        """Direct holder of a thing; '' for nothing that is shown, None where it is not known."""
        shown = '' if fact is None else fact.receptacle
        if self.moment.evidence is None:
            return shown
        about = self.moment.evidence.about(Effect(Relation.IN, plain_name(name), ''))
        for one in about:
            if one.what.holds and self.moment.weighed(one.what, None):
                return one.what.value if one.what.relation is Relation.IN else HAND
        return None if about else shown

    def contents(self, name: str) -> tuple[str, ...]:
        """Things known to be in or on a thing, at any depth."""
        return tuple(
            one.name
            for one in self.moment.facts.values()
            if any(_key(holder) == _key(name) for holder in self.chain(one.name))
        )

    def is_region(self, place: str) -> bool:
        """Test whether things are known to be in a room of this name."""
        rooms = (one.room for one in self.moment.facts.values() if one.room)
        return any(is_name_of(one, place) for one in (*rooms, self.moment.now.room))

    @property
    def _tells_rooms(self) -> bool:
        return any(one.room for one in self.moment.facts.values())

    def has_robot(self, place: str) -> bool | None:
        """Test whether the robot is at a place, or in a region."""
        at = [one for one in (self.robot, self.moment.now.room) if one]
        if any(is_name_of(one, place) for one in (*at, *self.chain(self.robot))):
            return True
        return False if at and (self.moment.now.room or not self.is_region(place)) else None

    def inside(self, name: str, place: str) -> bool | None:
        """Test whether a thing is in or at a place, or in a region."""
        if not name:
            return None
        if any(_key(one) == _key(name) for one in self.moment.now.held):
            return self.has_robot(place) if self.is_region(place) else False
        names = [one.name for one in self.moment.facts.values() if is_name_of(one.name, name)]
        answers = [self._is_inside(one, place) for one in names]
        return _any(answers) if answers else None

    def _is_inside(self, name: str, place: str) -> bool | None:
        chain, is_known = self._chain(name)
        if any(is_name_of(one, place) for one in chain):
            return True
        rooms = {one.room for one in self.moment.facts.values() if one.room}
        whole = rooms & {*chain} if rooms else chain
        return False if is_known and whole else None

    def leads(self, goal: str, place: str) -> bool | None:
        """Test whether who goes to a goal is at the place, or in the region, then."""
        around = self.chain(goal)
        if any(is_name_of(one, place) for one in (goal, *around)):
            return True
        rooms = (*self.moment.regions, *(one.room for one in self.moment.facts.values()))
        # A region that is named is known by its name, before anything was seen in it.
        is_region = any(_key(one) == _key(goal) for one in rooms if one)
        apart = around or is_region or not self._tells_rooms or self._is_spot(place)
        return False if apart else None

    def _is_spot(self, place: str) -> bool:
        """Test whether a name is that of known places alone, in which there are no others."""
        known = any(is_name_of(one.name, place) for one in self.moment.facts.values())
        is_region = any(is_name_of(one, place) for one in self.moment.regions)
        return known and not is_region and not self.is_region(place)

    def comes_into(self, move: Move, place: str) -> bool | None:
        """Test whether a thing that is moved is in the place, or in the region, afterwards."""
        if move.left:
            left = is_name_of(move.left, place) or self.inside(move.left, place)
            return False if left else None
        if move.goal == HAND:
            return self.has_robot(place) if self.is_region(place) else False
        if not move.goal:
            return None
        if is_name_of(move.goal, place):
            return not move.with_robot or self.is_region(place)
        if move.with_robot:
            return self.leads(move.goal, place) if self.is_region(place) else False
        chain, is_known = self._chain(move.goal)
        if any(is_name_of(one, place) for one in chain):
            return True
        if not is_known:
            return None
        return self.leads(move.goal, place) if self.is_region(place) else False


def moved(change: Change, where: Whereabouts) -> Iterator[Move]:
    """Things that come somewhere by a skill: by its effects, and in the hands of the robot."""
    kind, names = change.type.kind, change.names
    placed = {fact.subject for fact in change.facts if fact.relation is Relation.IN and fact.holds}
    taken = set()
    for fact in change.facts:
        goal = where.robot if fact.value == _HERE else fact.value
        if fact.relation is Relation.IN and fact.holds:
            yield Move(fact.subject, goal)
        elif fact.relation is Relation.IN:
            if fact.subject not in placed:
                yield Move(fact.subject, '', left=goal)
        elif fact.relation is Relation.HOLDING and fact.holds:
            taken.add(fact.value)
            yield Move(fact.value, HAND)
        elif fact.relation is Relation.HOLDING and fact.value not in placed:
            placed.add(fact.value)
            yield Move(fact.value, where.robot)
    if kind is SkillKind.TAKE and names and not taken:
        yield Move(names[0], HAND)
    if kind is SkillKind.PUT and names and not placed:
        yield Move(names[0], names[1] if len(names) > 1 else where.robot)
    for goal in led_to(change):
        yield from (Move(name, goal, with_robot=True) for name in where.moment.now.held)


def led_to(change: Change) -> tuple[str, ...]:
    """Places that the robot comes to by a skill."""
    goals = [one.value for one in change.facts if one.relation is Relation.AT and one.holds]
    if change.type.kind is SkillKind.MOVE:
        goals += change.names
    return tuple(dict.fromkeys(goals))


def read_event(text: str) -> Act:
    """The acts of an event as rules write it: `opened(fridge)`, `leaves(*, fridge)`.

    :raises ValueError: it cannot be read.
    """
    match = _EVENT.fullmatch(' '.join(text.split()))
    doing, needs_place = _DOING_OF_EVENT.get(match['event'] if match else '', ('', False))
    thing, place = (match['thing'].strip(), (match['place'] or '').strip()) if match else ('', '')
    if not doing or needs_place is not bool(place) or not thing:
        events = ', '.join(
            f'{event}(<x>{", <place>" if placed else ""})'
            for event, (_, placed) in _DOING_OF_EVENT.items()
        )
        raise ValueError(f'"{text[:80]}" is no event: write {events}; * for anything')
    return Act(doing, '' if thing == '*' else thing, place)


def _key(name: str) -> str:
    return plain(plain_name(name))


def _any(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    return True if True in found else None if None in found else False


def _all(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    return False if False in found else None if None in found else True


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


@dataclass(frozen=True, slots=True)
class Change:
    """What a skill changes, by one of the declared types.

    :param facts: effects, with names in place of slots. :param names: in its slots.
    :param treatments: of all that is in a place, with names in place of slots.
    """

    type: SkillType
    facts: tuple[Effect, ...]
    names: tuple[str, ...]
    treatments: tuple[Treatment, ...] = ()

    @property
    def is_declared(self) -> bool:
        """Test whether its effects are declared, or follow from its kind."""
        return bool(self.facts) or self.type.kind is not SkillKind.OTHER


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
            told = (treatment.bound(slots) for treatment in one.treatments)
            treatments = tuple(treatment for treatment in told if treatment is not None)
            found.append(Change(one, facts, names, treatments))
    return tuple(found)


def _bound(fact: Effect, slots: Mapping[str, str]) -> Effect:
    subject, value = slots.get(fact.subject, fact.subject), slots.get(fact.value, fact.value)
    return Effect(fact.relation, subject, value, fact.holds)
