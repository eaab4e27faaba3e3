"""Where a run has looked, and where things may be that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.permission import Permission
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.working_memory import WorkingMemory
from reactree_planner.knowledge.skills import SEARCHING, Skill, SkillBook
from reactree_planner.language.names import NameKind, Names


class Exploration:
    """Regions and places: seen, left to look at, and from where they are looked into.

    A part of the belief, whose memory, names and skills it reads.

    :param given_up: names of which was given up to search them.
    :param rules: of permission: what may not be opened or gone to hides nothing.
    """

    def __init__(
        self,
        skills: SkillBook,
        names: Names,
        memory: WorkingMemory,
        given_up: Callable[[], set[str]],
        rules: Permission,
    ) -> None:
        self._skills = skills
        self._names = names
        self._memory = memory
        self._given_up = given_up
        self._rules = rules
        #: Regions where the robot has been.
        self.visited: set[str] = set()
        self._reached: set[str] = set()
        #: Classes that skills of searching have led to, or could have.
        self._searchable: set[str] = set()
        #: Places that skills were seen to lead to -> region where that was.
        self._region_of_place: dict[str, str] = {}
        self._places: dict[str, list[str]] | None = None
        #: What is unseen in some rooms, by what is known and given up: asked often, too.
        self._unseen: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._unseen_with: tuple[tuple[ObjectFact, ...], set[str]] = (), set()
        self._lists_what_it_sees = self._reports_room = self._reports_looks = False
        self._closed = skills.states_after(SkillKind.CLOSE)
        self._moves = _with_one_name(skills.of_kind(SkillKind.MOVE))
        self._openings = _with_one_name(skills.of_kind(SkillKind.OPEN))
        self._now = Observation('')

    def update(
        self, observation: Observation, offered: Sequence[Skill], approached: Collection[str]
    ) -> None:
        """Learn from an observation.

        :param offered: its skills. :param approached: things to which moves are offered.
        """
        self._now = observation
        self._places = None
        self._unseen.clear()
        self._reports_room |= bool(observation.room)
        self._reports_looks |= bool(observation.looked_at)
        done = self._skills.parse(observation.skill) if observation.skill else None
        # What a place shows that was gone to says nothing of what other places show; nor does
        # what stands free, of a robot that is in no region yet or has just taken such a thing.
        if observation.facts and observation.place in ('', observation.room):
            comes_in = done is None or done.kind is SkillKind.MOVE
            self._lists_what_it_sees |= bool(approached) and (
                (bool(observation.room) and comes_in)
                or any(fact.receptacle and fact.name in approached for fact in observation.facts)
            )
        if observation.room:
            self.visited.add(observation.room)
        for skill in offered:
            if skill.kind in SEARCHING:
                self._searchable.add(skill.name)
                if self._names.kind(skill.name) is NameKind.PLACE:
                    self._region_of_place.setdefault(skill.target, observation.room)
        if done is not None and observation.succeeded and done.kind is SkillKind.MOVE:
            self._reached.add(done.target)
            if not self._reports_room and done.target in self._names.rooms:
                self.visited.add(done.target)

    def is_closed(self, fact: ObjectFact) -> bool:
        """Whether what is in a place cannot be seen before it is opened."""
        return any(word in self._closed for word in fact.state.split(', '))

    def _is_region_to_see(self, region: str) -> bool:
        """Whether the robot might go and see a region."""
        searches = bool(self._reports_room and self._skills.of_kind(*SEARCHING))
        return (searches or self.can_search(region)) and not self._is_barred(region)

    def can_search(self, place: str) -> bool:
        """Whether some skill has led to such a place or region, or could have."""
        if not self._searchable:
            # Nothing was offered yet; or nothing is known by which to search.
            return bool(self._skills.of_kind(*SEARCHING))
        return self._names.class_of(place) in self._searchable

    def may_hide(self, place: str) -> bool:
        """Whether a place may hold things that have not been seen.

        Where the server lists what it sees, only closed places hide anything.
        """
        if self._memory.has_looked_at(place) or self._is_barred(place):
            return False
        fact = self._memory.fact(place)
        if fact is not None and self.is_closed(fact):
            return True
        if not self._reports_looks and place in self._reached:
            return False
        return not self._lists_what_it_sees

    def _is_barred(self, place: str) -> bool:
        """Whether going there, or opening it where it is closed, is forbidden or given up."""
        if place in self._given_up():
            return True
        if self._rules.forbids_nothing:
            return False
        fact = self._memory.fact(place)
        closed = fact is not None and self.is_closed(fact)
        types = (*self._moves, *(self._openings if closed else ()))
        return any(self._rules.bars(one.filled((place,)), self._now) for one in types)

    def places(self, room: str) -> tuple[str, ...]:
        """Known places of a room."""
        if self._places is None:
            # Asked often between two observations.
            self._places = {}
            for fact in self._memory.facts():
                if self._names.kind(fact.object_class) is NameKind.PLACE:
                    self._places.setdefault(fact.room, []).append(fact.name)
            for place, region in self._region_of_place.items():
                if self._memory.fact(place) is None:
                    self._places.setdefault(region, []).append(place)
        return tuple(self._places.get(room, ()))

    def unseen(self, rooms: tuple[str, ...]) -> tuple[str, ...]:
        """What is left to look at in these rooms: unvisited rooms, and places never looked at."""
        known = self._memory.facts(), self._given_up()
        if known[0] is not self._unseen_with[0] or known[1] != self._unseen_with[1]:
            self._unseen.clear()
            self._unseen_with = known
        if rooms not in self._unseen or not self._rules.forbids_nothing:
            self._unseen[rooms] = self._find_unseen(rooms)
        return self._unseen[rooms]

    def _find_unseen(self, rooms: tuple[str, ...]) -> tuple[str, ...]:
        left = []
        # Where a server reports no regions, its places are in none.
        for room in rooms or ('',):
            if room and room not in self.visited and self._is_region_to_see(room):
                left.append(room)
            left.extend(
                place
                for place in self.places(room)
                if self.can_search(place) and self.may_hide(place)
            )
        return tuple(left)

    def missed(self) -> tuple[str, ...]:
        """Places and regions that were given up and have not been seen."""
        return tuple(
            place
            for place in self._given_up()
            if self._names.kind(self._names.class_of(place)) in (NameKind.PLACE, NameKind.REGION)
            and place not in self.visited
            and not self._memory.has_looked_at(place)
        )


def _with_one_name(types: tuple[SkillType, ...]) -> tuple[SkillType, ...]:
    return tuple(one for one in types if len(one.slots) == 1 and one.slots[0].type.is_name)
