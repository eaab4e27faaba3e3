"""What may be done in one run: the rules of its file and its task, kept with each skill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from reactree_core.belief import Belief, Evidence
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.permission.account import Account
from reactree_core.permission.edges import Edges
from reactree_core.permission.hazards import HazardSelector, NO_HAZARDS
from reactree_core.permission.hour import Hour, hour_of
from reactree_core.permission.matching import FactPattern, Moment
from reactree_core.permission.rules import OtherWords, Rule, Rules, Verdict
from reactree_core.permission.spending import Amounts, Ledger, NOTHING
from reactree_core.permission.temporal import MOST_TEXTS, TemporalRules
from reactree_core.skill_types import SkillType

#: Outcomes after which nothing has changed: such a skill counts as never sent.
WITHOUT_EFFECT = frozenset(
    {Outcome.PRECONDITION_FAILED, Outcome.INVALID_SKILL, Outcome.SAFETY_REJECTED}
)
#: Name of what decides where no rule does.
OTHERWISE = 'otherwise'


class Known(Protocol):
    """A belief of who asks what is permitted."""

    @property
    def evidence(self) -> Evidence:
        """Facts with sources and times."""

    @property
    def now(self) -> float:
        """Time of the evidence, s."""

    def holder(self, name: str) -> str:
        """Certain holder of a thing; '' where that is not known."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is said of a skill.

    :param rule: which says it. :param reason: a sentence.
    :param lasts: whether nothing that is done will change it.
    :param ends: whether the run has nothing left to do anything with: a limit is reached.
    :param by_mcp: whether a person's answer may come by MCP.
    """

    verdict: Verdict
    rule: str
    reason: str
    lasts: bool = False
    ends: bool = False
    by_mcp: bool = True


#: Where nothing depends on the clock.
_ANY_HOUR = Hour(datetime.min)
#: Of what no rule is asked about.
FREE = Ruling(Verdict.ALLOW, '', '')


class Permission:
    """Rules at work in one run. Tell it what is seen and done; ask it before each skill.

    :param task_rules: what the task's sentence forbids. :param types: that the server declares.
    :param simulated: whether nothing but a simulated world moves.
    :param ledger: of all runs. :param hour: what the clock reads; None asks the ledger.
    :param other_words: for names, by which hazards know them, too.
    :param regions: that the server names; whether anything was seen in them or not.
    """

    def __init__(
        self,
        rules: Rules,
        simulated: bool = False,
        types: tuple[SkillType, ...] = (),
        task_rules: Sequence[Rule] = (),
        ledger: Ledger | None = None,
        hour: Callable[[], Hour] | None = None,
        other_words: OtherWords = (),
        regions: tuple[str, ...] = (),
    ) -> None:
        self._file = rules
        self._simulated = simulated
        #: That the skill server declares.
        self.types = types
        self._regions = regions
        hazards = rules.hazards or NO_HAZARDS
        if simulated and not hazards.everywhere:
            hazards = NO_HAZARDS
        #: Those that ask or refuse, beside what the rules decide.
        self._hazards, later = hazards.rules(types, other_words)
        self._rules = (*task_rules, *rules.rules, *later)
        self._edges = Edges(self._rules)
        default = Verdict.ALLOW if simulated else Verdict.ASK
        is_free = (default if rules.otherwise is None else rules.otherwise) is Verdict.ALLOW
        #: Whether there is no rule at all.
        free = is_free and not self._rules and not self._hazards
        self.forbids_nothing = free and rules.limits.is_none
        ledger = ledger if ledger is not None else Ledger()
        self._clock = hour or partial(hour_of, ledger)
        self.account = Account(rules, ledger)
        self._now = Observation('')
        self._facts: dict[str, ObjectFact] = {}
        #: What the server said of its sources; the belief of who asks, where there is one.
        self._evidence = Belief()
        #: Time of the newest of its facts, s.
        self._told_at = 0.0
        self._belief: Known | None = None
        self._temporal = TemporalRules(self._rules)
        #: By the text of a skill: hazards that it may be.
        self._may_be: dict[str, tuple[Rule, ...]] = {}
        #: The clock when something was asked last.
        self._asked = _ANY_HOUR
        #: Skills under way, with what was so as they were begun; those of a team are several.
        self._begun: dict[str, Moment] = {}
        self._merged: tuple[Observation, dict[str, ObjectFact]] | None = None

    def hour(self) -> Hour:
        """What the clock reads, where anything depends on it."""
        return self._clock() if self.needs_clock else _ANY_HOUR

    def __deepcopy__(self, memo: dict[int, object]) -> Permission:
        """Itself: who goes back to what was known before has still done what was done."""
        return self

    @property
    def must_not(self) -> tuple[str, ...]:
        """One line for each thing that is forbidden."""
        lines: dict[str, None] = {}
        may_be_allowed = False
        for rule in (*self._rules, *self._hazards):
            may_be_allowed |= rule.verdict in (Verdict.ALLOW, Verdict.ASK)
            unless = rule.verdict is Verdict.DENY and may_be_allowed and not rule.of_hazard
            if rule.wording:
                lines[f'{rule.wording}{", unless a rule allows it" if unless else ""}'] = None
        return tuple(lines)

    @property
    def needs_clock(self) -> bool:
        """Whether what it says depends on the time of day, or on the last hour."""
        return self._file.limits.per_hour != NOTHING or any(one.needs_clock for one in self._rules)

    def add(self, rules: Sequence[Rule]) -> None:
        """Let rules of the task hold from now on, beside those that hold already."""
        self._rules = (*self._rules, *rules)
        known = self._edges.known
        self._edges = Edges(self._rules)
        self._edges.known.update(known)
        self._temporal.add(rules)
        self.forbids_nothing = self.forbids_nothing and not rules

    # Before a skill --------------------------------------------------------------------------

    def ruling(self, skill: str, now: Observation | None = None) -> Ruling:
        """What is said of a skill that would be done now.

        :param now: what is seen, where that is newer than what it was given last.
        """
        self._asked = self.hour()
        ruling = self._ruling(self._moment(skill, now, self._asked), self._asked)
        return ruling if self._file.by_mcp else replace(ruling, by_mcp=False)

    def objection(self, skill: str, now: Observation | None = None) -> str:
        """Why a skill may not be done, as a sentence; '' when it may, or a person decides."""
        ruling = self.ruling(skill, now)
        return ruling.reason if ruling.verdict is Verdict.DENY else ''

    def bars(self, skill: str, now: Observation | None = None) -> bool:
        """Whether a skill may not be done in this run any more, here or at all."""
        return self.ruling(skill, now).lasts

    def begin(self, skill: str, now: Observation | None = None) -> Ruling:
        """What is said of a skill that is about to be sent; `record` takes in what came of it."""
        ruling = self.ruling(skill, now)
        moment = self._moment(skill, now, self._asked)
        self._begun[skill] = replace(moment, facts=dict(moment.facts))
        return ruling

    def permitted(self, skills: Sequence[str], now: Observation | None = None) -> tuple[str, ...]:
        """The skills that are not denied; nor that a limit denies, which ends the run."""
        if self.forbids_nothing:
            return tuple(skills)
        self._asked = hour = self.hour()
        rulings = (self._ruling(self._moment(skill, now, hour), hour) for skill in skills)
        pairs = zip(skills, rulings, strict=True)
        return tuple(skill for skill, one in pairs if one.verdict is not Verdict.DENY or one.ends)

    def _moment(self, skill: str, now: Observation | None, hour: Hour) -> Moment:
        seen = self._now if now is None else now
        facts = self._facts
        if seen is not self._now and seen.facts:
            if self._merged is None or self._merged[0] is not seen:
                newer = {fact.name: self._placed(fact) for fact in seen.facts}
                self._merged = seen, {**facts, **newer}
            facts = self._merged[1]
        evidence = self._evidence if self._belief is None else self._belief.evidence
        clock = self._told_at if self._belief is None else self._belief.now
        edges = self._edges.known
        moment = Moment(skill, seen, facts, self.types, hour.when, edges, evidence, clock)
        return replace(moment, regions=self._regions)

    def _placed(self, fact: ObjectFact) -> ObjectFact:
        """A fact with the place that the belief knows the thing to be in."""
        inside = self._belief.holder(fact.name) if self._belief is not None else ''
        return replace(fact, receptacle=inside) if inside else fact

    def _ruling(self, moment: Moment, hour: Hour) -> Ruling:
        skill = moment.skill
        for number, rule in enumerate(self._rules):
            too_much = self.account.is_used_up(number, rule, moment, hour)
            if too_much is not None:
                return self._denied(rule, skill, too_much)
        broken = self._temporal.broken_by(moment)
        if broken is not None:
            return self._denied(broken, skill)
        limit = self.account.limit_for(moment, hour)
        if limit:
            # Where it is only too far, something else may be done.
            ends = bool(self.account.limit_reached(hour, Amounts(skills=1)))
            return Ruling(Verdict.DENY, 'limits', f'{limit}; "{skill}" was not done.', ends=ends)
        decided = self._decided(moment)
        meant = (rule for rule in self._hazards_of(moment) if rule.skill.matches(moment))
        hazard = max(meant, key=lambda rule: rule.verdict or 0, default=None)
        if hazard is None or hazard.verdict is None or hazard.verdict < decided.verdict:
            return decided
        return self._said(hazard, hazard.verdict, skill)

    def _decided(self, moment: Moment) -> Ruling:
        """What the first rule that decides says of a skill."""
        for rule in self._rules:
            if rule.verdict is None:
                continue
            meant = rule.skill.matches(moment)
            # What is not known is no ground to allow anything.
            if meant or (meant is None and rule.verdict is not Verdict.ALLOW):
                return self._said(rule, rule.verdict, moment.skill)
        return self._default(moment)

    def _said(self, rule: Rule, verdict: Verdict, skill: str) -> Ruling:
        if verdict is Verdict.DENY:
            return self._denied(rule, skill)
        says = 'allows it' if verdict is Verdict.ALLOW else 'wants a person to decide'
        if rule.of_hazard:
            return Ruling(verdict, rule.name, f'Hazard "{rule.name}" {says}: {rule.why}')
        reason = f'Rule "{rule.name}" {says}: {rule.skill.wording}.'
        return Ruling(verdict, rule.name, reason, by_mcp=rule.by_mcp)

    def _denied(self, rule: Rule, skill: str, why: str = '') -> Ruling:
        by = f'{rule.called[0].upper()}{rule.called[1:]}'
        sentence = f'{rule.wording}; {why}' if why else rule.wording
        sentence = f'{sentence}. {rule.why.rstrip(".")}' if rule.why else sentence
        reason = f'{by} forbids it (must not: {sentence}); "{skill}" was not done.'
        counts = (rule.at_most, rule.total) != (None, None) or rule.verdict is Verdict.DENY
        # A hazard is one as long as things are as they are.
        counts = counts and not rule.of_hazard and not rule.depends_on_facts
        return Ruling(Verdict.DENY, rule.name, reason, counts and not rule.needs_clock)

    def _default(self, moment: Moment) -> Ruling:
        otherwise = self._file.otherwise
        if otherwise is None:
            asks = moment.moves and not self._simulated
            otherwise = Verdict.ASK if asks else Verdict.ALLOW
        what = {
            Verdict.ALLOW: 'it is allowed',
            Verdict.ASK: 'a person decides',
            Verdict.DENY: f'it is denied; "{moment.skill}" was not done',
        }[otherwise]
        return Ruling(otherwise, OTHERWISE, f'No rule matches: {what}.')

    def _hazards_of(self, moment: Moment) -> tuple[Rule, ...]:
        """Hazards that a skill may be by its text; the same is on offer again and again."""
        known = self._may_be.get(moment.skill)
        if known is None:
            if len(self._may_be) >= MOST_TEXTS:
                self._may_be.clear()
            known = self._may_be[moment.skill] = tuple(
                rule
                for rule in self._hazards
                if not isinstance(rule.skill, HazardSelector) or rule.skill.may_mean(moment)
            )
        return known

    # What would be said ----------------------------------------------------------------------

    def foreseen(self, skill: str) -> Permission:
        """As it would speak once a skill has succeeded; itself where no rule waits for that.

        What is spent, and what is seen of the world, stays as it is now.
        """
        temporal = self._temporal.foreseen(self._moment(skill, None, self._asked))
        if temporal is self._temporal:
            return self
        then = copy(self)
        then._temporal = temporal
        return then

    def owed_after(self, skill: str) -> tuple[tuple[Rule, tuple[str, ...]], ...]:
        """Rules that a skill would leave open, with the skills of which each wants one.

        Rules that a fact fulfils, and those that are open without it, are left out.
        """
        if not any(rule.then for rule in self._rules):
            return ()
        then, before = self.foreseen(skill), self._open()
        opened = (rule for rule in then._open() if rule not in before)
        return tuple(
            (rule, tuple(one.wording for one in rule.then))
            for rule in opened
            if not any(isinstance(one, FactPattern) for one in rule.then)
        )

    def waited_for(self, skills: Iterable[str]) -> tuple[str, ...]:
        """Those of these skills for which others have to wait."""
        firsts = [
            one
            for rule in self._rules
            for one in rule.only_after
            if not isinstance(one, FactPattern)
        ]
        if not firsts:
            return ()
        moments = (self._moment(skill, None, self._asked) for skill in skills)
        return tuple(one.skill for one in moments if any(first.matches(one) for first in firsts))

    # After a skill ---------------------------------------------------------------------------

    def see(self, observation: Observation, belief: Known | None = None) -> None:
        """Know what was seen.

        :param belief: of who asks; sight may show a place beside a thing instead of the one it is
            in. Kept until another is given.
        """
        self._belief = belief or self._belief
        if self._belief is None:
            # The server has weighed all that its sources said before.
            for fact in observation.evidence:
                self._evidence.forget(fact.what)
            for fact in observation.evidence:
                self._evidence.tell(fact)
                self._told_at = max(self._told_at, fact.time)
        self._facts.update((fact.name, self._placed(fact)) for fact in observation.facts)
        self._edges.see(observation.facts)
        self._now = observation
        self._merged = None

    def forget(self) -> None:
        """Know nothing of the world any more: it was put back. What was done stays done."""
        self._facts.clear()
        self._evidence = Belief()
        self.see(Observation(''))

    def record(self, skill: str, answer: Observation, seconds: float = 0.0) -> None:
        """Take in what came of a skill that was sent. :param seconds: that it took."""
        moment = self._begun.pop(skill, None)
        if moment is None:
            moment = self._moment(skill, None, self._asked)
        if answer.outcome not in WITHOUT_EFFECT:
            self._temporal.record(moment, answer.succeeded)
            for number, rule in enumerate(self._rules):
                if (rule.per_hour or rule.total) and rule.skill.matches(moment) is not False:
                    self.account.count(number, rule, moment)
        self.see(answer)
        self.account.record(moment, answer, seconds)

    @property
    def ended_by(self) -> str:
        """Why the run must end now, as a sentence: a rule that cannot be kept, or a limit of the
        model's work; '' for neither.
        """
        rule = self._temporal.broken
        if rule is not None:
            by = f'Rule "{rule.name}"'
            if rule.of_task or rule.of_hazard:
                by = f'What {rule.called} says'
            return (
                f'{by} cannot be kept any more (must not: {rule.wording}): look at the robot, and '
                'at what other rules forbid.'
            )
        limit = '' if self._file.limits.is_none else self.account.limit_reached(self.hour())
        return f'{limit}: nothing more is done.' if limit else ''

    def pending(self) -> tuple[str, ...]:
        """What must still be done before the run ends, and by which rule."""
        return tuple(
            dict.fromkeys(
                f'{" or ".join(one.wording for one in rule.then)} ({rule.called})'
                for rule in self._open()
            )
        )

    def due(self, skills: Sequence[str]) -> tuple[str, ...]:
        """The skills by which what must still be done would be done."""
        wanted = [one for rule in self._open() for one in rule.then]
        moments = (self._moment(skill, None, self._asked) for skill in skills)
        return tuple(
            moment.skill
            for moment in moments
            if any(one.matches(moment) for one in wanted if not isinstance(one, FactPattern))
        )

    def _open(self) -> tuple[Rule, ...]:
        """Rules, bound to things, that would be broken if the run ended now."""
        return self._temporal.open_at(self._moment('', None, self._asked))
