"""What comes next: the first skill of a plan, of a look around, or of making something.

reasoner = Reasoner(vocabulary, milestones)
reasoner.see(observation)               # of a look, and after every skill
step = reasoner.next()                  # step.skill, step.is_done or step.unreachable
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from math import inf

from reactree_core.observation import Observation, Vocabulary
from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.binding import Binder, Bound
from reactree_planner.facts.conditions import Condition, Milestone, Milestones
from reactree_planner.facts.experience import Experience
from reactree_planner.facts.explore import Exploration
from reactree_planner.facts.goals import holds
from reactree_planner.facts.operators import AnyOf, Fact, Operator
from reactree_planner.facts.plan import MOST_PLANS, Plan, Step, Why
from reactree_planner.facts.problem import Problem
from reactree_planner.facts.pursuit import Pursuit
from reactree_planner.facts.search import Always, FREELY, Rules
from reactree_planner.facts.skills import Skills, Sort
from reactree_planner.facts.things import HAND
from reactree_planner.facts.unreachable import (
    blocked,
    Cause,
    hopeless,
    missing_link,
    related_to,
    taken_back,
    too_many,
    unmet_need,
    Unreachable,
)

#: How often all is looked at once more, beside once for each thing that has vanished.
_MOST_ANEW = 3


class Reasoner:
    """Plans for one goal.

    :param rules: what may be done; a callable of the text of a skill will do.
    :param belief: what is known already; None: nothing.
    :param keeps: how likely a class of places keeps a class of things; None: all alike.
    :param given: where these conditions do not hold, nothing is to be done.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        milestones: Milestones,
        rules: Rules | Callable[[str], bool] | None = None,
        belief: Belief | None = None,
        keeps: Callable[[str, str], float] | None = None,
        given: Milestone = (),
    ) -> None:
        self.belief = Belief(vocabulary) if belief is None else belief
        rules = Always(rules) if callable(rules) else rules or FREELY
        self._plan = Plan(self.belief, rules)
        self.exploration = Exploration(self.belief, self.may_ever)
        if keeps is not None:
            self.exploration.keeps = keeps
        self.goal = Pursuit(self.belief, self.exploration, milestones, given)
        self._is_part = False
        #: Target that it set out to look at last; '' where nothing.
        self.frontier = ''
        #: How often all was looked at once more.
        self._looked_again = 0
        #: What was looked for last.
        self._looked_for: tuple[str, ...] = ()
        #: Reasoners for parts of the work.
        self._parts: list[Reasoner] = []

    @property
    def rules(self) -> Rules:
        """What may be done from now on."""
        return self._plan.rules

    @property
    def experience(self) -> Experience:
        """Experience of what has not worked."""
        return self._plan.experience

    # What is known -----------------------------------------------------------------------------

    def see(self, observation: Observation, seconds: float = 0.0) -> None:
        """Learn from a look or from a skill that has ended. :param seconds: that it took."""
        belief = self.belief
        here = belief.at, frozenset(belief.held)
        kept = [one.goal.states_kept() for one in (self, *self._parts)]
        belief.update(observation, seconds)
        self.exploration.update(observation)
        self.experience.see()
        done = belief.skills.parse(observation.skill) if observation.succeeded else None
        if observation.skill and not observation.succeeded:
            self.frontier = ''
        for one, states in zip((self, *self._parts), kept, strict=True):
            if done is not None and states:
                one.goal.supersede(states, done)
            if observation.skill:
                one._plan.learn(observation, here)

    def hear(self, observation: Observation, reader: Skills) -> None:
        """Learn from what another robot has seen or done. :param reader: of its skills."""
        with self.belief.hearing(observation, reader) as heard:
            self.belief.update(heard)
            self.exploration.update(heard)
        for one in (self, *self._parts):
            one.experience.begin_anew()

    def forget(self, part: Reasoner) -> None:
        """Have a reasoner for a part of the work learn no more."""
        self._parts = [one for one in self._parts if one is not part]

    def part(self, milestones: Milestones) -> Reasoner:
        """One that plans for a part of the work, with all that is known here."""
        one = copy(self)
        one._is_part = True
        one.goal = Pursuit(self.belief, self.exploration, milestones)
        one._plan = self._plan.of_part()
        one._begin_anew()
        self._parts.append(one)
        return one

    def put_back(self, text: str) -> None:
        """Have the skill that was chosen last wait: it comes next again."""
        self._plan.put_back(text, self.goal.standing)

    def aim(self, milestones: Milestones, met: int = 0, given: Milestone = ()) -> None:
        """Plan for another goal from now on, with all that is known.

        :param met: how many of its milestones were met already. :param given: as of the class.
        """
        meant = self.goal.meant if met else None
        self.goal = Pursuit(self.belief, self.exploration, milestones, given, met, meant)
        self.experience.begin_anew()
        self._begin_anew()
        self._parts.clear()
        if not met:
            self.belief.forget_past()

    def _begin_anew(self) -> None:
        self._plan.begin_anew()
        self._looked_for, self.frontier = (), ''

    def _may(self, text: str) -> bool:
        return not self.rules.forbids(text)

    def may_ever(self, text: str) -> bool:
        """Whether a skill may be done at some time."""
        return self._plan.may_ever(text)

    # Questions ---------------------------------------------------------------------------------

    def applicable(self) -> tuple[str, ...]:
        """Skills that can be done now and are not forbidden."""
        return tuple(text for text in self.belief.offered if self._may(text))

    def advance(self) -> Milestone:
        """Pass the milestones that are met: what the next one lacks; () where all are met."""
        goal = self.goal
        if goal.is_of_given and goal.undecided() is not None:
            # Another thing of the class may be so already.
            return goal.standing
        goal.reopen()
        while goal.met < len(goal.milestones):
            left = goal.unmet()
            if left:
                return left
            goal.pass_next()
            self.experience.begin_anew()
            if not self._is_part:
                self.belief.forget_past()
            self._plan.drop()
        return ()

    # What comes next ---------------------------------------------------------------------------

    def next(self, also: Sequence[str] = ()) -> Step:
        """The next skill; that the goal is met; or why it cannot be reached.

        :param also: classes that are looked for beside what the goal asks for, by a team: things
            are taken along before all is found.
        """
        undecided = self.goal.undecided() if self.goal.given else None
        if undecided is not None:
            return self._find_out(undecided)
        left = self.advance()
        if not left:
            return Step()
        if also:
            bound = self.bound()
            bound.missing = list(dict.fromkeys((*bound.missing, *also)))
            step = self._collected(bound)
            if step is not None:
                return step
        kept = self._plan.kept(self._situation())
        if kept is not None:
            return kept
        reason = hopeless(self.belief, left, self.may_ever) or self._never_held()
        if reason is None and not self._is_part:
            lacking = [one for one in self.goal.final if not holds(self.belief, one)]
            reason = taken_back(self.belief, lacking, self.rules)
        if reason is not None:
            return Step(unreachable=reason)
        return self._make(left) or self._act_or_look(left)

    def _never_held(self) -> Unreachable | None:
        """More things at once, in a milestone still to come, than the robot holds."""
        later = (too_many(self.belief, one) for one in self.goal.milestones[self.goal.met :])
        return next((one for one in later if one is not None), None)

    def _find_out(self, unknown: Condition) -> Step:
        """A look for what must be known before anything is done."""
        step = self._go_near(unknown.names) or self.look(unknown.names)
        if step is not None:
            return step
        cause = Cause.NOT_LOOKED if self.exploration.is_left() else Cause.NOT_KNOWN
        return Step(unreachable=Unreachable(unknown, cause, unknown.text))

    def _go_near(self, classes: Sequence[str]) -> Step | None:
        """A step towards a known place of these classes where the robot is not."""
        belief = self.belief
        names = [name for one in classes for name in belief.of_class(one)]
        near: list[Fact] = [
            ('near', name) for name in names if belief.sort(name) is not Sort.THING
        ]
        steps = (self._look_for([(fact,)], near, classes) for fact in near)
        return next((step for step in steps if step is not None), None)

    def _situation(self) -> tuple[object, ...]:
        """What a plan depends on, besides its own effects: what there is to choose from."""
        names = {name for one in self.goal.standing for name in one.names}
        known = (
            *(len(self.belief.of_class(name)) for name in sorted(names)),
            *map(self.belief.number_of_kinds, self._looked_for),
        )
        return known, len(self.belief.vanished), self.goal.met, self.belief.most_held

    def _make(self, left: Milestone) -> Step | None:
        """What is made or got next by recipes."""
        recipes = self.belief.recipes
        if not recipes.are_told:
            return None
        for one in left:
            if one.relation is not Relation.AT and recipes.tell_of(one.subject):
                missing = one.count if one.relation is Relation.HOLDING else 1
                if self.belief.stock(one.subject) >= missing:
                    continue
                offered = [s for s in self.belief.offered.values() if self._may(s.text)]
                way = recipes.way_to(one.subject, missing, offered)
                if way and way[0].skill is not None:
                    self._plan.last = None
                    return Step(way[0].skill.text, Why.MAKE)
                if way and way[0].needs != one.subject:
                    return self._fetch(way[0].needs)
        return None

    def _fetch(self, name: str) -> Step | None:
        """What a recipe needs and no recipe makes is taken where it lies."""
        wanted = (Condition(Relation.HOLDING, name),)
        bound = Binder(self.belief, self._plan.grounding(), {}).bind(wanted)
        return self._planned(bound) or self.look((name,))

    def _act_or_look(self, left: Milestone) -> Step:
        bound = self.bound()
        for _ in range(MOST_PLANS):
            misses = self._plan.misses
            step = self._collected(bound) or self._planned(bound)
            if step is not None:
                return step
            if misses == self._plan.misses:
                break
            # A skill was not on offer where it should have been: perhaps other things will do.
            bound = self.bound()
        reason = blocked(self.belief, bound)
        if reason is not None:
            return Step(unreachable=reason)
        step = None if bound.missing else self._planned_later(bound)
        if step is not None:
            return step
        missed = '' if bound.missing or bound.hopeless else self._missed_here(bound)
        if missed and all(len(group) == 1 for group in bound.goal):
            # The last step is all that is missing: to look for other things is no help.
            unmet = missing_link(self.belief, bound, left)
            return Step(unreachable=unmet or self._not_done(left[0], missed))
        look = self.look(bound.missing or [name for one in left for name in one.names])
        if look is not None:
            return look
        step = self._planned_later(bound)
        if step is not None:
            return step
        if self.experience.hope_again():
            # What was missed may be on offer by now.
            self.exploration.given_up.clear()
            return self._act_or_look(left)
        reason = missing_link(self.belief, bound, left)
        if reason is None:
            cause = Cause.NOT_LOOKED if self.exploration.is_left() else Cause.NOT_KNOWN
            reason = Unreachable(left[0], cause, left[0].text)
            reason = self._not_done(left[0], missed) if missed else reason
        return Step(unreachable=reason)

    def _collected(self, bound: Bound) -> Step | None:
        """While something is missing: things of this region are taken along as long as a hand
        stays free, and nothing is brought away before the rest is found, but to where one is.
        """
        belief, problem = self.belief, bound.problem
        spare = belief.most_held - len(belief.held)
        if spare < 1 or not bound.missing or not self.exploration.frontiers(bound.missing):
            return None
        left = [fact for group in bound.goal if not problem.has(group) for fact in group]
        spots = belief.at, belief.room
        if any(fact[0] not in ('in', 'within') or fact[2] in spots for fact in left):
            return None
        places = {name: (name, belief.holder(name)) for name in bound.carried if belief.room}
        near = [name for name in places if belief.room in map(belief.room_of, places[name])]
        if spare > 1 and near:
            goal = tuple(('in', name, HAND) for name in near)
            step = self._towards_goal(problem, [goal], Why.PLAN, bound.missing)
            if step is not None:
                return step
        return self.look(bound.missing) if belief.held else None

    def _not_done(self, condition: Condition, skill: str) -> Unreachable:
        """A skill that would meet a condition here was refused, or is not on offer."""
        unmet = unmet_need(self.belief, condition, skill)
        if unmet is not None:
            return unmet
        refusal = self.experience.refusal(skill)
        cause = Cause.REFUSED if refusal else Cause.NOT_OFFERED
        return Unreachable(condition, cause, condition.text, skill, refusal)

    def _missed_here(self, bound: Bound) -> str:
        """A skill that would meet a condition here and cannot be begun; '' for none."""
        goal = {fact for group in (*bound.goal, *bound.later) for fact in group}
        # Whoever is at a place is near it.
        goal |= {('at', fact[1]) for fact in goal if fact[0] == 'near'}
        last = (one.text for one in bound.problem.operators if not goal.isdisjoint(one.brings))
        known = self.experience
        return next((one for one in last if known.is_missed(one) or known.refusal(one)), '')

    def bound(self, begun: Collection[str] = ()) -> Bound:
        """The milestone that comes next over known things, as a problem to be solved.

        :param begun: things that are being brought already, by others.
        """
        binder = Binder(self.belief, self._plan.grounding(), self.goal.meant, begun)
        bound = binder.bind(self.goal.standing)
        self.exploration.needed = frozenset(bound.places)
        self.exploration.home = next(map(self.belief.room_of, bound.places), '')
        return bound

    def _planned(self, bound: Bound) -> Step | None:
        """The first step of a plan for what can be done with what is known."""
        every = bound.goal
        reached = [group for group in every if bound.problem.has(group)]
        single = [[*reached, group] for group in every if group not in reached]
        single = single if len(every) > 1 else []
        for goal in [every, *single]:
            step = self._towards_goal(bound.problem, goal, Why.PLAN, bound.missing)
            if step is not None:
                return step
        return None

    def _planned_later(self, bound: Bound) -> Step | None:
        """The first step towards what comes last, with what has been reached kept."""
        problem = bound.problem
        reached = [group for group in bound.goal if problem.has(group)]
        return self._towards_goal(problem, [*reached, *bound.later], Why.PLAN, bound.missing)

    def _towards_goal(
        self, problem: Problem, goal: Sequence[AnyOf], why: Why, wanted: Sequence[str]
    ) -> Step | None:
        purpose = why, tuple(wanted)
        return self._plan.towards(problem, goal, self.goal.standing, self._situation(), purpose)

    def cost(self) -> float:
        """What it costs to meet the milestone that comes next, as skills cost here; inf where no
        way is known with what is known.
        """
        if not self.goal.unmet():
            return 0.0
        bound = self.bound()
        if bound.missing or bound.hopeless:
            return inf
        return self._plan.cost(bound.problem, [*bound.goal, *bound.later])

    # Looking around ----------------------------------------------------------------------------

    @property
    def planned(self) -> tuple[str, ...]:
        """Names in what it does now and next, in order."""
        return self._plan.names

    def look(self, wanted: Sequence[str]) -> Step | None:
        """The first skill towards what is most worth looking at; None where nothing is left.

        :param wanted: classes that are looked for.
        """
        begun = self.frontier if self._looked_for == tuple(wanted) else ''
        self._looked_for = tuple(wanted)
        self.exploration.related = related_to(self.belief, self.goal.standing)
        frontiers = self.exploration.frontiers(wanted)
        for frontier in sorted(frontiers, key=lambda one: one.name != begun):
            self.frontier = frontier.name
            facts = frontier.facts
            step = self._go(frontier.text, wanted) if len(facts) == 1 else None
            step = step or self._look_for([(fact,) for fact in facts], facts, wanted)
            if step is not None:
                return step
            self.exploration.given_up.add(frontier.name)
        vanished = len(self.belief.vanished)
        if vanished and self._looked_again < vanished + _MOST_ANEW:
            self._looked_again += 1
            self.belief.begin_anew()
            self.exploration.begin_anew()
            return self.look(wanted)
        return None

    def _go(self, text: str, wanted: Sequence[str]) -> Step | None:
        """A step that leads by itself to what is looked at. :param text: '' for none."""
        skill = self.belief.offered.get(text)
        if skill is None:
            return None
        purpose = Why.LOOK, tuple(wanted)
        plan = [Operator(skill, (), ())]
        return self._plan.begin(plan, self.goal.standing, self._situation(), purpose)

    def _look_for(
        self, goal: Sequence[AnyOf], facts: Sequence[Fact], wanted: Sequence[str]
    ) -> Step | None:
        """The first step of a plan to what is looked at. :param facts: that may be asked for."""
        return self._towards_goal(self._plan.problem(facts), goal, Why.LOOK, wanted)
