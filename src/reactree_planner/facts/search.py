"""Greedy best-first search, and plans without detours.

A state is evaluated when it is taken, by the heuristic of `Problem.estimate`. What begins the
relaxed plan (helpful actions, Hoffmann and Nebel 2001) has a queue of its own, and both queues
take turns (Helmert 2006): where the heuristic tells nothing, the helpful way is followed all the
same.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Protocol

from reactree_core.skill_types import SkillKind
from reactree_planner.facts.operators import Operator
from reactree_planner.facts.problem import Problem, State

#: What the rest of a way weighs against what is behind.
_WEIGHT = 5.0
#: States that one search looks at.
_MOST_STATES = 120
#: Errands of a plan that are put into a better order, and skills rehearsed for that.
_MOST_ERRANDS = 16
_MOST_WORK_ON_ORDERS = 1500
#: Moves that lead to one place.
_MOST_MOVES = 3


class Rules(Protocol):
    """What may be done, and what has been done so far: a formula by progression, for example."""

    def forbids(self, skill: str) -> bool:
        """Whether a skill may not be done next."""

    def bars(self, skill: str) -> bool:
        """Whether a skill may not be done any more, whatever comes before it."""

    def firsts(self, skills: Iterable[str]) -> tuple[str, ...]:
        """Those of these skills that may have to be done first, so that others are allowed."""

    def after(self, skill: str) -> Rules:
        """The rules once a skill is done; equal where nothing has changed."""

    def owed_after(self, skill: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What a skill obliges to: names of rules, and skills of which each wants one before the
        end.
        """

    def foresee(self) -> Rules:
        """The rules as a search asks them: of what would be done."""

    @property
    def is_met(self) -> bool:
        """Whether one may end here."""


