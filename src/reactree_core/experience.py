"""Experiences: agent-node trajectories kept as examples (ReAcTree section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

#: Longest trajectory that a memory takes unless it is told otherwise, in characters.
LONGEST_TRAJECTORY = 65_536


class Termination(IntEnum):
    """How an agent node ended; equal to the TERMINATION_* constants of Experience.msg."""

    SUCCESS = 0
    FAILURE = 1
    EXPAND = 2


@dataclass(frozen=True, slots=True)
class Experience:
    """One agent node's trajectory; the fields are those of Experience.msg.

    :param trajectory: text from 'Your task is to: <goal>' on, with observations and the
        'Think:', 'Act:' and 'Expand:' blocks of the node.
    :param tokens: tokens of the trajectory; 0 when not counted.
    :param similarity: cosine to the query, -1..1; only set in answers.
    :param domain: of the skill server it was made with, e.g. 'household'; '' when unknown.
    :param context: why the node existed, as its prompt told before the goal; '' when unknown.
    :param unconfirmed: the planner said that the goal was met, and nothing verified it: kept, but
        an example for nobody until a person confirms it.
    """

    experience_id: str
    goal: str
    trajectory: str
    termination: Termination
    run_id: str = ''
    task_type: str = ''
    planner: str = ''
    model: str = ''
    tokens: int = 0
    similarity: float = 0.0
    domain: str = ''
    context: str = ''
    unconfirmed: bool = False


@dataclass(frozen=True, slots=True)
class ExperienceQuery:
    """What is asked of a memory (ReAcTree section 4.2).

    :param goal: to which the nearest are wanted.
    :param limit: most experiences, 0 for no limit but the budget.
    :param token_budget: most tokens of all of them, 0 for no budget.
    :param seed: of the order among equally near ones.
    :param observation: what is seen first; only memories that compare it read it.
    :param task_type: only this family; '' for all.
    :param planner: only this planner's; '' for all.
    :param domain: only this one's, and those of no known domain; '' for all.
    :param unit: 'subgoal' finds nodes by their goals, 'task' all nodes of runs by their first
        node's goal; '' leaves it to the memory.
    """

    goal: str
    limit: int = 0
    token_budget: int = 0
    seed: int = 0
    observation: str = ''
    task_type: str = ''
    planner: str = ''
    domain: str = ''
    unit: str = ''
