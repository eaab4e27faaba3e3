"""Parts of the work: what is wanted of one thing, which one robot does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from reactree_core.belief import SourceKind
from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition, Milestone
from reactree_planner.facts.operators import AnyOf, Fact
from reactree_planner.facts.things import HAND, Known, Thing


@dataclass(frozen=True, slots=True)
class Part:
    """What is wanted of one thing.

    :param thing: its name with its number. :param facts: that shall hold, e.g.
        `('in', 'crate 1', 'truck 1')`.
    :param for_: the robot that can do the rest, where this is a hand-over; '' elsewhere.
    """

    thing: str
    facts: tuple[Fact, ...]
    for_: str = ''

    @property
    def conditions(self) -> Milestone:
        """The same as a goal of one robot."""
        return tuple(map(condition_of, self.facts))

    @property
    def text(self) -> str:
        """For people, e.g. 'crate 1 in truck 1'."""
        wanted = ' and '.join(one.text for one in self.conditions)
        return f'{wanted}, for {self.for_}' if self.for_ else wanted


def condition_of(fact: Fact) -> Condition:
    """A fact about one thing as a condition. :raises ValueError: it is about a robot."""
    match fact:
        case ('in', str(thing), str(place)) if place != HAND:
            return Condition(Relation.IN, thing, place)
        case ('within', str(thing), str(place)):
            return Condition(Relation.IN, thing, place)
        case ('is', str(thing), str(word), True):
            return Condition(Relation.IS, thing, word)
    raise ValueError(f'this is about a robot: {fact}')


def is_about_world(group: AnyOf) -> bool:
    """Whether robots can share the work on a group of facts: it is about a thing in the world."""
    try:
        return len(group) == 1 and bool(condition_of(group[0]))
    except ValueError:
        return False


def parts_of(groups: Iterable[AnyOf]) -> list[Part]:
    """One part a thing, in the order of the goal. :param groups: each of one fact."""
    facts: dict[str, list[Fact]] = {}
    for group in groups:
        facts.setdefault(str(group[0][1]), []).append(group[0])
    return [Part(thing, tuple(conditions)) for thing, conditions in facts.items()]


def conditions_of(parts: Sequence[Part]) -> Milestone:
    """What one robot aims at that has these parts."""
    return tuple(dict.fromkeys(one for part in parts for one in part.conditions))


@contextmanager
def as_if_done(belief: Belief, parts: Iterable[Part]) -> Iterator[None]:
    """Look at the world for a while as if parts were done that robots are at."""
    before, held = dict[str, Thing](), belief.held
    for part in parts:
        for fact in part.facts:
            name = str(fact[1])
            thing = belief.things.get(name)
            if thing is None:
                continue
            before.setdefault(name, thing)
            belief.things[name] = _changed(thing, fact, belief)
            if fact[0] in ('in', 'within'):
                belief.held = tuple(one for one in belief.held if one != name)
    try:
        yield
    finally:
        belief.things.update(before)
        belief.held = held


def _changed(thing: Thing, fact: Fact, belief: Belief) -> Thing:
    """A thing as it is once a fact holds."""
    place = str(fact[2])
    if fact[0] == 'in':
        room = belief.room_of(place) or thing.room
        return replace(thing, holder=Known(place, SourceKind.EFFECT), beside=place, room=room)
    if fact[0] == 'within':
        return replace(thing, holder=None, beside='', room=place)
    return replace(thing, states={**thing.states, place: bool(fact[3])})
