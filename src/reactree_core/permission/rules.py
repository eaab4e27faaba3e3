"""Rules on what may be done, and what each says in linear temporal logic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from itertools import combinations
from typing import Protocol

from reactree_core.permission.formulas import (
    always,
    AtMost,
    Atom,
    atoms_of,
    conjunction,
    disjunction,
    eventually,
    FALSE,
    Formula,
    holds_at_end,
    is_satisfiable,
    Literal,
    literals_of,
    Next,
    TRUE,
    unless,
)
from reactree_core.permission.matching import (
    Binding,
    Condition,
    FactPattern,
    Matcher,
    Moment,
    SkillPattern,
)
from reactree_core.permission.selector import Selector
from reactree_core.permission.spending import Limits
from reactree_core.permission.totals import Total
from reactree_core.skill_types import SkillType

#: What people call things: a class of the skill server, and other words for it.
OtherWords = Sequence[tuple[str, ...]]
#: How approvals are signed that come by MCP, where a model may have given them.
BY_MCP = 'somebody, by MCP'
#: Atoms that rules looked at together want to be true; with more, they are looked at one by one.
_MOST_TOGETHER = 10


class Verdict(IntEnum):
    """What a rule says of a skill; the stricter is the greater."""

    ALLOW = 0
    ASK = 1
    DENY = 2


@dataclass(frozen=True, slots=True)
class Tried:
    """A skill is sent, and may have changed something."""

    skill: Matcher


@dataclass(frozen=True, slots=True)
class Done:
    """A skill has succeeded."""

    skill: Matcher


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; of `verdict`, `at_most`, `only_after`, `then` and `total` one is given.

    :param skill: what it is about. :param at_most: how often in a run, or in an hour.
    :param only_after: the skill waits until one of these was done, or holds.
    :param then: once it was sent, one of these is done, or holds, before the run ends.
    :param total: most of a number in it, in a run or in an hour.
    :param within: of `then`: in how many skills after it, 1 to 50; None: before the run ends.
    :param of_task: whether it was read from the task's sentence.
    :param of_hazard: whether it is a hazard's. :param why: what may happen, as a sentence.
    :param by_mcp: of a rule that asks, whether the answer may come by MCP.
    """

    name: str
    skill: Matcher
    verdict: Verdict | None = None
    at_most: int | None = None
    per_hour: bool = False
    only_after: tuple[Condition, ...] = ()
    then: tuple[Condition, ...] = ()
    of_task: bool = False
    total: Total | None = None
    within: int | None = None
    of_hazard: bool = False
    why: str = ''
    by_mcp: bool = True

    @property
    def called(self) -> str:
        """For sentences."""
        if self.of_task:
            return 'the task'
        return f'{"hazard" if self.of_hazard else "rule"} "{self.name}"'

    @property
    def wording(self) -> str:
        """For people and models, behind "must not:"; '' for what forbids nothing for certain."""
        skill = self.skill.wording
        if self.total:
            return self.total.wording(skill, self.per_hour)
        if self.only_after:
            return f'{skill} before {_joined(self.only_after)}'
        if self.then and self.within is not None:
            skills = 'the next skill' if self.within == 1 else f'the next {self.within} skills'
            return f'{skill} without {_joined(self.then)} in {skills}'
        if self.then:
            return f'end without {_joined(self.then)} after {skill}'
        if self.at_most:
            hour = ' in an hour' if self.per_hour else ''
            return f'{skill} more than {_times(self.at_most)}{hour}'
        return skill if self.at_most == 0 or self.verdict is Verdict.DENY else ''

    @property
    def shared(self) -> frozenset[str]:
        """Slots that stand in the skill and in what it waits for, or asks for."""
        slots = frozenset().union(*(one.slots for one in (*self.only_after, *self.then)))
        return self.skill.slots & slots if slots else slots

    @property
    def is_temporal(self) -> bool:
        """Whether it speaks of a whole run."""
        return self.verdict is None and self.total is None and not self.per_hour

    @property
    def needs_clock(self) -> bool:
        """Whether it depends on the time of day, or on the last hour."""
        return self.per_hour or (isinstance(self.skill, Selector) and self.skill.needs_clock)

    @property
    def depends_on_facts(self) -> bool:
        """Whether it holds only while something else does."""
        return isinstance(self.skill, Selector) and bool(self.skill.facts)

    def bindings(self, skill: str) -> set[Binding]:
        """Values that the shared slots may have in a skill; none where it is another skill."""
        names = sorted(self.shared)
        if not names:
            return set()
        return {tuple((name, one[name]) for name in names) for one in self.skill.readings(skill)}

    def bound(self, binding: Binding) -> Rule:
        """The rule for certain things."""
        if not binding:
            return self
        return replace(
            self,
            skill=self.skill.bound(binding),
            only_after=tuple(one.bound(binding) for one in self.only_after),
            then=tuple(one.bound(binding) for one in self.then),
        )

    @property
    def formula(self) -> Formula:
        """What it says of a run, whose positions are its skills and its end."""
        tried = Tried(self.skill)
        if self.only_after:
            return unless(Literal(tried, False), _met(self.only_after))
        if self.then:
            done = [one for one in self.then if not isinstance(one, FactPattern)]
            facts = [one for one in self.then if isinstance(one, FactPattern)]
            if self.within is not None:
                soon = _soon(_met(done), _met(facts), self.within)
                return always(disjunction((Literal(tried, False), soon)))
            # The facts that are known as a skill is sent are those from before it.
            seen = Next(eventually(_met(facts))) if facts else FALSE
            met = eventually(_met(done)) if done else FALSE
            return always(disjunction((Literal(tried, False), met, seen)))
        return AtMost(self.at_most, tried) if self.at_most is not None else TRUE


