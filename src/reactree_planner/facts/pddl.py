"""A problem of facts in PDDL (STRIPS with typing off), for planners that others wrote.

Operators are written grounded, as they are: the reasoner grounds only what a goal needs. What
follows from other facts (near, within) is written out as the facts that it follows from; a free
hand is a count of held things, `(held-count n3)`; that a skill was executed, `(executed wave n1)`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from reactree_core.errors import ConfigurationError
from reactree_planner.facts.operators import AnyOf, Fact, FREE, Operator
from reactree_planner.facts.problem import Problem, variable_of
from reactree_planner.facts.things import HAND

#: Ways of writing out one operator, and actions of a domain.
_MOST_WAYS = 200
_MOST_ACTIONS = 20_000
_DONE = '(done)'
#: Each with its arguments.
_PREDICATES = {
    'at': ('?where',),
    'room': ('?where',),
    'held': ('?thing',),
    'in': ('?thing', '?where'),
    'grip': ('?thing', '?hand'),
    'is': ('?thing', '?state'),
    'is-not': ('?thing', '?state'),
    'held-count': ('?number',),
    'executed': ('?skill', '?times'),
    'done': (),
}
#: Words of the language that parsers take for no name.
_KEYWORDS = frozenset((
    'action', 'and', 'assign', 'at-end', 'decrease', 'define', 'domain', 'either', 'exists',
    'forall', 'goal', 'imply', 'increase', 'init', 'not', 'number', 'object', 'or', 'over-all',
    'problem', 'scale-down', 'scale-up', 'when',
))  # fmt: skip
_NUMERAL = re.compile('n[0-9]+')
_Facts = frozenset[Fact]


@dataclass(frozen=True, slots=True)
class PddlFiles:
    """Texts of a domain and a problem."""

    domain: str
    problem: str


def pddl_of(problem: Problem, goal: Sequence[AnyOf], name: str = 'run') -> PddlFiles:
    """Write a problem.

    :param goal: of each any fact.
    :raises ConfigurationError: it has too many actions.
    """
    return _Writing(problem, goal, name).files()


class _Writing:
    def __init__(self, problem: Problem, goal: Sequence[AnyOf], name: str) -> None:
        self._problem = problem
        self._goal = [tuple(group) for group in goal]
        self._name = name
        self._axioms: dict[Fact, list[Operator]] = defaultdict(list)
        for one in problem.operators:
            if one.skill is None:
                self._axioms[one.brings[0]].append(one)
        #: Values of each variable that stand anywhere.
        self._values: dict[tuple[str, ...], set[Fact]] = defaultdict(set)
        self._objects: dict[str, str] = {}
        #: Names of actions, objects and predicates: parsers take them for one namespace.
        self._names = set(_PREDICATES)
        #: Numerals that stand anywhere, in constants `n0`, `n1` ...
        self._numerals = set(range(self._most_held + 1))
        self._is_cut = False

    def files(self) -> PddlFiles:
        # First all values that a variable may have: each action takes the others back.
        ways = {
            number: list(self._conjunctions([group for group in one.needs if group != (FREE,)]))
            for number, one in enumerate(self._problem.operators)
            if one.skill is not None
        }
        ends = list(self._conjunctions(self._goal))
        for number in ways:
            for fact in self._problem.operators[number].brings:
                self._note(fact)
        actions = [
            text
            for number, needs in ways.items()
            for text in self._actions(self._problem.operators[number], needs)
        ]
        if len(actions) > _MOST_ACTIONS or not ends:
            raise ConfigurationError(
                f'This problem has {len(actions)} actions and {len(ends)} ends, which is no file '
                f'of PDDL that a planner reads: at most {_MOST_ACTIONS}, and one end.'
            )
        actions += [self._action(f'end-{n}', needs, [_DONE], []) for n, needs in enumerate(ends)]
        start = sorted(map(self._atom, self._initial()))
        held = self._problem.held_now
        start.append(f'(held-count n{held})')
        names = [*self._objects.values(), *(f'n{n}' for n in sorted(self._numerals))]
        predicates = ' '.join(f'({" ".join((name, *of))})' for name, of in _PREDICATES.items())
        cut = f'; Only the first {_MOST_WAYS} ways of a skill, or of the goal, are written out.\n'
        domain = (cut if self._is_cut else '') + (
            f'(define (domain {self._name})\n'
            '  (:requirements :strips)\n'
            f'  (:constants {" ".join(names)})\n'
            f'  (:predicates {predicates})\n\n' + '\n'.join(actions) + ')\n'
        )
        text = '\n    '.join(start)
        problem = (
            f'(define (problem {self._name}-1)\n  (:domain {self._name})\n'
            f'  (:init\n    {text})\n  (:goal {_DONE}))\n'
        )
        return PddlFiles(domain, problem)

    @property
    def _most_held(self) -> int:
        return max(self._problem.capacity, self._problem.held_now)

    def _initial(self) -> Iterator[Fact]:
        """What holds now, of all that stands anywhere."""
        for facts in list(self._values.values()):
            yield from (fact for fact in facts if self._problem.has((fact,)))

    # Actions ---------------------------------------------------------------------------------

    def _actions(self, operator: Operator, ways: Iterable[_Facts]) -> Iterator[str]:
        brings = set(operator.brings)
        takes = sum(fact[0] == 'in' and fact[2] == HAND for fact in brings)
        laid = {fact[1] for fact in brings if fact[0] == 'in' and fact[2] != HAND}
        for needs in ways:
            if not brings - needs:
                continue
            held = {fact[1] for fact in needs if fact[0] == 'in' and fact[2] == HAND}
            change = takes - len(laid & held)
            is_counted = change or (FREE,) in operator.needs
            for count in range(self._most_held + 1) if is_counted else (-1,):
                after = count + change
                if is_counted and not (0 <= after <= self._most_held):
                    continue
                if (FREE,) in operator.needs and count >= self._problem.capacity:
                    continue
                counted = [f'(held-count n{count})'] if is_counted else []
                add = [*map(self._atom, sorted(brings, key=str))]
                add += [f'(held-count n{after})'] if change else []
                gone = [self._atom(one) for fact in brings for one in self._others(fact)]
                gone += counted if change else []
                yield self._action(operator.text, needs, add, gone, counted)

    def _action(
        self,
        name: str,
        needs: Iterable[Fact],
        add: Sequence[str],
        gone: Sequence[str],
        counted: Sequence[str] = (),
    ) -> str:
        unique = self._unused(_plain(name) or 'skill')
        needed = [*sorted(map(self._atom, needs)), *counted]
        effects = [*add, *(f'(not {atom})' for atom in sorted(set(gone) - set(add)))]
        return (
            f'  ; {" ".join(name.split())}\n  (:action {unique}\n    :parameters ()\n'
            f'    :precondition (and {" ".join(needed)})\n'
            f'    :effect (and {" ".join(effects)}))\n'
        )

    # Facts -----------------------------------------------------------------------------------

    def _conjunctions(self, groups: Sequence[AnyOf]) -> Iterator[_Facts]:
        """All ways to have one fact of each group, in facts that follow from nothing."""
        each = [[way for fact in group for way in self._ways(fact)] for group in groups]
        found: dict[_Facts, None] = {}
        for number, chosen in enumerate(product(*each)):
            if number >= _MOST_WAYS:
                self._is_cut = True
                break
            whole = frozenset().union(*chosen)
            variables = [variable_of(fact)[0] for fact in whole]
            if len(set(variables)) == len(variables):
                found[whole] = None
        for one in found:
            for fact in one:
                self._note(fact)
        yield from found

    def _ways(self, fact: Fact, asked: _Facts = frozenset()) -> Iterator[_Facts]:
        if variable_of(fact)[0] is not None:
            yield frozenset({fact})
            return
        if fact in asked:
            return
        for axiom in self._axioms.get(fact, ()):
            ways = [
                [way for one in group for way in self._ways(one, asked | {fact})]
                for group in axiom.needs
            ]
            for chosen in product(*ways):
                yield frozenset().union(*chosen)

    def _note(self, fact: Fact) -> None:
        variable = variable_of(fact)[0]
        if variable is not None:
            self._values[variable].add(fact)

    def _others(self, fact: Fact) -> Iterator[Fact]:
        """What no longer holds once a fact does."""
        variable = variable_of(fact)[0]
        if variable is not None:
            yield from (one for one in self._values[variable] if one != fact)

    def _atom(self, fact: Fact) -> str:
        match fact:
            case ('is', str(name), str(word), so):
                return f'({"is" if so else "is-not"} {self._object(name)} {self._object(word)})'
            case ('in', str(name), str(place)) if place == HAND:
                return f'(held {self._object(name)})'
            case ('done', str(text), str(times)):
                self._numerals.add(int(times))
                return f'(executed {self._object(text)} n{times})'
        predicate, *names = map(str, fact)
        return f'({predicate} {" ".join(map(self._object, names))})'

    def _object(self, name: str) -> str:
        known = self._objects.get(name)
        if known is None:
            known = self._objects[name] = self._unused(_plain(name) or 'nowhere')
        return known

    def _unused(self, plain: str) -> str:
        """A name, with a number behind it where it is taken; it is taken from then on."""
        unique, number = plain, 2
        while unique in self._names:
            unique, number = f'{plain}--{number}', number + 1
        self._names.add(unique)
        return unique


def _plain(name: str) -> str:
    """A name of PDDL: letters, digits and hyphens, with a letter first, and no word of its own."""
    plain = re.sub('[^a-z0-9]+', '-', name.casefold()).strip('-')
    taken = plain in _KEYWORDS or _NUMERAL.fullmatch(plain)
    return f'x-{plain}' if taken or (plain and not plain[0].isalpha()) else plain
