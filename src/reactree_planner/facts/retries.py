"""The retry policy of skills: how often they failed so far, and what they cost.

A skill that was carried out and failed, or took too long, may succeed the next time. It is tried
`MOST_TRIES` times in a row and then given up: a move until the robot has moved elsewhere, from
where there may be a way; anything else until nothing better is left. What has failed `MOST_IN_ALL`
times without success stays given up.
"""

from __future__ import annotations

from collections import Counter

from reactree_core.observation import Observation, Outcome
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.skills import Skill

#: How often a skill is tried in a row, and in a run without success.
MOST_TRIES = 3
MOST_IN_ALL = 2 * MOST_TRIES
_MAY_SUCCEED = (Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT)


def may_succeed_again(observation: Observation) -> bool:
    """Whether a skill ended in a way that says nothing against trying it again."""
    return observation.outcome in _MAY_SUCCEED


class Attempts:
    """Counts what failed without success since, and durations."""

    def __init__(self) -> None:
        self._failed: dict[str, Skill] = {}
        self._in_a_row: Counter[str] = Counter()
        self._in_all: Counter[str] = Counter()
        #: Seconds and times of each template, as far as told.
        self._seconds: dict[str, tuple[float, int]] = {}

    def note(self, skill: Skill, observation: Observation, seconds: float = 0.0) -> None:
        """Take note of a skill that has ended. :param seconds: that it took; 0 for not told."""
        if may_succeed_again(observation):
            self._failed[skill.text] = skill
            self._in_a_row[skill.text] += 1
            self._in_all[skill.text] += 1
        elif observation.succeeded:
            for counted in (self._failed, self._in_a_row, self._in_all):
                counted.pop(skill.text, None)
            for text, failed in self._failed.items():
                if skill.kind is failed.kind is SkillKind.MOVE:
                    self._in_a_row.pop(text, None)
            if seconds > 0:
                told, times = self._seconds.get(skill.type.template, (0.0, 0))
                self._seconds[skill.type.template] = told + seconds, times + 1

    def failures(self, text: str) -> int:
        """How often a skill has failed in a row."""
        return self._in_a_row[text]

    def has_given_up(self, text: str) -> bool:
        """Whether a skill failed too often to be tried now."""
        return self._in_a_row[text] >= MOST_TRIES or self._in_all[text] >= MOST_IN_ALL

    def hope_again(self) -> bool:
        """Try once more what was given up and has not failed for good; whether there was any."""
        given_up = [
            text
            for text, count in self._in_a_row.items()
            if count >= MOST_TRIES and self._in_all[text] < MOST_IN_ALL
        ]
        for text in given_up:
            del self._in_a_row[text]
        return bool(given_up)

    def given_up(self, *kinds: SkillKind) -> set[str]:
        """Things and places on which a skill of these kinds is not to be tried now."""
        failed = self._failed.items()
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
