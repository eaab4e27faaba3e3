"""What a run has spent, against limits of a run and of an hour, and what rules add up."""

from __future__ import annotations

from collections.abc import Callable

from reactree_core.observation import Observation
from reactree_core.permission.hour import Hour
from reactree_core.permission.matching import is_name_of, Moment
from reactree_core.permission.rules import Rule, Rules
from reactree_core.permission.spending import Amounts, distance, exceeded, Ledger, NOTHING
from reactree_core.permission.totals import added, Sums
from reactree_core.skill_types import SkillKind


class Account:
    """Of one run. :param ledger: of all runs."""

    def __init__(self, file: Rules, ledger: Ledger) -> None:
        self._file = file
        self._ledger = ledger
        #: Whether what is told now was spent by an earlier process, which has kept it.
        self.replaying: Callable[[], bool] = lambda: False
        #: What the run has spent.
        self.spent = NOTHING
        #: By the number of a rule with a total, what the run has added up.
        self._sums: dict[int, Sums] = {}

    def spend(self, amounts: Amounts) -> None:
        """Note what was spent just now."""
        self.spent += amounts
        if self._counts_for_hour:
            self._ledger.spend(amounts)

    @property
    def _counts_for_hour(self) -> bool:
        """Whether the ledger does not have it yet."""
        return not (self._ledger.is_kept and self.replaying())

    def record(self, moment: Moment, answer: Observation, seconds: float) -> None:
        """Spend what a skill took. :param moment: as everything was before it."""
        begin = self._coordinates(moment.now.place, moment.now.room)
        way = max(answer.distance, distance(begin, self._coordinates(answer.place, answer.room)))
        self.spend(Amounts(skills=1, distance=way, seconds=seconds))

    def count(self, number: int, rule: Rule, moment: Moment) -> None:
        """Take a skill into the counts of a rule that counts it."""
        for_hour = rule.per_hour and self._counts_for_hour
        if rule.total is not None:
            amounts = rule.total.amounts(rule.skill, moment) or {}
            self._sums[number] = added(self._sums.get(number, {}), amounts)
            if for_hour:
                self._ledger.add(rule.name, amounts)
        elif for_hour:
            self._ledger.count(rule.name)

    def is_used_up(self, number: int, rule: Rule, moment: Moment, hour: Hour) -> str | None:
        """Why a rule that counts denies one skill more, '' for what it says itself; None: it does
        not.
        """
        if rule.total is not None:
            if rule.skill.matches(moment) is False:
                return None
            spent = hour.summed.get(rule.name) if rule.per_hour else self._sums.get(number)
            amounts = rule.total.amounts(rule.skill, moment)
            return rule.total.objection(amounts, spent or {}) or None
        if rule.per_hour and hour.counted.get(rule.name, 0) >= (rule.at_most or 0):
            return '' if rule.skill.matches(moment) is not False else None
        return None

    def limit_for(self, moment: Moment, hour: Hour) -> str:
        """The limit that a skill would exceed, as a sentence; '' for none."""
        if self._file.limits.is_none:
            return ''
        return self.limit_reached(hour, self._spent_by(moment))

    def _spent_by(self, moment: Moment) -> Amounts:
        if moment.kinds != {SkillKind.MOVE}:
            return Amounts(skills=1)
        begin = self._coordinates(moment.now.place, moment.now.room)
        return Amounts(skills=1, distance=distance(begin, self._coordinates(*moment.names)))

    def limit_reached(self, hour: Hour, further: Amounts = NOTHING) -> str:
        """The limit that is reached, or would be with so much more; '' for none."""
        limits = self._file.limits
        reached = exceeded(limits.per_run, self.spent, further)
        if reached:
            return f'The limit of a run is {reached} ({self._file.source})'
        reached = exceeded(limits.per_hour, hour.spent, further)
        return f'The limit of an hour is {reached} ({self._file.source})' if reached else ''

    def _coordinates(self, *names: str) -> tuple[float, ...] | None:
        known = self._file.limits.places
        found = (known[place] for name in names for place in known if is_name_of(name, place))
        return next(found, None)
