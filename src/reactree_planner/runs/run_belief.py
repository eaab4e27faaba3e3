"""The belief of a run, with the names, the texts and the working memory that models read.

Shared by all nodes of the run, like the working memory it contains (ReAcTree section 4.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.skill_types import class_and_number, plain_name, SEARCHING, SkillKind, SlotType
from reactree_core.working_memory import recalled_facts, WorkingMemory
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.retries import may_succeed_again
from reactree_planner.facts.skills import Skill, Skills
from reactree_planner.reading.names import Names
from reactree_planner.reading.vocabulary import NameKind

#: What a name in a slot is, where nobody reports more of it.
_KINDS_OF_SLOTS = {
    SlotType.THING: NameKind.THING,
    SlotType.PLACE: NameKind.PLACE,
    SlotType.REGION: NameKind.REGION,
    SlotType.NAME: NameKind.OTHER,
}


class RunBelief:
    """Grows with every observation; asked by the rules and by `recall`.

    A skill server need not report everything: a field that it never filled is unknown, not empty.

    :param rules: of permission, which learn from each observation.
    :param by_closeness: as of `WorkingMemory`.
    :param mind: reasoner that holds the belief; None: a new one.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        rules: Permission | None = None,
        by_closeness: bool = False,
        mind: Reasoner | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self._rules = rules or Permission(Rules(), simulated=True)
        self.mind = Reasoner(vocabulary, ()) if mind is None else mind
        self.names = Names(vocabulary)
        self.memory = WorkingMemory(by_closeness)
        #: Texts of skills whose names are known.
        self._learned: set[str] = set()
        self.observation = Observation('')

    @property
    def facts(self) -> Belief:
        """Things, places and the robot: the belief that every condition is tested on."""
        return self.mind.belief

    @property
    def skills(self) -> Skills:
        """Skills of the server, taken apart."""
        return self.facts.skills

    @property
    def placed(self) -> dict[str, str]:
        """Things that this run has put somewhere -> the place."""
        return self.facts.placed

    @property
    def achieved(self) -> tuple[Skill, ...]:
        """Skills that have succeeded in this run, and were not taken back since."""
        return tuple(self.skills.parse_all(list(self.facts.achieved)))

    @property
    def tells_facts(self) -> bool:
        """Whether the server reports what is where."""
        return self.facts.tells_facts

    @property
    def tells_held(self) -> bool | None:
        """Whether the server reports what is held; None before anything was taken."""
        return self.facts.tells_held

    @property
    def held_objects_known(self) -> bool:
        """False once something was taken and the server reports no held objects."""
        return self.tells_held is not False

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
        self._learn_names(observation.admissible_skills)
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
            if skill.kind is SkillKind.MOVE and self.kind(skill.target) is NameKind.THING
        }

    def update(self, observation: Observation) -> None:
        """Learn from an observation; it becomes the current one."""
        before = self.observation
        self.mind.see(observation)
        self._rules.see(observation, self.facts)
        if observation.room:
            self._learn_region(observation.room)
        for fact in observation.facts:
            is_number = fact.object_class in self.vocabulary.numbers
            if not is_number and self.names.kind(fact.object_class) in (None, NameKind.OTHER):
                self.names.add(fact.object_class, NameKind.THING)
        self.memory.update(observation)
        done = self.skills.parse(observation.skill) if observation.skill else None
        seen = {fact.name for fact in observation.facts}
        for name in before.held:
            lost = observation.succeeded and name not in (*observation.held, *seen)
            if lost and done is not None and done.kind is SkillKind.MOVE:
                self.memory.forget(name)
        if done is not None and _has_vanished(done, observation):
            self.memory.forget(done.target)
        self.observation = observation

    def kind(self, name: str) -> NameKind | None:
        """What a name, with its number or without, stands for; None where it is not known."""
        return self.names.kind(self.names.class_of(name))

    def _learn_names(self, texts: Iterable[str]) -> None:
        """Know the names in skills that the server has reported nothing else of."""
        for skill in self.skills.parse_all(texts):
            if skill.text in self._learned:
                continue
            self._learned.add(skill.text)
            for slot, value in zip(skill.type.slots, skill.values, strict=True):
                if slot.type.is_name and value != slot.text:
                    self._learn_name(plain_name(value), _KINDS_OF_SLOTS[slot.type])

    def _learn_name(self, value: str, usual: NameKind) -> None:
        name = self.names.class_of(value)
        kind = self.names.kind(name)
        if kind is None:
            self.names.add(name, usual)
        if not class_and_number(value)[1] and self.names.kind(value) is None:
            # "crate A-7" is a name of its own too.
            self.names.add(value, kind or usual)

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
        self.facts.recall(facts)
        unknown = tuple(fact for fact in facts if self.memory.fact(fact.name) is None)
        self.memory.update(Observation('', facts=unknown))

    def known_state(self) -> tuple[object, ...]:
        """Everything known, but where the robot is: equal while nothing is learned or changed."""
        exact = not self.facts.tells_nearness
        facts = frozenset(
            (fact.name, fact.room, fact.receptacle if exact else '', fact.state)
            for fact in self.memory.facts()
        )
        done = frozenset(skill.text for skill in self.achieved if skill.kind not in SEARCHING)
        held = frozenset(self.observation.held)
        seen = frozenset(self.memory.looked_at()), frozenset(self.facts.visited)
        return facts, done, held, frozenset(self.placed.items()), seen

    def explored_text(self, rooms: tuple[str, ...]) -> str:
        """One or two sentences: where has been looked, and what is left."""
        room_of = self.facts.room_of
        seen = [
            place
            for place in self.memory.looked_at()
            if self.kind(place) is NameKind.PLACE and (not rooms or room_of(place) in rooms)
        ]
        left = self.mind.exploration.unseen(rooms)
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
