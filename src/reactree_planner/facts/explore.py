"""Frontiers of a search: what was not looked at, by its chance over its cost.

A place may hide things until it was looked at; a region until the robot was there; a way (a door,
a spot on the ground) until it was gone along. The chance is how likely such a place keeps the
things that are looked for (`keeps`), and how much of the goal the run found in its class and its
region. The cost is in skills. Frontiers of one region share the way there: of two regions the one
comes first whose first few, together, show most for what they cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist

from reactree_core.observation import Observation
from reactree_core.skill_types import SkillKind, SkillType, SlotType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.operators import Fact
from reactree_planner.facts.skills import Sort

#: Weights of what may show a thing: a place of a class never looked into, a new region, a way by
#: the places behind it, and a loose thing that is looked for itself.
_PLACE = 1.0
_REGION = 3.0
_BEHIND = 4.0
_LOOSE = 9.0
#: Chance that a place that comes in sight is the one that is looked for.
_IS_WANTED = 0.45
#: Share of its cost that looking takes where the robot has to go in any case.
_NEEDED = 0.5
#: Factor for a region that what is looked for is called after: hall, hall table.
_CALLED = 3.0
#: Parts that a place is thought to have, and the least chance of all.
_PARTS = 0.3
_LEAST = 0.02
#: Metres that count as much as one skill.
_METRES = 8.0

#: Where the surroundings of a spot are asked about, in parts of how far is seen.
_AROUND = [(x / 2, z / 2) for x in range(-2, 3) for z in range(-2, 3) if x * x + z * z <= 4]


@dataclass(frozen=True, slots=True)
class Frontier:
    """Something that has not been looked at.

    :param facts: that hold once it was. :param text: of the skill that leads there by itself,
        where it is on offer; ''.
    :param chance: of showing what is looked for, as a weight over 0. :param cost: skills, over 0.
    """

    name: str
    facts: tuple[Fact, ...]
    chance: float
    cost: float
    text: str = ''

    @property
    def worth(self) -> float:
        """Chance over cost."""
        return self.chance / self.cost


class Exploration:
    """Where a run has looked, and what is left.

    :param allowed: whether a skill may be done.
    """

    def __init__(self, belief: Belief, allowed: Callable[[str], bool]) -> None:
        self._belief = belief
        self._allowed = allowed
        #: How likely a class of places, or of regions, keeps a class of things; 1.0: as any other.
        self.keeps: Callable[[str, str], float] = lambda thing, place: 1.0
        self._lists_what_it_sees = False
        self._reached: set[str] = set()
        self._looked_at: set[str] = set()
        #: Of classes of places: how many were looked at; places that were found in them; and how
        #: often each class of things was.
        self._seen: Counter[str] = Counter()
        self._parts: Counter[str] = Counter()
        self._found: Counter[tuple[str, str]] = Counter()
        #: Movable things -> the region where they were first seen.
        self._first_in: dict[str, str] = {}
        #: How far spots are seen from spots, and the spots where the run has been.
        self._reach = 0.0
        self._spots: dict[str, tuple[float, ...]] = {}
        self._from_afar: set[str] = set()
        self._leading_on = _leading_on(belief.skills.types)
        self.ways: set[str] = set()
        #: Classes of things that belong to the same goal.
        self.related: frozenset[str] = frozenset()
        #: What has to be gone to and opened in any case, and the region where things are brought.
        self.needed: frozenset[str] = frozenset()
        self.home = ''
        #: Classes of things, and where the task says that they are.
        self.said: tuple[tuple[str, str], ...] = ()
        #: Targets that could not be looked at.
        self.given_up: set[str] = set()
        #: Targets that other robots are on their way to.
        self.taken: frozenset[str] = frozenset()

    def update(self, observation: Observation) -> None:
        """Learn from an observation that the belief has taken in."""
        belief = self._belief
        done = belief.skills.parse(observation.skill) if observation.skill else None
        if done is not None and done.kind is SkillKind.MOVE and observation.succeeded:
            self._reached.update((done.target, belief.at))
        self._note_spot()
        moves = [one for one in belief.offered.values() if one.kind is SkillKind.MOVE]
        approached = {one.target for one in moves if belief.sort(one.target) is Sort.THING}
        # What a place shows that was gone to says nothing of what other places show.
        if observation.facts and belief.at in ('', belief.room):
            comes_in = done is None or done.kind is SkillKind.MOVE
            within = any(f.receptacle and f.name in approached for f in observation.facts)
            self._lists_what_it_sees |= bool(approached) and (
                (bool(belief.room) and comes_in) or within
            )
        for one in moves:
            if one.type in self._leading_on:
                self.ways.add(belief.skills.class_of(one.target))
            if belief.at not in (one.target, belief.holder(one.target)):
                self._from_afar.add(belief.skills.class_of(one.target))
        for name in (*(fact.name for fact in observation.facts), *approached):
            if name in belief.things and belief.sort(name) is Sort.THING:
                self._first_in.setdefault(name, belief.room_of(name) or belief.room)
        self._count()

    def _note_spot(self) -> None:
        """Learn how far spots are seen from where the robot is."""
        belief = self._belief
        here = belief.coordinates(belief.at)
        if not here:
            return
        self._spots[belief.at] = here
        for name in belief.moves:
            there = belief.coordinates(name)
            if len(there) == len(here) and belief.offered_at[name] == {belief.at}:
                self._reach = max(self._reach, dist(here, there))

    def _count(self) -> None:
        """Count what new looks have shown."""
        belief, class_of = self._belief, self._belief.skills.class_of
        new = belief.looked - self._looked_at
        if not new:
            return
        self._looked_at |= new
        self._seen.update(map(class_of, new))
        for thing in belief.things.values():
            place = belief.holder(thing.name) or thing.beside
            if place in new and belief.sort(thing.name) is Sort.THING:
                self._found[class_of(thing.name), class_of(place)] += 1
            elif place in new:
                self._parts[class_of(place)] += 1

    def may_hide(self, place: str) -> bool:
        """Whether a place may hold things that have not been seen.

        Where the server lists what it sees, only closed places hide anything.
        """
        belief = self._belief
        if place in belief.looked:
            return False
        if belief.is_hidden_in(place):
            return True
        if place in self._reached and not belief.looked:
            return False
        return not self._lists_what_it_sees

    def frontiers(self, wanted: Sequence[str]) -> list[Frontier]:
        """What is left to look at, the best first. :param wanted: classes that are looked for."""
        sorts = self._loose, self._regions, self._places, self._ways_on
        out, region_of = self.given_up | self.taken, self._belief.room_of
        left = [one for sort in sorts for one in sort(wanted) if one.name not in out]
        left.sort(key=lambda one: -one.worth)
        batches: dict[str, list[Frontier]] = defaultdict(list)
        for one in left:
            batches[region_of(one.name)].append(one)
        worth = {region: self._worth_of(region, batch) for region, batch in batches.items()}
        return sorted(
            left,
            key=lambda one: (not self._is_said(one.name, wanted), -worth[region_of(one.name)]),
        )

    def _worth_of(self, region: str, batch: Sequence[Frontier]) -> float:
        """Greatest chance over cost of looking at the first few of a region, the way included.

        :param batch: its frontiers, the best first.
        """
        here, home = self._belief.room, self.home
        is_near = region in ('', here, home) or any(one.text for one in batch)
        # Whoever is at home has to come back.
        chance, cost, best = 0.0, 0.0 if is_near else 1.0 + (here == home), 0.0
        for one in batch:
            chance, cost = chance + one.chance, cost + one.cost
            best = max(best, chance / cost)
        return best

    def _is_said(self, name: str, wanted: Sequence[str]) -> bool:
        """Whether the task says that something wanted is at a place, or in its region."""
        belief = self._belief
        spots = (name, belief.holder(name), belief.room_of(name))
        return any(
            belief.skills.is_named(spot, place)
            for thing, place in self.said
            if thing in wanted
            for spot in spots
            if spot
        )

    def is_left(self) -> bool:
        """Whether some place or region was not looked at: not yet, or because it failed."""
        return any(True for _ in self._left())

    def unseen(self, rooms: Sequence[str]) -> tuple[str, ...]:
        """Regions, and places in them, that were not looked at. :param rooms: () for all."""
        found = (one.name for one in self._left())
        return tuple(name for name in found if not rooms or self._belief.room_of(name) in rooms)

    def _left(self) -> Iterator[Frontier]:
        for sort in (self._regions, self._places, self._ways_on):
            yield from sort(())

    def begin_anew(self) -> None:
        """Know of no place any more what is there."""
        self._looked_at.clear()
        self._reached.clear()
        self.given_up.clear()

    # Sorts of frontiers ----------------------------------------------------------------------

    def _regions(self, wanted: Sequence[str]) -> Iterator[Frontier]:
        belief = self._belief
        for region in belief.rooms:
            if region in belief.visited or (belief.moves and not belief.leads_to_regions):
                continue
            move = belief.moves.get(region)
            if move is not None and not self._allowed(move.text):
                continue
            text = move.text if move is not None and move.text in belief.offered else ''
            chance = _REGION * (_CALLED if self._is_called_after(region, wanted) else 1.0)
            chance *= self._usual(region, wanted)
            # One has to come back to where things are brought.
            cost = 1.0 + (belief.room == self.home)
            yield Frontier(region, (('room', region),), chance, cost, text)

    def _is_called_after(self, region: str, wanted: Iterable[str]) -> bool:
        """Whether something wanted bears the name of a region: a hall table, a hall."""
        called = set(self._belief.skills.class_of(region).split())
        return any(called < set(wish.split()) for wish in wanted)

    def _loose(self, wanted: Iterable[str]) -> Iterator[Frontier]:
        """Things that are looked for and stand by themselves: nearby it shows how to take them."""
        belief = self._belief
        for name in dict.fromkeys(name for wish in wanted for name in belief.of_class(wish)):
            move, thing = belief.moves.get(name), belief.things[name]
            if move is None or belief.sort(name) is not Sort.THING or name in self._reached:
                continue
            if name in belief.held or thing.holder or thing.beside or name in belief.vanished:
                continue
            text = move.text if move.text in belief.offered else ''
            yield Frontier(name, (('at', name),), _LOOSE, self._way_to(name), text)

    def _places(self, wanted: Sequence[str]) -> Iterator[Frontier]:
        belief = self._belief
        for name in belief.things:
            sort = belief.sort(name)
            stays = sort in (Sort.OTHER, None) and belief.can_be_shut(name)
            if not (sort is Sort.PLACE or stays) or self._is_way(name) or not self.may_hide(name):
                continue
            whole = self._whole_of(name)
            move = belief.moves.get(whole)
            if whole != belief.at and (
                bool(belief.moves) if move is None else not self._allowed(move.text)
            ):
                continue
            shut = belief.is_shut(name)
            facts: list[Fact] = [('near', name)]
            if shut:
                facts += [('is', name, word, False) for word in sorted(belief.shut_words)]
                if not any(self._allowed(text) for text in self._openings(name)):
                    continue
            text = ''
            if move is not None and whole != belief.at and move.text in belief.offered:
                text = move.text
            failures = max(map(belief.attempts.failures, self._openings(name)), default=0)
            cost = self._way_to(whole) + self._opening_cost(name, shut) * (1 + failures)
            if name in self.needed:
                cost *= _NEEDED
            yield Frontier(name, tuple(facts), self._chance(name, wanted, shut), cost, text)

    def _opening_cost(self, name: str, shut: bool) -> float:
        """Skills that it takes to open a place: of one that nobody has seen yet, as many as of
        those of its class that were seen; half of one where the server says that it opens.
        """
        belief = self._belief
        if shut or belief.can_be_shut(name) or name in self._reached:
            return float(shut)
        kind = belief.skills.class_of(name)
        seen = [one for one in belief.of_class(kind) if belief.can_be_shut(one)]
        if seen:
            return sum(map(belief.is_shut, seen)) / len(seen)
        opens = belief.skills.of_kind(SkillKind.OPEN)
        named = [one for one in opens if one.slots and one.slots[0].classes]
        return 0.5 * any(belief.skills.fits(one, 0, name) for one in named)

    def _openings(self, name: str) -> Iterator[str]:
        for one in self._belief.skills.of_kind(SkillKind.OPEN):
            if len(one.slots) == 1:
                yield one.filled((name,))
            elif one.slots:
                yield from (
                    text
                    for text, skill in self._belief.offered.items()
                    if skill.type is one and skill.target == name
                )
            elif any(fact.subject == name for fact in one.facts):
                yield one.template

    def _ways_on(self, wanted: Sequence[str]) -> Iterator[Frontier]:
        """Spots and doors that were not gone along yet."""
        belief = self._belief
        for name, move in belief.moves.items():
            if not self._is_way(name) or name in belief.visited:
                continue
            if name in belief.looked or name in self._reached or not self._allowed(move.text):
                continue
            places = _BEHIND * self._unseen_around(name)
            # Each of them has to be looked at in turn.
            as_thing = _PLACE * places / (1 + places)
            # Where a door leads, nothing was found yet.
            behind = move.type in self._leading_on and len(move.values) == 1
            as_thing *= 1.0 if behind else self._affinity(belief.room_of(name))
            as_place = dict.fromkeys(Sort, places * _IS_WANTED)
            chance = self._mean(wanted, {**as_place, Sort.THING: as_thing}, as_thing)
            chance = max(_LEAST, chance)
            if move.text in belief.offered:
                yield Frontier(name, (('at', name),), chance, self._way_to(name), move.text)
            else:
                begun = [place for place in belief.offered_at[name] if place in belief.moves]
                if begun and not belief.local_moves:
                    facts: tuple[Fact, ...] = (('at', begun[0]),)
                    first = belief.moves[begun[0]]
                    text = first.text if first.text in belief.offered else ''
                    yield Frontier(name, facts, chance, 1 + self._way_to(begun[0]), text)

    def _unseen_around(self, name: str) -> float:
        """The share of what is seen from a spot that was not seen from others; 1 where unknown."""
        belief, reach = self._belief, self._reach
        spot, room = belief.coordinates(name), belief.room_of(name)
        if len(spot) != 2 or not reach:
            return 1.0
        spots = {**self._spots, **{one: belief.coordinates(one) for one in self.taken}}
        near = [
            one
            for other, one in spots.items()
            if len(one) == 2 and belief.room_of(other) == room and dist(one, spot) < 2 * reach
        ]
        around = [(spot[0] + reach * x, spot[1] + reach * z) for x, z in _AROUND]
        new = sum(all(dist(point, one) > reach for one in near) for point in around)
        return new / len(around)

    def _is_way(self, name: str) -> bool:
        return self._belief.skills.class_of(name) in self.ways

    def _whole_of(self, name: str) -> str:
        """The place from which another is looked into, as a part from its whole."""
        belief = self._belief
        if belief.skills.class_of(name) in self._from_afar:
            return name
        holder = belief.holder(name)
        return holder if holder and belief.sort(holder) is Sort.PLACE else name

    def _way_to(self, place: str) -> float:
        """Skills until the robot is there, and the metres, where they are told."""
        belief = self._belief
        if place == belief.at:
            return 0.5
        here, there = belief.coordinates(belief.at), belief.coordinates(place)
        cost = 1.0 + (dist(here, there) / _METRES if len(here) == len(there) > 0 else 0.0)
        move = belief.moves.get(place)
        is_here = belief.room_of(place) in ('', belief.room)
        # The way into another region is shared by all that is there.
        return cost + (is_here and (move is None or move.text not in belief.offered))

    def _chance(self, name: str, wanted: Sequence[str], shut: bool) -> float:
        """Weight of a place for what is looked for: things by what is usual and by what
        such places have shown of the goal; places as parts of places.
        """
        kind = self._belief.skills.class_of(name)
        # What nobody has looked at yet counts as one such place.
        seen = self._seen[kind] + 1
        held = (sum(self._found[one, kind] for one in self.related) + _PLACE) / seen
        held *= self._affinity(self._belief.room_of(name))
        as_part = (self._parts[kind] + _PARTS) / seen
        # What stays where it is stands in no locker.
        values = {
            Sort.PLACE: _LEAST if shut else as_part,
            Sort.REGION: _LEAST,
            Sort.OTHER: _LEAST if shut else held,
        }
        return max(_LEAST, self._mean(wanted, values, held * self._usual(name, wanted)))

    def _affinity(self, region: str) -> float:
        """Share of the goal that was found in a region, beside the mean of all."""
        belief = self._belief
        if not region or not belief.rooms:
            return 1.0
        names = (name for one in self.related for name in belief.of_class(one))
        found = [self._first_in.get(name, belief.room_of(name)) for name in names]
        # Half a thing more everywhere: nothing is certain.
        mean = sum(map(bool, found)) / len(belief.rooms) + 0.5
        return (found.count(region) + 0.5) / mean

    def _usual(self, place: str, wanted: Iterable[str]) -> float:
        """How likely such a place keeps the things that are wanted."""
        belief, kind = self._belief, self._belief.skills.class_of(place)
        things = [wish for wish in wanted if belief.sort(wish) in (Sort.THING, None)]
        return sum(self.keeps(one, kind) for one in things) / len(things) if things else 1.0

    def _mean(self, wanted: Iterable[str], values: Mapping[Sort, float], as_thing: float) -> float:
        """Of the chances for each class that is wanted."""
        sorts = [self._belief.sort(wish) for wish in wanted]
        each = [values.get(sort, as_thing) if sort is not None else as_thing for sort in sorts]
        return sum(each) / len(each) if each else as_thing


def _leading_on(types: Sequence[SkillType]) -> frozenset[SkillType]:
    """Moves to what no other skill names by that slot: `go through <door>`, where `<place>` is
    where things are put. None where all moves are so.
    """
    moves = [one for one in types if one.kind is SkillKind.MOVE and one.slots]
    others = {slot.name for one in types if one not in moves for slot in one.slots}
    leading = [
        one
        for one in moves
        if one.slots[0].type is not SlotType.REGION and one.slots[0].name not in others
    ]
    return frozenset(leading if len(leading) < len(moves) else ())
