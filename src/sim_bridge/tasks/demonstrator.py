"""How an ideal agent node decides that only knows what the robot has seen (ReAcTree section 4).

One node at a time: `decide` yields decisions and reads what came of them in the `Situation`.
Nothing here looks at the world; the knowledge is the last observation, working memory, the
vocabulary, what the robot itself has put down in this run, and common sense about homes.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary
from reactree_core.working_memory import WorkingMemory
from sim_bridge.tasks.common_sense import by_likelihood
from sim_bridge.tasks.common_sense import has_inside
from sim_bridge.tasks.common_sense import places_to_search
from sim_bridge.tasks.decisions import Act
from sim_bridge.tasks.decisions import Decision
from sim_bridge.tasks.decisions import DONE
from sim_bridge.tasks.decisions import Expand
from sim_bridge.tasks.decisions import FAILURE
from sim_bridge.tasks.decisions import RECALL
from sim_bridge.tasks.decisions import Think
from sim_bridge.tasks.subgoals import Bring
from sim_bridge.tasks.subgoals import Find
from sim_bridge.tasks.subgoals import Goal
from sim_bridge.tasks.subgoals import PutDown
from sim_bridge.tasks.subgoals import TurnOn
from sim_bridge.tasks.subgoals import Whole
from sim_bridge.tasks.thoughts import one_of
from sim_bridge.tasks.thoughts import plan_search
from sim_bridge.tasks.thoughts import plan_task
from sim_bridge.tasks.thoughts import short_list

Decisions = Iterator[Decision]
_TRIES = 3


@dataclass(slots=True)
class Situation:
    """What the robot knows; whoever runs a node keeps it up to date.

    :param observation: the last one: of the node's start, or of the last act.
    :param brought: things put down at their target in this run -> where, e.g. 'fridge 1'.
    """

    observation: Observation
    memory: WorkingMemory
    vocabulary: Vocabulary
    brought: dict[str, str] = field(default_factory=dict)

    @property
    def room(self) -> str:
        """Where the robot is, e.g. 'kitchen 1'."""
        return self.observation.room

    def sees(self, thing: str) -> list[ObjectFact]:
        """Things of a class that the last observation names, without what is held or brought."""
        return [fact for fact in self.observation.facts if self._is_free(fact, thing)]

    def knows(self, thing: str) -> list[ObjectFact]:
        """Things of a class that have been seen, the ones in this room first."""
        facts = [fact for fact in self.memory.facts(thing) if self._is_free(fact, thing)]
        return sorted(facts, key=lambda fact: (fact.room != self.room, fact.instance))

    def holds(self, thing: str) -> str:
        """Name of a held thing of a class; '' for none."""
        names = [name for name in self.observation.held if class_of(name) == thing]
        return names[0] if names else ''

    def is_closed(self, place: str) -> bool:
        """Whether things are kept in a place, and it was last seen closed."""
        fact = self.memory.fact(place)
        closed = fact is not None and 'closed' in fact.state.split(', ')
        return closed and has_inside(class_of(place))

    def _is_free(self, fact: ObjectFact, thing: str) -> bool:
        return (
            fact.object_class == thing
            and fact.name not in self.observation.held
            and fact.name not in self.brought
        )


def class_of(name: str) -> str:
    """Class of a name with number, e.g. 'apple' of 'apple 1'."""
    return name.rpartition(' ')[0]


def decide(goal: Goal, now: Situation) -> Decisions:
    """Decisions of one node, up to `done`, `failure` or an expansion.

    :param now: must hold the outcome of each yielded act before the next decision is asked for.
    """
    if isinstance(goal, Whole):
        return _whole(goal)
    if isinstance(goal, Bring):
        return _bring(goal)
    if isinstance(goal, Find):
        return _find_in_room(goal, now) if goal.room else _find(goal, now)
    if isinstance(goal, PutDown):
        return _put_down(goal, now)
    return _turn_on(goal, now)


def _whole(goal: Whole) -> Decisions:
    yield Think(plan_task(goal))
    # What is turned on is turned on last.
    ordered = any(isinstance(part, TurnOn) for part in goal.parts)
    yield Expand('sequence' if ordered else 'parallel', goal.parts)


def _bring(goal: Bring) -> Decisions:
    thing = one_of(goal.thing, goal.rank)
    yield Think(f'First I need {thing} in my hand, then I put it {goal.preposition} {goal.place}.')
    yield Expand(
        'sequence',
        (Find(goal.thing, goal.rank), PutDown(goal.thing, goal.place, goal.preposition)),
    )


def _find(goal: Find, now: Situation) -> Decisions:
    thing = goal.thing
    if now.holds(thing):
        yield Think(f'I hold {now.holds(thing)} already.')
        yield Act(DONE)
        return
    wanted = one_of(thing, goal.rank)
    yield Think(f'I try to recall where I saw {wanted}.')
    yield Act(RECALL + thing)
    tried: set[tuple[str, str]] = set()
    for fact in now.knows(thing):
        if (fact.name, fact.receptacle) not in tried:
            tried.add((fact.name, fact.receptacle))
            if goal.rank > 1 and len(tried) == 1 and now.brought:
                yield Think(f'I take {fact.name}, which I have not brought yet.')
            yield from _fetch_known(fact, now)
            if now.holds(thing):
                yield Act(DONE)
                return
    others = [room for room in now.vocabulary.rooms if room != now.room]
    rooms = [now.room, *by_likelihood(others)]
    yield Think(short_list(f'I do not know where {wanted} is. Rooms to search:', rooms))
    yield Expand('fallback', tuple(Find(thing, goal.rank, room) for room in rooms))


def _fetch_known(fact: ObjectFact, now: Situation) -> Decisions:
    """Go where a thing was seen, and pick it up if it is still there."""
    if fact.room != now.room:
        yield Act(f'go to {fact.room}')
    place = fact.receptacle or fact.name
    yield from _approach(place, now)
    if not _sees_name(fact.name, now):
        yield from _open(place, now)
    yield from _pick_up(fact.name, now)


def _find_in_room(goal: Find, now: Situation) -> Decisions:
    thing, room = goal.thing, goal.room
    wanted = one_of(thing, goal.rank)
    if now.room != room:
        yield Act(f'go to {room}')
    places = [
        place
        for place in places_to_search(now.memory.facts(), room)
        if place not in now.memory.looked_at()
    ]
    listed: list[str] = []
    for index, place in enumerate(places):
        # Walking to one place may have shown what is at its neighbours.
        if place in now.memory.looked_at():
            continue
        if place not in listed:
            listed = [one for one in places[index:] if one not in now.memory.looked_at()]
            text, listed = plan_search('' if index else wanted, listed)
            yield Think(text)
        yield from _approach(place, now)
        yield from _pick_up_seen(thing, now)
        if not now.holds(thing) and now.is_closed(place):
            yield from _open(place, now)
            yield from _pick_up_seen(thing, now)
        if now.holds(thing):
            yield Act(DONE)
            return
    yield Think(f'I have looked at every place in {room} and did not find {wanted}.')
    yield Act(FAILURE)


def _pick_up_seen(thing: str, now: Situation) -> Decisions:
    for fact in now.sees(thing):
        yield from _pick_up(fact.name, now)
        if now.holds(thing):
            return


def _pick_up(name: str, now: Situation) -> Decisions:
    return _try(f'pick up {name}', now)


def _open(place: str, now: Situation) -> Decisions:
    return _try(f'open {place}', now) if now.is_closed(place) else iter(())


def _try(skill: str, now: Situation) -> Decisions:
    """Do a skill that can succeed now; once more when the hand slips."""
    for _ in range(_TRIES):
        if skill in now.observation.admissible_skills:
            yield Act(skill)


def _put_down(goal: PutDown, now: Situation) -> Decisions:
    name = now.holds(goal.thing)
    if not name:
        yield Think(f'I do not hold {one_of(goal.thing)}, so I cannot put it down.')
        yield Act(FAILURE)
        return
    yield Think(f'I hold {name} and take it to {goal.place}.')
    found: list[str] = []
    yield from _reach(goal.place, now, found)
    if not found:
        yield Act(FAILURE)
        return
    place = found[0]
    if goal.preposition == 'in':
        yield from _open(place, now)
    yield from _try(f'put down {name}', now)
    if name in now.observation.held:
        yield Act(FAILURE)
        return
    now.brought[name] = place
    yield Act(DONE)


def _turn_on(goal: TurnOn, now: Situation) -> Decisions:
    yield Think(f'I go to {goal.place}, close it if it is open, and turn it on.')
    found: list[str] = []
    yield from _reach(goal.place, now, found)
    if not found:
        yield Act(FAILURE)
        return
    place = found[0]
    yield from _try(f'close {place}', now)
    yield from _try(f'turn on {place}', now)
    yield Act(DONE if now.observation.succeeded else FAILURE)


def _reach(place_class: str, now: Situation, found: list[str]) -> Decisions:
    """Walk to a place of a class; its name ends up in `found`, which stays empty in vain."""
    place = _choose_place(place_class, now, now.observation.facts)
    if not place:
        yield Act(RECALL + place_class)
        place = _choose_place(place_class, now, now.memory.facts(place_class))
        fact = now.memory.fact(place)
        if fact is not None and fact.room != now.room:
            yield Act(f'go to {fact.room}')
    if not place:
        others = [room for room in now.vocabulary.rooms if room != now.room]
        rooms = by_likelihood(others, place_class)
        yield Think(short_list(f'I look for {place_class} in these rooms:', rooms))
        for room in rooms:
            yield Act(f'go to {room}')
            place = _choose_place(place_class, now, now.observation.facts)
            if place:
                break
    if place:
        yield from _approach(place, now)
        found.append(place)


def _choose_place(place_class: str, now: Situation, facts: Sequence[ObjectFact]) -> str:
    """The place of a class that things were brought to, else the first one; '' for none."""
    used = {place for place in now.brought.values() if class_of(place) == place_class}
    names = [fact.name for fact in facts if fact.object_class == place_class]
    if used:
        names = [name for name in names if name in used]
    return min(names, key=lambda name: int(name.rpartition(' ')[2]), default='')


def _approach(place: str, now: Situation) -> Decisions:
    """Walk to something in the room, unless the robot came there last."""
    if f'go to {place}' in now.observation.admissible_skills:
        yield Act(f'go to {place}')


def _sees_name(name: str, now: Situation) -> bool:
    return any(fact.name == name for fact in now.observation.facts)
