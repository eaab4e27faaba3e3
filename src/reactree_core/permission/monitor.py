"""Whether rules held in a run that was recorded, by their formulas over its trace alone.

    skills that were sent:   scan crate 1   load crate 1   load crate 2       the end
    load only after scan:         |              |              X  broken at the third

It shares with `Permission` what a rule says (`Rule.formula`) and which skills it means, and
nothing of how a planner or a skill server keeps it: no ruling, no pruning, no look ahead. So it
finds what those have let through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from reactree_core.permission.formulas import (
    always,
    Atom,
    disjunction,
    FALSE,
    Formula,
    holds_at_end,
    Literal,
    progress,
)
from reactree_core.permission.matching import Matcher, Moment
from reactree_core.permission.rules import Rule, Rules, Tried, truth_of, Verdict
from reactree_core.permission.selector import Selector
from reactree_core.permission.spending import Amounts, exceeded, HOUR, NOTHING
from reactree_core.permission.totals import added, Sums


@dataclass(frozen=True, slots=True)
class Sent:
    """A skill that was sent and may have changed something.

    :param moment: the skill, and all that was known before it.
    :param approved: whether a person has approved it; None where the record does not say.
    :param stamp: seconds since the run's start. :param spent: on it alone.
    """

    moment: Moment
    succeeded: bool = False
    approved: bool | None = None
    stamp: float = 0.0
    spent: Amounts = NOTHING


@dataclass(frozen=True, slots=True)
class Trace:
    """What was sent in a run, in order, and how everything was at its end.

    :param ended: whether the record has the end of the run; one that may go on owes nothing yet.
    """

    sent: tuple[Sent, ...] = ()
    end: Moment = field(default_factory=lambda: Moment(''))
    ended: bool = True


class Held(Enum):
    """Whether a rule held: OPEN is what was owed when the run ended, or is owed still."""

    YES = 'held'
    BROKEN = 'broken'
    OPEN = 'left open'
    UNKNOWN = 'cannot be told'


@dataclass(frozen=True, slots=True)
class Finding:
    """What is found of one rule.

    :param at: number of the skill that broke it, from 1; 0 where it is none.
    :param why: a sentence; '' for a rule that held.
    """

    rule: str
    wording: str
    held: Held
    at: int = 0
    why: str = ''


@dataclass(frozen=True, slots=True)
class _Decided:
    """A rule with `decide` fits a skill, so that none behind it in the file is asked."""

    skill: Matcher
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _Approved:
    """A person has approved the skill."""


@dataclass(frozen=True, slots=True)
class _Any:
    """A skill is sent, and not the end."""


def audit(
    rules: Rules,
    trace: Trace,
    task_rules: Sequence[Rule] = (),
    hazards: Sequence[Rule] = (),
) -> tuple[Finding, ...]:
    """What is found of every rule, those of the task first; then of hazards and limits.

    :param task_rules: what the task's sentence forbids. :param hazards: what follows from some.
    """
    found = []
    earlier: list[Literal] = []
    for rule in (*task_rules, *rules.rules):
        found.append(_finding_of(rule, trace, tuple(earlier)))
        if rule.verdict is not None:
            earlier.append(Literal(_Decided(rule.skill, rule.verdict)))
    if rules.otherwise in (Verdict.ASK, Verdict.DENY):
        formula = _decision(rules.otherwise, Literal(_Any(), False), tuple(earlier))
        wording = 'anything that no rule allows'
        found.append(_by_formula('otherwise', wording, (formula,), trace))
    # What a rule allows is still a hazard.
    found += [_finding_of(rule, trace, ()) for rule in hazards]
    if rules.limits.per_run != NOTHING:
        found.append(_limit(rules.limits.per_run, trace))
    return tuple(found)


def _finding_of(rule: Rule, trace: Trace, earlier: Sequence[Formula]) -> Finding:
    called, wording = rule.called, rule.wording or rule.skill.wording
    if _needs_time(rule, trace):
        why = 'The record does not say the time of day.'
        return Finding(called, wording, Held.UNKNOWN, why=why)
    if rule.total is not None:
        return _total(rule, trace)
    if rule.per_hour:
        return _per_hour(rule, trace)
    if rule.verdict is not None:
        if rule.verdict is Verdict.ALLOW:
            return Finding(called, wording, Held.YES)
        formula = _decision(rule.verdict, Literal(Tried(rule.skill), False), earlier)
        return _by_formula(called, wording, (formula,), trace)
    return _by_formula(called, wording, tuple(_formulas(rule, trace)), trace)


def _needs_time(rule: Rule, trace: Trace) -> bool:
    """Whether the time of day decides what a rule says of a skill, and is not known."""
    if not isinstance(rule.skill, Selector) or not rule.skill.needs_clock:
        return False
    timeless = replace(rule.skill, between=None, days=frozenset())
    untimed = (one.moment for one in trace.sent if one.moment.when == datetime.min)
    return any(timeless.matches(moment) is not False for moment in untimed)


def _decision(verdict: Verdict, not_meant: Formula, earlier: Sequence[Formula]) -> Formula:
    """No skill that is meant, but those that a rule before decides, and of ASK those approved."""
    approved = (Literal(_Approved()),) if verdict is Verdict.ASK else ()
    return always(disjunction((not_meant, *earlier, *approved)))


def _formulas(rule: Rule, trace: Trace) -> Iterator[Formula]:
    """What a rule of a run says; with slots in common, of the things of each skill."""
    if not rule.shared:
        yield rule.formula
        return
    bindings = {one: None for sent in trace.sent for one in rule.bindings(sent.moment.skill)}
    for binding in bindings:
        yield rule.bound(binding).formula


def _by_formula(called: str, wording: str, formulas: Sequence[Formula], trace: Trace) -> Finding:
    found = [_progressed(formula, trace, unsure=False) for formula in formulas]
    worst = min(filter(None, (at for at, _ in found)), default=0)
    if worst:
        lenient = [_progressed(formula, trace, unsure=True) for formula in formulas]
        if not any(at for at, _ in lenient):
            return Finding(called, wording, Held.UNKNOWN, worst, _unknown(trace, worst))
        skill = trace.sent[worst - 1].moment.skill
        return Finding(called, wording, Held.BROKEN, worst, f'Skill {worst}, "{skill}", broke it.')
    if not all(fulfilled for _, fulfilled in found):
        when = 'when the run ended' if trace.ended else 'so far'
        why = f'What it wants was not done {when}.'
        return Finding(called, wording, Held.OPEN, why=why)
    return Finding(called, wording, Held.YES)


def _unknown(trace: Trace, at: int) -> str:
    skill = trace.sent[at - 1].moment.skill
    return f'The record does not say whether a person has approved skill {at}, "{skill}".'


def _progressed(formula: Formula, trace: Trace, unsure: bool) -> tuple[int, bool]:
    """The number of the skill that breaks a formula, 0 for none, and whether it is fulfilled.

    :param unsure: what is taken for an approval that the record does not speak of.
    """
    for number, sent in enumerate(trace.sent, start=1):
        formula = progress(formula, _truth(sent, unsure))
        if formula == FALSE:
            return number, False
    end = progress(formula, _truth(Sent(trace.end), unsure))
    return 0, holds_at_end(end)


def _truth(sent: Sent, unsure: bool) -> Callable[[Atom], bool]:
    def true(atom: Atom) -> bool:
        moment = sent.moment
        if isinstance(atom, _Any):
            return bool(moment.skill)
        if isinstance(atom, _Approved):
            return unsure if sent.approved is None else sent.approved
        if isinstance(atom, _Decided):
            meant = atom.skill.matches(moment)
            return meant is True or (meant is None and atom.verdict is not Verdict.ALLOW)
        return truth_of(atom, moment, sent.succeeded)

    return true


def _per_hour(rule: Rule, trace: Trace) -> Finding:
    """As far as one run can tell: skills of other runs in the same hour are not in its record."""
    counted: list[float] = []
    for number, sent in enumerate(trace.sent, start=1):
        if rule.skill.matches(sent.moment) is False:
            continue
        counted = [at for at in counted if sent.stamp - at < HOUR] + [sent.stamp]
        if len(counted) > (rule.at_most or 0):
            why = f'Skill {number}, "{sent.moment.skill}", is number {len(counted)} in an hour.'
            return Finding(rule.called, rule.wording, Held.BROKEN, number, why)
    return Finding(rule.called, rule.wording, Held.YES)


def _total(rule: Rule, trace: Trace) -> Finding:
    assert rule.total is not None
    sums: Sums = {}
    for number, sent in enumerate(trace.sent, start=1):
        if rule.skill.matches(sent.moment) is False:
            continue
        amounts = rule.total.amounts(rule.skill, sent.moment)
        objection = rule.total.objection(amounts, sums)
        if objection:
            why = f'Skill {number}, "{sent.moment.skill}": {objection}.'
            return Finding(rule.called, rule.wording, Held.BROKEN, number, why)
        sums = added(sums, amounts or {})
    return Finding(rule.called, rule.wording, Held.YES)


def _limit(limit: Amounts, trace: Trace) -> Finding:
    """Of skills, distance and seconds, which the record has; a limit prevents the next skill."""
    # What the model used is in decisions, and not in what was sent.
    limit = replace(limit, tokens=0, cost=0.0)
    spent = NOTHING
    for number, sent in enumerate(trace.sent, start=1):
        reached = exceeded(limit, spent, Amounts(skills=1))
        if reached:
            why = f'Skill {number}, "{sent.moment.skill}", was sent past it.'
            return Finding('limits', reached, Held.BROKEN, number, why)
        spent += sent.spent
    return Finding('limits', 'more than a run may spend', Held.YES)
