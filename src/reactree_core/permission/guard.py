"""The rules in a skill server's process, where no planner can go around them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import OtherWords, Rules, Verdict
from reactree_core.permission.spending import Ledger
from reactree_core.skill_types import SkillType

#: Runs whose skills are counted; older ones are forgotten.
_MOST_RUNS = 64


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a skill was not done. :param rule: by its name."""

    skill: str
    rule: str
    reason: str


class SkillGuard:
    """Asked before each skill, told after it; knows each run by its id.

    :param simulated: whether nothing but a world moves.
    :param rules: of the server's file; None: they come by `keep`, and nothing is let through yet.
    """

    def __init__(self, simulated: bool, rules: Rules | None = None) -> None:
        self._rules = rules
        self._simulated = simulated
        self._ledger = Ledger()
        self._runs: OrderedDict[str, Permission] = OrderedDict()
        #: How many skills were refused, and the last of them.
        self.refused = 0
        self.last_refusal: Refusal | None = None
        #: What people call the names of the server, by which hazards know them, too.
        self.other_words: OtherWords = ()

    def keep(self, rules: Rules, ledger: Ledger | None = None) -> None:
        """Keep these rules from now on; skills of earlier runs count for the hour alone.

        :param ledger: of the hour; None for the one that there is.
        """
        self._rules = rules
        self._runs.clear()
        if ledger is not None:
            self._ledger = ledger

    @property
    def values(self) -> dict[str, str]:
        """For /diagnostics."""
        last = self.last_refusal
        return {
            'rules': (self._rules.source if self._rules else '') or 'none',
            'skills refused': str(self.refused),
            'last refusal': f'{last.skill} (rule "{last.rule}")' if last is not None else '',
        }

    def refusal(
        self,
        run_id: str,
        skill: str,
        approved: bool,
        now: Observation,
        types: tuple[SkillType, ...],
    ) -> Refusal | None:
        """Why a skill may not be done; None when it may.

        :param approved: whether a person has approved it. :param now: what was seen last.
        :param types: that the server declares.
        """
        try:
            permission = self._of(run_id, types)
            permission.see(now)
            ruling = permission.begin(skill)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, nothing moves
            reason = (
                f'The rules of permission broke ({type(error).__name__}: {str(error)[:200]}); '
                f'"{skill}" was not done. Mend the file, and start the skill server again.'
            )
            return self._refuse(Refusal(skill, 'broken rules', reason))
        if ruling.verdict is Verdict.DENY:
            return self._refuse(Refusal(skill, ruling.rule, ruling.reason))
        if ruling.verdict is Verdict.ASK and not approved:
            reason = (
                f'{ruling.reason} Nobody has approved "{skill}", so it was not done: have the '
                'planner ask, by the same rules in its parameter permission.'
            )
            return self._refuse(Refusal(skill, ruling.rule, reason))
        return None

    def record(self, run_id: str, observation: Observation, seconds: float) -> None:
        """Take in what came of a skill that was let through. :param seconds: that it took."""
        permission = self._runs.get(run_id)
        if permission is not None:
            permission.record(observation.skill, observation, seconds)

    def _of(self, run_id: str, types: tuple[SkillType, ...]) -> Permission:
        permission = self._runs.get(run_id)
        if permission is None:
            if self._rules is None:
                raise ConfigurationError('no rules are loaded')
            permission = Permission(
                self._rules,
                self._simulated,
                types,
                ledger=self._ledger,
                other_words=self.other_words,
            )
            self._runs[run_id] = permission
        # A server may come to declare others, when another world is loaded.
        permission.types = types
        self._runs.move_to_end(run_id)
        if len(self._runs) > _MOST_RUNS:
            self._runs.popitem(last=False)
        return permission

    def _refuse(self, refusal: Refusal) -> Refusal:
        self.refused += 1
        self.last_refusal = refusal
        return refusal
