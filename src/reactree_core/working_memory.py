"""Working memory of one run: what was seen where, and which places have been looked at.

ReAcTree section 4.2 and the published recall sentences. The memory node serves it to everybody;
the planner keeps one of its own, so that a run goes on when the memory node is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from reactree_core.observation import ObjectFact, Observation
from reactree_core.skill_types import class_and_number

AGENT = 'agent 1'
#: Begins the act of a node that asks where things of a class were seen.
RECALL = 'recall location of '
#: A sentence of `WorkingMemory.recall` that says where a thing is, without its full stop.
_SEEN = re.compile(r'(.+?) saw (.+?)(?: near (.+?))?(?: in (.+?))?')
#: Longest of them that is read, in characters.
_LONGEST_SENTENCE = 300


class WorkingMemory:
    """Class -> instance -> newest fact, and the places whose content is known.

    :param by_closeness: as published: a thing is where the robot stood as it saw it, whatever the
        server reports, and stays there until it is seen elsewhere.
    """

    def __init__(self, by_closeness: bool = False) -> None:
        self._by_closeness = by_closeness
        self._facts: dict[str, dict[int, ObjectFact]] = {}
        #: All of them, until something changes: asked many times between two observations.
        self._all: tuple[ObjectFact, ...] | None = None
        self._looked_at: dict[str, str] = {}

    def update(self, observation: Observation) -> None:
        """Take over the facts of an observation.

        A fact without a place overwrites a finer one only when the object was seen elsewhere; one
        whose place is the room itself always does. An object last seen at a place where the robot
        looks around again, and is not there, is forgotten. (From elsewhere only part of what is
        near that place shows.)
        """
        self._all = None
        if self._by_closeness:
            self._looked_at |= dict.fromkeys(observation.looked_at, observation.room)
            for fact in observation.facts:
                held = fact.receptacle == AGENT
                near = fact if held else replace(fact, receptacle=observation.place)
                self._facts.setdefault(fact.object_class, {})[fact.instance] = near
            return
        seen = {(fact.object_class, fact.instance) for fact in observation.facts}
        for place in observation.looked_at:
            self._looked_at[place] = observation.room
            if place != observation.place:
                continue
            for instances in self._facts.values():
                gone = [
                    number
                    for number, fact in instances.items()
                    if fact.receptacle == place and (fact.object_class, number) not in seen
                ]
                for number in gone:
                    del instances[number]
        for fact in observation.facts:
            self._remember(fact)

    def _remember(self, fact: ObjectFact) -> None:
        instances = self._facts.setdefault(fact.object_class, {})
        known = instances.get(fact.instance)
        if known and not fact.receptacle and known.receptacle and known.room == fact.room:
            if known.receptacle != AGENT:
                fact = replace(fact, receptacle=known.receptacle)
        instances[fact.instance] = fact

    def facts(self, object_class: str | None = None) -> tuple[ObjectFact, ...]:
        """Newest fact per instance, of one class or of all, in the order first seen."""
        if object_class is not None:
            return tuple(self._facts.get(object_class, {}).values())
        if self._all is None:
            self._all = tuple(fact for group in self._facts.values() for fact in group.values())
        return self._all

    def fact(self, name: str) -> ObjectFact | None:
        """Newest fact about one instance, by its name with number, e.g. 'apple 1'."""
        object_class, number = class_and_number(name)
        return self._facts.get(object_class, {}).get(number)

    def forget(self, name: str) -> None:
        """Know no more where one instance is."""
        object_class, number = class_and_number(name)
        self._facts.get(object_class, {}).pop(number, None)
        self._all = None

    @property
    def classes(self) -> tuple[str, ...]:
        """Classes of which something is known."""
        return tuple(sorted(name for name, group in self._facts.items() if group))

    def has_looked_at(self, place: str) -> bool:
        """Whether the content of a place has been seen."""
        return place in self._looked_at

    def looked_at(self, room: str | None = None) -> tuple[str, ...]:
        """Places whose content has been seen, all or of one room, in the order first seen."""
        return tuple(place for place, where in self._looked_at.items() if room in (None, where))

    def tidy(self, kept: int) -> None:
        """Forget that places were looked at, those first seen longest ago before others.

        Names of classes of which nothing is known any more go too.

        :param kept: how many places may stay, 0 or more.
        """
        for name in [name for name, group in self._facts.items() if not group]:
            del self._facts[name]
        for place in list(self._looked_at)[: max(0, len(self._looked_at) - kept)]:
            del self._looked_at[place]

    def recall(self, object_class: str, robot: str = '') -> str:
        """Answer to `recall location of <class>` in the published wording.

        :param robot: who asks; what another robot saw or holds is given with its name.
        """
        sentences = []
        for fact in self.facts(object_class):
            own = fact.seen_by in ('', robot)
            who = 'You' if own else fact.seen_by
            if fact.receptacle == AGENT:
                sentences.append(f'{who} {"are" if own else "is"} holding {fact.name}.')
            elif fact.receptacle not in ('', fact.room):
                sentences.append(f'{who} saw {fact.name} near {fact.receptacle}{_in(fact.room)}.')
            else:
                sentences.append(f'{who} saw {fact.name}{_in(fact.room)}.')
        return ' '.join(sentences) or f'You have not seen {object_class} before.'

    def content(self) -> tuple[tuple[ObjectFact, ...], dict[str, str]]:
        """Everything, to be kept: all facts, and the places looked at with their rooms."""
        return self.facts(), dict(self._looked_at)

    @classmethod
    def of(cls, facts: Iterable[ObjectFact], looked_at: Mapping[str, str]) -> WorkingMemory:
        """A memory with what `content` gave."""
        memory = cls()
        memory._looked_at = dict(looked_at)
        for fact in facts:
            memory._facts.setdefault(fact.object_class, {})[fact.instance] = fact
        return memory


def sighting_sentence(fact: ObjectFact) -> str:
    """What is known of a thing, for people, e.g. `milk 1: in or on fridge 1, in kitchen 1.`"""
    where = f'in or on {fact.receptacle}' if fact.receptacle not in ('', fact.room) else ''
    held = f'held by {fact.seen_by or "the robot"}' if fact.receptacle == AGENT else ''
    parts = (held or where, f'in {fact.room}' if fact.room and not held else '', fact.state)
    return f'{fact.name}: {", ".join(filter(None, parts)) or "seen"}.'


def recalled_facts(recollection: str, rooms: Sequence[str]) -> tuple[ObjectFact, ...]:
    """What an answer of `WorkingMemory.recall` tells of where things are; held ones left out.

    :param rooms: of the robot that was given; a sentence about any other is passed over.
    """
    found = []
    for sentence in recollection.removesuffix('.').split('. '):
        seen = len(sentence) <= _LONGEST_SENTENCE and _SEEN.fullmatch(sentence)
        if not seen:
            continue
        who, name, place, room = seen.groups('')
        if not room or room in rooms:
            seen_by = '' if who == 'You' else who
            found.append(ObjectFact(*class_and_number(name), room, place, seen_by=seen_by))
    return tuple(found)


def _in(room: str) -> str:
    """Where, for a sentence; nothing when a robot does not report its rooms."""
    return f' in {room}' if room else ''
