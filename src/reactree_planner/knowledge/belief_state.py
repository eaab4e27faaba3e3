"""What a run knows: where things are, what it has done, what it has put in place.

Shared by all nodes of the run, like the working memory it contains (ReAcTree section 4.2).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from reactree_core.measures import Past
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    plain_name,
    read_effect,
    Relation,
    SkillKind,
)
from reactree_core.working_memory import recalled_facts, WorkingMemory
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.recipes import Stock
from reactree_planner.facts.retries import Attempts, may_succeed_again
from reactree_planner.facts.skills import counted_as
from reactree_planner.knowledge.achievements import Achievements
from reactree_planner.knowledge.exploration import Exploration
from reactree_planner.knowledge.skills import SEARCHING, Skill, SkillBook
from reactree_planner.language.names import NameKind, Names


class BeliefState:
    """Grows with every observation; asked by the rules and by `recall`.

    A skill server need not report everything: a field that it never filled is unknown, not empty.

    :param rules: of permission: what may not be opened or gone to hides nothing.
    :param by_closeness: as of `WorkingMemory`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rules: Permission | None = None,
        by_closeness: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self._rules = rules or Permission(Rules(), simulated=True)
        self.names = Names(vocabulary)
        self.skills = SkillBook(vocabulary, self.names)
        self.memory = WorkingMemory(by_closeness)
        #: What this run has put somewhere -> the place, or '' where that is not given.
        self.placed: dict[str, str] = {}
        #: What the task asks for, as far as its words say it.
        self.wanted: tuple[Condition, ...] = ()
        #: Things that came in sight as a place was opened, so are in it; until they are taken.
        self.found_in: dict[str, str] = {}
        #: What skills have brought about, and nothing has undone since.
        self.achievements = Achievements(self.skills)
        #: What failed and may be tried again, and what was given up.
        self.attempts = Attempts()
        #: Whether the server reports what is where.
        self.tells_facts = False
        #: Whether the place told of a thing may only be near it, as places stand at places too.
        self.tells_nearness = False
        #: Whether the server reports what is held; None before anything was taken.
        self.tells_held: bool | None = None
        #: How many of each class are held.
        self.stock = Stock(self.skills)
        #: Where it has looked, and what is left.
        self.exploration = Exploration(
            self.skills, self.names, self.memory, self.attempts, self._rules
        )
        self.observation = Observation('')
        #: How things were, at any time in the run.
        self.past = Past()
        #: How often each skill has succeeded.
        self.done: Counter[str] = Counter()
        #: The same, also by the classes of things: `scan cup 1` is `scan cup`, too.
        self.done_as: Counter[str] = Counter()
        #: What the server says that it assumes itself, by effects.
        self._assumed: frozenset[Effect] = frozenset()

    @property
    def achieved(self) -> tuple[Skill, ...]:
        """Skills that have succeeded in this run, and were not taken back since."""
        return self.achievements.skills

    def is_told(self, fact: Effect) -> bool:
        """Whether the server reports a fact as one that it knows, where it tells it."""
        return fact not in self._assumed

    @property
    def held_objects_known(self) -> bool:
        """False once something was taken and the server reports no held objects."""
        return self.tells_held is not False

    @property
    def placements_known(self) -> bool:
        """Whether `placed` can tell where this run has put things."""
        puts = self.skills.of_kind(SkillKind.PUT)
        if any(sum(slot.type.is_name for slot in one.slots) > 1 for one in puts):
            return True
        return bool(self.tells_held) or (self.tells_held is None and bool(puts))

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
            admissible_skills=self.skills.fitting(observation.admissible_skills),
        )
        self.skills.learn_names(observation.admissible_skills)
        seen = {fact.name for fact in observation.facts}
        sightings = tuple(
            ObjectFact(*class_and_number(target), observation.room, seen_at=observation.stamp)
            for target in self._things_to_go_to(observation)
            if target not in seen
        )
        if not sightings or not (observation.facts or self.tells_facts):
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
        self.tells_facts |= bool(observation.facts)
        effects = (read_effect(text) for text in observation.assumed)
        self._assumed = frozenset(
            _in_plain_names(effect) for effect in effects if effect is not None
        )
        if observation.held or Relation.HOLDING.value in observation.sensed:
            self.tells_held = True
        approached = self._things_to_go_to(observation)
        if observation.room:
            self._learn_region(observation.room)
        for fact in observation.facts:
            self.past.note(fact.name, fact.state)
            is_number = fact.object_class in self.vocabulary.numbers
            if not is_number and self.names.kind(fact.object_class) in (None, NameKind.OTHER):
                self.names.add(fact.object_class, NameKind.THING)
            if fact.receptacle and not self.tells_nearness:
                self.tells_nearness = self._is_place(fact.receptacle) and self._is_place(fact.name)
        offered = self.skills.parse_all(observation.admissible_skills)
        self.exploration.update(observation, offered, approached)
        self._note_found(observation)
        self.memory.update(observation)
        done = self.skills.parse(observation.skill) if observation.skill else None
        for name in before.held:
            if name not in observation.held and observation.succeeded and observation.skill:
                self._note_gone(name, done, observation)
        if done is not None:
            self.attempts.note(done, observation)
            if _has_vanished(done, observation):
                self.memory.forget(done.target)
            if observation.succeeded:
                self.done[done.text] += 1
                self.done_as.update(counted_as(done))
                self._note_skill(done, observation)
        self.achievements.correct(
            observation.facts, None if self.tells_nearness else self.holders_of
        )
        self._miss(observation)
        if self.tells_held:
            self.stock.correct(observation.held)
        for name in observation.held:
            self.placed.pop(name, None)
            self.found_in.pop(name, None)
        self.observation = observation

    def _miss(self, observation: Observation) -> None:
        """Know of nothing any more that it is where the robot looks and does not see it."""
        if observation.place not in observation.looked_at or not observation.facts:
            return
        seen = {fact.name for fact in observation.facts}
        there = [name for name, where in self.placed.items() if where == observation.place]
        for name in there:
            if name not in seen:
                del self.placed[name]
        for name, where in list(self.achievements.of(Relation.IN)):
            if where == observation.place and name not in seen:
                self.achievements.forget(name, where)

    def _note_gone(self, thing: str, done: Skill | None, observation: Observation) -> None:
        """Note where a thing is that is no longer held: laid down, or lost on its way."""
        # Where the thing lies is given more exactly than where the robot stands.
        laid = next((one.receptacle for one in observation.facts if one.name == thing), '')
        if not laid and done is not None and done.kind is SkillKind.MOVE:
            self.memory.forget(thing)
        else:
            self.placed[thing] = laid or observation.place

    def _is_place(self, name: str) -> bool:
        return self.names.kind(self.names.class_of(name)) is NameKind.PLACE

    def _learn_region(self, region: str) -> None:
        """Know a region that the server has reported only now, where it reports any."""
        known = self.vocabulary.rooms
        if known and region not in known:
            self.vocabulary = replace(self.vocabulary, rooms=(*known, region))
            self.names.rooms = self.vocabulary.rooms
            self.names.add(self.names.class_of(region), NameKind.REGION)

    def hear(self, recollection: str) -> None:
        """Learn where others have seen things, by what a shared memory recalls of one class.

        What the robot has seen itself is kept: it may have taken it from there since.
        """
        facts = recalled_facts(recollection, self.vocabulary.rooms)
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
        """Note what a succeeded skill achieved, and where things are placed."""
        self.achievements.note(skill)
        self.stock.note(skill)
        if skill.kind is SkillKind.TAKE:
            self.placed.pop(skill.target, None)
            if not observation.held and self.tells_held is None:
                self.tells_held = False
        if skill.destination and (skill.kind is SkillKind.PUT or skill.target in self.placed):
            # The skill itself says where the thing is now.
            self.placed[skill.target] = skill.destination

    def holders_of(self, thing: str) -> tuple[str, ...]:
        """Where a thing was seen, where that stands, and so on: the box, the shelf it is on."""
        found: dict[str, None] = {}
        fact = self.memory.fact(thing)
        while fact is not None and fact.receptacle and fact.receptacle not in found:
            found[fact.receptacle] = None
            fact = self.memory.fact(fact.receptacle)
        return tuple(found)

    def known_state(self) -> tuple[object, ...]:
        """Everything known, but where the robot is: equal while nothing is learned or changed."""
        exact = not self.tells_nearness
        facts = frozenset(
            (fact.name, fact.room, fact.receptacle if exact else '', fact.state)
            for fact in self.memory.facts()
        )
        done = frozenset(skill.text for skill in self.achieved if skill.kind not in SEARCHING)
        held = frozenset(self.observation.held)
        seen = frozenset(self.memory.looked_at()), frozenset(self.exploration.visited)
        return facts, done, held, frozenset(self.placed.items()), seen

    def explored_text(self, rooms: tuple[str, ...]) -> str:
        """One or two sentences: where has been looked, and what is left."""
        seen = [
            place
            for place in self.memory.looked_at()
            if any(place in self.exploration.places(room) for room in rooms)
        ]
        left = self.exploration.unseen(rooms)
        sentences = []
        if self.placed:
            there = ', '.join(f'{name} (on {place})' for name, place in self.placed.items())
            sentences.append(f'Already in place: {there}.')
        if seen:
            sentences.append(f'You have looked at {", ".join(seen)}.')
        if left:
            sentences.append(f'You have not looked at {", ".join(left)} yet.')
        return ' '.join(sentences)


def _has_vanished(skill: Skill, observation: Observation) -> bool:
    """Whether a thing was to be taken and is not there any more: it is not offered now."""
    return (
        skill.kind is SkillKind.TAKE
        and may_succeed_again(observation)
        and skill.text not in observation.admissible_skills
        and skill.target not in (*observation.held, *(one.name for one in observation.facts))
    )


def _in_plain_names(effect: Effect) -> Effect:
    """A fact in the names that the planner uses."""
    is_state = effect.relation is Relation.IS
    value = effect.value if is_state else plain_name(effect.value)
    return replace(effect, subject=plain_name(effect.subject), value=value)
