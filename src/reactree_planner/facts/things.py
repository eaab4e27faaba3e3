"""What is known of things, places and regions: where they are, and in which states.

A sense beats an effect, and "not known" beats a guess: what was seen overrules what a skill should
have brought about, and nothing is known of what nobody has told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from reactree_core.belief import (
    as_heard,
    Fact,
    holds,
    SIGHT,
    Source,
    SourceKind,
    variable_of,
)
from reactree_core.belief import Belief as Evidence
from reactree_core.measures import (
    Comparison,
    Measure,
    measures_of,
    Past,
    read_comparison,
    read_measure,
)
from reactree_core.observation import ObjectFact, Vocabulary
from reactree_core.skill_types import class_and_number, Effect, plain_name, Relation, SkillKind
from reactree_core.working_memory import AGENT
from reactree_planner.facts.conditions import EVERYTHING, place_of, sort_of_place
from reactree_planner.facts.skills import Skill, Skills, Sort

_EFFECT = Source(SourceKind.EFFECT)
#: Where a thing is that the robot holds.
HAND = '\x00hand'


@dataclass(frozen=True, slots=True)
class Known:
    """Value with its source: what was seen, or the effect of a skill."""

    value: str
    source: SourceKind


@dataclass(slots=True)
class Thing:
    """All that is known of one thing, place or region.

    :param room: '' when unknown. :param holder: what it is in or on, where that is certain.
    :param beside: where the robot stood as it saw it there.
    :param reached: another place than the one it is in from where it could be taken, and that one.
    :param stood_free: whether it was told of with no place for it.
    :param states: words, and whether they hold.
    :param amounts: how many of this name lie in each place, where it has no number.
    :param numbers: what is measured of it now. :param measured: what was, at any time.
    :param seen: when it was last seen, s; below 0 never in this run.
    """

    name: str
    room: str = ''
    holder: Known | None = None
    beside: str = ''
    reached: tuple[str, str] = ('', '')
    states: dict[str, bool] = field(default_factory=dict)
    amounts: Counter[str] = field(default_factory=Counter)
    stood_free: bool = False
    numbers: dict[str, Measure] = field(default_factory=dict)
    measured: set[str] = field(default_factory=set)
    seen: float = -1.0

    def is_so(self, word: str) -> bool | None:
        """Whether it is in a state; None when nobody has told.

        Of a number that was told once and is no more, nothing is known.
        """
        comparison = read_comparison(word)
        if comparison is not None and comparison.name in self.measured:
            return comparison.holds(self.numbers.get(comparison.name))
        return self.states.get(word)


class Things:
    """All that has a name, and what is known of it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.skills = Skills(vocabulary)
        self.rooms: dict[str, None] = dict.fromkeys(self.skills.rooms)
        self.things: dict[str, Thing] = {}
        #: Names by their class, and as they are spelled; people write "crate a-7".
        self._by_class: dict[str, list[str]] = defaultdict(list)
        self._spelled: dict[str, str] = {}
        self.held: tuple[str, ...] = ()
        self.at = self.room = ''
        #: Whether a sense reports that the robot is at no place with a name.
        self.is_nowhere = False
        #: What the robot has gone to last; it may be told to be somewhere else, beside that.
        self.went_to = ''
        #: Number of observations so far, and of the last that changed anything known.
        self.when = self.changed = 0
        #: Facts with their sources and times, and the time of the newest observation, s.
        self.evidence = Evidence(self.skills.excluded_by)
        self.now = 0.0
        #: Source of what an observation shows and names no other source for.
        self.sight: Source = SIGHT
        #: Places and states of which sources disagree, or only earlier runs know: relation, thing
        #: and word.
        self.doubted: set[tuple[Relation, str, str]] = set()
        #: Facts of the newest observation that name their sources, or that its server assumes.
        self._named: set[tuple[Relation, str, str]] = set()
        self._assumed: set[Effect] = set()
        #: Whether the holder told of a thing is only the place from which it was seen.
        self.tells_nearness = False
        #: Things put somewhere by the run itself, and things that were not where they were seen.
        self.placed: dict[str, str] = {}
        self.vanished: set[str] = set()
        #: Where things were first seen, and in which region, before the robot had them.
        self.began: dict[str, str] = {}
        self._began_room: dict[str, str] = {}
        #: The same of places that they were in, on, or at least beside.
        self._began_by: dict[str, str] = {}
        #: Beside what a thing was as one went to it: surer than what else it was seen from.
        self._stops: dict[str, str] = {}
        self._had: set[str] = set()
        #: The skills that lead to names.
        self.moves: dict[str, Skill] = {}
        #: Words of states that facts tell.
        self._words: set[str] = set()
        #: Words of states that the server declares, but for those that follow from numbers, by
        #: what is measured.
        self.declared = frozenset(vocabulary.states)
        self._declared = set(vocabulary.states)
        self._of_numbers: dict[str, set[str]] = defaultdict(set)
        self._conditions: dict[str, Comparison] = {}
        for word, *others in vocabulary.other_words:
            told = [one for one in map(read_comparison, others) if one is not None]
            if word in self._declared and told:
                self._declared.discard(word)
                self._of_numbers[told[0].name].add(word)
                self._conditions[word] = told[0]
        #: How things were since the goal that is pursued now.
        self.past = Past()
        self._told: dict[str, str] = {}
        #: What is measured of things.
        self.measured = frozenset(vocabulary.numbers)
        self.shut_words = self.skills.states_after(SkillKind.CLOSE)
        self.open_words = self.skills.states_after(SkillKind.OPEN)
        #: Places in which things were sensed while shut, and those that were to be opened all the
        #: same before anything there could be handled.
        self._shows_inside: set[str] = set()
        self._bars_hands: set[str] = set()
        for name in self.skills.fixed_names():
            self._thing(name)

    def of_class(self, subject: str) -> list[str]:
        """Known things that a class, or one with a number, means in any case; the oldest first."""
        if subject == EVERYTHING:
            return [name for name in self.things if self.sort(name) is Sort.THING]
        key = subject.casefold()
        same = self._by_class.get(key, ())
        name = self._spelled.get(key, '')
        if name and name not in same:
            return [name, *same]
        return list(same)

    def is_individual(self, subject: str) -> bool:
        """Test whether a name is that of one known thing, and of no class."""
        key = subject.casefold()
        return key in self._spelled and not self._by_class.get(key)

    def number_of_kinds(self, subject: str) -> int:
        """How many known things a slot of this name takes: a "butter knife" is a kind of knife."""
        key = subject.casefold()
        return sum(len(same) for kind, same in self._by_class.items() if kind.endswith(key))

    def sort(self, name: str) -> Sort | None:
        """What a name stands for."""
        return Sort.REGION if name in self.rooms else self.skills.sort(name)

    def holder(self, name: str) -> str:
        """What a thing is certainly in or on; '' when that is not known, or it is held."""
        thing = self.things.get(name)
        return thing.holder.value if thing is not None and thing.holder is not None else ''

    def holders(self, name: str) -> tuple[str, ...]:
        """What it is in, what that is in, and so on."""
        found: dict[str, None] = {}
        while (name := self.holder(name)) and name not in found:
            found[name] = None
        return tuple(found)

    def room_of(self, name: str) -> str:
        """The region of a thing or place; '' when unknown."""
        if name in self.rooms:
            return name
        thing = self.things.get(name)
        return thing.room if thing is not None else ''

    def is_so(self, name: str, word: str) -> bool | None:
        """Whether a thing is in a state; None when nobody has told."""
        thing = self.things.get(name)
        return None if thing is None else thing.is_so(word)

    def is_or_was(self, name: str, word: str) -> bool | None:
        """Whether a thing is in a state, or was since the goal that is pursued now."""
        return True if self.past.was_so(name, word) else self.is_so(name, word)

    def began_in(self, name: str, place: str) -> bool | None:
        """Whether a thing was in a place or region, or where another was, before it was moved."""
        if other := place_of(place):
            names = [one for one in self.of_class(other) if one != name]
            others = {self._began_by.get(one, '') for one in names} - {''}
            own = self._began_by.get(name, '')
            return own in others if own and others else None
        told = self.began.get(name, ''), self._began_room.get(name, '')
        if any(self.skills.is_named(one, place) for one in told if one):
            return True
        is_room = any(self.skills.is_named(room, place) for room in self.rooms)
        return False if told[is_room] else None

    def began_at(self, subject: str) -> str:
        """Where all known things of a class were before any was moved; '' for several places."""
        places = {self.began.get(name, '') for name in self.of_class(subject)}
        return places.pop() if len(places) == 1 else ''

    def whereabouts(self, name: str) -> str:
        """What a thing is in, on, or at least beside; '' when that is not known, or it is held."""
        thing = self.things.get(name)
        if thing is None or name in self.held:
            return ''
        return self.holder(name) or self._stops.get(name, '') or thing.beside

    def places_with(self, value: str, but: str = '') -> list[str]:
        """Places where a thing is, as `where vial is` tells them; the oldest first.

        Where one was only seen from, it counts if nothing more is known of any.

        :param but: a thing that is not meant.
        """
        sort = sort_of_place(value)
        names = [name for name in self.of_class(place_of(value)) if name != but]
        for known in (lambda name: self.holder(name) or self._stops.get(name), self.whereabouts):
            places = dict.fromkeys(filter(None, map(known, names)))
            found = [one for one in places if self.skills.is_of_sort(one, sort)]
            if found:
                return found
        return []

    def forget_past(self) -> None:
        """Begin anew with how things are now."""
        self.past = Past()
        for name, state in self._told.items():
            self.past.note(name, state)

    def number_wanted(self, word: str) -> Comparison | None:
        """The condition on a number that a state is, or follows from; None for another state."""
        return self._conditions.get(word) or read_comparison(word)

    def is_shut(self, name: str) -> bool:
        """Test for a place in a state that closing leaves."""
        thing = self.things.get(name)
        return thing is not None and any(thing.is_so(word) for word in self.shut_words)

    def is_hidden_in(self, name: str) -> bool:
        """Test for a shut place in which nothing was sensed while it was shut."""
        return self.is_shut(name) and name not in self._shows_inside

    def is_in_reach_of(self, place: str) -> bool:
        """Test for a place in which things are handled without opening it first.

        A place that is shut and shows what is in it is a pen, and no container, until a
        skill on what is there has failed.
        """
        return place in self._shows_inside - self._bars_hands or not self.can_be_shut(place)

    def can_be_shut(self, name: str) -> bool:
        """Whether something was told of its being open or closed."""
        thing = self.things.get(name)
        words = self.shut_words | self.open_words
        return thing is not None and any(word in thing.states for word in words)

    def is_located(self, name: str) -> bool:
        """Whether anything is known of where a thing is."""
        thing = self.things.get(name)
        if thing is None:
            return False
        if name in self.held or thing.holder is not None or thing.beside:
            return True
        # A server that offers nothing leads to every place.
        leads = name in self.moves if self.moves else self.sort(name) is Sort.PLACE
        return leads and (bool(thing.room) or not self.rooms or not self.room)

    def amount(self, name: str, place: str) -> int:
        """How many things of a name without a number are in a place; 1 for a name with one."""
        thing = self.things.get(name)
        if thing is None or class_and_number(name)[1]:
            return 1
        return max(1, thing.amounts[place])

    # Learned ---------------------------------------------------------------------------------

    def _thing(self, name: str) -> Thing:
        thing = self.things.get(name)
        if thing is None:
            thing = self.things[name] = Thing(name)
            self._spelled.setdefault(name.casefold(), name)
            kind = self.skills.class_of(name).casefold()
            self._by_class[kind].append(name)
            plain = class_and_number(name)[0].casefold()
            if plain != kind:
                self._by_class[plain].append(name)
        return thing

    def _note_stop(self, name: str) -> None:
        """Know of a thing that one has just gone to what it is beside."""
        place = self.at if self.sort(self.at) is Sort.PLACE else self._thing(name).beside
        if place and name not in self.held:
            self._stops[name] = place
            if name not in self._had:
                self._began_by[name] = place

    def _tell(self, what: Effect, source: Source, time: float | None = None) -> None:
        """Keep a fact, unless the observation names the source of such a fact itself."""
        if variable_of(what) in self._named:
            return
        if what in self._assumed:
            source = _EFFECT
        told = Fact(what, source, self.now if time is None else time)
        fact = as_heard(told, self.sight.robot) if self.sight.robot else told
        if fact is not None:
            self.evidence.tell(fact)

    def _place(self, name: str, where: str, source: Source = _EFFECT) -> None:
        self._tell(Effect(Relation.IN, name, where), source)
        thing = self._thing(name)
        self.changed = self.when
        thing.holder = Known(where, SourceKind.EFFECT)
        thing.room, thing.beside = self.room_of(where) or self.room, where
        thing.amounts[where] += 1
        self.placed[name] = where
        self._thing(where)

    def _set_state(self, name: str, word: str, so: bool) -> None:
        states = self._thing(name).states
        if states.get(word) is not so:
            self.changed = self.when
        states[word] = so
        if so:
            states.update(dict.fromkeys(self.skills.excluded_by(word), False))

    def _change_state(self, name: str, word: str, so: bool, source: Source) -> None:
        """Take over a state that a skill has brought about or ended."""
        self._tell(Effect(Relation.IS, name, word, so), source)
        self._set_state(name, word, so)

    def _is_only_near(self, fact: ObjectFact) -> bool:
        """Whether a place that stands by itself is told to be at the place where the robot is."""
        where, known = plain_name(fact.receptacle), self.things.get(plain_name(fact.name))
        if not where or where == AGENT or self.sort(fact.name) is not Sort.PLACE:
            return False
        if self.sort(where) is not Sort.PLACE:
            return False
        if self.holder(where) == plain_name(fact.name):
            return True
        return known is not None and known.stood_free and not (known.holder or known.beside)

    def _doubt_holders(self) -> None:
        """Know that what was told to be in a place may only be near it."""
        for thing in self.things.values():
            if thing.holder is not None and thing.holder.source is SourceKind.SIGHT:
                thing.beside, thing.holder = thing.holder.value, None

    def _take_in(self, fact: ObjectFact, exact: bool) -> None:
        name, where = plain_name(fact.name), plain_name(fact.receptacle)
        if self.skills.sort(fact.object_class) is None:
            self.skills.add(fact.object_class, Sort.THING)
        if where and self._is_outdated(Effect(Relation.IN, name, where)):
            return
        thing = self._thing(name)
        before = thing.room, self.holder(name)
        if not where and not thing.beside:
            thing.stood_free = True
        thing.seen = self.now
        room = plain_name(fact.room)
        in_doubt = (Relation.IN, name, '') in self.doubted
        if where and where not in (AGENT, thing.room) and name not in self.held and not in_doubt:
            agrees = thing.holder is not None and thing.holder.value == where
            if exact or agrees:
                self._tell(Effect(Relation.IN, name, where), self.sight)
        exact &= not in_doubt
        if in_doubt:
            thing.holder = None
            self.placed.pop(name, None)
        if room and thing.room and room != thing.room and not where:
            thing.holder, thing.beside = None, ''
        thing.room = room or thing.room
        if where == AGENT or name in self.held:
            thing.holder, thing.beside = None, ''
            self._had.add(name)
            self._stops.pop(name, None)
        elif where and where != thing.room:
            thing.beside = where
            if exact:
                thing.holder = Known(where, SourceKind.SIGHT)
                if self.placed.get(name, where) != where:
                    del self.placed[name]
            elif thing.holder is not None:
                # Seen from nearby it is still where it was; in another region it is not.
                if self.room_of(thing.holder.value) not in ('', thing.room):
                    thing.holder = None
                    self.placed.pop(name, None)
        if name not in self._had:
            begun = self.began, self._began_room, self._began_by
            now = self.holder(name), thing.room, self.whereabouts(name)
            for known, seen in zip(begun, now, strict=True):
                if seen:
                    known.setdefault(name, seen)
        if before != (thing.room, self.holder(name)):
            self.changed = self.when
            self.vanished.discard(name)
        self._take_in_states(thing, fact)

    def _is_outdated(self, what: Effect) -> bool:
        """Test whether its server names the source of a fact, and another robot knows better."""
        return (
            variable_of(what) in self._named
            and holds(self.evidence, what, self.now).holds is False
        )

    def _take_in_states(self, thing: Thing, fact: ObjectFact) -> None:
        # The numbers that are told now are known, and no others.
        numbers = measures_of(fact.state)
        if numbers != thing.numbers:
            self.changed = self.when
        thing.numbers = numbers
        thing.measured.update(numbers)
        self.past.note(thing.name, fact.state)
        self._told[thing.name] = fact.state
        told = [word for word in fact.state.split(', ') if word]
        for word in told:
            number = self._conditions.get(word)
            # What follows from a number has the source of the number.
            if number is None or number.name not in numbers:
                self._tell(Effect(Relation.IS, thing.name, word), self.sight)
        words = {word for word in told if read_measure(word) is None}
        of_numbers = set[str]().union(*self._of_numbers.values())
        self._words |= words
        so = dict.fromkeys(words, True)
        if fact.state or fact.receptacle:
            known = self._words - words - of_numbers
            so |= {word: False for word in thing.states if word in known}
        if words & self._declared:
            # One that tells "unripe" would tell "ripe".
            so |= dict.fromkeys(self._declared - words, False)
        for name, following in self._of_numbers.items():
            for word in following - words:
                if name in thing.numbers:
                    so[word] = False
                else:
                    thing.states.pop(word, None)
        for word, is_so in so.items():
            if (Relation.IS, thing.name, word) in self.doubted:
                thing.states.pop(word, None)
            elif not (is_so and self._is_outdated(Effect(Relation.IS, thing.name, word))):
                self._set_state(thing.name, word, is_so)

    def lose(self, name: str) -> None:
        """Know that a thing has gone where nobody can get at it."""
        self.held = tuple(one for one in self.held if one != name)
        self.moves.pop(name, None)
        if name in self.things:
            self._lose(self.things[name])

    def _lose(self, thing: Thing) -> None:
        """Know no more where a thing is."""
        self.placed.pop(thing.name, None)
        self._stops.pop(thing.name, None)
        there = thing.holder.value if thing.holder is not None else thing.beside
        if there:
            self._tell(Effect(Relation.IN, thing.name, there, False), self.sight)
        else:
            self.evidence.forget(Effect(Relation.IN, thing.name, ''))
        thing.holder, thing.beside, thing.room = None, '', ''
        thing.amounts.clear()
        self.vanished.add(thing.name)