@dataclass(frozen=True)
class Always:
    """Rules that say the same at all times. :param forbidden: of the text of a skill."""

    forbidden: Callable[[str], bool]

    def forbids(self, skill: str) -> bool:
        """Whether a skill may not be done."""
        return self.forbidden(skill)

    def bars(self, skill: str) -> bool:
        """The same."""
        return self.forbidden(skill)

    def firsts(self, skills: Iterable[str]) -> tuple[str, ...]:
        """None: nothing changes what is allowed."""
        return ()

    def owed_after(self, skill: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """None: nothing has to follow."""
        return ()

    def foresee(self) -> Always:
        """The same."""
        return self

    def after(self, skill: str) -> Always:
        """The same."""
        return self

    @property
    def is_met(self) -> bool:
        """Nothing is to be done."""
        return True


#: Where nothing is forbidden.
FREELY = Always(lambda skill: False)


#: Estimate of the whole way, number, state, rules, cost so far, operators so far.
_Open = tuple[float, int, State, Rules, float, tuple[int, ...]]


def find_plan(
    problem: Problem, rules: Rules = FREELY, barred: Callable[[int, State], bool] | None = None
) -> tuple[Operator, ...]:
    """The way to the goal; () where none is found.

    What would undo other parts of the goal comes first: who is to slice and heat slices first.

    :param barred: whether an operator is known not to work in a state.
    """
    goal, path = problem.goal, tuple[int, ...]()
    state, kept = problem.initial, rules
    problem.goal = _reasonably_first(problem)
    if problem.goal:
        path = _found(problem, state, kept, barred, to_the_end=False) or ()
    problem.goal = goal
    for index in path:
        state, kept = problem.after(index, state), kept.after(problem.operators[index].text)
    rest = _found(problem, state, kept, barred, to_the_end=True)
    if rest is None and path:
        path, rest = (), _found(problem, problem.initial, rules, barred, to_the_end=True)
    if rest is None:
        return ()
    path = _shortened(problem, (*path, *rest), rules, barred)
    return tuple(problem.operators[index] for index in path)


def _reasonably_first(problem: Problem) -> list[list[int]]:
    """Parts of the goal that only skills bring about that undo other parts (reasonable orders,
    Koehler and Hoffmann 2000), and that do not hold yet.
    """
    open_ = [group[0] for group in problem.goal if len(group) == 1]
    open_ = [fact for fact in open_ if not problem.is_one([fact], problem.initial)]
    return [
        [fact]
        for fact in open_
        if any(
            problem.is_undone_by(other, fact) and not problem.is_undone_by(fact, other)
            for group in problem.goal
            for other in group
        )
    ]


def _found(
    problem: Problem,
    start: State,
    rules: Rules,
    barred: Callable[[int, State], bool] | None,
    to_the_end: bool,
) -> tuple[int, ...] | None:
    """Operators that lead from a state to the goal; None where none are found.

    :param to_the_end: whether one may stop there by the rules, too.
    """
    first = problem.estimate(start)
    cost = problem.cost_of(problem.goal, first)
    if cost == inf:
        return None
    every: list[_Open] = []
    helpful_ones: list[_Open] = [(cost, 0, start, rules, 0.0, ())]
    best_of: dict[tuple[State, Rules], float] = {}
    number = 0
    turn = 0
    while every or helpful_ones:
        turn += 1
        queue = helpful_ones if helpful_ones and (turn % 2 or not every) else every
        _, _, state, kept, spent, path = heapq.heappop(queue)
        if problem.is_met(state) and (kept.is_met or not to_the_end):
            return path
        if best_of.get((state, kept), inf) <= spent:
            continue
        best_of[state, kept] = spent
        if len(best_of) > _MOST_STATES:
            break
        estimate = first if not path else problem.estimate(state)
        left = problem.cost_of(problem.goal, estimate)
        if left == inf:
            continue
        helpful = set(problem.beginning(estimate, state))
        for index in problem.skill_operators:
            operator = problem.operators[index]
            if not problem.is_applicable(index, state) or kept.forbids(operator.text):
                continue
            if barred is not None and barred(index, state):
                continue
            then = problem.after(index, state)
            if then == state and kept.after(operator.text) == kept:
                continue
            number += 1
            then_spent = spent + operator.cost
            item = (
                then_spent + _WEIGHT * left,
                number,
                then,
                kept.after(operator.text),
                then_spent,
                (*path, index),
            )
            heapq.heappush(helpful_ones if index in helpful else every, item)
    return None


def _shortened(
    problem: Problem,
    path: tuple[int, ...],
    rules: Rules,
    barred: Callable[[int, State], bool] | None,
) -> tuple[int, ...]:
    """The same with detours left out and errands put together, as far as that is easily found.

    An errand is what is done at one place, with the moves that lead there. Each is tried earlier
    and later than it stands, with as few of its moves as it needs there; and each skill is left
    out where the goal is reached without it.
    """
    best, left = path, _MOST_WORK_ON_ORDERS

    def cost(order: Sequence[int]) -> float:
        return sum(problem.operators[index].cost for index in order)

    def better(order: Iterable[Sequence[int]]) -> bool:
        nonlocal best, left
        left -= len(best)
        kept = _kept(problem, order, rules, barred)
        if kept is None or cost(kept) >= cost(best) - 1e-9:
            return False
        best = kept
        return True

    number = 0
    while number < len(best) and left > 0:
        number += not better([(index,) for index in (*best[:number], *best[number + 1 :])])
    errands: list[tuple[int, ...]] = []
    begun: tuple[int, ...] = ()
    for index in best:
        begun += (index,)
        skill = problem.operators[index].skill
        if skill is not None and skill.kind is not SkillKind.MOVE:
            # What an errand before it has led to may be needed to get there by itself.
            ways = errands[-1][:-1] if errands else ()
            errands.append((*ways, *begun)[-_MOST_MOVES - 1 :])
            begun = ()
    if len(errands) > _MOST_ERRANDS:
        return best
    for first, between, again in _taken_twice(problem, errands):
        # What is taken, laid down on the way and taken again is taken when it is needed.
        rest = [one for number, one in enumerate(errands) if number not in (first, between)]
        rest[again - 2] = errands[first]
        if left > 0 and better([*rest, *((index,) for index in begun)]):
            errands = rest
            break
    changed = True
    while changed and left > 0:
        changed = False
        for begin, end in product(range(len(errands)), repeat=2):
            rest = errands[:begin] + errands[begin + 1 :]
            order = [*rest[:end], errands[begin], *rest[end:]]
            if begin != end and left > 0 and better([*order, *((index,) for index in begun)]):
                errands, changed = order, True
    return best


def _taken_twice(
    problem: Problem, errands: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int, int]]:
    """Errands that take a thing, lay it down somewhere, and take it again; their numbers."""
    handled: dict[str, list[tuple[int, SkillKind]]] = {}
    for number, errand in enumerate(errands):
        skill = problem.operators[errand[-1]].skill
        if skill is not None and skill.kind in (SkillKind.TAKE, SkillKind.PUT):
            handled.setdefault(skill.target, []).append((number, skill.kind))
    again = [SkillKind.TAKE, SkillKind.PUT, SkillKind.TAKE]
    for done in handled.values():
        for three in zip(done, done[1:], done[2:], strict=False):
            if [kind for _, kind in three] == again:
                (first, _), (between, _), (last, _) = three
                yield first, between, last


def _kept(
    problem: Problem,
    errands: Iterable[Sequence[int]],
    rules: Rules,
    barred: Callable[[int, State], bool] | None,
) -> tuple[int, ...] | None:
    """What is needed of a way, where it reaches the goal: of each errand its last skill, with the
    fewest of the moves before it; no skill that cannot be done or changes nothing.
    """
    state, kept = problem.initial, list[int]()
    for errand in errands:
        for begin in range(len(errand) - 1, -1, -1):
            done = _done(problem, errand[begin:], state, rules, barred)
            if done is not None:
                if done != (state, rules):
                    state, rules = done
                    kept.extend(errand[begin:])
                break
    return tuple(kept) if problem.is_met(state) and rules.is_met else None


def _done(
    problem: Problem,
    skills: Iterable[int],
    state: State,
    rules: Rules,
    barred: Callable[[int, State], bool] | None,
) -> tuple[State, Rules] | None:
    """What some skills lead to, one after the other; None where one cannot be done."""
    for index in skills:
        text = problem.operators[index].text
        if not problem.is_applicable(index, state) or rules.forbids(text):
            return None
        if barred is not None and barred(index, state):
            return None
        state, rules = problem.after(index, state), rules.after(text)
    return state, rules
