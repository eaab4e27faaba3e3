"""What a run knows: each fact with whence it is known and since when.

A sense beats an effect, and "not known" beats a guess: what was seen overrules what a skill should
have brought about, and nothing is known of what nobody has told.
"""

from __future__ import annotations

from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field
from enum import IntEnum

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SlotType
from reactree_core.working_memory import AGENT
from reactree_planner.facts.recipes import Recipes
from reactree_planner.facts.skills import IDLE_KINDS
from reactree_planner.facts.skills import Skill
from reactree_planner.facts.skills import Skills
from reactree_planner.facts.skills import Sort

#: How often a skill that could have worked is tried in a row, and in a run without success.
MOST_TRIES = 3
MOST_IN_ALL = 2 * MOST_TRIES
#: Where a thing is that the robot holds.
HAND = '\x00hand'
_MAY_SUCCEED = (Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT)


class Source(IntEnum):
    """Whence something is known; the larger outweighs the smaller at the same moment."""

    ASSUMED = 0
    DONE = 1
    REPORTED = 2
    SEEN = 3


@dataclass(frozen=True, slots=True)
class Known:
    """A value, whence it is known, and the number of the observation that told it."""

    value: str
    source: Source
    when: int


@dataclass(slots=True)
class Thing:
    """All that is known of one thing, place or region.

    :param room: '' when unknown. :param holder: what it is in or on, where that is certain.
    :param beside: where the robot stood as it saw it there. :param states: words and whether so.
    """

    name: str
    room: str = ''
    holder: Known | None = None
    beside: str = ''
    states: dict[str, tuple[bool, Source, int]] = field(default_factory=dict)
    amounts: Counter[str] = field(default_factory=Counter)

    def is_so(self, word: str) -> bool | None:
        """Whether it is in a state; None when nobody has told."""
        told = self.states.get(word)
        return None if told is None else told[0]


