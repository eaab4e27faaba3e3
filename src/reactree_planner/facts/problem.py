"""A planning problem as numbers: facts, operators, states, and the additive heuristic.

The heuristic of a state is the sum of what each fact of the goal costs by itself, as if nothing
were ever undone (Bonet and Geffner 2001).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

from reactree_planner.facts.operators import AnyOf, Fact, FREE, Operator
from reactree_planner.facts.things import HAND

State = tuple[int, ...]


class Estimate(NamedTuple):
    """What each fact costs, and by which operator it comes about."""

    costs: list[float]
    by: list[int]


class Problem:
    """Facts and operators as numbers.

    :param value: of a variable now, e.g. of `('at',)`. :param held: what the robot holds.
    :param capacity: of its hold, in things.
    """

    def __init__(
        self,
        operators: Sequence[Operator],
        value: Callable[[tuple[str, ...]], str | bool],
        held: Sequence[str],
        capacity: int,
    ) -> None:
        self.operators = operators
        self.capacity = capacity
        self._number: dict[Fact, int] = {}
        self._facts: list[Fact] = []
        self._variable: list[int] = []
        self._variables: dict[tuple[str, ...], int] = {}
        self._in_hold: set[int] = set()
        self._value = value
        self._initial: list[int] = []
        self._uses: list[list[int]] = []
        self._group_of: list[int] = []
        self._needs: list[list[list[int]]] = []
        self._brings: list[list[int]] = []
        self._axioms: dict[int, list[int]] = {}
        #: Facts that follow from others and are being asked about.
        self._asked: set[int] = set()
        for index, operator in enumerate(operators):
            self._take_in(index, operator)
        self.number(FREE)
        self._cost = [operator.cost for operator in operators]
        self._count = [len(groups) for groups in self._needs]
        #: What lays something down, which leaves a hand free.
        self._relaxed = [
            [*brings, self._hand_of(index)] if self._lays_down(index) else brings
            for index, brings in enumerate(self._brings)
        ]
        #: Facts that say that a hand is free.
        self._frees = [n for n, fact in enumerate(self._facts) if fact[0] == FREE[0]]
        #: Operators that are no consequences.
        self.skill_operators = [i for i, one in enumerate(operators) if one.skill is not None]
        self._plain = [
            [(self._variable[g[0]], g[0]) for g in groups if self._is_plain(g)]
            for groups in self._needs
        ]
        self._derived = [[g for g in groups if not self._is_plain(g)] for groups in self._needs]
        self.goal: list[list[int]] = []
        self._at = self._variables.get(('at',))
        self._others = frozenset(name for name in held if ('in', name) not in self._variables)
        #: How many things are held.
        self.held_now = len(held)

    @property
    def initial(self) -> State:
        """How everything is now."""
        return tuple(self._initial)

    def aim(self, goal: Sequence[AnyOf]) -> None:
        """Look for ways to this. :param goal: of each any fact."""
        self.goal = [[self.number(fact) for fact in group] for group in goal]

    def has(self, group: AnyOf) -> bool:
        """Whether one of these facts holds now."""
        return self.is_one([self.number(fact) for fact in group], self.initial)

    def _is_plain(self, group: Sequence[int]) -> bool:
        return len(group) == 1 and self._variable[group[0]] >= 0

    def _lays_down(self, index: int) -> bool:
        operator = self.operators[index]
        return operator.skill is not None and any(
            fact[0] == 'in' and not str(fact[2]).startswith(HAND) for fact in operator.brings
        )

    def _hand_of(self, index: int) -> int:
        """That a hand is free of who does an operator."""
        return self.number(FREE)

    def number(self, fact: Fact) -> int:
        """Of a fact; its variable has its value of now, until something changes it."""
        found = self._number.get(fact)
        if found is not None:
            return found
        number = self._number[fact] = len(self._variable)
        self._facts.append(fact)
        self._uses.append([])
        self._variable.append(-1)
        variable, value = variable_of(fact)
        if variable is None:
            return number
        index = self._variables.get(variable)
        if index is None:
            index = self._variables[variable] = len(self._initial)
            self._initial.append(-1)
            self._variable[number] = index
            told = self._value(variable)
            self._initial[index] = number if told == value else self.number((*variable, told))
        self._variable[number] = index
        if str(value).startswith(HAND):
            self._in_hold.add(number)
        return number

    def _take_in(self, index: int, operator: Operator) -> None:
        groups = []
        for group in operator.needs:
            numbers = [self.number(fact) for fact in group]
            groups.append(numbers)
            key = len(self._group_of)
            self._group_of.append(index)
            for number in numbers:
                self._uses[number].append(key)
        self._needs.append(groups)
        brings = [self.number(fact) for fact in operator.brings]
        self._brings.append(brings)
        if operator.skill is None:
            self._axioms.setdefault(brings[0], []).append(index)

    # States ----------------------------------------------------------------------------------

    def holds(self, fact: int, state: State) -> bool:
        """Whether a fact holds, by itself or as it follows."""
        variable = self._variable[fact]
        if variable >= 0:
            return state[variable] == fact
        if self._facts[fact][0] == FREE[0]:
            return self._has_hand(state, fact)
        if fact in self._asked:
            # A box in a bag in that box: nothing is shown by itself.
            return False
        self._asked.add(fact)
        try:
            return any(self.is_applicable(index, state) for index in self._axioms.get(fact, ()))
        finally:
            self._asked.discard(fact)

    def _has_hand(self, state: State, free: int) -> bool:
        """Whether a hand is free in a state. :param free: the fact that says so."""
        held = sum(fact in self._in_hold for fact in state)
        return held + len(self._others) < self.capacity

    def spot(self, state: State) -> tuple[str, frozenset[str]]:
        """Where the robot is in a state, and what it holds."""
        names = {str(self._facts[fact][1]) for fact in state if fact in self._in_hold}
        at = self._facts[state[self._at]][1] if self._at is not None else ''
        return str(at), self._others | names

    def is_untouched(self, index: int, state: State) -> bool:
        """Test that the states that an operator needs are as they are now, and that what it is
        about was laid down nowhere else.
        """
        skill = self.operators[index].skill
        for name in skill.names if skill is not None else ():
            at = self._variables.get(('in', name))
            if at is not None and state[at] != self._initial[at]:
                if state[at] not in self._in_hold:
                    return False
        needed = (fact for group in self._needs[index] for fact in group)
        states = (fact for fact in needed if self._facts[fact][0] in ('is', 'grip'))
        variables = map(self._variable.__getitem__, states)
        return all(state[number] == self._initial[number] for number in variables)

    def is_applicable(self, index: int, state: State) -> bool:
        """Whether an operator is applicable."""
        # Asked most of all: what is told by a variable alone comes first.
        for variable, fact in self._plain[index]:
            if state[variable] != fact:
                return False
        for group in self._derived[index]:
            if not any(self.holds(fact, state) for fact in group):
                return False
        return True

    def after(self, index: int, state: State) -> State:
        """The state that an operator leads to."""
        changed = list(state)
        for fact in self._brings[index]:
            changed[self._variable[fact]] = fact
        return tuple(changed)

    def is_undone_by(self, fact: int, other: int) -> bool:
        """Whether all skills that bring another fact about undo a fact."""
        variable = self._variable[fact]
        makers = [self._brings[i] for i in self.skill_operators if other in self._brings[i]]
        return bool(makers) and all(
            any(self._variable[one] == variable >= 0 and one != fact for one in brings)
            for brings in makers
        )

    def is_met(self, state: State) -> bool:
        """Whether the goal holds."""
        return all(self.is_one(group, state) for group in self.goal)

    def is_one(self, group: Sequence[int], state: State) -> bool:
        """Whether one of these facts holds."""
        return any(self.holds(fact, state) for fact in group)

    # The heuristic ---------------------------------------------------------------------------

    def estimate(self, state: State, goals: Iterable[int] | None = None) -> Estimate:
        """The heuristic: what facts cost from here.

        :param goals: None for those of the goal: the rest is cut.
        """
        costs = [inf] * len(self._variable)
        by = [-1] * len(self._variable)
        left = self._count.copy()
        sums = self._cost.copy()
        seen = bytearray(len(self._group_of))
        queue: list[tuple[float, int]] = []
        for fact in state:
            costs[fact] = 0.0
            queue.append((0.0, fact))
        for free in self._frees:
            if self._has_hand(state, free):
                costs[free] = 0.0
                queue.append((0.0, free))
        wanted = set(self._goal_facts() if goals is None else goals)
        group_of, uses, relaxed = self._group_of, self._uses, self._relaxed
        ready = [index for index, count in enumerate(left) if not count]
        while queue or ready:
            for index in ready:
                total = sums[index]
                for fact in relaxed[index]:
                    if total < costs[fact]:
                        costs[fact], by[fact] = total, index
                        heapq.heappush(queue, (total, fact))
            ready = []
            if not queue:
                break
            cost, fact = heapq.heappop(queue)
            if cost > costs[fact]:
                continue
            if fact in wanted:
                wanted.discard(fact)
                if not wanted:
                    break
            for key in uses[fact]:
                if not seen[key]:
                    seen[key] = 1
                    index = group_of[key]
                    sums[index] += cost
                    left[index] -= 1
                    if not left[index]:
                        ready.append(index)
        return Estimate(costs, by)

    def _goal_facts(self) -> set[int]:
        return {fact for group in self.goal for fact in group}

    def cost_of(self, groups: Sequence[Sequence[int]], estimate: Estimate) -> float:
        """What facts cost together, of each group the cheapest."""
        return sum(min(estimate.costs[fact] for fact in group) for group in groups)

    def beginning(self, estimate: Estimate, state: State) -> list[int]:
        """The operators of the relaxed plan that can be done now."""
        found: dict[int, None] = {}
        stack = [min(group, key=estimate.costs.__getitem__) for group in self.goal]
        done: set[int] = set()
        while stack:
            fact = stack.pop()
            index = estimate.by[fact]
            if fact in done or index < 0:
                continue
            done.add(fact)
            if self.operators[index].skill is not None and self.is_applicable(index, state):
                found[index] = None
            for group in self._needs[index]:
                stack.append(min(group, key=estimate.costs.__getitem__))
        return list(found)

    def costs(self, facts: Iterable[Fact]) -> dict[Fact, float]:
        """What facts cost from here, inf where no way is known."""
        numbers = {fact: self.number(fact) for fact in facts}
        estimate = self.estimate(self.initial, numbers.values())
        return {fact: estimate.costs[number] for fact, number in numbers.items()}


def variable_of(fact: Fact) -> tuple[tuple[str, ...] | None, str | bool]:
    """A fact's variable and its value; None of a fact that follows from others."""
    if fact[0] in ('near', 'within', 'free'):
        return None, ''
    return tuple(map(str, fact[:-1])), fact[-1]
