"""What happens in a run, as values: decisions and observations. They are the truth of a run.

The tree, the live view, replay and resume are pure functions of these (see `snapshot`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from reactree_core.chain_link import ChainLink, NO_LINK
from reactree_core.foreign_text import bounded, bounded_name
from reactree_core.observation import Observation, OBSERVATION_LIMIT
from reactree_core.record.goal_record import bounded_goal, GoalRecord, NO_GOAL
from reactree_core.record.run_settings import NO_SETTINGS, RunSettings
from reactree_core.usage import LlmUsage, NO_USAGE

#: Most subgoals of one expansion.
MOST_SUBGOALS = 16
#: Begins the skill of an ACT that asks a person (see `runs/questions.py`); it reaches no robot.
QUESTION = 'ask: '


class DecisionKind(IntEnum):
    """Equal to the KIND_* constants of Decision.msg."""

    THINK = 0
    ACT = 1
    EXPAND = 2
    FINISH = 3
    START = 4
    FORBID = 5
    GROUND = 6
    REPAIR = 7
    MILESTONE = 8
    CORRECT = 9
    WAIT = 10
    FIRE = 11


#: Of events that tell what the task is read as.
WITH_GOAL = (DecisionKind.GROUND, DecisionKind.CORRECT)


class ControlFlow(IntEnum):
    """Equal to the FLOW_* constants of Decision.msg."""

    NONE = 0
    SEQUENCE = 1
    FALLBACK = 2
    PARALLEL = 3


class NodeKind(IntEnum):
    """Equal to the KIND_* constants of TreeNode.msg."""

    AGENT = 0
    SEQUENCE = 1
    FALLBACK = 2
    PARALLEL = 3


class NodeStatus(IntEnum):
    """Equal to the STATUS_* constants of TreeNode.msg."""

    IDLE = 0
    RUNNING = 1
    SUCCESS = 2
    FAILURE = 3
    EXPANDED = 4
    CANCELED = 5


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision; the fields are those of Decision.msg.

    :param sequence: number of the event within the run, from 1.
    :param node_id: agent node that decided; 0 for START, FORBID, GROUND, the FINISH of the
        whole run, what a person is asked before the root begins, or says, and what a run waits
        for.
    :param text: of a THINK the thought, else a reason; of a GROUND in old records the task in the
        world's names; of a CORRECT what a person said; of WAIT and FIRE what is waited for.
    :param subgoals: of an EXPAND; for FORBID what no node may do; for GROUND the conditions that
        hold at the end, for MILESTONE those that were met; for REPAIR what is to be done now, ()
        where the node ends with `status`; for CORRECT what follows from what was said, for FIRE
        what is wanted now.
    :param ties: of a GROUND: what words of the task were taken for which name, and how.
    :param stamp: seconds since the run's start. :param settings: of a START.
    :param goal: of a GROUND; of a CORRECT the goal from there on, NO_GOAL where it stays as it is.
    :param allowed_by: of an ACT that was sent: 'rule "NAME"', 'default', or 'person (WHY ASKED)'.
    :param approver: who approved it, or said a CORRECT, as they were named; '' where that is not
        known, or nobody did.
    :param undone_by: the skill that takes it back, as its server declares; '' for none.
    :param who: the robot of a team; '' where one works alone.
    :param link: where it stands in the record; says nothing of what it is.
    """

    sequence: int
    node_id: int
    kind: DecisionKind
    text: str = ''
    skill: str = ''
    control_flow: ControlFlow = ControlFlow.NONE
    subgoals: tuple[str, ...] = ()
    status: NodeStatus = NodeStatus.IDLE
    stamp: float = 0.0
    usage: LlmUsage = NO_USAGE
    settings: RunSettings = NO_SETTINGS
    ties: tuple[str, ...] = ()
    goal: GoalRecord = NO_GOAL
    allowed_by: str = ''
    approver: str = ''
    undone_by: str = ''
    who: str = ''
    link: ChainLink = field(default=NO_LINK, compare=False, repr=False)

    @property
    def is_refusal(self) -> bool:
        """Whether it reports a written step that cannot be done."""
        return self.kind is DecisionKind.THINK and self.status is NodeStatus.FAILURE

    @property
    def is_unasked(self) -> bool:
        """Whether a skill or subgoals were taken without asking the model; the text says why."""
        if self.kind is DecisionKind.EXPAND:
            return bool(self.text) and not self.usage.requests
        return self.kind is DecisionKind.ACT and bool(self.text)


#: Fields of a decision that are a text each.
_TEXTS = ('text', 'skill', 'allowed_by', 'approver', 'undone_by', 'who')

#: Everything a journal or a bag holds of a run.
Event = Decision | Observation


def bounded_event(event: Event) -> Event:
    """An event as its message carries it.

    What a skill server reports was bounded when it came; what the planner adds is here.
    """
    if isinstance(event, Observation):
        changes: dict[str, Any] = {
            'text': bounded(event.text, OBSERVATION_LIMIT),
            'skill': bounded_name(event.skill),
        }
    else:
        changes = {name: bounded(getattr(event, name)) for name in _TEXTS}
        for name in ('subgoals', 'ties'):
            changes[name] = tuple(map(bounded, getattr(event, name)))
        if event.kind in WITH_GOAL and event.goal != NO_GOAL:
            changes['goal'] = bounded_goal(event.goal)
    changes = {name: text for name, text in changes.items() if text != getattr(event, name)}
    return replace(event, **changes) if changes else event


def is_world_reset(event: Event) -> bool:
    """Whether the world was put back here, and all that was known of it forgotten."""
    return isinstance(event, Observation) and event.follows_reset
