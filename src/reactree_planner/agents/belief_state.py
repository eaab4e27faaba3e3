"""What a run knows: where things are, where it has looked, what it has put in place.

Shared by all nodes of the run, like the working memory it contains (ReAcTree section 4.2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from typing import TYPE_CHECKING

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Effect
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.working_memory import told_facts
from reactree_core.working_memory import WorkingMemory
from reactree_planner.agents.retries import ENTERING
from reactree_planner.agents.retries import has_vanished
from reactree_planner.agents.retries import Retries
from reactree_planner.agents.skills import SEARCHING
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names

if TYPE_CHECKING:
    from reactree_planner.instructions.asked import AskedSkill


class BeliefState:
    """Grows with every observation; asked by the rules and by `recall`.

    A skill server need not report everything: a field that it never filled is unknown, not empty.

    :param rules: of permission: what may not be opened or gone to hides nothing.
    :param domain_rules: switch of `Guards` and further rule of offering, of the run's domain.
    :param by_closeness: as of `WorkingMemory`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rules: Permission | None = None,
        domain_rules: tuple[tuple[str, Any], ...] = (),
        by_closeness: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self._rules = rules or Permission(Rules(), simulated=True)
        self.domain_rules = domain_rules
        self.names = Names(vocabulary)
        self.skills = SkillBook(vocabulary, self.names)
        self.memory = WorkingMemory(by_closeness)
        #: What this run has put somewhere -> the place, or '' where that is not told.
        self.placed: dict[str, str] = {}
        #: What the task asks for, as far as its words say it.
        self.wanted: tuple[Condition, ...] = ()
        #: Things that came in sight as a place was opened, so are in it; until they are taken.
        self.found_in: dict[str, str] = {}
        #: Skills that have succeeded in this run, and were not taken back since.
        self._achieved: dict[str, Skill] = {}
        #: Things that a goal has left in the robot's hold, as their place was given up.
        self.stranded: set[str] = set()
        #: Things that were not where they had been seen, and for which nobody has looked again.
        self.vanished: set[str] = set()
        #: What failed and may be tried again, and what was given up.
        self.retries = Retries()
        #: Things that the robot went to with nothing in hand, and could not take there.
        self.out_of_reach: set[str] = set()
        self._visited: dict[str, None] = {}
        self._reached: set[str] = set()
        #: Classes that skills of searching have led to, or could have.
        self._searchable: set[str] = set()
        #: Classes that moves led to from elsewhere than what holds them.
        self._gone_to_from_afar: set[str] = set()
        #: Names of things, places and regions in what was seen and offered.
        self._told_names = set(vocabulary.rooms)
        #: Places that skills were seen to lead to -> region where that was.
        self._region_of_place: dict[str, str] = {}
        self._places: dict[str, list[str]] | None = None
        self._lists_what_it_sees = False
        self._tells_facts = self._tells_room = self._tells_looks = self._tells_nearness = False
        self._tells_held: bool | None = None
        self._closed = self._states_after(SkillKind.CLOSE)
        #: States of what can be opened and closed.
        self.door_states = self._closed | self._states_after(SkillKind.OPEN)
        self._moves = _with_one_name(self.skills.of_kind(SkillKind.MOVE))
        self._openings = _with_one_name(self.skills.of_kind(SkillKind.OPEN))
        self.observation = Observation('')

    def _states_after(self, kind: SkillKind) -> set[str]:
        return {
            fact.value
            for skill_type in self.skills.of_kind(kind)
            for fact in skill_type.facts
            if fact.relation is Relation.IS and fact.holds
        }

    @property
    def tells_facts(self) -> bool:
        """Whether the server tells what is where."""
        return self._tells_facts

    @property
    def tells_nearness(self) -> bool:
        """Whether the place told of a thing may only be near it, as places stand at places too."""
        return self._tells_nearness

    @property
    def tells_held(self) -> bool | None:
        """Whether the server tells what is held; None before anything was taken."""
        return self._tells_held

    @property
    def achieved(self) -> tuple[Skill, ...]:
        """Skills that have succeeded in this run, and were not taken back since."""
        return tuple(self._achieved.values())

    @property
    def held_objects_known(self) -> bool:
        """False once something was taken and the server reports no held objects."""
        return self._tells_held is not False

    @property
    def placements_known(self) -> bool:
        """Whether `placed` can tell where this run has put things."""
        puts = self.skills.of_kind(SkillKind.PUT)
        if any(sum(slot.type.is_name for slot in one.slots) > 1 for one in puts):
            return True
        return bool(self._tells_held) or (self._tells_held is None and bool(puts))

    def with_sightings(self, observation: Observation) -> Observation:
        """The observation in plain names, with a fact for each thing the server offers to go to.

        Such a movable thing is in sight, although the text may not name it.
        """
        observation = replace(
            observation,
            place=plain_name(observation.place),
            room=plain_name(observation.room),
            held=tuple(map(plain_name, observation.held)),
            looked_at=tuple(map(plain_name, observation.looked_at)),
        )
        self.skills.learn_names(observation.admissible_skills)
        told = {fact.name for fact in observation.facts}
        sightings = tuple(
            ObjectFact(*class_and_number(target), observation.room, seen_at=observation.stamp)
            for target in self._things_to_go_to(observation)
            if target not in told
        )
        if not sightings or not (observation.facts or self._tells_facts):
            return observation
        return replace(observation, facts=observation.facts + sightings)

    def _things_to_go_to(self, observation: Observation) -> dict[str, None]:
        return {
            skill.target: None
            for skill in self.skills.parse_all(observation.admissible_skills)
            if skill.kind is SkillKind.MOVE and self.names.kind(skill.name) is NameKind.THING
        }

    def update(self, observation: Observation) -> None:
        """Learn from an observation; it becomes the current one."""
        before = self.observation
        self._rules.see(observation)
        self._tells_facts |= bool(observation.facts)
        self._tells_room |= bool(observation.room)
        self._tells_looks |= bool(observation.looked_at)
        if observation.held:
            self._tells_held = True
        # What a place shows that was gone to says nothing of what other places show; nor does
        # what stands free, of a robot that is in no region yet.
        if observation.facts and observation.place in ('', observation.room):
            offered = self._things_to_go_to(observation)
            self._lists_what_it_sees |= bool(offered) and (
                bool(observation.room)
                or any(fact.receptacle and fact.name in offered for fact in observation.facts)
            )
        if observation.room:
            self._visited.setdefault(observation.room)
            self._learn_region(observation.room)
        for fact in observation.facts:
            if self.names.kind(fact.object_class) in (None, NameKind.OTHER):
                self.names.add(fact.object_class, NameKind.THING)
            kinds = {self.names.kind(self.names.class_of(one)) for one in _name_and_place(fact)}
            self._tells_nearness |= kinds == {NameKind.PLACE}
        self._told_names.update(observation.held, observation.looked_at, (observation.place,))
        self._told_names.update(fact.name for fact in observation.facts)
        within = {fact.name: fact.receptacle for fact in observation.facts}
        for skill in self.skills.parse_all(observation.admissible_skills):
            self._told_names.update(map(plain_name, skill.values))
            if skill.kind is SkillKind.MOVE and observation.place not in (
                within.get(skill.target),
                skill.target,
            ):
                self._gone_to_from_afar.add(skill.name)
            if skill.kind in SEARCHING:
                self._searchable.add(skill.name)
                if self.names.kind(skill.name) is NameKind.PLACE:
                    self._region_of_place.setdefault(skill.target, observation.room)
        self._note_found(observation)
        self.memory.update(observation)
        self._places = None
        for name in before.held:
            if name not in observation.held and observation.succeeded and observation.skill:
                # Where the thing lies is told more exactly than where the robot stands.
                laid = next((one.receptacle for one in observation.facts if one.name == name), '')
                self.placed[name] = laid or observation.place
        done = self.skills.parse(observation.skill) if observation.skill else None
        if done is not None:
            self.retries.note(done, observation)
            if has_vanished(done, observation):
                self.memory.forget(done.target)
                self.out_of_reach.discard(done.target)
                self.vanished.add(done.target)
            if observation.succeeded:
                self._note_skill(done, observation)
        for name in observation.held:
            self.placed.pop(name, None)
            self.found_in.pop(name, None)
        self._note_reach(observation)
        self.observation = observation

    def _learn_region(self, region: str) -> None:
        """Know a region that the server has told only now, where it tells of any."""
        known = self.vocabulary.rooms
        if known and region not in known:
            self.vocabulary = replace(self.vocabulary, rooms=(*known, region))
            self.names.rooms = self.vocabulary.rooms
            self.names.add(self.names.class_of(region), NameKind.REGION)

    def hear(self, recollection: str) -> None:
        """Learn where others have seen things, by what a shared memory recalls of one class.

        What the robot has seen itself is kept: it may have taken it from there since.
        """
        facts = told_facts(recollection, self.vocabulary.rooms)
        unknown = tuple(fact for fact in facts if self.memory.fact(fact.name) is None)
        self.memory.update(Observation('', facts=unknown))

    def _note_found(self, observation: Observation) -> None:
        skill = self.skills.parse(observation.skill) if observation.succeeded else None
        if skill is None or skill.kind is not SkillKind.OPEN:
            return
        for fact in observation.facts:
            if fact.receptacle == skill.target and self.memory.fact(fact.name) is None:
                self.found_in[fact.name] = skill.target

    def _note_skill(self, skill: Skill, observation: Observation) -> None:
        """Note what a succeeded skill achieved: places visited, objects placed."""
        self._achieved.pop(skill.inverse, None)
        self._achieved[skill.text] = skill
        if skill.kind is SkillKind.MOVE:
            self._reached.add(skill.target)
            if not self._tells_room and skill.target in self.vocabulary.rooms:
                self._visited.setdefault(skill.target)
        elif skill.kind is SkillKind.TAKE:
            self.placed.pop(skill.target, None)
            if not observation.held and self._tells_held is None:
                self._tells_held = False
        if skill.destination and (skill.kind is SkillKind.PUT or skill.target in self.placed):
            # The skill itself says where the thing is now.
            self.placed[skill.target] = skill.destination

    def _note_reach(self, observation: Observation) -> None:
        """Learn from what may be taken that a thing is in reach, or out of it where it is."""
        skills = self.skills.parse_all(observation.admissible_skills)
        takes = {skill.target for skill in skills if skill.kind is SkillKind.TAKE}
        moved = self.skills.parse(observation.skill) if observation.succeeded else None
        if moved is not None and moved.kind is SkillKind.MOVE and not observation.held:
            if self.names.kind(moved.name) is NameKind.THING:
                self.out_of_reach.add(moved.target)
        self.out_of_reach -= takes

    def holds_already(self, asked: AskedSkill) -> bool:
        """Whether a skill's effect holds already, or was achieved in this run."""
        holds = self.effect_holds(asked)
        if holds is None and asked.kind is not SkillKind.MOVE:
            return any(asked.asks_for(skill) for skill in self._achieved.values())
        return bool(holds)

    def effect_holds(self, asked: AskedSkill) -> bool | None:
        """Whether a skill's effect holds now; None where the server does not report it.

        A state holds if its inverse is admissible now. The effect of a PUT is read from the facts
        only if the goal names the place.
        """
        now = self.observation
        if asked.kind is SkillKind.TAKE and self.held_objects_known:
            return any(asked.mention.matches(name) for name in now.held)
        if asked.kind is SkillKind.PUT and not (asked.others and self._tells_facts):
            return False if self._tells_held else None
        back = asked.type.inverse.split('<')[0].strip()
        if asked.kind in STATE_KINDS and back and self.skills.of_verb(back):
            return any(
                skill.verb == back and asked.mention.matches(skill.target)
                for skill in self.skills.parse_all(now.admissible_skills)
            )
        readable = [fact for fact in asked.type.facts if self._is_readable(fact)]
        return all(self._holds(fact, asked) for fact in readable) if readable else None

    def _is_readable(self, fact: Effect) -> bool:
        if fact.relation is Relation.HOLDING:
            return self._tells_held is True
        if fact.relation is Relation.AT:
            return bool(self.observation.place)
        return self._tells_facts

    def _holds(self, effect: Effect, asked: AskedSkill) -> bool:
        """Whether an effect is so now, of a thing that is meant."""
        slots = [slot.text for slot in asked.type.slots if slot.type.is_name]
        meant = dict(zip(slots, (asked.mention, *asked.others), strict=False))
        value = meant.get(effect.value)
        now = self.observation
        if effect.relation in (Relation.HOLDING, Relation.AT):
            there = now.held if effect.relation is Relation.HOLDING else (now.place, now.room)
            return effect.holds == any(_is_meant(value, effect.value, name) for name in there)
        subject = meant.get(effect.subject)
        known = [
            fact for fact in self.memory.facts() if _is_meant(subject, effect.subject, fact.name)
        ]
        if effect.relation is Relation.IS:
            so = any(effect.value in fact.state.split(', ') for fact in known)
        elif effect.value == 'here':
            so = any(fact.receptacle == now.place for fact in known)
        elif effect.value in slots and value is None:
            # The goal leaves open where.
            so = any(_is_meant(subject, effect.subject, name) for name in self.placed)
        else:
            so = any(_is_meant(value, effect.value, fact.receptacle) for fact in known)
        return so == effect.holds

    def is_known_instance(self, name: str) -> bool:
        """Whether the server has named this thing, place or region, with its number."""
        return name in self._told_names

    def is_closed(self, fact: ObjectFact) -> bool:
        """Whether what is in a place cannot be seen before it is opened."""
        return any(word in self._closed for word in fact.state.split(', '))

    def _is_region_to_see(self, region: str) -> bool:
        """Whether the robot might go and see a region."""
        searches = bool(self._tells_room and self.skills.of_kind(*SEARCHING))
        return (searches or self.can_search(region)) and not self._is_barred(region)

    def can_search(self, place: str) -> bool:
        """Whether some skill has led to such a place or region, or could have."""
        if not self._searchable:
            # Nothing was offered yet; or nothing is known by which to search.
            return bool(self.skills.of_kind(*SEARCHING))
        return self.names.class_of(place) in self._searchable

    def may_hide(self, place: str) -> bool:
        """Whether a place may hold things that have not been seen.

        Where the server lists what it sees, only closed places hide anything.
        """
        if self.memory.has_looked_at(place) or self._is_barred(place):
            return False
        fact = self.memory.fact(place)
        if fact is not None and self.is_closed(fact):
            return True
        if not self._tells_looks and place in self._reached:
            return False
        return not self._lists_what_it_sees

    def way_to(self, place: str) -> str:
        """The place from which another is looked into, as a part from its whole; '' for none."""
        fact = self.memory.fact(place)
        if fact is None or fact.object_class in self._gone_to_from_afar:
            return ''
        kind = self.names.kind(self.names.class_of(fact.receptacle))
        return fact.receptacle if kind is NameKind.PLACE else ''

    def ways_to_unseen(self) -> set[str]:
        """Places from which others can be looked into that have not been."""
        return {
            way
            for fact in self.memory.facts()
            # What is told by the fact alone comes first: this is asked at every decision.
            if fact.receptacle
            and self.names.kind(fact.object_class) is NameKind.PLACE
            and (way := self.way_to(fact.name))
            and self.may_hide(fact.name)
        }

    def _is_barred(self, place: str) -> bool:
        """Whether going there, or opening it where it is closed, is forbidden or given up."""
        if place in self.retries.given_up(ENTERING):
            return True
        if self._rules.forbids_nothing:
            return False
        fact = self.memory.fact(place)
        closed = fact is not None and self.is_closed(fact)
        types = (*self._moves, *(self._openings if closed else ()))
        return any(self._rules.bars(one.filled((place,)), self.observation) for one in types)

    def places(self, room: str) -> tuple[str, ...]:
        """Known places of a room."""
        if self._places is None:
            # Asked often between two observations.
            self._places = {}
            for fact in self.memory.facts():
                if self.names.kind(fact.object_class) is NameKind.PLACE:
                    self._places.setdefault(fact.room, []).append(fact.name)
            for place, region in self._region_of_place.items():
                if self.memory.fact(place) is None:
                    self._places.setdefault(region, []).append(place)
        return tuple(self._places.get(room, ()))

    def have_visited(self, rooms: tuple[str, ...]) -> bool:
        """Whether the robot has been in all of these rooms."""
        return all(room in self._visited for room in rooms)

    def unseen(self, rooms: tuple[str, ...]) -> tuple[str, ...]:
        """What is left to look at in these rooms: unvisited rooms, and places never looked at."""
        left = []
        # Where a server tells of no regions, its places are in none.
        for room in rooms or ('',):
            if room and room not in self._visited and self._is_region_to_see(room):
                left.append(room)
            left.extend(
                place
                for place in self.places(room)
                if self.can_search(place) and self.may_hide(place)
            )
        return tuple(left)

    def look_again(self, thing: Mention) -> bool:
        """Know of no place or region any more what is there, where such a thing has vanished; once
        each.
        """
        found = {name for name in self.vanished if thing.matches(name)}
        if found:
            self.vanished -= found
            self.memory.tidy(0)
            self._visited = dict.fromkeys(filter(None, (self.observation.room,)))
        return bool(found)

    def is_in_its_place(self, thing: str) -> bool:
        """Whether the run has put a thing where it shall stay.

        Where the task wants such things somewhere, they stay there, and in what can be carried
        there itself; all others stay where they were put.
        """
        where = self.placed.get(thing)
        if where is None:
            return False
        kind = self.names.class_of(thing)
        ends = [
            one.value
            for one in self.wanted
            if one.relation is Relation.IN and one.subject in (thing, kind)
        ]
        if not where or not ends or self.names.kind(self.names.class_of(where)) is NameKind.THING:
            return True
        there = self.memory.fact(where)
        rooms = (there.room, self.names.class_of(there.room)) if there is not None else ()
        return any(end in (where, self.names.class_of(where), *rooms) for end in ends)

    def take_again(self, thing: str, place: str) -> None:
        """Know that what the run has put elsewhere is to be taken again.

        :param thing: class, or class and number. :param place: where it shall be, likewise.
        """
        self.placed = {
            name: where
            for name, where in self.placed.items()
            if thing not in (name, self.names.class_of(name))
            or place in (where, self.names.class_of(where))
        }

    def known_state(self) -> tuple[object, ...]:
        """Everything known, but where the robot is: equal while nothing is learned or changed."""
        exact = not self._tells_nearness
        facts = frozenset(
            (fact.name, fact.room, fact.receptacle if exact else '', fact.state)
            for fact in self.memory.facts()
        )
        done = frozenset(
            text for text, skill in self._achieved.items() if skill.kind not in SEARCHING
        )
        held = frozenset(self.observation.held)
        seen = frozenset(self.memory.looked_at()), frozenset(self._visited)
        return facts, done, held, frozenset(self.placed.items()), seen

    def explored_text(self, rooms: tuple[str, ...]) -> str:
        """One or two sentences: where has been looked, and what is left."""
        seen = [
            place
            for place in self.memory.looked_at()
            if any(place in self.places(room) for room in rooms)
        ]
        left = self.unseen(rooms)
        sentences = []
        if self.placed:
            there = ', '.join(f'{name} (on {place})' for name, place in self.placed.items())
            sentences.append(f'Already in place: {there}.')
        if seen:
            sentences.append(f'You have looked at {", ".join(seen)}.')
        if left:
            sentences.append(f'You have not looked at {", ".join(left)} yet.')
        return ' '.join(sentences)


def _name_and_place(fact: ObjectFact) -> tuple[str, str]:
    return fact.name, fact.receptacle


def _with_one_name(types: tuple[SkillType, ...]) -> tuple[SkillType, ...]:
    return tuple(one for one in types if len(one.slots) == 1 and one.slots[0].type.is_name)


def _is_meant(mention: Mention | None, literal: str, name: str) -> bool:
    return mention.matches(name) if mention is not None else name == literal
