"""What a node has done, what came of it, and whether it leads anywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.retries import has_vanished
from reactree_planner.agents.retries import may_succeed_again
from reactree_planner.agents.skills import IDLE_KINDS
from reactree_planner.agents.skills import RECALL
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook

#: When a skill of unknown kind shows the same text this often in a node, it changes nothing.
_MOST_EQUAL_TEXTS = 3
#: Skills that a node does again before it may give up.
_CIRCLE = 8
#: The same skills in the same order, so often in a row, are enough; and how many skills these are.
_MOST_ROUNDS, _LONGEST_ROUND = 4, 4
#: Times that a node with a single goal does one and the same skill without asking the model.
MOST_TIMES = 3


class NodeHistory:
    """Skills of one node in the order in which they ended.

    :param skills: of the server. :param recalled: class of which the node was told where things
        were seen when it began; '' for none.
    """

    def __init__(self, skills: SkillBook, recalled: str = '') -> None:
        self._skills = skills
        #: Their texts, recalls included.
        self.done: list[str] = [RECALL + recalled] if recalled else []
        self.done_since_change: Counter[str] = Counter()
        self.succeeded: list[Skill] = []
        #: How many have changed something, and how many did not succeed.
        self.effects = self.failures = 0
        self.last_skill: Skill | None = None
        #: The last skill, where it failed, may succeed, and changed nothing; '' else.
        self.failed_last = ''
        #: Skills that did not succeed when they were last tried.
        self.failed: set[str] = set()
        self._failed: set[str] = set()
        #: Skills whose precondition was not met, and how the robot stood then.
        self._refused: dict[str, tuple[object, ...]] = {}
        self._retried: Counter[str] = Counter()
        self._texts_seen: Counter[str] = Counter()

    def record(self, text: str, before: Observation, now: Observation) -> None:
        """Take note of a skill that has ended."""
        self.done.append(text)
        self.done_since_change[text] += 1
        skill = self.last_skill = self._skills.parse(text)
        self.failed_last = ''
        if text.startswith(RECALL):
            return
        if skill is not None and has_vanished(skill, now):
            # Where it is found next, what was done before counts no more.
            for done in self._skills.parse_all(tuple(self.done_since_change)):
                if done.target == skill.target:
                    del self.done_since_change[done.text]
        self._failed.discard(text)
        if may_succeed_again(now):
            self._failed.add(text)
            self._retried[text] += 1
            if (now.held, now.place, now.room) == (before.held, before.place, before.room):
                self.failed_last = text
        if not now.succeeded:
            self.failures += 1
            self.failed.add(text)
            if now.outcome is Outcome.PRECONDITION_FAILED:
                self._refused[text] = self._standing(now)
            return
        self.failed.discard(text)
        if self._has_changed_something(skill, before, now):
            self.effects += 1
            # More can come of what is made, and nobody knows what a skill of no kind does.
            goes_on = skill is None or skill.kind in (SkillKind.MAKE, SkillKind.OTHER)
            self.done_since_change = Counter(() if goes_on else (text,))
        if skill is not None:
            self.succeeded.append(skill)

    def _has_changed_something(
        self, skill: Skill | None, before: Observation, now: Observation
    ) -> bool:
        """Whether a skill that succeeded had an effect, as far as what is seen tells.

        Walking shows new things but changes nothing. Where the server tells no facts of what the
        skill is on, its kind says so. A skill of unknown kind may have done anything, until it
        has shown the same text a few times.
        """
        if now.held != before.held:
            return True
        if skill is None or skill.kind is SkillKind.OTHER:
            self._texts_seen[now.text] += 1
            return self._texts_seen[now.text] < _MOST_EQUAL_TEXTS
        states = {fact.name: fact.state for fact in before.facts}
        told = [fact for fact in now.facts if fact.name == skill.target]
        if told:
            changed = any(states.get(fact.name, '') != fact.state for fact in told)
            return changed and now.place == before.place
        return skill.kind not in IDLE_KINDS

    @property
    def goes_in_circles(self) -> bool:
        """Whether the node has for some time done only what it had done before."""
        earlier, lately = self.done[:-_CIRCLE], self.done[-_CIRCLE:]
        return len(lately) == _CIRCLE and set(lately) <= set(earlier)

    def begins_round_anew(self, text: str, counts: Iterable[int]) -> bool:
        """Whether the last skills are one round of few, done over and over, that a skill begins.

        What changes with each round may keep a node busy for ever ("get ore", "smelt ore").

        :param counts: how many of its things the goal wants: there may be as many rounds.
        """
        rounds = max((_MOST_ROUNDS, *counts))
        for length in range(1, _LONGEST_ROUND + 1):
            lately = self.done[-length * rounds :]
            if lately[:1] == [text] and lately == lately[:length] * rounds:
                return True
        return False

    def may_be_tried_again(self, text: str) -> bool:
        """Whether a skill failed last time, but may succeed."""
        return text in self._failed

    def is_refused(self, text: str, now: Observation) -> bool:
        """Whether the precondition of a skill was not met, and nothing that is known of has
        changed since.
        """
        return self._refused.get(text) == self._standing(now)

    def _standing(self, now: Observation) -> tuple[object, ...]:
        return now.held, now.place, now.room, self.effects

    def is_done_often(self, skill: Skill) -> bool:
        """Whether a single goal's node has done a skill as often as it may without asking, tries
        that failed and were repeated left out.
        """
        return self.done.count(skill.text) - self._retried[skill.text] >= MOST_TIMES
