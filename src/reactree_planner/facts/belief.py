"""What a run knows: things, where the robot is and what it holds, what is offered, what it tried.

Of a place it is known whence that is known (`things.Source`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from math import inf, nextafter
from typing import Any

from reactree_core.belief import (
    as_heard,
    ExpectedChange,
    Fact,
    holds,
    SIGHT,
    Source,
    SourceKind,
    variable_of,
)
from reactree_core.bounds import read_number
from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    ONLY_HAND_FREE,
    plain_name,
    read_effect,
    Relation,
    SkillKind,
    SkillType,
    SlotType,
)
from reactree_planner.facts.recipes import Recipes
from reactree_planner.facts.retries import Attempts
from reactree_planner.facts.skills import (
    counted_as,
    hand_of,
    hand_with,
    needed_facts,
    Skill,
    Skills,
    Sort,
)
from reactree_planner.facts.things import HAND, Things

#: What a robot can hold that has not shown how much it can.
_USUAL_ROOM = 2
#: Outcomes of a skill that may have changed the world.
_ACTED = (Outcome.SUCCEEDED, Outcome.EXECUTION_FAILED)
#: Outcomes of a skill that a shut door may explain.
_DOOR_MAY_EXPLAIN = (Outcome.PRECONDITION_FAILED, Outcome.EXECUTION_FAILED)
#: What is of the robot itself, and not of the world around it.
_OWN = (
    'at',
    'went_to',
    'room',
    'is_nowhere',
    'held',
    'observation',
    'offered',
    'tells_held',
    'capacity',
    '_room_for',
    'attempts',
    'recipes',
    'grips',
)


def _declared_capacity(types: Sequence[SkillType]) -> int | None:
    """The number of things held at once, as needs declare it; None where they do not."""
    takers = (t for t in types if any(f.relation is Relation.HOLDING and f.holds for f in t.facts))
    return 1 if any(ONLY_HAND_FREE in one.needs for one in takers) else None


class Belief(Things):
    """Grows with every observation.

    A skill server need not report everything: a field that it never filled is unknown, not empty.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        #: Whether the server says by which sense it knows what: it then declares all that counts.
        self.names_senses = False
        #: Takes the skills apart that observations tell of.
        self._reader = self.skills
        self.recipes = Recipes(self.skills)
        #: How often skills failed, and what they cost.
        self.attempts = Attempts()
        self.observation = Observation('')
        #: How often each skill has succeeded.
        self.done: Counter[str] = Counter()
        #: The same, also by the classes of things: `scan cup 1` is `scan cup`, too.
        self.done_as: Counter[str] = Counter()
        #: Skills that have succeeded and were not taken back since, the newest last.
        self.achieved: dict[str, Skill] = {}
        self.offered: dict[str, Skill] = {}
        #: Whether the server tells: what can be done, what is where, what is held.
        self.tells_offers = self.tells_facts = False
        self.tells_held: bool | None = None
        #: Whether the server names the sources of what it tells.
        self.names_sources = False
        #: Evidence of the newest observation, by the robot of a team.
        self._reported: dict[str, tuple[Fact, ...]] = {}
        #: Places of which it is known what is there, regions where the robot has been.
        self.looked: set[str] = set()
        self.visited: set[str] = set()
        #: Of moves: places where they were offered, and where they have led.
        self.offered_at: dict[str, set[str]] = defaultdict(set)
        self.led_to: dict[tuple[str, str], str] = {}
        #: Whether some move leads into another region than the robot's, without a stop on the way.
        self.crosses_regions = False
        #: Whether moves are offered only where it is near: a map has to be gone along.
        self.local_moves = False
        #: The same of moves to things alone: they are gone to where they are in sight.
        self.local_things = False
        #: Things held at once, where nothing more could be taken; None where that is not known.
        self.capacity: int | None = _declared_capacity(vocabulary.skills)
        self._room_for = _USUAL_ROOM
        #: Held things -> the named hand that holds them, as far as known.
        self.grips: dict[str, str] = {}
        #: Places where something could be laid down, and where nothing could.
        self.takes_things: set[str] = set()
        self.takes_nothing: set[str] = set()
        #: When a skill changed a thing or state last, s, and of which robot of a team.
        self._acted: dict[tuple[Relation, str, str], tuple[float, str]] = {}
        #: The same of other robots that tell what they see and do.
        self._others: dict[str, dict[str, Any]] = {}
        self._declares_rooms = bool(self.rooms)
        #: Whether the newest skill has failed on what is in a place that was shut, for the first
        #: time with that place.
        self.has_met_a_door = False

    # Asked -----------------------------------------------------------------------------------

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
            case ('grip', name):
                return self.grips.get(name, '')
            case ('is', name, word):
                return bool(self.is_so(name, word))
            case ('done', text):
                return str(self.done_as[text])
        raise ValueError(f'no such variable: {variable}')

    @property
    def most_held(self) -> int:
        """Things that can be held at once; of a robot that has not shown it yet, two."""
        return self._room_for if self.capacity is None else self.capacity

    @property
    def leads_to_regions(self) -> bool:
        """Whether some move leads to regions."""
        return any(name in self.rooms for name in self.moves)

    def stands(self, skill: Skill) -> bool:
        """Whether nothing that a skill of the run has brought about is known not to hold now."""
        return not any(
            holds(self.evidence, effect, self.now).holds is False
            for effect in skill.effects()
            if effect.holds and effect.relation is not Relation.HOLDING and effect.value != 'here'
        )

    def stock(self, name: str) -> int:
        """How many of a class are held."""
        return max(
            self.recipes.stock[name],
            sum(self.skills.is_named(held, name) for held in self.held),
        )

    def begin_anew(self) -> None:
        """Know of no place or region any more what is there: something has vanished."""
        self.looked.clear()
        self.visited = {self.room} if self.room else set()
        self.vanished.clear()

    # Told ------------------------------------------------------------------------------------

    @contextmanager
    def hearing(self, observation: Observation, reader: Skills) -> Iterator[Observation]:
        """Be, for a while, in the place of another robot: what it learns is known here too.

        Where this robot is, what it holds and what it can do stays as it was.

        :param reader: takes the skills of the other one apart.
        :return: the observation as far as it concerns this robot: of moves, those that may be its
            own.
        """
        own = {name: getattr(self, name) for name in _OWN}
        other = self._others.get(observation.who) or {
            'at': '',
            'went_to': '',
            'room': '',
            'is_nowhere': False,
            'held': (),
            'observation': Observation(''),
            'offered': {},
            'tells_held': None,
            'capacity': None,
            '_room_for': _USUAL_ROOM,
            'attempts': Attempts(),
            'recipes': Recipes(self.skills),
            'grips': {},
        }
        self._reader = reader
        self.sight = Source(SourceKind.ROBOT, observation.who, observation.who)
        heard = (as_heard(fact, observation.who) for fact in observation.evidence)
        try:
            for name, value in other.items():
                setattr(self, name, value)
            offered = tuple(filter(self._may_be_own, observation.admissible_skills))
            evidence = tuple(fact for fact in heard if fact is not None)
            yield replace(observation, admissible_skills=offered, evidence=evidence)
        finally:
            self._reader, self.sight = self.skills, SIGHT
            self._others[observation.who] = {name: getattr(self, name) for name in _OWN}
            for name, value in own.items():
                setattr(self, name, value)

    def _may_be_own(self, text: str) -> bool:
        """Whether a skill that is offered to another robot may once be offered to this one."""
        skill = self.skills.parse(text)
        if skill is None or any(self.sort(name) is None for name in skill.names):
            return False
        room = self.room_of(skill.target) if skill.target else ''
        return not (self._declares_rooms and room) or room in self.rooms

    def update(self, observation: Observation, seconds: float = 0.0) -> None:
        """Learn from an observation; it becomes the current one.

        :param seconds: that the skill took, 0 where that is not told.
        """
        self.when += 1
        before, self.observation = self.observation, observation
        since = self.now
        # Of what is not stamped, the order still tells what is newer.
        self.now = max(observation.stamp, nextafter(self.now, inf))
        self.skills.learn(observation.admissible_skills)
        done = self._reader.parse(observation.skill) if observation.skill else None
        if done is not None and observation.outcome in _ACTED:
            self._expect(done, before, since)
        self._note_evidence(observation, done if observation.succeeded else None)
        known = self._extent()
        self._note_position(observation, done)
        self._note_offers(observation)
        self._note_held(observation, done)
        if done is not None and observation.succeeded:
            self.done[done.text] += 1
            self.done_as.update(counted_as(done))
            self.achieved.pop(done.inverse, None)
            self.achieved.pop(done.text, None)
            self.achieved[done.text] = done
            self._note_effects(done, observation)
        self._note_facts(observation, done)
        self._note_looks(observation, done)
        self._note_sights()
        self._note_shown_inside()
        self._note_barred(done, observation)
        if done is not None:
            self.attempts.note(done, observation, seconds)
            self._note_vanished(done, observation)
        if known != self._extent():
            self.changed = self.when
        self.recipes.learn(observation.text, observation.admissible_skills)
        if self.tells_held and self.recipes.are_told:
            self.recipes.correct(self.held)
        if done is not None and done.kind is SkillKind.MOVE and observation.succeeded:
            self.went_to = done.target
            if before.place != self.at:
                self.led_to[done.text, plain_name(before.place)] = self.at
            if self.sort(done.target) is Sort.THING:
                self._note_stop(done.target)

    def _expect(self, done: Skill, before: Observation, since: float) -> None:
        """Have sources tested on what an act declares. :param since: s, when it began."""
        effects = [
            replace(one, value=self.at) if one.value == 'here' else one for one in done.effects()
        ]
        named, changes = done.by_slot(), []
        for one in done.type.changes:
            number = read_number(named.get(one.slot, '')) if one.slot else Decimal(0)
            if number is not None:
                subject = named.get(one.subject, one.subject)
                changes.append(ExpectedChange(subject, one.name, one.of(number), one.sets))
        denied = [one for one in effects if one.holds and _shows_without(before, one)]
        self.evidence.expect(effects, since, changes, denied)

    def _note_evidence(self, observation: Observation, done: Skill | None) -> None:
        """Take over what an observation says of its sources, and see what that leaves in doubt.

        :param done: the skill that has succeeded; None for none.
        """
        effects = map(read_effect, observation.assumed)
        self._assumed = {_in_plain_names(one) for one in effects if one is not None}
        named = [replace(fact, what=_in_plain_names(fact.what)) for fact in observation.evidence]
        self._named = {variable_of(fact.what) for fact in named}
        self.names_sources |= any(fact.time >= 0.0 for fact in named)
        self.doubted -= self._named
        if named:
            self.evidence.expire(self._reported.get(observation.who, ()))
            self._reported[observation.who] = tuple(named)
        robot = next((fact.source.robot for fact in named), self.sight.robot)
        for effect in done.effects() if done is not None else ():
            self._outdate(effect, robot)
        named = [fact for fact in named if not self._is_from_before(fact)]
        for fact in named:
            # The server has weighed all that its own sources said before.
            self.evidence.forget(fact.what, fact.source.robot)
        for fact in named:
            self.evidence.tell(fact)
        for fact in named:
            if fact.what.holds and holds(self.evidence, fact.what, self.now).holds is None:
                self.doubted.add(variable_of(fact.what))
                if fact.what.relation is not Relation.AT:
                    self._thing(variable_of(fact.what)[1])

    def _outdate(self, effect: Effect, robot: str) -> None:
        """Drop what other robots sensed of a thing before a skill of one has changed it."""
        words = self.skills.excluded_by(effect.value) if effect.relation is Relation.IS else ()
        for what in (effect, *(replace(effect, value=word) for word in words)):
            self._acted[variable_of(what)] = self.now, robot
            for fact in self.evidence.about(what):
                if self._is_from_before(fact):
                    self.evidence.forget(what, fact.source.robot)

    def _is_from_before(self, fact: Fact) -> bool:
        """Test whether another robot has changed a thing since it was sensed so."""
        acted, robot = self._acted.get(variable_of(fact.what), (-inf, ''))
        is_other = fact.source.robot != robot
        return is_other and fact.source.kind.senses and fact.time < acted

    def recall(self, facts: Iterable[ObjectFact]) -> None:
        """Take what earlier runs saw for hints where to look first; it is evidence of nothing.

        What this run knows of the place of a thing stays.
        """
        for fact in facts:
            name, where = plain_name(fact.name), plain_name(fact.receptacle)
            if self.is_located(name) or name in self.vanished or not (where or fact.room):
                continue
            if self.skills.sort(fact.object_class) is None:
                self.skills.add(fact.object_class, Sort.THING)
            thing = self._thing(name)
            thing.room, thing.beside = plain_name(fact.room) or thing.room, where
            if where:
                what = Effect(Relation.IN, name, where)
                self.evidence.tell(Fact(what, Source(SourceKind.RUN, fact.seen_by), -inf))
                self.doubted.add(variable_of(what))

    def _extent(self) -> tuple[object, ...]:
        """How much is known."""
        known = (self.looked, self.visited, self.things, self.vanished)
        return (self.held, *map(len, known))

    def _note_position(self, observation: Observation, done: Skill | None) -> None:
        room = plain_name(observation.room)
        self.is_nowhere = Relation.AT.value in observation.sensed and not observation.place
        if self.is_nowhere:
            self.at = ''
        self.at = plain_name(observation.place) or self.at
        if observation.place:
            self._tell(Effect(Relation.AT, '', self.at), self.sight)
        if room:
            if self.rooms and room not in self.rooms and self._reader is self.skills:
                self.rooms[room] = None
                self.skills.add(room, Sort.REGION)
            self.visited.add(room)
        self.room = room or self.room
        if done is None or not observation.succeeded or done.kind is not SkillKind.MOVE:
            return
        if not observation.place and done.target and not self.is_nowhere:
            self.at = done.target
            self._tell(Effect(Relation.AT, '', self.at), _effect_of(done))
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
        self.names_senses |= bool(
            observation.evidence or observation.sensed or observation.assumed
        )
        if not self.names_senses:
            # Who names senses does not infer from them what can be done.
            self._note_undoable()
        self._note_capacity(before, observation)

    def _note_undoable(self) -> None:
        """Know that a state holds of which only the end is on offer: "off" of what is on."""
        for skill in self.offered.values():
            back = self.skills.parse(skill.inverse) if skill.type.inverse else None
            if back is None or back.text in self.offered:
                continue
            for effect in back.effects():
                if effect.relation is Relation.IS and effect.holds:
                    self._tell(effect, self.sight)
                    if self.is_so(effect.subject, effect.value) is None:
                        self._set_state(effect.subject, effect.value, True)

    def _note_capacity(self, before: dict[str, Skill], observation: Observation) -> None:
        """Learn how much can be held: so much, if nothing can be taken beside it any more."""
        held = len(observation.held)
        kinds = {one.kind for one in self.offered.values()}
        if SkillKind.TAKE in kinds:
            self._room_for = max(self._room_for, held + 1)
        if self.at and SkillKind.PUT in kinds:
            self.takes_things.add(self.at)
            self.takes_nothing.discard(self.at)
        elif self.at and held and self.offered:
            self.takes_nothing.add(self.at)
        done = self.skills.parse(observation.skill) if observation.succeeded else None
        if done is None or done.kind is not SkillKind.TAKE or not self.offered:
            return
        held = held or len(self.held) + 1
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
                self.vanished.discard(target)
            elif self.sort(target) is Sort.PLACE and self.room not in ('', thing.room):
                # A thing may have come along, on what the robot carries.
                self.crosses_regions = True

    def _note_sights(self) -> None:
        """What can be taken is at hand, although no fact may tell of it."""
        stays = self.sort(self.at) is Sort.PLACE
        for skill in self.offered.values():
            name = skill.target
            if skill.kind is SkillKind.TAKE and stays and len(skill.names) == 1:
                thing = self._thing(name)
                if thing.holder is None and not thing.beside and name not in self.held:
                    thing.room, thing.beside = self.room or thing.room, self.at
                if thing.holder is not None:
                    within = self.at in self.holders(name)
                    thing.reached = ('', '') if within else (self.at, thing.holder.value)

    def _note_shown_inside(self) -> None:
        """Learn which shut places show what is in them: by a sense of the robot, now."""
        for fact in self.evidence if self.shut_words else ():
            what, place = fact.what, fact.what.value
            if what.relation is not Relation.IN or not what.holds or not self.is_shut(place):
                continue
            if not fact.source.kind.measures and fact.source.kind is not SourceKind.REPORT:
                continue
            states = (Effect(Relation.IS, place, word) for word in self.shut_words)
            shut = [one for state in states for one in self.evidence.about(state)]
            is_sensed = any(one.source.kind.senses and one.is_fresh(self.now) for one in shut)
            if is_sensed and fact.is_fresh(self.now) and self.holder(what.subject) == place:
                self._shows_inside.add(place)

    def _note_barred(self, done: Skill | None, observation: Observation) -> None:
        """Learn that a shut place has to be opened: a skill on what is in it did not work."""
        self.has_met_a_door = False
        if done is None or observation.outcome not in _DOOR_MAY_EXPLAIN:
            return
        needed = {fact.relation for fact in needed_facts(done.type)}
        if done.type.needs and Relation.IN not in needed:
            # No need places a thing: no shut door keeps it off.
            return
        holders = {self.holder(name) for name in done.names}
        barred = {one for one in holders & self._shows_inside if self.is_shut(one)}
        self.has_met_a_door = not barred <= self._bars_hands
        self._bars_hands |= barred

    def _note_held(self, observation: Observation, done: Skill | None) -> None:
        if observation.held or Relation.HOLDING.value in observation.sensed:
            self.tells_held = True
        elif self.tells_held is None and done is not None and observation.succeeded:
            if done.kind is SkillKind.TAKE:
                self.tells_held = False
        before = self.held
        if self.tells_held:
            self.held = tuple(map(plain_name, observation.held))
        elif done is not None and observation.succeeded:
            kept = list(self.held)
            for effect in done.effects():
                if effect.relation is Relation.HOLDING:
                    if effect.holds:
                        if effect.value not in kept or not class_and_number(effect.value)[1]:
                            kept.append(effect.value)
                    elif effect.value in kept:
                        kept.remove(effect.value)
            self.held = tuple(kept)
        self._note_grips(observation, done)
        by = self.sight if self.tells_held or done is None else _effect_of(done)
        for name in dict.fromkeys((*before, *self.held)):
            if self.tells_held or (name in before) != (name in self.held):
                self._tell(Effect(Relation.HOLDING, '', name, name in self.held), by)
        self._had.update(self.held)
        for name in self.held:
            thing = self._thing(name)
            thing.holder, thing.beside, thing.room = None, '', self.room
            if class_and_number(name)[1] or self.tells_held is not True:
                self.placed.pop(name, None)
            self.vanished.discard(name)

    def _note_grips(self, observation: Observation, done: Skill | None) -> None:
        """Learn which hand holds what: from a skill that succeeded, else from what is on offer."""
        self.grips = {name: hand for name, hand in self.grips.items() if name in self.held}
        if done is not None and observation.succeeded and (hand := hand_of(done.type)):
            taken = (one.value for one in done.effects() if one.relation is Relation.HOLDING)
            self.grips |= {name: hand for name in taken if name in self.held}
        for name in self.held:
            if name not in self.grips:
                offered = (hand_with(one, name) for one in self.offered.values())
                found = set(filter(None, offered))
                if len(found) == 1:
                    self.grips[name] = found.pop()

    def _note_effects(self, skill: Skill, observation: Observation) -> None:
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
                self._place(effect.subject, where, _effect_of(skill))
            elif effect.relation is Relation.IS:
                self._change_state(effect.subject, effect.value, effect.holds, _effect_of(skill))
        for treatment in skill.treatments():
            places = self.of_class(treatment.place)
            # Of two ovens nobody knows which of them it was.
            for name in [*self.things] if len(places) == 1 else ():
                if places[0] in self.holders(name):
                    self._change_state(name, treatment.state, True, _effect_of(skill))

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
            # A thing that comes in sight as a place is opened is in it.
            known = self.things.get(plain_name(fact.name))
            new = (known is None or known.seen < 0.0) and self.sort(fact.name) is Sort.THING
            found = bool(opened) and new and plain_name(fact.receptacle) == opened
            self._take_in(fact, not self.tells_nearness or found)
        room = self.room_of(self.at)
        if room and not observation.room:
            # Who is at a place is where that is.
            self.room = room
            self.visited.add(room)

    def _note_looks(self, observation: Observation, done: Skill | None) -> None:
        seen = {plain_name(fact.name) for fact in observation.facts}
        for place in map(plain_name, observation.looked_at):
            self.looked.add(place)
            if place != self.at:
                continue
            for thing in self.things.values():
                there = self.holder(thing.name) or thing.beside
                if there == place and thing.name not in seen:
                    if self.sort(thing.name) is Sort.THING:
                        self._lose(thing)
        if done is not None and observation.succeeded and not observation.looked_at:
            if done.kind is SkillKind.OPEN:
                self.looked.add(done.target)

    def _note_vanished(self, skill: Skill, observation: Observation) -> None:
        """Know of a thing that was to be taken, and is not offered any more, that it is gone.

        A full hand explains that it is not offered; and what the same look shows is there.
        """
        gone = skill.text not in observation.admissible_skills and self.tells_offers
        gone = gone and len(self.held) < self.most_held
        gone = gone and not any(
            plain_name(fact.name) == skill.target and fact.receptacle in observation.looked_at
            for fact in observation.facts
        )
        if skill.kind is SkillKind.TAKE and gone and self.attempts.failures(skill.text):
            if skill.target not in self.held and skill.target in self.things:
                self._lose(self.things[skill.target])

    def coordinates(self, name: str) -> tuple[float, ...]:
        """Metres at which a place is, where the skill that leads there tells them; else ()."""
        skill = self.moves.get(name)
        if skill is None:
            return ()
        slots = zip(skill.type.slots, skill.values, strict=True)
        return tuple(float(value) for slot, value in slots if slot.type is SlotType.NUMBER)


def _shows_without(observation: Observation, effect: Effect) -> bool:
    """Test that an observation shows all of a place, or all held, and this is not among it."""
    if effect.relation is Relation.HOLDING:
        return (
            Relation.HOLDING.value in observation.sensed and effect.value not in observation.held
        )
    there = (one.receptacle for one in observation.facts if one.name == effect.subject)
    return (
        effect.relation is Relation.IN
        and effect.value in observation.looked_at
        and effect.value not in there
    )


def _effect_of(skill: Skill) -> Source:
    return Source(SourceKind.EFFECT, skill.text)


def _in_plain_names(effect: Effect) -> Effect:
    """A fact in the names that the planner uses."""
    value = effect.value if effect.relation is Relation.IS else plain_name(effect.value)
    subject = plain_name(effect.subject)
    if (subject, value) == (effect.subject, effect.value):
        return effect
    return replace(effect, subject=subject, value=value)
