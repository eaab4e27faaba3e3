"""What no robot can do alone: a plan of all robots together, and the first hand-over in it.

The operators of every robot stand in one problem. What is of a robot itself carries its name:
where it is, what it can reach, what it holds. What is of the world is shared. A plan then passes
things from robot to robot by itself, wherever one can lay down what another can take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf

from reactree_planner.facts.belief import Belief
from reactree_planner.facts.grounding import Grounding
from reactree_planner.facts.operators import Fact, FREE, Operator
from reactree_planner.facts.problem import Problem, State
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.search import find_plan
from reactree_planner.facts.skills import Sort
from reactree_planner.facts.things import HAND
from reactree_planner.team.parts import Part

#: Places where two robots may hand a thing over that a plan chooses from.
_MOST_PLACES = 2


@dataclass(frozen=True, slots=True)
class RobotOperator(Operator):
    """An operator of one robot. :param who: its name."""

    who: str = ''


def of_robot(fact: Fact, who: str) -> Fact:
    """A fact as one robot's reasoner has it, with its name where it is about the robot."""
    match fact:
        case ('at' | 'room' as kind, value):
            return kind, who, value
        case ('near', name):
            return 'near', name, who
        case ('free',):
            return 'free', who
        case ('in', thing, place) if place == HAND:
            return 'in', thing, HAND + who
        case ('is', 'robot', word, so):
            return 'is', who, word, so
    return fact


class TeamProblem(Problem):
    """Facts and operators of several robots.

    :param beliefs: of each robot. :param shared: what is known of the world.
    """

    def __init__(
        self, operators: Sequence[Operator], beliefs: Mapping[str, Belief], shared: Belief
    ) -> None:
        self._beliefs = beliefs
        self._shared = shared
        #: Facts that a thing is held, by its robot; and what it holds that no fact shows.
        self._hands: dict[str, set[int]] = {who: set() for who in beliefs}
        super().__init__(operators, self._value_of, (), 0)
        self._besides = {
            who: sum(('in', name) not in self._variables for name in belief.held)
            for who, belief in beliefs.items()
        }

    def _value_of(self, variable: tuple[str, ...]) -> str | bool:
        match variable:
            case ('at' | 'room' as kind, who):
                return self._beliefs[who].value((kind,))
            case ('in', name):
                for who, belief in self._beliefs.items():
                    if name in belief.held:
                        return HAND + who
        return self._shared.value(variable)

    def number(self, fact: Fact) -> int:
        """Of a fact; see there."""
        number = super().number(fact)
        if fact[0] == 'in' and str(fact[-1]).startswith(HAND):
            self._hands.setdefault(str(fact[-1]).removeprefix(HAND), set()).add(number)
        return number

    def _hand_of(self, index: int) -> int:
        operator = self.operators[index]
        return self.number((*FREE, operator.who if isinstance(operator, RobotOperator) else ''))

    def _has_hand(self, state: State, free: int) -> bool:
        who = str(self._facts[free][-1])
        if who not in self._beliefs:
            return False
        held = sum(fact in self._hands[who] for fact in state)
        return held + self._besides.get(who, 0) < self._beliefs[who].most_held


@dataclass(frozen=True, slots=True)
class HandOver:
    """What one robot does so that another one can go on. :param who: does it."""

    who: str
    part: Part


def first_hand_over(part: Part, robots: Mapping[str, Reasoner], shared: Belief) -> HandOver | None:
    """What is to be done first towards a part that no robot can do alone; None for no way.

    :param robots: those that are there, in their order.
    """
    things = [part.thing]
    places = _meeting_places(robots, shared)
    operators: list[Operator] = []
    for who, reasoner in robots.items():
        grounding = Grounding(reasoner.belief, reasoner.experience, reasoner.may_ever)
        for thing in things:
            for place in places:
                grounding.may_lie(thing, place)
        between: list[Fact] = [('in', thing, place) for thing in things for place in places]
        # Whoever comes after may need it in the hand, wherever it lies then.
        grounding.ground((*part.facts, *between, *((('in', thing, HAND)) for thing in things)))
        operators += (_of(who, one) for one in grounding.operators)
    problem = TeamProblem(
        list(dict.fromkeys(operators)), {who: one.belief for who, one in robots.items()}, shared
    )
    problem.aim([(fact,) for fact in part.facts])
    plan = find_plan(problem)
    return _first_link(plan, part, problem.operators)


