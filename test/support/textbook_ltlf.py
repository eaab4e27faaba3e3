"""A second implementation of LTLf: the definition of De Giacomo and Vardi (2013), word by word."""

from __future__ import annotations

from random import Random

from reactree_core.permission import formulas as f


def holds(formula, trace, i=0):
    """Whether a trace fulfils a formula from a position on; `trace` is not empty."""
    last = len(trace) - 1
    if isinstance(formula, f.Constant):
        return formula.value
    if isinstance(formula, f.Literal):
        return (formula.atom in trace[i]) is formula.positive
    if isinstance(formula, f.AtMost):
        return sum(formula.atom in position for position in trace[i:]) <= formula.times
    if isinstance(formula, f.And):
        return all(holds(part, trace, i) for part in formula.parts)
    if isinstance(formula, f.Or):
        return any(holds(part, trace, i) for part in formula.parts)
    if isinstance(formula, f.Next):
        return i < last and holds(formula.then, trace, i + 1)
    if isinstance(formula, f.WeakNext):
        return i == last or holds(formula.then, trace, i + 1)
    if isinstance(formula, f.Until):
        return any(
            holds(formula.goal, trace, j)
            and all(holds(formula.before, trace, k) for k in range(i, j))
            for j in range(i, last + 1)
        )
    return all(
        holds(formula.kept, trace, j) or any(holds(formula.freed, trace, k) for k in range(i, j))
        for j in range(i, last + 1)
    )


def random_formula(random: Random, atoms: str, depth: int = 4):
    """A formula of at most this depth."""
    if not depth or random.random() < 0.15:
        literal = f.Literal(random.choice(atoms), random.random() < 0.5)
        return random.choice((f.TRUE, f.FALSE, *[literal] * 6, f.AtMost(depth, literal.atom)))
    parts = [random_formula(random, atoms, depth - 1) for _ in range(2)]
    kind = random.choice((f.Next, f.WeakNext, f.Until, f.Release, f.conjunction, f.disjunction))
    if kind in (f.conjunction, f.disjunction):
        return kind(parts)
    return kind(parts[0]) if kind in (f.Next, f.WeakNext) else kind(*parts)


def random_trace(random: Random, atoms: str, longest: int = 8):
    """A trace of 1 or more positions."""
    length = random.randint(1, longest)
    return [frozenset(one for one in atoms if random.random() < 0.5) for _ in range(length)]
