"""What was tried, and where: no plan goes round in circles, or begins with what did not work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from copy import copy
from decimal import Decimal

from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Milestone
from reactree_planner.facts.operators import Experience, Operator, Spot
from reactree_planner.facts.problem import Problem, State

#: How often a skill is done while nothing is learned or changed by it.
_MOST_REPEATS = 2
#: How often a plan begins with a skill while no more becomes known.
_MOST_CIRCLES = 4
#: Part of what was missing of a number that may be left, for it to have come nearer.
_NEARER = Decimal('0.95')
_NOWHERE: frozenset[Spot] = frozenset()


class Tried:
    """By a reasoner; those of parts of its work know of each other what does not work."""

    def __init__(self, belief: Belief, experience: Experience) -> None:
        self._belief = belief
        self._experience = experience
        #: Skills -> where the robot stood, and held, as they did not work.
        self._barred: dict[str, set[Spot]] = defaultdict(set)
        self._refusals: dict[tuple[str, Spot], str] = {}
        self._repeats: Counter[tuple[str, str]] = Counter()
        #: How often a plan began so with the same held, while no more became known.
        self._circles: Counter[tuple[object, ...]] = Counter()
        #: Of numbers in the goal: how little was missing, and how often that became less.
        self._nearest: dict[tuple[str, str], Decimal] = {}
        self._nearings = 0

    def of_part(self) -> Tried:
        """The same for a part of the work, which repeats nothing yet."""
        one = copy(self)
        one._repeats = Counter()
        return one

    def begin_anew(self) -> None:
        """Another goal is aimed at: skills may be done again for it."""
        self._repeats = Counter()
        self._circles.clear()
        self._nearest.clear()

    def forget_repeats(self) -> None:
        """Something has changed: all may be done again."""
        self._repeats.clear()

    def forgive(self, text: str, place: str) -> None:
        """It may work the next time that it is done there."""
        self._repeats.pop((text, place), None)

    def bar(self, text: str, spot: Spot, why: str = '') -> None:
        """It cannot be done there, whatever was thought. :param why: in the server's words."""
        self._barred[text].add(spot)
        if why:
            self._refusals[text, spot] = why

    def refusal(self, text: str) -> str:
        """Why the server refused a skill where the robot is; '' where it did not."""
        return self._refusals.get((text, self._spot), '')

    @property
    def _spot(self) -> Spot:
        return self._belief.at, frozenset(self._belief.held)

    def is_barred(self, text: str) -> bool:
        """Whether a skill did not work where the robot is."""
        return self._spot in self._barred.get(text, _NOWHERE)

    def miss(self, operator: Operator) -> None:
        """A skill cannot be begun here, or is not on offer where it should have been."""
        if operator.text in self._belief.offered:
            self._barred[operator.text].add(self._spot)
        else:
            self._experience.missed[operator.text].add((operator.row, self._spot))

    def is_missed(self, text: str) -> bool:
        """Whether a skill is not on offer here where it should have been."""
        return self._spot in self._experience.spots_missed(text)

    def repeat(self, text: str) -> bool:
        """Do a skill once more here; False where that was often enough."""
        key = text, self._belief.at
        may = self._repeats[key] < _MOST_REPEATS
        self._repeats[key] += may
        return may

    def begin(self, text: str, goal: Milestone, is_ready: bool) -> bool:
        """Begin a plan with a skill; False where that led nowhere often enough.

        :param goal: of the plan. :param is_ready: whether it can be begun; else it is not.
        """
        again = self._again(text, goal)
        is_new = self._circles[again] < _MOST_CIRCLES
        if not (is_ready and is_new and self.repeat(text)):
            return False
        self._circles[again] += 1
        return True

    def take_back(self, text: str, goal: Milestone) -> None:
        """What was begun last was not done."""
        here = self._belief.at
        self._repeats[text, here] -= self._repeats[text, here] > 0
        self._circles[self._again(text, goal)] -= 1

    def _again(self, text: str, goal: Milestone) -> tuple[object, ...]:
        """A beginning, with how much of the world is known, and how far numbers have come."""
        belief = self._belief
        extent = len(belief.things), len(belief.looked), len(belief.visited), self._progress(goal)
        return text, belief.at, belief.held, extent

    def _progress(self, goal: Milestone) -> int:
        """How often a number of the goal has come clearly nearer to where it is wanted."""
        for one in goal:
            is_state = one.relation is Relation.IS
            wanted = self._belief.number_wanted(one.value) if is_state else None
            if wanted is None:
                continue
            for name in self._belief.of_class(one.subject):
                now = self._belief.things[name].numbers.get(wanted.name)
                missing = wanted.missing(now) if now is not None else None
                if missing is None:
                    continue
                key, left = (name, one.value), abs(missing)
                if key not in self._nearest or left < self._nearest[key] * _NEARER:
                    self._nearest[key] = left
                    self._nearings += 1
        return self._nearings

    def bars(self, problem: Problem) -> Callable[[int, State], bool]:
        """Whether a skill is known not to work where a state has the robot."""

        def is_barred(index: int, state: State) -> bool:
            text = problem.operators[index].text
            spots = self._barred.get(text, _NOWHERE) | self._experience.spots_missed(text)
            return (
                bool(spots) and problem.spot(state) in spots and problem.is_untouched(index, state)
            )

        return is_barred
