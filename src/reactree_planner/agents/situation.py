"""One node at work: its goal, what it has done, and what is known."""

from __future__ import annotations

from dataclasses import dataclass, field

from reactree_core.observation import Observation
from reactree_core.skill_types import SkillKind
from reactree_core.working_memory import RECALL
from reactree_planner.facts.skills import Skill
from reactree_planner.runs.run_belief import RunBelief


@dataclass
class NodeSituation:
    """One agent node at work.

    :param goal: its goal. :param chain: goals from its parent to the root.
    :param done: texts of the skills that it has done, recalls included, in order.
    :param succeeded: those that succeeded. :param last_skill: the last one; None before any.
    """

    goal: str
    chain: tuple[str, ...]
    belief: RunBelief
    done: list[str] = field(default_factory=list)
    succeeded: list[Skill] = field(default_factory=list)
    last_skill: Skill | None = None

    @property
    def observation(self) -> Observation:
        """Where the robot is now."""
        return self.belief.observation

    def record(self, text: str) -> None:
        """Take note of a skill that has ended; the belief holds its observation already."""
        self.done.append(text)
        if text.startswith(RECALL):
            return
        self.last_skill = self.belief.skills.parse(text)
        if self.last_skill is not None and self.observation.succeeded:
            self.succeeded.append(self.last_skill)

    def held_things(self) -> tuple[str, ...]:
        """What the robot holds, or this node has taken where the server does not report that."""
        if self.belief.held_objects_known:
            return self.observation.held
        held: dict[str, None] = {}
        for skill in self.succeeded:
            if skill.kind is SkillKind.TAKE:
                held[skill.target] = None
            elif skill.kind is SkillKind.PUT:
                held.pop(skill.target, None)
        return tuple(held)
