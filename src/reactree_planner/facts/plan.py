"""The agenda of a run: the plan under way, found by search and kept until it is contradicted.

A plan leads to a part of the goal, or to what is looked at. It is followed to its end unless a
skill fails or is not on offer, or something new of what it was made for comes to be known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum

from reactree_core.observation import Observation, Outcome
from reactree_core.skill_types import plain_name, SkillKind
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Milestone
from reactree_planner.facts.experience import Experience, Spot
from reactree_planner.facts.grounding import Grounding
from reactree_planner.facts.operators import AnyOf, Fact, Operator
from reactree_planner.facts.problem import Problem
from reactree_planner.facts.search import find_plan, Rules
from reactree_planner.facts.skills import Skill, Sort
from reactree_planner.facts.unreachable import Unreachable

#: Ends that say nothing against a skill: a person had it end, or its server was lost.
_BROKEN_OFF = (Outcome.CANCELED, Outcome.BRIDGE_LOST)
#: Plans that are made for one decision, each without what the last one began with.
MOST_PLANS = 8
#: Letters of the words in which a server refused a skill.
_LONGEST_REASON = 200


class Why(Enum):
    """Purpose of a skill."""

    PLAN = 'plan'
    LOOK = 'look'
    MAKE = 'make'


@dataclass(frozen=True, slots=True)
class Step:
    """The skill that comes next, and its purpose.

    :param skill: its text; '' where the goal is met or cannot be reached.
    :param look_for: classes that are looked for by it.
    """

    skill: str = ''
    why: Why = Why.PLAN
    look_for: tuple[str, ...] = ()
    unreachable: Unreachable | None = None

    @property
    def is_done(self) -> bool:
        """Whether all milestones were met in their order."""
        return not self.skill and self.unreachable is None


class Plan:
    """Skills that come next, and the one that was chosen last.

    :param rules: what may be done; they move on with each skill that has succeeded.
    """

    def __init__(self, belief: Belief, rules: Rules) -> None:
        self._belief = belief
        self.experience = Experience(belief)
        self.rules = rules
        self.last: Operator | None = None
        #: How often a skill was not on offer where it should have been.
        self.misses = 0
        self._next: list[Operator] = []
        #: Purpose of the plan, and what was known as it was made.
        self._purpose: tuple[Why, tuple[str, ...]] = Why.PLAN, ()
        self._made_for: tuple[object, ...] = ()

    def of_part(self) -> Plan:
        """One for a part of the work, which has not begun."""
        one = copy(self)
        one.experience = self.experience.of_part()
        one.begin_anew()
        return one

    def may_ever(self, text: str) -> bool:
        """Whether a skill may be done at some time."""
        return not self.rules.bars(text)

    def grounding(self) -> Grounding:
        """Of operators, with what the rules may ask to be done first."""
        grounding = Grounding(self._belief, self.experience, self.may_ever)
        grounding.add(self.rules.firsts(grounding.fillers.known_skills()))
        return grounding

    def problem(self, facts: Iterable[Fact]) -> Problem:
        """The planning problem of reaching some facts."""
        grounding, belief = self.grounding(), self._belief
        grounding.ground(facts)
        return Problem(grounding.operators, belief.value, belief.held, belief.most_held)

    def begin_anew(self) -> None:
        """Have nothing under way."""
        self._next, self._made_for, self.last = [], (), None

    def drop(self) -> None:
        """Have the next skill chosen anew."""
        self._next = []

    def put_back(self, text: str, goal: Milestone) -> None:
        """Have the skill that was chosen last wait: it comes next again."""
        last = self.last
        if last is not None and last.text == text:
            self.last, self._next = None, [last, *self._next]
            self.experience.take_back(text, goal)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in what is done now and next, in order."""
        last = [self.last] if self.last is not None else []
        skills = [one.skill for one in (*last, *self._next) if one.skill is not None]
        return tuple(dict.fromkeys(name for skill in skills for name in skill.names))

    # As skills end -----------------------------------------------------------------------------

    def learn(self, observation: Observation, here: Spot) -> None:
        """Take note of how a skill has ended. :param here: where it was done."""
        skill = observation.skill
        last = self.last if self.last is not None and self.last.text == skill else None
        if observation.succeeded:
            self.rules = self.rules.after(skill)
            if last is not None:
                self.experience.prove(last)
            if self.last is not None and not self._is_enough(self.last):
                # A number is not yet where it is wanted: how much is missing is reckoned anew.
                self._next = []
        elif observation.outcome in _BROKEN_OFF:
            self._next = []
            self.experience.forget_choice(skill)
        elif self._belief.has_met_a_door:
            # It is planned anew, with the place open.
            self._next = []
        elif self._belief.attempts.failures(skill):
            # It may work the next time; what is looked at may be left until it is worth that.
            if last is not None and self._purpose[0] is not Why.LOOK:
                self._next = [self._other_way(last, observation) or last, *self._next]
            else:
                self._next = []
        else:
            self._next = []
            refused = observation.outcome is Outcome.PRECONDITION_FAILED
            why = observation.text.partition('. ')[0].rstrip('.') if refused else ''
            self.experience.refuse(skill, here, why[:_LONGEST_REASON])
            if last is not None:
                self.experience.doubt(last)

    def _other_way(self, failed: Operator, observation: Observation) -> Operator | None:
        """Another skill that brings the same about here and failed less often; None for none.

        It comes before a further try of one that the robot itself says why it failed.
        """
        attempts, belief = self._belief.attempts, self._belief
        explained = observation.outcome is Outcome.EXECUTION_FAILED and observation.text
        if failed.skill is None or not explained or not belief.tells_offers:
            return None
        problem = self.problem(failed.brings)
        for number, one in enumerate(problem.operators):
            if (
                one.skill is not None
                and one.skill.type.template != failed.skill.type.template
                and set(failed.brings) <= set(one.brings)
                and attempts.failures(one.text) < attempts.failures(failed.text)
                and problem.is_applicable(number, problem.initial)
                and self._is_ready(one)
            ):
                return one
        return None

    def _is_enough(self, operator: Operator) -> bool:
        """Whether the numbers that an operator was to change are as wanted."""
        return all(
            fact[0] != 'is'
            or self._belief.number_wanted(str(fact[2])) is None
            or self._belief.is_so(str(fact[1]), str(fact[2])) is fact[3]
            for fact in operator.brings
        )

    # What comes next ---------------------------------------------------------------------------

    def kept(self, situation: tuple[object, ...]) -> Step | None:
        """The next step, where nothing has come in between.

        :param situation: what a plan depends on, besides its own effects.
        """
        if not self._next or self._made_for != (situation, self.misses):
            return None
        return self._step(self._next.pop(0)) if self._is_ready(self._next[0]) else None

    def _step(self, operator: Operator) -> Step:
        self.last = operator
        return Step(operator.text, *self._purpose)

    def begin(
        self,
        plan: Sequence[Operator],
        milestone: Milestone,
        situation: tuple[object, ...],
        purpose: tuple[Why, tuple[str, ...]],
    ) -> Step | None:
        """Begin a plan, and give its first step; None where it cannot be begun.

        :param milestone: for which. :param situation: as of `kept`.
        """
        first = plan[0]
        if not self._is_ready(first) or self.experience.is_chosen(first.text, milestone):
            return None
        self.experience.choose(first.text, milestone)
        self._next, self._made_for = list(plan[1:]), (situation, self.misses)
        self._purpose = purpose
        return self._step(first)

    def towards(
        self,
        problem: Problem,
        goal: Sequence[AnyOf],
        milestone: Milestone,
        situation: tuple[object, ...],
        purpose: tuple[Why, tuple[str, ...]] = (Why.PLAN, ()),
    ) -> Step | None:
        """Begin a plan; None where the goal is met, or none is found that can be begun.

        :param milestone: for which. :param situation: as of `kept`.
        """
        problem.aim(goal)
        for _ in range(MOST_PLANS):
            problem.capacity = self._belief.most_held
            if problem.is_met(problem.initial):
                return None
            plan = self.found(problem, milestone)
            if not plan:
                return None
            arrival = self._arrival(plan[0])
            for way in (plan, [arrival, *plan] if arrival is not None else ()):
                step = self.begin(way, milestone, situation, purpose) if way else None
                if step is not None:
                    return step
            self._miss(plan[0])
        return None

    def _arrival(self, first: Operator) -> Operator | None:
        """A way to the place where the robot is, where it came beside that for something else.

        Some things can be done at a place by whoever went to that one alone.
        """
        belief = self._belief
        way = belief.moves.get(belief.at)
        if way is None or belief.at == belief.went_to or first.text in belief.offered:
            return None
        depends = any(('at', belief.at) in need for need in first.needs)
        return Operator(way, (), ()) if depends else None

    def found(self, problem: Problem, milestone: Milestone = ()) -> Sequence[Operator]:
        """Find a plan by the rules, without what is known not to work."""
        return find_plan(problem, self.rules.foresee(), self.experience.bars(problem, milestone))

    def cost(self, problem: Problem, goal: Sequence[AnyOf]) -> float:
        """Cost of a plan, the rest estimated where only its beginning is found."""
        problem.aim(goal)
        state, cost = problem.initial, 0.0
        for one in self.found(problem):
            state = problem.after(problem.operators.index(one), state)
            cost += one.cost
        return cost + problem.cost_of(problem.goal, problem.estimate(state))

    def _is_ready(self, operator: Operator) -> bool:
        """Whether a skill is on offer, or nobody tells what is."""
        text, belief = operator.text, self._belief
        if belief.attempts.has_given_up(text) or self.rules.forbids(text):
            return False
        if self.experience.is_refused(text):
            return False
        if not belief.tells_offers or text in belief.offered:
            return True
        return operator.skill is not None and any(
            one.has_gap and one.leaves_open(operator.skill) for one in belief.offered.values()
        )

    def _miss(self, first: Operator) -> None:
        """The first step of a plan turns out not to be on offer."""
        belief = self._belief
        self.misses += 1
        if first.skill is not None and self._is_gone(first.skill):
            belief.lose(first.skill.target)
            return
        self.experience.miss(first)
        kind = first.skill.kind if first.skill else SkillKind.OTHER
        if kind is SkillKind.MOVE and first.text not in belief.offered:
            target = first.skill.target if first.skill else ''
            known = bool(belief.offered_at.get(target))
            if known and belief.sort(target) is Sort.THING:
                belief.local_things = True
            elif known and not belief.leads_to_regions:
                belief.local_moves = True

    def _is_gone(self, skill: Skill) -> bool:
        """Whether a thing that was to be taken here is neither seen nor offered here."""
        belief, name = self._belief, skill.target
        seen = {plain_name(fact.name) for fact in belief.observation.facts}
        return (
            skill.kind is SkillKind.TAKE
            and bool(seen)
            and name not in seen
            and not any(name in one.names for one in belief.offered.values())
        )
