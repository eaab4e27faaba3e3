"""What a run knows: where things are, where it has looked, what it has put in place.

Shared by all nodes of the run, like the working memory it contains (ReAcTree section 4.2).
"""

from __future__ import annotations

from dataclasses import replace

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.working_memory import WorkingMemory
from reactree_planner.planners.names import NameKind
from reactree_planner.planners.names import Names
from reactree_planner.planners.prohibitions import NO_RULES
from reactree_planner.planners.prohibitions import TaskRules

#: Skills that lead to a thing: a server that offers them for movable things tells what it sees.
LEADING = ('go to', 'walk to')


class RunKnowledge:
    """Grows with every observation; asked by the rules and by `recall`.

    :param rules: what the task forbids: what may not be opened or gone to hides nothing.
    """

    def __init__(self, vocabulary: Vocabulary, rules: TaskRules = NO_RULES) -> None:
        self.vocabulary = vocabulary
        self._rules = rules
        self.names = Names(vocabulary)
        self.memory = WorkingMemory()
        self.placed: dict[str, str] = {}
        self._visited: dict[str, None] = {}
        self._places: dict[str, list[str]] | None = None
        self._lists_what_it_sees = False
        self.observation = Observation('')

    def with_sightings(self, observation: Observation) -> Observation:
        """The observation, with a fact for every movable thing the server offers to go to.

        Such a thing is in sight, although the text may not name it.
        """
        told = {fact.name for fact in observation.facts}
        sightings = []
        for skill in observation.admissible_skills:
            for verb in LEADING:
                name, _, number = skill.removeprefix(verb + ' ').rpartition(' ')
                if not skill.startswith(verb + ' ') or not number.isdigit():
                    continue
                if self.names.kind(name) is NameKind.OBJECT and f'{name} {number}' not in told:
                    sightings.append(
                        ObjectFact(name, int(number), observation.room, seen_at=observation.stamp)
                    )
        if not sightings:
            return observation
        return replace(observation, facts=observation.facts + tuple(sightings))

    def take_in(self, observation: Observation) -> None:
        """Learn from an observation; it becomes the current one."""
        before = self.observation
        if len(observation.facts) and not self._lists_what_it_sees:
            self._lists_what_it_sees = any(
                skill.startswith(LEADING)
                and self.names.kind(skill.partition(' to ')[2].rpartition(' ')[0])
                is NameKind.OBJECT
                for skill in observation.admissible_skills
            )
        if observation.room:
            self._visited.setdefault(observation.room)
        for fact in observation.facts:
            if self.names.kind(fact.object_class) is None:
                self.names.add(fact.object_class, NameKind.OBJECT)
        self.memory.update(observation)
        self._places = None
        for name in before.held:
            if name not in observation.held and observation.succeeded and observation.skill:
                self.placed[name] = observation.place
        for name in observation.held:
            self.placed.pop(name, None)
        self.observation = observation

    def may_hide(self, place: str) -> bool:
        """Whether a place may hold things that have not been seen.

        Where the server lists what it sees, only closed places hide anything.
        """
        if self.memory.has_looked_at(place) or self._is_barred(place):
            return False
        if not self._lists_what_it_sees:
            return True
        fact = self.memory.fact(place)
        return fact is not None and 'closed' in fact.state

    def _is_barred(self, place: str) -> bool:
        """Whether the task forbids to go there, or to open it where it is closed."""
        if not self._rules.prohibitions:
            return False
        fact = self.memory.fact(place)
        closed = fact is not None and 'closed' in fact.state
        skills = [f'{verb} {place}' for verb in LEADING] + [f'open {place}'] * closed
        return any(self._rules.objection(skill, self.observation) for skill in skills)

    def places(self, room: str) -> tuple[str, ...]:
        """Known places of a room."""
        if self._places is None:
            # Asked often between two observations.
            self._places = {}
            for fact in self.memory.facts():
                if self.names.kind(fact.object_class) is NameKind.PLACE:
                    self._places.setdefault(fact.room, []).append(fact.name)
        return tuple(self._places.get(room, ()))

    def have_visited(self, rooms: tuple[str, ...]) -> bool:
        """Whether the robot has been in all of these rooms."""
        return all(room in self._visited for room in rooms)

    def unseen(self, rooms: tuple[str, ...]) -> tuple[str, ...]:
        """What is left to look at in these rooms: unvisited rooms, and places never looked at."""
        left = []
        for room in rooms:
            if room not in self._visited and not self._is_barred(room):
                left.append(room)
            left.extend(place for place in self.places(room) if self.may_hide(place))
        return tuple(left)

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
