"""Looking around: the way to what is most worth looking at, gone on with once it was begun."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Milestone
from reactree_planner.facts.explore import Exploration, Frontier
from reactree_planner.facts.operators import AnyOf, Fact, Operator
from reactree_planner.facts.plan import Plan
from reactree_planner.facts.skills import Sort

#: Share of the best of what could be looked at, for which one goes on as one has begun.
_STEADINESS = 0.3
#: How often all is looked at once more, beside once for each thing that has vanished.
_MOST_ANEW = 3


class Looking:
    """By one robot. :param plan: that leads to what is looked at."""

    def __init__(self, belief: Belief, exploration: Exploration, plan: Plan) -> None:
        self._belief = belief
        self._exploration = exploration
        self._plan = plan
        self._looked_again = 0
        #: What it set out to look at last; '' where nothing.
        self.frontier = ''

    def of_part(self, plan: Plan) -> Looking:
        """The same for a part of the work."""
        one = copy(self)
        one._plan, one.frontier = plan, ''
        return one

    def look(self, wanted: Sequence[str], goal: Milestone) -> Operator | None:
        """The first skill towards what is most worth looking at; None where nothing is left.

        :param wanted: classes that are looked for. :param goal: for which.
        """
        frontiers = self._exploration.frontiers(wanted)
        # What was set out for is looked at, unless it turned out to be worth little.
        least = frontiers[0].worth * _STEADINESS if frontiers else 0.0
        frontiers.sort(key=lambda one: one.name != self.frontier or one.worth < least)
        for frontier in frontiers:
            self.frontier = frontier.name
            first = self._first_to(frontier, goal)
            if first is not None:
                return first
            self._exploration.given_up.add(frontier.name)
        if self._belief.vanished and self._looked_again < len(self._belief.vanished) + _MOST_ANEW:
            self._looked_again += 1
            self._belief.begin_anew()
            self._exploration.begin_anew()
            return self.look(wanted, goal)
        return None

    def _first_to(self, frontier: Frontier, goal: Milestone) -> Operator | None:
        skill = self._belief.offered.get(frontier.text)
        failed = self._belief.attempts.has_given_up(frontier.text)
        if skill and not failed and self._plan.tried.repeat(skill.text):
            self._plan.drop()
            return Operator(skill, (), ())
        return self._begun([(fact,) for fact in frontier.facts], frontier.facts, goal)

    def go_near(self, classes: Sequence[str], goal: Milestone) -> Operator | None:
        """The first skill towards a known place of these classes where the robot is not."""
        belief = self._belief
        names = [name for one in classes for name in belief.of_class(one)]
        near: list[Fact] = [
            ('near', name) for name in names if belief.sort(name) is not Sort.THING
        ]
        firsts = (self._begun([(fact,)], near, goal) for fact in near)
        return next((first for first in firsts if first is not None), None)

    def _begun(
        self, wanted: Sequence[AnyOf], facts: Sequence[Fact], goal: Milestone
    ) -> Operator | None:
        """The first skill of a plan of which the rest is found anew."""
        problem = self._plan.problem(facts)
        first = self._plan.towards(problem, wanted, goal, ())
        self._plan.drop()
        return first
