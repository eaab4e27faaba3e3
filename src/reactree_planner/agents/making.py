"""Tasks that ask for nothing but things to be made, as recipes tell."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.skill_types import Relation
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.node_history import NodeHistory
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.asked import asks_of_names_only
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition


class Making:
    """What one who does a whole task gets or makes next.

    :param goal: the task. :param history: what the node has done. :param directly: whether facts
        may say what comes next: the node has the whole task, and settings allow it.
    """

    def __init__(
        self, goal: str, belief: BeliefState, history: NodeHistory, directly: bool
    ) -> None:
        self._goal = goal
        self._directly = directly
        self._belief = belief
        self._history = history

    @property
    def is_all(self) -> bool:
        """Whether the task asks for nothing else, and recipes make all that it asks for."""
        wanted, recipes = self._belief.wanted, self._belief.recipes
        return (
            self._directly
            and bool(wanted)
            and all(
                one.relation is Relation.HOLDING
                and one.count != ALL
                and recipes.tell_of(one.subject)
                for one in wanted
            )
            and asks_of_names_only(self._goal, self._belief.names.find_all(self._goal))
        )

    def left(self) -> tuple[Condition, ...]:
        """What is not there in the number that the task wants."""
        stock_of = self._belief.recipes.stock_of
        return tuple(one for one in self._belief.wanted if stock_of(one.subject) < one.count)

    def next_of(self, skills: Iterable[str]) -> tuple[Skill, str] | None:
        """Which of these skills comes next, and what needs it; '' where the task asks for it. None
        that failed when it was last tried.
        """
        usable = [
            skill
            for skill in self._belief.skills.parse_all(skills)
            if not skill.has_gap and skill.text not in self._history.failed
        ]
        recipes = self._belief.recipes
        steps = (recipes.next_step(one.subject, one.count, usable) for one in self.left())
        return next(filter(None, steps), None)

    def comes_next(self, skill: Skill) -> bool:
        """Whether it is this skill, of all that can be done."""
        if not self.is_all:
            return False
        found = self.next_of(self._belief.observation.admissible_skills)
        return found is not None and found[0] == skill
