"""Experience of a run: skills that could not be done somewhere, and skills that led nowhere.

No skill is chosen twice in one situation: where the robot is, what it holds, what is known, what
it is done for. So whatever is chosen brings something new about, and a run has an end. A skill
that was not on offer where all its known needs hold is not planned for from there any more; by
the second such spot it is given up, until it is on offer or nothing else is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from copy import copy
from decimal import Decimal

from reactree_core.skill_types import plain_name, Relation, SkillKind
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Milestone
from reactree_planner.facts.operators import FREE, Operator
from reactree_planner.facts.problem import Problem, State
from reactree_planner.facts.skills import Sort

#: Where the robot was, and what it held.
Spot = tuple[str, frozenset[str]]

#: By how much longer a skill looks: by a row of the table that was doubted, and for each row.
_DOUBT = 4.0
_LATER_ROW = 1.0
#: Spots where a skill is missed before it is given up until nothing is left to look at.
_MOST_MISSES = 2
#: Part of what was missing of a number that may be left, for it to have come nearer.
_NEARER = Decimal('0.95')
_NOWHERE: frozenset[Spot] = frozenset()


class Experience:
    """By a reasoner; those of parts of its work know of each other what does not work."""

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        #: How often each row of the table was doubted, and rows that have worked.
        self._doubts: Counter[tuple[str, int]] = Counter()
        self._proven: set[tuple[str, int]] = set()
        #: Skills -> rows, and where they were not on offer although they should have been.
        self._missed: dict[str, set[tuple[int, Spot]]] = defaultdict(set)
        #: Skills -> where they were refused, and why in the server's words.
        self._refused: dict[str, dict[Spot, str]] = defaultdict(dict)
        #: The same -> where the robot had laid down what they are about.
        self._refused_with: dict[str, tuple[str, ...]] = {}
        #: Skills that take things that were seen nearby and cannot be taken.
        self._out_of_reach: set[str] = set()
        #: Most things with which in the hand something more could be taken.
        self._spare_at = 0
        #: Whether what was given up was tried once more.
        self._has_hoped = False
        #: Situations -> skills that were chosen, with how often they had failed, and when.
        self._chosen: dict[tuple[object, ...], dict[tuple[str, int], int]] = defaultdict(dict)
        #: Of numbers in the goal: how little was missing, and how often that became less.
        self._nearest: dict[tuple[str, str], Decimal] = {}
        self._nearings = 0

    def of_part(self) -> Experience:
        """The same for a part of the work, for which nothing was chosen yet."""
        one = copy(self)
        one._chosen = defaultdict(dict)
        return one

    def begin_anew(self) -> None:
        """Allow all skills again: for another milestone, or as somebody else changes things."""
        self._chosen.clear()
        self._nearest.clear()

    @property
    def _spot(self) -> Spot:
        return self._belief.at, frozenset(self._belief.held)

    # As skills end -----------------------------------------------------------------------------

    def see(self) -> None:
        """Learn from the newest observation what is on offer after all, and what is not."""
        for text in list(self._refused):
            if self._belief.placed:
                self._forget_moved(text)
        belief, offered = self._belief, self._belief.offered
        held, takes = len(belief.held), belief.skills.of_kind(SkillKind.TAKE)
        if any(one.type in takes for one in offered.values()):
            self._spare_at = max(self._spare_at, held)
        for text in offered.keys() & self._missed.keys():
            fuller = [len(spot[1]) for _, spot in self._missed.pop(text) if len(spot[1]) > held]
            if fuller and offered[text].kind is SkillKind.TAKE and belief.capacity is None:
                # A full hand explains it.
                belief.capacity = min(fuller) if min(fuller) > self._spare_at else None
        self._out_of_reach -= offered.keys()
        if held > self._spare_at or not belief.tells_offers:
            # A full hand would explain it.
            return
        for fact in belief.observation.facts:
            name, where = plain_name(fact.name), plain_name(fact.receptacle)
            # What is in a place, and not only beside the robot, may be reached from elsewhere.
            is_in = bool(belief.holder(name)) and belief.sort(where) is not Sort.THING
            is_near = name == belief.at or (where == belief.at and not is_in)
            if is_near and name not in belief.held and belief.sort(name) is Sort.THING:
                texts = (one.filled((name,)) for one in takes if len(one.slots) == 1)
                self._out_of_reach.update(text for text in texts if text not in offered)

    def prove(self, operator: Operator) -> None:
        """Know that what a row of the table says is so."""
        if operator.skill is not None and operator.row >= 0:
            self._proven.add((operator.skill.type.template, operator.row))

    def doubt(self, operator: Operator) -> None:
        """Doubt what a row of the table says."""
        if operator.skill is not None and operator.row >= 0:
            self._doubts[operator.skill.type.template, operator.row] += 1

    def refuse(self, text: str, spot: Spot, why: str = '') -> None:
        """Know that a skill cannot be done at a spot. :param why: in the server's words."""
        self._forget_moved(text)
        self._refused[text][spot] = why
        self._refused_with[text] = self._laid_down(text)

    def _laid_down(self, text: str) -> tuple[str, ...]:
        skill = self._belief.skills.parse(text)
        names = skill.names if skill is not None else ()
        return tuple(self._belief.placed.get(name, '') for name in names)

    def _forget_moved(self, text: str) -> None:
        """Drop refusals of a skill on things that the robot has laid down elsewhere since."""
        if text in self._refused and self._refused_with.get(text) != self._laid_down(text):
            del self._refused[text]

    def refusal(self, text: str) -> str:
        """Reason for which the server refused a skill where the robot is; '' where it did not."""
        return self._refused.get(text, {}).get(self._spot, '')

    def is_refused(self, text: str) -> bool:
        """Test whether a skill did not work where the robot is."""
        return self._spot in self._refused.get(text, ())

    def miss(self, operator: Operator) -> None:
        """Know that a skill cannot be begun here, although its known needs hold."""
        belief, skill = self._belief, operator.skill
        if operator.text in belief.offered:
            self.refuse(operator.text, self._spot)
        else:
            self._missed[operator.text].add((operator.row, self._spot))
        held = len(belief.held)
        if held > self._spare_at and belief.capacity is None and (FREE,) in operator.needs:
            if skill is None or belief.holder(skill.target):
                # A full hand explains it.
                belief.capacity = held
                return
        self.doubt(operator)

    def is_missed(self, text: str) -> bool:
        """Test whether a skill is not on offer here although its known needs hold."""
        return any(spot == self._spot for _, spot in self._missed.get(text, ()))

    def has_given_up(self, text: str, row: int) -> bool:
        """Test whether a skill is not planned for any more by a row of the table."""
        missed = self._missed.get(text, ())
        return text in self._out_of_reach or sum(r == row for r, _ in missed) >= _MOST_MISSES

    def hope_again(self) -> bool:
        """Forget, once in a run, what was given up; whether anything was."""
        if self._has_hoped:
            return False
        given_up = [text for text, missed in self._missed.items() if len(missed) >= _MOST_MISSES]
        self._has_hoped = bool(given_up or self._out_of_reach)
        for text in given_up:
            del self._missed[text]
        self._out_of_reach.clear()
        return self._has_hoped

    def extra_cost(self, template: str, row: int, text: str) -> float:
        """Additional cost of a skill by a row, in skills."""
        cost = _DOUBT * bool(self._missed.get(text))
        doubts = self._doubts[template, row]
        if (template, row) in self._proven or (row <= 0 and not doubts):
            return cost
        return cost + row * _LATER_ROW + _DOUBT * min(3, doubts)

    # What may come next ------------------------------------------------------------------------

    def choose(self, text: str, goal: Milestone) -> None:
        """Know that a skill is chosen in this situation. :param goal: for which."""
        self._chosen[self._situation(goal)].setdefault(self._try_of(text), self._belief.when)

    def take_back(self, text: str, goal: Milestone) -> None:
        """The skill that was chosen last was not done."""
        self._chosen[self._situation(goal)].pop(self._try_of(text), None)

    def forget_choice(self, text: str) -> None:
        """Allow a skill again in every situation: it was broken off."""
        for chosen in self._chosen.values():
            chosen.pop(self._try_of(text), None)

    def is_chosen(self, text: str, goal: Milestone) -> bool:
        """Test whether a skill was chosen in this situation before the newest observation."""
        when = self._chosen[self._situation(goal)].get(self._try_of(text))
        return when is not None and when < self._belief.when

    def bars(self, problem: Problem, goal: Milestone) -> Callable[[int, State], bool]:
        """Test whether a skill is known not to work where a state has the robot, or was chosen
        in this situation before.
        """
        start, now = problem.initial, self._belief.when
        chosen = self._chosen[self._situation(goal)]

        def is_barred(index: int, state: State) -> bool:
            operator = problem.operators[index]
            text = operator.text
            if chosen and state == start and chosen.get(self._try_of(text), now) < now:
                return True
            missed = [spot for _, spot in self._missed.get(text, ())]
            spots = {*missed, *self._refused.get(text, ())}
            if not spots or not problem.is_untouched(index, state):
                return False
            at, held = spot = problem.spot(state)
            # What cannot be taken with a hand free cannot with another thing in it either.
            return spot in spots or (
                (FREE,) in operator.needs
                and any(place == at and less <= held for place, less in missed)
            )

        return is_barred

    def _try_of(self, text: str) -> tuple[str, int]:
        """A skill; another one after each failure that says nothing against trying it again."""
        return text, self._belief.attempts.failures(text)

    def _situation(self, goal: Milestone) -> tuple[object, ...]:
        """All that a choice depends on: the robot, what is known, how far the goal is met."""
        belief = self._belief
        states = (
            (name, word)
            for name, thing in belief.things.items()
            for word, is_so in thing.states.items()
            if is_so
        )
        extent = len(belief.things), len(belief.looked), len(belief.visited), len(belief.vanished)
        places = frozenset(belief.placed.items())
        done = (belief.done_as[one.subject] for one in goal if one.relation is Relation.DONE)
        known = belief.at, belief.held, extent, places, frozenset(states), tuple(done)
        return *known, self._has_hoped, self._progress(goal)

    def _progress(self, goal: Milestone) -> int:
        """Number of times that a number of the goal has come clearly nearer to its target."""
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