class KnownHazards(Protocol):
    """What may hurt (`hazards.Hazards`), as rules for the skills of a server."""

    @property
    def everywhere(self) -> bool:
        """Whether they count in a simulated world too."""

    def rules(
        self, types: Sequence[SkillType], other_words: OtherWords = ()
    ) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
        """Rules that ask or refuse, and rules in time."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All of a file. :param otherwise: of what no rule speaks of; None: as the robot is.

    :param limits: of a run, and of an hour. :param source: the file, for sentences.
    :param hazards: those that are on; None: none.
    :param by_mcp: whether skills may be approved by MCP at all.
    """

    rules: tuple[Rule, ...] = ()
    otherwise: Verdict | None = None
    limits: Limits = field(default_factory=Limits)
    source: str = ''
    hazards: KnownHazards | None = None
    by_mcp: bool = True


def _met(conditions: Sequence[Condition]) -> Formula:
    atoms = (one if isinstance(one, FactPattern) else Done(one) for one in conditions)
    return disjunction(Literal(atom) for atom in atoms)


def _soon(done: Formula, facts: Formula, skills: int) -> Formula:
    """At one of the next positions it is done, or is known to hold before the skill is sent."""
    formula: Formula = FALSE
    for _ in range(skills):
        formula = Next(disjunction((done, facts, formula)))
    return formula


def _joined(conditions: Sequence[Condition]) -> str:
    return ' or '.join(one.wording for one in conditions)


def _times(count: int) -> str:
    return {1: 'once', 2: 'twice'}.get(count, f'{count} times')


def truth_of(atom: Atom, moment: Moment, succeeded: bool) -> bool:
    """Whether an atom is true at a moment; a skill that may be meant counts as tried."""
    if isinstance(atom, Tried):
        return atom.skill.matches(moment) is not False
    if isinstance(atom, Done):
        return succeeded and atom.skill.matches(moment) is True
    assert isinstance(atom, FactPattern)
    return atom.matches(moment) is True


def can_be_kept(formulas: Sequence[Formula]) -> bool:
    """Whether a run can still fulfil all of them; those that have nothing in common do not count.

    Only false where no run could; what needs too long to find out counts as possible.
    """
    together = {one for one in formulas if not holds_at_end(one)}
    if not together:
        return True
    others = set(formulas) - together
    while True:
        atoms = atoms_of(*together)
        near = {
            one
            for one in others
            if any(_may_be_together(a, b) for a in atoms for b in atoms_of(one))
        }
        if not near:
            break
        together |= near
        others -= near
    if len(_wanted(together)) > _MOST_TOGETHER:
        return all(_is_possible(frozenset({one})) for one in together)
    return _is_possible(frozenset(together))


def _wanted(formulas: Iterable[Formula]) -> frozenset[Atom]:
    """Atoms that some of them want to be true."""
    literals = (one for formula in formulas for one in literals_of(formula))
    return frozenset(one.atom for one in literals if one.positive)


@lru_cache(maxsize=1024)
def _is_possible(formulas: frozenset[Formula]) -> bool:
    wanted = _wanted(formulas)
    if len(wanted) > _MOST_TOGETHER:
        return True
    positions = _positions(wanted, atoms_of(*formulas))
    return is_satisfiable(conjunction(formulas), positions)


def _positions(wanted: frozenset[Atom], atoms: frozenset[Atom]) -> Iterator[frozenset[Atom]]:
    """Sets of atoms that one skill may make true; what nobody wants, only where it must be."""
    implied = {one: frozenset(a for a in atoms if _implies(one, a)) | {one} for one in wanted}
    for size in range(len(wanted) + 1):
        for chosen in combinations(wanted, size):
            true = frozenset().union(*(implied[one] for one in chosen))
            if true & wanted != frozenset(chosen):
                continue
            if all(_may_be_together(a, b, False) for a, b in combinations(true, 2)):
                yield true


def _implies(one: Atom, other: Atom) -> bool:
    if isinstance(one, FactPattern) or isinstance(other, FactPattern):
        return False
    assert isinstance(one, Tried | Done) and isinstance(other, Tried | Done)
    is_weaker = isinstance(one, Done) or isinstance(other, Tried)
    return is_weaker and (one.skill == other.skill or other.skill.includes(one.skill))


def _may_be_together(one: Atom, other: Atom, facts: bool = True) -> bool:
    """Whether a skill may make both true. :param facts: of two facts, whether they are one."""
    if isinstance(one, FactPattern) or isinstance(other, FactPattern):
        return one == other if facts else True
    assert isinstance(one, Tried | Done) and isinstance(other, Tried | Done)
    patterns, others = one.skill.patterns, other.skill.patterns
    if not patterns or not others:
        return True
    return any(not _are_apart(a, b) for a in patterns for b in others)


def _are_apart(one: SkillPattern, other: SkillPattern) -> bool:
    return (one.is_one_skill and not other.includes(one)) or (
        other.is_one_skill and not one.includes(other)
    )
