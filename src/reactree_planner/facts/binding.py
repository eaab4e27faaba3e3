"""Which things and places a goal is reached with: of what is known, the cheapest to get.

What is missing is named by its class, to be looked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from reactree_core.skill_types import Relation, SkillKind
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import ALL, Condition, place_in, place_of
from reactree_planner.facts.goals import candidates, meets, places_meant, settle, Wish, wishes
from reactree_planner.facts.grounding import Grounding
from reactree_planner.facts.operators import AnyOf, Fact
from reactree_planner.facts.problem import Problem
from reactree_planner.facts.skills import Sort
from reactree_planner.facts.things import HAND

#: Things, beyond those that are needed, and places among which is chosen.
_SPARE = 4
_MOST_PLACES = 4
#: What can be done while something is held.
_WITHOUT_HANDS = (
    SkillKind.SWITCH_ON,
    SkillKind.SWITCH_OFF,
    SkillKind.OPEN,
    SkillKind.CLOSE,
)


@dataclass(slots=True)
class Bound:
    """A goal over known things.

    :param goal: of each any fact. :param later: what comes after that.
    :param carried: things that are still to be taken and brought somewhere.
    :param missing: classes of which more is to be found.
    :param hopeless: facts for which no way is known, with their conditions.
    :param closed: the same of places where things are to be brought, whatever the things are.
    :param places: where things are brought.
    """

    problem: Problem
    grounding: Grounding
    goal: list[AnyOf] = field(default_factory=list)
    later: list[AnyOf] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    hopeless: list[tuple[Condition, Fact]] = field(default_factory=list)
    closed: list[tuple[Condition, Fact]] = field(default_factory=list)
    places: tuple[str, ...] = ()


class Binder:
    """Binds the conditions of one milestone.

    :param meant: things with which classes of earlier milestones were met.
    :param begun: things that somebody is bringing already: they come before others of their class.
    """

    def __init__(
        self,
        belief: Belief,
        grounding: Grounding,
        meant: Mapping[str, Sequence[str]],
        begun: Collection[str] = (),
    ) -> None:
        self._belief = belief
        self._grounding = grounding
        self._meant = meant
        self._begun = frozenset(begun)
        self._places: dict[str, list[str]] = {}
        self._claimed: set[str] = set()

    def bind(self, conditions: Sequence[Condition]) -> Bound:
        """Choose, and say what is missing."""
        wanted = settle(self._belief, wishes(conditions))
        for wish in wanted:
            if wish.place and wish.place not in self._places:
                found = places_meant(self._belief, wish.place)
                self._places[wish.place] = sorted(found, key=self._nearness)[:_MOST_PLACES]
        things = {id(wish): self._things(wish) for wish in wanted}
        facts: dict[Fact, None] = {}
        for wish in wanted:
            for place in self._places.get(wish.place, ()):
                facts.update(dict.fromkeys(self._open_facts(place)))
                for name in things[id(wish)]:
                    facts[self._in(name, place)] = None
            for name in things[id(wish)]:
                facts.update(dict.fromkeys(self._own_facts(name, wish)))
                if wish.place and not self._places[wish.place]:
                    # It can be taken along as its place is looked for.
                    facts['in', name, HAND] = None
        spots = [one for one in conditions if one.relation is Relation.AT]
        for one in spots:
            facts.update(dict.fromkeys(self._spots(one)))
        done: list[Fact] = [
            ('done', one.subject, str(one.count))
            for one in conditions
            if one.relation is Relation.DONE and self._belief.done_as[one.subject] < one.count
        ]
        unknown = self._unknown(wanted)
        facts.update(dict.fromkeys((*done, *unknown)))
        self._grounding.ground(facts)
        belief = self._belief
        problem = Problem(self._grounding.operators, belief.value, belief.held, belief.most_held)
        costs = problem.costs(facts)
        bound = Bound(problem, self._grounding)
        chosen = self._choose_places(wanted, things, costs, bound)
        bound.places = tuple(chosen.values())
        for wish in wanted:
            wish.spot = chosen.get(wish.place, wish.spot)
        self._claim_met(wanted, things)
        taken = [
            (wish, self._choose(wish, things[id(wish)], chosen, costs, bound)) for wish in wanted
        ]
        self._aim(taken, chosen, costs, bound)
        bound.goal += [(fact,) for fact in done]
        if unknown and not any(things[id(wish)] for wish in wanted if wish.being):
            bound.goal.append((min(unknown, key=costs.__getitem__),))
        for one in spots:
            group = self._spots(one)
            if group:
                # Whatever else is done leads away again.
                bound.later.append(group)
                if all(costs[fact] == inf for fact in group):
                    bound.closed.append((one, group[0]))
            else:
                bound.missing.append(one.value)
        bound.missing = list(dict.fromkeys(bound.missing))
        return bound

    def _nearness(self, name: str) -> tuple[bool, ...]:
        put = name in self._belief.placed.values()
        return not put, *self._grounding.fillers.distance(name)

    def _unknown(self, wanted: Sequence[Wish]) -> list[Fact]:
        """To be near things of which it is not known whether a wish is about them."""
        belief = self._belief
        return [
            ('near', name)
            for wish in wanted
            if wish.being and not place_in(wish.being)
            for name in candidates(belief, wish)
            if belief.is_or_was(name, wish.being) is None and not meets(belief, name, wish)
        ]

    def _things(self, wish: Wish) -> list[str]:
        belief = self._belief
        known = candidates(belief, wish)
        if wish.being and not place_in(wish.being):
            # Of what is not known to be so, nothing is changed.
            return [name for name in known if belief.is_or_was(name, wish.being)]
        meant = [name for name in known if name in self._meant.get(wish.subject, ())]
        if meant and len(meant) >= wish.count != ALL:
            known = meant
        if wish.count == ALL:
            return known
        ranked = sorted(
            known, key=lambda name: (not meets(belief, name, wish), *self._nearness(name))
        )
        return ranked[: wish.count + _SPARE]

    def _open_facts(self, place: str) -> list[Fact]:
        """What holds when something can be laid into a place."""
        facts: list[Fact] = [('near', place)]
        if self._belief.can_be_shut(place):
            facts += [('is', place, word, False) for word in sorted(self._belief.shut_words)]
        return facts

    def _in(self, name: str, place: str) -> Fact:
        if self._belief.sort(place) is Sort.REGION:
            return 'within', name, place
        return 'in', name, place

    def _own_facts(self, name: str, wish: Wish) -> list[Fact]:
        facts: list[Fact] = [('is', name, state, True) for state in wish.states]
        if wish.is_held:
            facts.append(('in', name, HAND))
        return facts

    def _spots(self, condition: Condition) -> AnyOf:
        belief = self._belief
        rooms = [room for room in belief.rooms if belief.skills.is_named(room, condition.value)]
        if rooms:
            return tuple(('room', room) for room in rooms)
        near = sorted(places_meant(belief, condition.value), key=self._nearness)
        return tuple(('near', place) for place in near[:_MOST_PLACES])

    def _choose_places(
        self,
        wanted: Sequence[Wish],
        things: Mapping[int, Sequence[str]],
        costs: Mapping[Fact, float],
        bound: Bound,
    ) -> dict[str, str]:
        """One place for each class: what is to be in a locker is to be in one locker."""
        chosen: dict[str, str] = {}
        for wish in wanted:
            if not wish.place or wish.place in chosen:
                continue

            def cost(place: str, wish: Wish = wish) -> float:
                ways = (costs[self._in(name, place)] for name in things[id(wish)])
                return min(ways, default=inf if things[id(wish)] else costs['near', place])

            known = self._places[wish.place]
            dead = [fact for place in known for fact in self._open_facts(place)]
            dead = [fact for fact in dead if costs[fact] == inf]
            places = [place for place in known if cost(place) < inf] or [
                # It is the things that cannot be brought.
                place
                for place in known
                if not any(fact[1] == place for fact in dead)
            ]
            if places:
                # A pot that is, or is brought, where a pot is wanted is the one that is meant.
                fit = self._fitting(wish.place, wanted)
                chosen[wish.place] = min(
                    places, key=lambda one: (one != wish.spot, one not in fit, cost(one))
                )
            else:
                bound.missing.append(place_of(wish.place) or wish.place)
                bound.closed += [(wish.conditions[0], fact) for fact in dead]
        return chosen

    def _fitting(self, place: str, wanted: Iterable[Wish]) -> set[str]:
        """Of a class of places that wishes are about too, those that meet them."""
        return {
            name
            for wish in wanted
            if wish.subject == place
            for name in candidates(self._belief, wish)
            if meets(self._belief, name, wish)
        }

    def _claim_met(self, wanted: Iterable[Wish], things: Mapping[int, Sequence[str]]) -> None:
        """What meets a wish already is not taken for another one."""
        self._met: dict[int, list[str]] = {}
        spots = {wish.place: wish.spot for wish in wanted}
        for wish in wanted:
            spot = spots.get(wish.subject, '') if wish.count == 1 else ''
            met = [
                name
                for name in things[id(wish)]
                if name not in self._claimed
                and meets(self._belief, name, wish)
                and spot in ('', name)
            ]
            if wish.count != ALL:
                met = met[: wish.count]
            if wish.place or wish.is_held:
                self._claimed.update(met)
            self._met[id(wish)] = met

    def _choose(
        self,
        wish: Wish,
        things: Sequence[str],
        chosen: Mapping[str, str],
        costs: Mapping[Fact, float],
        bound: Bound,
    ) -> list[str]:
        place = chosen.get(wish.place, '')

        def cost(name: str) -> float:
            facts = self._own_facts(name, wish)
            if place:
                facts.append(self._in(name, place))
            return sum(costs[fact] for fact in facts)

        met = self._met[id(wish)]
        moves = bool(wish.place or wish.is_held)
        free = [
            name for name in things if name not in met and not (moves and name in self._claimed)
        ]
        # What another wish is brought into is the thing that is meant.
        meant = set(chosen.values())
        ranked = sorted(free, key=lambda n: (n not in meant, n not in self._begun, cost(n)))
        possible = [name for name in ranked if cost(name) < inf]
        number = len(free) if wish.count == ALL else wish.count - sum(self._amounts(met, wish))
        taken = possible[: max(0, number)]
        if moves:
            self._claimed.update(taken)
            bound.carried += [name for name in taken if name not in self._belief.held]
        if len(taken) < number:
            tools: list[str] = []
            for name in ranked:
                dead = [fact for fact in self._own_facts(name, wish) if costs[fact] == inf]
                if place and costs[self._in(name, place)] == inf:
                    dead.append(self._in(name, place))
                bound.hopeless += [(wish.conditions[0], fact) for fact in dead]
                tools += self._tools(dead)
            # Another thing of the sort is no better without the tool.
            helps_more = not tools or len(ranked) < number
            # Which ones are meant may only be known once the thing beside them is found.
            beside = [thing for thing in (place_of(place_in(wish.being)),) if thing]
            bound.missing += [wish.subject, *beside, *tools] if helps_more else tools
        return [*met, *taken]

    def _amounts(self, names: Iterable[str], wish: Wish) -> Iterable[int]:
        belief = self._belief
        return (belief.amount(name, belief.holder(name)) if wish.place else 1 for name in names)

    def _tools(self, facts: Iterable[Fact]) -> list[str]:
        """Classes without which these states cannot be brought about."""
        belief, found = self._belief, list[str]()
        for one in belief.skills.types:
            for fact in facts:
                for sorts in one.tools_for(str(fact[2])) if fact[0] == 'is' else ():
                    index = next((i for i, s in enumerate(one.slots) if (s.name,) == sorts), -1)
                    known = [name for kind in sorts for name in belief.of_class(kind)]
                    if index >= 0:
                        known = [n for n in belief.things if belief.skills.fits(one, index, n)]
                    if not any(map(belief.is_located, known)):
                        found += sorts
        return found

    def _aim(
        self,
        taken: Sequence[tuple[Wish, Sequence[str]]],
        chosen: Mapping[str, str],
        costs: Mapping[Fact, float],
        bound: Bound,
    ) -> None:
        """The goal. States of what stays where it is come last: with all in the machine it is
        switched on, and a lamp with the thing in the hand.
        """
        belief = self._belief
        later: list[AnyOf] = []
        is_held = any(wish.is_held for wish, _ in taken)
        for wish, names in taken:
            switched = is_held and all(map(self._is_switched, wish.states))
            for name in names:
                stays = switched or belief.sort(name) is not Sort.THING
                goal = later if stays and not wish.place and not wish.is_held else bound.goal
                goal += [(fact,) for fact in self._own_facts(name, wish)]
                if wish.place in chosen:
                    if (
                        meets(belief, name, wish)
                        and belief.sort(chosen[wish.place]) is not Sort.REGION
                    ):
                        goal.append((('in', name, belief.holder(name)),))
                    else:
                        goal.append((self._in(name, chosen[wish.place]),))
        bound.later = later

    def _is_switched(self, state: str) -> bool:
        """Whether only skills that also work while something is held bring a state about."""
        makers = self._belief.skills.changers(state, True)
        return bool(makers) and all(one.kind in _WITHOUT_HANDS for one, _ in makers)