def _of(who: str, one: Operator) -> RobotOperator:
    needs = tuple(tuple(of_robot(fact, who) for fact in group) for group in one.needs)
    brings = tuple(of_robot(fact, who) for fact in one.brings)
    return RobotOperator(one.skill, needs, brings, one.cost, one.row, who)


def _meeting_places(robots: Mapping[str, Reasoner], shared: Belief) -> list[str]:
    """Places where two robots that can hold things may meet, for each two the best."""
    known = [name for name in shared.things if shared.sort(name) is Sort.PLACE]
    reach: dict[str, dict[str, float]] = {name: {} for name in known}
    for who, reasoner in robots.items():
        belief = reasoner.belief
        if not belief.skills.can_hold:
            continue
        facts: list[Fact] = [('near', name) for name in known if name in belief.things]
        grounding = Grounding(belief, reasoner.experience, reasoner.may_ever)
        grounding.ground(facts)
        problem = Problem(grounding.operators, belief.value, belief.held, belief.most_held)
        for fact, cost in problem.costs(facts).items():
            if cost < inf:
                reach[str(fact[1])][who] = cost
    taking = set().union(*(one.belief.takes_things for one in robots.values()))
    kinds = {shared.skills.class_of(name) for name in taking}
    refusing = set().union(*(one.belief.takes_nothing for one in robots.values()))

    def rank(name: str) -> tuple[object, ...]:
        kind = shared.skills.class_of(name)
        return (
            name not in taking,
            kind not in kinds,
            name in refusing,
            shared.is_shut(name),
            sum(reach[name].values()),
        )

    ranked = sorted(known, key=rank)
    found: dict[str, None] = {}
    for pair in combinations(robots, 2):
        met = [name for name in ranked if reach[name].keys() >= set(pair)]
        found.update(dict.fromkeys(met[:_MOST_PLACES]))
    return list(found)


def _first_link(
    plan: Sequence[Operator], part: Part, operators: Sequence[Operator]
) -> HandOver | None:
    """The first thing that one robot does, and another one needs."""
    follows: dict[Fact, set[Fact]] = defaultdict(set)
    for axiom in operators:
        if axiom.skill is None:
            follows[axiom.brings[0]].update(fact for group in axiom.needs for fact in group)
    for number, one in enumerate(plan):
        if not isinstance(one, RobotOperator):
            continue
        for later in plan[number + 1 :]:
            if not isinstance(later, RobotOperator) or later.who == one.who:
                continue
            for fact in one.brings:
                if fact in part.facts:
                    continue
                laid = fact[0] == 'in' and not str(fact[2]).startswith(HAND)
                if laid and ('in', fact[1], HAND + later.who) in later.brings:
                    return HandOver(one.who, Part(str(fact[1]), (fact,), later.who))
                if fact[0] == 'is' and fact[3] is True and _is_needed(fact, one, later, follows):
                    return HandOver(one.who, Part(str(fact[1]), (fact,), later.who))
    return None


def _is_needed(
    fact: Fact, one: RobotOperator, later: RobotOperator, follows: Mapping[Fact, set[Fact]]
) -> bool:
    """Whether another robot's skill needs a state that this one brings about, or excludes.

    :param follows: what facts follow from that no skill brings about by itself.
    """
    needed = {effect for group in later.needs for effect in group}
    left = list(needed)
    while left:
        for effect in follows.get(left.pop(), ()):
            if effect not in needed:
                needed.add(effect)
                left.append(effect)
    same = {effect for effect in one.brings if effect[0] == 'is' and effect[1] == fact[1]}
    return not needed.isdisjoint(same)
