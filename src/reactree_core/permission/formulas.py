"""Linear temporal logic on finite traces (LTLf), progressed one position at a time.

A trace is a finite sequence of positions; at each, a set of atoms is true. `progress` answers what
the rest of a trace must fulfil once its first position is known (Bacchus and Kabanza, 1998), and
`holds_at_end` whether a trace that ends here has fulfilled it (De Giacomo and Vardi, 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

#: What is true or false at a position.
Atom = Hashable
#: Whether an atom is true at the position that is looked at.
Truth = Callable[[Atom], bool]


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false, whatever happens."""

    value: bool


TRUE = Constant(True)
FALSE = Constant(False)


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom is true now, or is not."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class And:
    """All of them; made by `conjunction`."""

    parts: frozenset[Formula]


@dataclass(frozen=True, slots=True)
class Or:
    """One of them; made by `disjunction`."""

    parts: frozenset[Formula]


@dataclass(frozen=True, slots=True)
class Next:
    """There is a next position, and from there on it holds."""

    then: Formula


@dataclass(frozen=True, slots=True)
class WeakNext:
    """From the next position on it holds, if there is one."""

    then: Formula


@dataclass(frozen=True, slots=True)
class Until:
    """`goal` holds at some position, and `before` at all positions before that."""

    before: Formula
    goal: Formula


@dataclass(frozen=True, slots=True)
class Release:
    """`kept` holds up to and with the first position where `freed` does; else to the end."""

    freed: Formula
    kept: Formula


@dataclass(frozen=True, slots=True)
class AtMost:
    """An atom is true at no more positions than this: a count, since nested it would double."""

    times: int
    atom: Atom


Formula = Constant | Literal | And | Or | Next | WeakNext | Until | Release | AtMost
#: There is another position; there is none.
MORE = Until(TRUE, TRUE)
NO_MORE = Release(FALSE, FALSE)


def conjunction(parts: Iterable[Formula]) -> Formula:
    """All of them, without what says nothing more."""
    return _joined(And, Or, TRUE, FALSE, parts)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """One of them, without what says nothing more."""
    return _joined(Or, And, FALSE, TRUE, parts)


def _joined(
    kind: type[And | Or],
    other: type[And | Or],
    neutral: Constant,
    absorbing: Constant,
    parts: Iterable[Formula],
) -> Formula:
    found: set[Formula] = set()
    for part in parts:
        found |= part.parts if isinstance(part, kind) else {part}
    found.discard(neutral)
    opposite = (Literal(one.atom, not one.positive) for one in found if isinstance(one, Literal))
    if absorbing in found or any(one in found for one in opposite):
        return absorbing
    # Absorption, a and (a or b) is a: formulas would grow with every position otherwise.
    found = {one for one in found if not (isinstance(one, other) and one.parts & (found - {one}))}
    if len(found) == 1:
        return found.pop()
    return kind(frozenset(found)) if found else neutral


def always(formula: Formula) -> Formula:
    """At every position."""
    return Release(FALSE, formula)


def eventually(formula: Formula) -> Formula:
    """At some position."""
    return Until(TRUE, formula)


def unless(formula: Formula, goal: Formula) -> Formula:
    """Before the first position where `goal` holds, or to the end (weak until)."""
    return Release(goal, disjunction((formula, goal)))


def progress(formula: Formula, truth: Truth) -> Formula:
    """What the rest of a trace must fulfil, given its first position."""
    if isinstance(formula, Constant):
        return formula
    if isinstance(formula, Literal):
        return TRUE if truth(formula.atom) is formula.positive else FALSE
    if isinstance(formula, And):
        return conjunction(progress(part, truth) for part in formula.parts)
    if isinstance(formula, Or):
        return disjunction(progress(part, truth) for part in formula.parts)
    if isinstance(formula, AtMost):
        if not truth(formula.atom):
            return formula
        return AtMost(formula.times - 1, formula.atom) if formula.times > 0 else FALSE
    if isinstance(formula, Next):
        return conjunction((formula.then, MORE))
    if isinstance(formula, WeakNext):
        return disjunction((formula.then, NO_MORE))
    if isinstance(formula, Until):
        goes_on = conjunction((progress(formula.before, truth), formula))
        return disjunction((progress(formula.goal, truth), goes_on))
    goes_on = disjunction((progress(formula.freed, truth), formula))
    return conjunction((progress(formula.kept, truth), goes_on))


def holds_at_end(formula: Formula) -> bool:
    """Whether a trace that has no more positions fulfils it."""
    if isinstance(formula, Constant):
        return formula.value
    if isinstance(formula, And):
        return all(map(holds_at_end, formula.parts))
    if isinstance(formula, Or):
        return any(map(holds_at_end, formula.parts))
    return isinstance(formula, WeakNext | Release | AtMost)


def literals_of(formula: Formula) -> Iterator[Literal]:
    """Its atoms, as it wants them: true or not; each once or more."""
    if isinstance(formula, Literal):
        yield formula
    elif isinstance(formula, AtMost):
        yield Literal(formula.atom, False)
    elif isinstance(formula, And | Or):
        for part in formula.parts:
            yield from literals_of(part)
    elif isinstance(formula, Next | WeakNext):
        yield from literals_of(formula.then)
    elif isinstance(formula, Until):
        yield from (*literals_of(formula.before), *literals_of(formula.goal))
    elif isinstance(formula, Release):
        yield from (*literals_of(formula.freed), *literals_of(formula.kept))


def atoms_of(*formulas: Formula) -> frozenset[Atom]:
    """Their atoms."""
    return frozenset(one.atom for formula in formulas for one in literals_of(formula))


def is_satisfiable(
    formula: Formula, positions: Iterable[frozenset[Atom]], most: int = 2000
) -> bool:
    """Whether some trace from here on fulfils it.

    :param positions: every set of atoms that may be true together; of sets that differ only in
        atoms that are wanted false, the smallest is enough.
    :param most: sets of formulas that are looked at; past that, it counts as satisfiable.
    """
    letters = tuple(positions)
    waiting = list(_ways(formula))
    seen = set(waiting)
    while waiting:
        together = waiting.pop()
        if all(map(holds_at_end, together)):
            return True
        for letter in letters:
            rest = conjunction(progress(one, letter.__contains__) for one in together)
            for way in _ways(rest) - seen:
                if len(seen) >= most:
                    return True
                seen.add(way)
                waiting.append(way)
    return False


def _ways(formula: Formula) -> frozenset[frozenset[Formula]]:
    """Sets of formulas of which one must hold as a whole (its disjunctive normal form).

    They are parts of what was begun with, so that there are not endlessly many.
    """
    if formula == FALSE:
        return frozenset()
    if formula == TRUE:
        return frozenset({frozenset()})
    if isinstance(formula, Or):
        return frozenset().union(*map(_ways, formula.parts))
    if isinstance(formula, And):
        ways = frozenset({frozenset[Formula]()})
        for part in formula.parts:
            ways = frozenset(one | other for one in ways for other in _ways(part))
        return ways
    return frozenset({frozenset({formula})})
