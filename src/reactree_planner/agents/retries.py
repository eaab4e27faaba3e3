"""Skills that failed though they could have worked: how often they are tried, and when no more.

A skill that was carried out and failed, or took too long, may succeed the next time; one whose
precondition does not hold will not. It is tried `MOST_TRIES` times in a row. Then it is given up,
and with it the thing or place that it is on, for goals that need it: other instances, places and
subgoals are tried. A move is given up only until the robot has moved elsewhere, from where there
may be a way; anything else until a repair asks for its thing again. What has failed `MOST_IN_ALL`
times without success stays given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable

from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.skills import Skill
from reactree_planner.language.names import Mention

#: How often a skill is tried in a row.
MOST_TRIES = 3
#: How often it is tried in a run without success.
MOST_IN_ALL = 2 * MOST_TRIES
#: What leads to a thing that is to be taken, into a place to be searched, and what is to be put.
FETCHING = frozenset((SkillKind.MOVE, SkillKind.TAKE))
ENTERING = frozenset((SkillKind.MOVE, SkillKind.OPEN))
BRINGING = ENTERING | {SkillKind.PUT}
_MAY_SUCCEED = (Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT)


def may_succeed_again(observation: Observation) -> bool:
    """Whether a skill ended in a way that says nothing against trying it again."""
    return observation.outcome in _MAY_SUCCEED


def has_vanished(skill: Skill, observation: Observation) -> bool:
    """Whether a thing was to be taken and is not there any more: it is not offered now."""
    return (
        skill.kind is SkillKind.TAKE
        and may_succeed_again(observation)
        and skill.text not in observation.admissible_skills
        and skill.target not in (*observation.held, *(one.name for one in observation.facts))
    )


class Retries:
    """Counts, over one run, what failed without success since."""

    def __init__(self) -> None:
        self._failed: dict[str, tuple[Skill, str]] = {}
        self._in_a_row: Counter[str] = Counter()
        self._in_all: Counter[str] = Counter()

    def note(self, skill: Skill, observation: Observation) -> None:
        """Take note of a skill that has ended."""
        if may_succeed_again(observation):
            # What is put somewhere depends on the place.
            put = skill.kind is SkillKind.PUT
            subject = (skill.destination or observation.place) if put else skill.target
            self._failed[skill.text] = skill, subject
            self._in_a_row[skill.text] += 1
            self._in_all[skill.text] += 1
        elif observation.succeeded:
            for counted in (self._failed, self._in_a_row, self._in_all):
                counted.pop(skill.text, None)
            if skill.kind is SkillKind.MOVE:
                moves = (one for one, _ in self._failed.values() if one.kind is skill.kind)
                self._forget(move.text for move in moves)

    def hope_again(self, mentions: Iterable[Mention]) -> None:
        """Try once more what is on these things and places."""
        named = tuple(mentions)
        self._forget(
            text
            for text, (_, subject) in self._failed.items()
            if any(mention.matches(subject) for mention in named)
        )

    def _forget(self, texts: Iterable[str]) -> None:
        for text in tuple(texts):
            self._in_a_row.pop(text, None)

    def has_given_up(self, text: str) -> bool:
        """Whether a skill is not to be tried now."""
        return self._in_a_row[text] >= MOST_TRIES or self._in_all[text] >= MOST_IN_ALL

    def given_up(self, kinds: Collection[SkillKind]) -> set[str]:
        """Things and places on which a skill of these kinds is not to be tried now."""
        return {
            subject
            for text, (skill, subject) in self._failed.items()
            if skill.kind in kinds and self.has_given_up(text)
        }
