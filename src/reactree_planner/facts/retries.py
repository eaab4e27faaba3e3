"""The retry policy of skills: how often they failed so far, and what they cost.

A skill that was carried out and failed, or took too long, may succeed the next time. It is tried
again as often as its type says, else `RETRIES` times, wherever the robot is, and is then given up
for the rest of the run; a success forgets its failures. This is the only place where tries are
counted.
"""

from __future__ import annotations

from collections import Counter

from reactree_core.observation import Observation, Outcome
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.skills import Skill

#: Further tries of a skill after the first one that failed.
RETRIES = 2
_MAY_SUCCEED = (Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT)


def may_succeed_again(observation: Observation) -> bool:
    """Whether a skill ended in a way that says nothing against trying it again."""
    return observation.outcome in _MAY_SUCCEED


class Attempts:
    """Failures without success since, and durations.

    :param retries: further tries after its first failure of a skill whose type states none, 0 or
        more.
    """

    def __init__(self, retries: int = RETRIES) -> None:
        self._retries = retries
        self._skills: dict[str, Skill] = {}
        self._failed: Counter[str] = Counter()
        #: Of skills that have failed: what was said the last time.
        self._said: dict[str, str] = {}
        #: Seconds and times of each template, as far as known.
        self._seconds: dict[str, tuple[float, int]] = {}

    def note(self, skill: Skill, observation: Observation, seconds: float = 0.0) -> None:
        """Take note of a skill that has ended. :param seconds: that it took; 0 for unknown."""
        if may_succeed_again(observation):
            self._skills[skill.text] = skill
            self._failed[skill.text] += 1
            self._said[skill.text] = observation.text
        elif observation.succeeded:
            self._failed.pop(skill.text, None)
            if seconds > 0:
                spent, times = self._seconds.get(skill.type.template, (0.0, 0))
                self._seconds[skill.type.template] = spent + seconds, times + 1

    def failures(self, text: str) -> int:
        """How often a skill has failed since it succeeded last."""
        return self._failed[text]

    def said(self, text: str) -> str:
        """What was said as a skill failed last; '' where it did not fail."""
        return self._said.get(text, '') if self._failed[text] else ''

    def has_given_up(self, text: str) -> bool:
        """Whether a skill failed too often to be tried in this run any more."""
        skill = self._skills.get(text)
        stated = skill.type.tries if skill is not None else 0
        return self._failed[text] >= (stated or 1 + self._retries)

    def given_up(self, *kinds: SkillKind) -> set[str]:
        """Things and places on which a skill of these kinds is not to be tried now."""
        failed = self._skills.items()
        return {
            one.target for text, one in failed if one.kind in kinds and self.has_given_up(text)
        }

    def cost(self, template: str) -> float:
        """What a skill of a template costs: its mean duration in that of all skills, 0.1 or more;
        1 where it is not known.
        """
        told = self._seconds.get(template)
        if told is None:
            return 1.0
        seconds, times = map(sum, zip(*self._seconds.values(), strict=True))
        return max(0.1, told[0] / told[1] * times / seconds)