class Belief:
    """Grows with every observation.

    A skill server need not report everything: a field that it never filled is unknown, not empty.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.skills = Skills(vocabulary)
        self.recipes = Recipes(self.skills)
        self.rooms: dict[str, None] = dict.fromkeys(self.skills.rooms)
        self.things: dict[str, Thing] = {}
        self._by_class: dict[str, list[str]] = defaultdict(list)
        self.at = self.room = ''
        self.held: tuple[str, ...] = ()
        #: Number of observations so far, and of the last that changed anything known.
        self.when = self.changed = 0
        self.observation = Observation('')
        self.offered: dict[str, Skill] = {}
        #: Whether the server tells: what can be done, what is where, what is held.
        self.tells_offers = self.tells_facts = False
        self.tells_held: bool | None = None
        #: Whether the holder told of a thing is only the place from which it was seen.
        self.tells_nearness = False
        #: Places of which it is known what is there, regions where the robot has been.
        self.looked: set[str] = set()
        self.visited: set[str] = set()
        #: Things that were not where they had been seen.
        self.vanished: set[str] = set()
        #: Moves: the text that leads to a name, places where it was offered, where it has led.
        self.moves: dict[str, Skill] = {}
        self.offered_at: dict[str, set[str]] = defaultdict(set)
        self.led_to: dict[tuple[str, str], str] = {}
        #: Whether some move leads into another region than the robot's, without a stop on the way.
        self.crosses_regions = False
        #: Whether moves are offered only where it is near: a map has to be gone along.
        self.local_moves = False
        #: Things held at once, as far as seen; and the number at which no more was offered.
        self.most_held = 0
        self.capacity: int | None = None
        #: Words of states that facts tell.
        self._words: set[str] = set()
        self._failed: dict[str, Skill] = {}
        self._in_a_row: Counter[str] = Counter()
        self._in_all: Counter[str] = Counter()
        #: Seconds and times of each template, as far as told.
        self._seconds: dict[str, tuple[float, int]] = {}
        self.shut_words = self.skills.states_after(SkillKind.CLOSE)
        self.open_words = self.skills.states_after(SkillKind.OPEN)
        #: Things put somewhere by the run itself.
        self.placed: dict[str, str] = {}

    # Asked -----------------------------------------------------------------------------------

    def of_class(self, subject: str) -> list[str]:
        """Known things that a class, or a class with a number, means; the oldest first."""
        same = self._by_class.get(subject, ())
        if subject in self.things and subject not in same:
            return [subject, *same]
        return list(same)

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

    def is_shut(self, name: str) -> bool:
        """Whether what is in a place is hidden until it is opened."""
        thing = self.things.get(name)
        return thing is not None and any(thing.is_so(word) for word in self.shut_words)

    def can_be_shut(self, name: str) -> bool:
        """Whether something was told of its being open or closed."""
        thing = self.things.get(name)
        words = self.shut_words | self.open_words
        return thing is not None and any(word in thing.states for word in words)

    def value(self, variable: tuple[str, ...]) -> str | bool:
        """The value of a variable of a plan; a thing of which only the region is known is in a
        place without a name there.
        """
        match variable:
            case ('at',):
                return self.at
            case ('room',):
                return self.room
            case ('in', name):
                if name in self.held:
                    return HAND
                return self.holder(name) or f'~{self.room_of(name)}'
            case ('is', name, word):
                return bool(self.is_so(name, word))
        raise ValueError(f'no such variable: {variable}')

    @property
    def leads_to_regions(self) -> bool:
        """Whether some move leads to regions."""
        return any(name in self.rooms for name in self.moves)

    def stock(self, name: str) -> int:
        """How many of a class are held."""
        return max(
            self.recipes.stock[name],
            sum(self.skills.is_named(held, name) for held in self.held),
        )

    def has_given_up(self, text: str) -> bool:
        """Whether a skill failed too often to be tried now."""
        return self._in_a_row[text] >= MOST_TRIES or self._in_all[text] >= MOST_IN_ALL

    def failures(self, text: str) -> int:
        """How often a skill has failed in a row."""
        return self._in_a_row[text]

    def cost(self, skill_type_template: str) -> float:
        """What a skill of a template costs: its mean duration in that of all skills; 1 unknown."""
        told = self._seconds.get(skill_type_template)
        if told is None:
            return 1.0
        total = sum(seconds for seconds, _ in self._seconds.values())
        times = sum(count for _, count in self._seconds.values())
        mean = total / times
        return max(0.1, told[0] / told[1] / mean) if mean > 0 else 1.0

    def hope_again(self) -> bool:
        """Try once more what was given up and has not failed for good; whether there was any."""
        given_up = [
            text
            for text, count in self._in_a_row.items()
            if count >= MOST_TRIES and self._in_all[text] < MOST_IN_ALL
        ]
        for text in given_up:
            del self._in_a_row[text]
        return bool(given_up)

    def begin_anew(self) -> None:
        """Know of no place or region any more what is there: something has vanished."""
        self.looked.clear()
        self.visited = {self.room} if self.room else set()
        self.vanished.clear()

    # Told ------------------------------------------------------------------------------------

    def update(self, observation: Observation, seconds: float = 0.0) -> None:
        """Learn from an observation; it becomes the current one.

        :param seconds: that the skill took, 0 where that is not told.
        """
        self.when += 1
        before, self.observation = self.observation, observation
        self.skills.learn(observation.admissible_skills)
        done = self.skills.parse(observation.skill) if observation.skill else None
        known = len(self.looked), len(self.visited), self.held, len(self.things), len(self.vanished)
        self._note_position(observation, done)
        self._note_offers(observation)
        self._note_held(observation, done)
        if done is not None and observation.succeeded:
            self._note_effects(done, observation)
            if seconds > 0:
                told, times = self._seconds.get(done.type.template, (0.0, 0))
                self._seconds[done.type.template] = told + seconds, times + 1
        self._note_facts(observation, done)
        self._note_looks(observation, done)
        self._note_sights(observation)
        if done is not None:
            self._note_outcome(done, observation)
        now = len(self.looked), len(self.visited), self.held, len(self.things), len(self.vanished)
        if known != now:
            self.changed = self.when
        self.recipes.learn(observation.text, observation.admissible_skills)
        if self.tells_held and self.recipes.are_told:
            self.recipes.correct(self.held)
        if before.place != self.at and done is not None and done.kind is SkillKind.MOVE:
            self.led_to[done.text, plain_name(before.place)] = self.at

    def hear(self, facts: Iterable[ObjectFact]) -> None:
        """Take over where others have seen things; what this run has seen itself stays."""
        for fact in facts:
            if fact.name not in self.things:
                self._take_in(fact, Source.REPORTED, exact=not self.tells_nearness)

    def _note_position(self, observation: Observation, done: Skill | None) -> None:
        room = plain_name(observation.room)
        self.at = plain_name(observation.place) or self.at
        if room:
            if self.rooms and room not in self.rooms:
                self.rooms[room] = None
                self.skills.add(room, Sort.REGION)
            self.visited.add(room)
        self.room = room or self.room
        if done is None or not observation.succeeded or done.kind is not SkillKind.MOVE:
            return
        if not observation.place and done.target:
            self.at = done.target
        if done.target in self.rooms and not room:
            self.room = done.target
            self.visited.add(done.target)

    def _note_offers(self, observation: Observation) -> None:
        self.tells_offers |= bool(observation.admissible_skills)
        before, self.offered = self.offered, {}
        for text in observation.admissible_skills:
            skill = self.skills.parse(text)
            if skill is None:
                continue
            self.offered[text] = skill
            if skill.kind is SkillKind.MOVE and skill.target and not skill.has_gap:
                self._note_move(skill)
        self._note_hands(before, observation)

    def _note_hands(self, before: dict[str, Skill], observation: Observation) -> None:
        """Learn how much can be held: so much, if nothing can be taken beside it any more."""
        done = self.skills.parse(observation.skill) if observation.succeeded else None
        if done is None or done.kind is not SkillKind.TAKE or not self.offered:
            return
        held = len(observation.held) or len(self.held) + 1
        others = any(
            one.kind is SkillKind.TAKE and one.target != done.target for one in before.values()
        )
        if any(one.kind is SkillKind.TAKE for one in self.offered.values()):
            if self.capacity is not None and self.capacity <= held:
                self.capacity = None
        elif others:
            self.capacity = held

    def _note_move(self, skill: Skill) -> None:
        target = skill.target
        self.moves[target] = skill
        self.offered_at[target].add(self.at)
        if target not in self.rooms:
            thing = self._thing(target)
            if self.sort(target) is not Sort.REGION and not thing.room:
                thing.room = self.room
            elif thing.room and self.room and thing.room != self.room:
                self.crosses_regions = True

    def _note_sights(self, observation: Observation) -> None:
        """A movable thing that one can go to is in sight, although no fact may tell of it."""
        told = {fact.name for fact in observation.facts}
        for skill in self.offered.values():
            name = skill.target
            if skill.kind is SkillKind.MOVE and name not in told and name not in self.placed:
                if self.sort(name) is Sort.THING and self.room:
                    thing = self._thing(name)
                    if thing.room != self.room and not self.crosses_regions:
                        thing.room, thing.holder, thing.beside = self.room, None, ''

    def _note_held(self, observation: Observation, done: Skill | None) -> None:
        if observation.held:
            self.tells_held = True
        if self.tells_held:
            self.held = tuple(map(plain_name, observation.held))
        elif done is not None and observation.succeeded:
            kept = list(self.held)
            for effect in done.effects():
                if effect.relation is Relation.HOLDING:
                    if effect.holds:
                        kept.append(effect.value)
                    elif effect.value in kept:
                        kept.remove(effect.value)
            self.held = tuple(kept)
        for name in self.held:
            thing = self._thing(name)
            thing.holder, thing.beside, thing.room = None, '', self.room
            if class_and_number(name)[1] or self.tells_held is not True:
                self.placed.pop(name, None)
            self.vanished.discard(name)
        self.most_held = max(self.most_held, len(self.held))

    def _note_effects(self, skill: Skill, observation: Observation) -> None:
        self._in_a_row.pop(skill.text, None)
        self._in_all.pop(skill.text, None)
        self._failed.pop(skill.text, None)
        if skill.kind is SkillKind.MOVE:
            # From elsewhere there may be a way.
            for text, failed in self._failed.items():
                if failed.kind is SkillKind.MOVE:
                    self._in_a_row.pop(text, None)
        self.recipes.note(skill)
        if skill.kind is SkillKind.TAKE and skill.target in self.things:
            thing = self.things[skill.target]
            source = skill.destination or (thing.holder.value if thing.holder else '')
            if thing.amounts[source] > 0:
                thing.amounts[source] -= 1
            thing.holder = None
            self.placed.pop(skill.target, None)
        for effect in skill.effects():
            if effect.relation is Relation.IN and effect.holds:
                where = self.at if effect.value == 'here' else effect.value
                laid = (f.receptacle for f in observation.facts if f.name == effect.subject)
                if effect.value == 'here':
                    where = plain_name(next(laid, '')) or where
                self._place(effect.subject, where)
            elif effect.relation is Relation.IS:
                self._set_state(effect.subject, effect.value, effect.holds, Source.DONE)

    def _place(self, name: str, where: str) -> None:
        thing = self._thing(name)
        self.changed = self.when
        thing.holder = Known(where, Source.DONE, self.when)
        thing.room, thing.beside = self.room_of(where) or self.room, where
        thing.amounts[where] += 1
        self.placed[name] = where
        self._thing(where)

    def _set_state(self, name: str, word: str, so: bool, source: Source) -> None:
        states = self._thing(name).states
        if word not in states or states[word][0] != so:
            self.changed = self.when
        states[word] = so, source, self.when
        if so:
            for other in self.skills.excluded_by(word):
                states[other] = False, source, self.when

    def _note_facts(self, observation: Observation, done: Skill | None) -> None:
        self.tells_facts |= bool(observation.facts)
        opened = done.target if done is not None and done.kind is SkillKind.OPEN else ''
        if not observation.succeeded:
            opened = ''
        if not self.tells_nearness:
            self.tells_nearness = any(map(self._is_only_near, observation.facts))
            if self.tells_nearness:
                self._doubt_holders()
        for fact in observation.facts:
            new = fact.name not in self.things
            found = bool(opened) and new and plain_name(fact.receptacle) == opened
            self._take_in(fact, Source.SEEN, not self.tells_nearness or found)

    def _is_only_near(self, fact: ObjectFact) -> bool:
        """Whether a place that stands by itself is told to be at the place where the robot is."""
        where, known = plain_name(fact.receptacle), self.things.get(plain_name(fact.name))
        if not where or where == AGENT or self.sort(fact.name) is not Sort.PLACE:
            return False
        if self.sort(where) is not Sort.PLACE or where != self.at:
            return False
        stood_free = known is not None and known.holder is None and bool(known.room)
        within = self.holder(where) == plain_name(fact.name)
        return within or (stood_free and known is not None and not known.beside and self._was_told(known))

    def _was_told(self, thing: Thing) -> bool:
        return thing.amounts['told'] > 0

    def _doubt_holders(self) -> None:
        """Know that what was told to be in a place may only be near it."""
        for thing in self.things.values():
            if thing.holder is not None and thing.holder.source is Source.SEEN:
                thing.beside, thing.holder = thing.holder.value, None

    def _take_in(self, fact: ObjectFact, source: Source, exact: bool) -> None:
        name, where = plain_name(fact.name), plain_name(fact.receptacle)
        if self.skills.sort(fact.object_class) in (None, Sort.OTHER):
            if self.skills.sort(fact.object_class) is None:
                self.skills.add(fact.object_class, Sort.THING)
        thing = self._thing(name)
        before = thing.room, self.holder(name)
        if not where and not thing.beside:
            thing.amounts['told'] = 1
        room = plain_name(fact.room)
        if room and thing.room and room != thing.room and not where:
            thing.holder, thing.beside = None, ''
        thing.room = room or thing.room
        if where == AGENT or name in self.held:
            thing.holder, thing.beside = None, ''
        elif where and where != thing.room:
            thing.beside = where
            if exact:
                thing.holder = Known(where, source, self.when)
                if self.placed.get(name, where) != where:
                    del self.placed[name]
            elif thing.holder is not None and self.placed.get(name) is None:
                # Seen from elsewhere: it is still where it came in sight, unless that is far.
                if self.room_of(thing.holder.value) not in ('', thing.room):
                    thing.holder = None
        if before != (thing.room, self.holder(name)):
            self.changed = self.when
        self._take_in_states(thing, fact, source)

    def _take_in_states(self, thing: Thing, fact: ObjectFact, source: Source) -> None:
        words = {word for word in fact.state.split(', ') if word}
        self._words |= words
        so = dict.fromkeys(words, True)
        if fact.state or fact.receptacle:
            so |= {word: False for word in thing.states if word in self._words - words}
        for word, holds in so.items():
            if thing.is_so(word) is not holds:
                self.changed = self.when
            thing.states[word] = holds, source, self.when

    def _note_looks(self, observation: Observation, done: Skill | None) -> None:
        seen = {plain_name(fact.name) for fact in observation.facts}
        for place in map(plain_name, observation.looked_at):
            self.looked.add(place)
            if place != self.at:
                continue
            for thing in self.things.values():
                there = self.holder(thing.name) or thing.beside
                if there == place and thing.name not in seen and self.sort(thing.name) is Sort.THING:
                    self._lose(thing)
        if done is not None and observation.succeeded and not observation.looked_at:
            if done.kind is SkillKind.OPEN:
                self.looked.add(done.target)

    def _lose(self, thing: Thing) -> None:
        """Know no more where a thing is."""
        self.placed.pop(thing.name, None)
        thing.holder, thing.beside, thing.room = None, '', ''
        thing.amounts.clear()
        self.vanished.add(thing.name)

    def _note_outcome(self, skill: Skill, observation: Observation) -> None:
        if observation.outcome not in _MAY_SUCCEED:
            return
        self._failed[skill.text] = skill
        self._in_a_row[skill.text] += 1
        self._in_all[skill.text] += 1
        gone = skill.text not in observation.admissible_skills
        if skill.kind is SkillKind.TAKE and gone and self.tells_offers:
            if skill.target not in self.held and skill.target in self.things:
                self._lose(self.things[skill.target])

    def _thing(self, name: str) -> Thing:
        thing = self.things.get(name)
        if thing is None:
            thing = self.things[name] = Thing(name)
            kind = self.skills.class_of(name)
            self._by_class[kind].append(name)
            plain = class_and_number(name)[0]
            if plain != kind:
                self._by_class[plain].append(name)
        return thing

    def is_located(self, name: str) -> bool:
        """Whether anything is known of where a thing is."""
        thing = self.things.get(name)
        if thing is None:
            return False
        if name in self.held or thing.holder is not None or thing.beside:
            return True
        return name in self.moves and (bool(thing.room) or not self.rooms or not self.room)

    def amount(self, name: str, place: str) -> int:
        """How many things of a name without a number are in a place; 1 for a name with one."""
        thing = self.things.get(name)
        if thing is None or class_and_number(name)[1]:
            return 1
        return max(1, thing.amounts[place])

    def coordinates(self, name: str) -> tuple[float, ...]:
        """Metres at which a place is, where the skill that leads there tells them; else ()."""
        skill = self.moves.get(name)
        if skill is None:
            return ()
        slots = zip(skill.type.slots, skill.values, strict=True)
        return tuple(float(value) for slot, value in slots if slot.type is SlotType.NUMBER)

    def is_idle(self, text: str) -> bool:
        """Whether a skill leaves the world as it was."""
        skill = self.skills.parse(text)
        return skill is not None and skill.kind in IDLE_KINDS
