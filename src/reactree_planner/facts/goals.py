"""The goal test: whether a condition holds, and by which evidence; things a goal may be about.

A condition counts things; whether one fact of one thing holds, `reactree_core.belief.holds` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from reactree_core.belief import Fact, Source, SourceKind, Status, variable_of, Verdict
from reactree_core.belief import holds as fact_holds
from reactree_core.measures import read_comparison
from reactree_core.skill_types import Effect, Relation, SkillKind
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import (
    ALL,
    Condition,
    EVERYTHING,
    is_place_now,
    place_in,
    place_of,
)
from reactree_planner.facts.skills import Sort


@dataclass(slots=True)
class Wish:
    """Conditions on the same things: so many of a class, in a place, in some states.

    :param being: state in which all things are that it is about, or where they were; '' for any.
    :param but: things of which it is not.
    :param place: class, '' for anywhere. :param spot: the one of that class where things are
        brought; what else is to be in such a place is to be there too. :param conditions: of which
        it was made.
    """

    subject: str
    count: int
    place: str = ''
    is_held: bool = False
    states: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    spot: str = ''
    being: str = ''
    but: tuple[str, ...] = ()


def wishes(conditions: Iterable[Condition]) -> list[Wish]:
    """Conditions put together by the things that they are about; none of AT.

    "2 cup in shelf" and "2 cup is clean" mean the same two totes.
    """
    conditions = tuple(conditions)
    found: list[Wish] = []
    for one in conditions:
        if one.relation is Relation.IN:
            wish = Wish(one.subject, one.count, one.value)
        elif one.relation is Relation.HOLDING:
            wish = Wish(one.subject, one.count, is_held=True)
        else:
            continue
        wish.conditions, wish.being, wish.but = [one], one.being, one.but
        found.append(wish)
    for one in conditions:
        if one.relation is not Relation.IS:
            continue
        same = [
            wish
            for wish in found
            if (wish.subject, wish.count) == (one.subject, one.count)
            and (not one.where or wish.place == one.where)
            and (wish.being, wish.but) == (one.being, one.but)
        ]
        if not same:
            # Those that are so, where they are: none is brought there.
            place = '' if one.being else one.where
            same = [Wish(one.subject, one.count, place, being=one.being, but=one.but)]
            found += same
        same[0].states.append(one.value)
        same[0].conditions.append(one)
    return found


def is_inside(belief: Belief, name: str, place: str) -> bool:
    """Whether a thing is certainly in or on a place or a thing, or in a region."""
    if name in belief.held or name == place:
        return False
    if is_place_now(place):
        return belief.holder(name) in belief.places_with(place, but=name)
    room = belief.room_of(name)
    if room and belief.skills.is_named(room, place):
        return True
    # A drawer of a shelf is not the shelf.
    return belief.skills.is_named(belief.holder(name), place)


def meets(belief: Belief, name: str, wish: Wish) -> bool:
    """Whether one thing is as a wish wants it."""
    if wish.is_held and name not in belief.held:
        return False
    if wish.place and not is_inside(belief, name, wish.spot or wish.place):
        return False
    return all(belief.is_so(name, state) for state in wish.states)


def settle(belief: Belief, wanted: Iterable[Wish]) -> list[Wish]:
    """Choose, of each class of places, the one where most things are already.

    A place that is told by what was there is known by its own name once that was seen.
    """
    wanted = list(wanted)
    for wish in wanted:
        if (thing := place_of(wish.place)) and not is_place_now(wish.place):
            wish.place = belief.began_at(thing) or wish.place
    counts: dict[str, Counter[str]] = {}
    for wish in wanted:
        for name in candidates(belief, wish) if wish.place else ():
            if not is_inside(belief, name, wish.place):
                continue
            room = belief.room_of(name)
            in_room = bool(room) and belief.skills.is_named(room, wish.place)
            spot = room if in_room else belief.holder(name)
            counts.setdefault(wish.place, Counter())[spot] += 1 + (name in belief.placed)
    for wish in wanted:
        if wish.place in counts:
            wish.spot = counts[wish.place].most_common(1)[0][0]
    return wanted


def number_of(belief: Belief, names: Iterable[str], wish: Wish) -> int:
    """How many things these names stand for: one name without a number may stand for several."""
    total = 0
    for name in names:
        place = belief.holder(name)
        total += belief.amount(name, place) if wish.place and place else 1
    # What is held without a name of its own is told by its class alone.
    is_any = wish.is_held and not (wish.states or wish.being or wish.but)
    return max(total, belief.stock(wish.subject)) if is_any else total


def holds(
    belief: Belief,
    condition: Condition,
    together: Sequence[Condition] = (),
    unseen: bool = False,
    meant: Collection[str] = (),
) -> bool | None:
    """Test a condition; False where it is known not to hold, None where it is not known.

    :param together: conditions that are met with it, some perhaps by the same things.
    :param unseen: whether some place was not looked at: "all" of a class may be more.
    :param meant: things with which an earlier milestone was met, where it must be the same ones.
    """
    return _test(belief, condition, together, unseen, meant)[0]


def verdict_of(
    belief: Belief,
    condition: Condition,
    together: Sequence[Condition] = (),
    unseen: bool = False,
    meant: Collection[str] = (),
    now: float | None = None,
) -> Verdict:
    """Test a condition as `holds` does, and give its status with the evidence that decided.

    :param now: s, in the clock of observations; None: the time of the newest.
    """
    now = belief.now if now is None else now
    so, met, wish = _test(belief, condition, together, unseen, meant)
    if not so:
        doubts = _doubts(belief, condition, wish, now)
        status = Status.NOT_MET if so is False else Status.NOT_KNOWN
        return Verdict(so, status, doubts)
    if condition.relation is Relation.DONE:
        return _verdict_of_act(belief, condition)
    if condition.relation is Relation.AT:
        spot = belief.at or belief.room
        return fact_holds(belief.evidence, Effect(Relation.AT, '', spot), now)
    found = {name: _verdict_of_thing(belief, name, condition, now) for name in met}
    ranked = sorted(found, key=lambda name: found[name].status is not Status.VERIFIED)
    used = list(found.values())
    if condition.count != ALL and wish is not None:
        verified = [name for name in ranked if found[name].status is Status.VERIFIED]
        enough = bool(verified) and number_of(belief, verified, wish) >= condition.count
        if enough and len(verified) < len(ranked):
            used = [found[name] for name in verified]
    if not used:
        # There are none left, or what is held has a number and no names.
        is_held = condition.relation is Relation.HOLDING and not belief.tells_held
        return Verdict(True, Status.ASSUMED if is_held else Status.VERIFIED)
    status = Status.VERIFIED
    if any(one.status is not Status.VERIFIED for one in used):
        status = Status.ASSUMED
    lacking = [one for one in used if one.status is not Status.VERIFIED]
    evidence = tuple(fact for one in lacking or used for fact in one.evidence)
    return Verdict(True, status, evidence, lacking[0].doubt if lacking else '')


def _test(
    belief: Belief,
    condition: Condition,
    together: Sequence[Condition],
    unseen: bool,
    meant: Collection[str],
) -> tuple[bool | None, list[str], Wish | None]:
    """Whether a condition holds, the things that meet it, and the wish that it is part of."""
    if condition.relation is Relation.AT:
        spots = (belief.at, belief.room, *belief.holders(belief.at))
        unknown = not any(spots) and not belief.is_nowhere
        if unknown or (Relation.AT, '', '') in belief.doubted:
            return None, [], None
        there = (belief.skills.is_named(spot, condition.value) for spot in spots if spot)
        return any(there), [], None
    if condition.relation is Relation.DONE:
        return belief.done_as[condition.subject] >= condition.count, [], None
    every = dict.fromkeys((condition, *together))
    wanted = settle(belief, wishes(every))
    wish = next(one for one in wanted if condition in one.conditions)
    known = candidates(belief, wish)
    met = [name for name in known if meets(belief, name, wish)]
    if wish.count == 1:
        # Into which something else is brought, that one is meant.
        brought = {one.spot for one in wanted if one.place == wish.subject and one.spot}
        met = [name for name in met if not brought or name in brought]
    if meant and len(meant) >= condition.count != ALL:
        met = [name for name in met if name in meant]
    if condition.count == ALL:
        if wish.being and not known and not unseen:
            # None is so, of those that are known; where there are none at all, nobody knows.
            return (True if belief.of_class(condition.subject) else None), met, wish
        if not known and not unseen:
            return None, met, wish
        return len(met) == len(known) and not unseen, met, wish
    if number_of(belief, met, wish) >= condition.count:
        return True, met, wish
    if belief.doubted and any(
        _is_doubted(belief, name, wish) for name in belief.of_class(wish.subject)
    ):
        return None, met, wish
    return (False if is_knowable(belief, condition) else None), met, wish


def _verdict_of_act(belief: Belief, condition: Condition) -> Verdict:
    """Evidence that a skill was done, whose effect nobody declares.

    The word of a robot for its own acts, where its facts have sources; a world knows its acts.
    """
    if not belief.names_sources:
        return Verdict(True, Status.VERIFIED)
    source = Source(SourceKind.EFFECT, condition.subject)
    what = Effect(Relation.IS, condition.subject, 'done')
    return Verdict(True, Status.ASSUMED, (Fact(what, source, belief.now),))


def _verdict_of_thing(belief: Belief, name: str, condition: Condition, now: float) -> Verdict:
    """Evidence for a thing that meets a condition."""
    # "A crate" is any of them.
    which = belief.skills.class_of(condition.subject) != condition.subject
    if condition.relation is Relation.IS:
        effect = Effect(Relation.IS, name, condition.value)
        found = fact_holds(belief.evidence, effect, now, which)
        number = belief.number_wanted(condition.value)
        if found.holds is None and number is not None:
            # The word follows from a number.
            effect = Effect(Relation.IS, name, number.text)
            return fact_holds(belief.evidence, effect, now, which)
        return found
    if name in belief.held:
        return fact_holds(belief.evidence, Effect(Relation.HOLDING, '', name), now, which)
    holder = belief.holder(name)
    if holder:
        return fact_holds(belief.evidence, Effect(Relation.IN, name, holder), now, which)
    # Of a region it is enough that the thing was seen there.
    fact = Fact(
        Effect(Relation.IN, name, belief.room_of(name)), belief.sight, belief.things[name].seen
    )
    return Verdict(True, Status.VERIFIED if fact.time >= 0.0 else Status.ASSUMED, (fact,))


def _is_doubted(belief: Belief, name: str, wish: Wish) -> bool:
    """Whether a thing would meet a wish if what is in doubt of it were so."""
    where = (Relation.IN, name, '') in belief.doubted
    if wish.is_held and name not in belief.held and not where:
        return False
    if wish.place and not is_inside(belief, name, wish.spot or wish.place):
        if not where or not belief.skills.is_named(belief.whereabouts(name), wish.place):
            return False
    states = (Effect(Relation.IS, name, one) for one in wish.states)
    return all(
        belief.is_so(name, one.value) or variable_of(one) in belief.doubted for one in states
    )


def _doubts(
    belief: Belief, condition: Condition, wish: Wish | None, now: float
) -> tuple[Fact, ...]:
    """Evidence that leaves a condition unknown: its sources disagree or are of earlier runs."""
    found: list[Fact] = []
    for name in belief.of_class(wish.subject) if wish is not None and belief.doubted else ():
        if condition.relation is Relation.IS:
            asked = Effect(Relation.IS, name, condition.value)
        elif condition.relation is Relation.HOLDING:
            asked = Effect(Relation.HOLDING, '', name)
        else:
            asked = Effect(Relation.IN, name, belief.whereabouts(name) or condition.value)
        if variable_of(asked) in belief.doubted:
            found += fact_holds(belief.evidence, asked, now).evidence
    return tuple(found)


def candidates(belief: Belief, wish: Wish) -> list[str]:
    """Known things that a wish may be about."""
    names = belief.of_class(wish.subject)
    if wish.but or wish.subject == EVERYTHING:
        out = {other for one in wish.but for other in belief.of_class(one)}
        # Nothing is put into itself.
        out.update(belief.of_class(place_of(wish.place) or wish.place) if wish.place else ())
        names = [name for name in names if name not in out]
    if place := place_in(wish.being):
        return [name for name in names if belief.began_in(name, place)]
    if wish.subject == EVERYTHING:
        # What was seen and is lost is not forgotten.
        return [name for name in names if belief.is_located(name) or name in belief.began]
    if wish.being:
        return [name for name in names if _is_meant(belief, name, wish)]
    return [name for name in names if belief.is_located(name) or wish.states]


def _is_meant(belief: Belief, name: str, wish: Wish) -> bool:
    """Whether a thing is, or may be, one of those that are so, and where it is told to be.

    What was so is still meant: a dry plant that was watered a little is dry no more.
    """
    if belief.is_or_was(name, wish.being) is False:
        return False
    where = {one.where for one in wish.conditions if one.where}
    return all(not belief.is_located(name) or is_inside(belief, name, one) for one in where)


def is_knowable(belief: Belief, condition: Condition) -> bool:
    """Whether the run would know of a condition, once it holds."""
    skills = belief.skills
    names = [name for name in condition.names if name != EVERYTHING]
    if any(belief.sort(name) is None for name in names):
        return False
    if condition.relation is Relation.HOLDING:
        takes = skills.of_kind(SkillKind.TAKE)
        return belief.tells_held is True or (belief.tells_held is None and bool(takes))
    if condition.relation is Relation.IN:
        puts = any(
            fact.relation is Relation.IN and fact.holds
            for one in skills.types
            for fact in one.facts
        )
        return belief.tells_facts or puts
    comparison = read_comparison(condition.value)
    if comparison is not None:
        name = comparison.name
        return (name or condition.subject) in belief.measured or any(
            name in belief.things[one].measured for one in belief.of_class(condition.subject)
        )
    told = any(
        fact.relation is Relation.IS and fact.value == condition.value
        for one in skills.types
        for fact in one.facts
    )
    told |= condition.value in belief.declared or bool(belief.skills.treating(condition.value))
    return told or any(condition.value in thing.states for thing in belief.things.values())


def places_meant(belief: Belief, name: str) -> list[str]:
    """Places, regions and things that a name of a condition may be."""
    if is_place_now(name):
        return belief.places_with(name)
    if thing := place_of(name):
        return [place for place in (belief.began_at(thing),) if place]
    rooms = [room for room in belief.rooms if belief.skills.is_named(room, name)]
    if rooms:
        return rooms
    found = [one for one in belief.of_class(name) if belief.is_located(one) or one == belief.at]
    return found or [one for one in belief.of_class(name) if belief.sort(one) is not Sort.THING]
