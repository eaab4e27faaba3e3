"""What a task forbids: found once in its sentence, kept at every node, whatever the model says."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.permission.rules import Rule
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar


@dataclass(frozen=True, slots=True)
class TaskRules:
    """What a task forbids.

    :param prohibitions: what is never done. :param in_time: what is counted, waits for something,
        or has something follow it.
    :param left_to_model: what reads as forbidden for a time or a case, in the task's words.
    """

    prohibitions: tuple[MeantSkills, ...] = ()
    in_time: tuple[Rule, ...] = ()
    left_to_model: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All of it as rules of permission."""
        never = (Rule('the task', one, at_most=0, of_task=True) for one in self.prohibitions)
        return (*never, *self.in_time)


def rules_of(task: str, vocabulary: Vocabulary, in_time: bool = True) -> TaskRules:
    """What a task forbids, in the skills that a server's templates name.

    :param in_time: whether rules of time are read; else they are left to the model.
    """
    goal = read_with_grammar(task, Names(vocabulary), in_time=in_time)
    return TaskRules(goal.never, goal.rules, goal.left_to_model)
