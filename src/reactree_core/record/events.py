"""What happens in a run, as values: decisions and observations. They are the truth of a run.

The tree, the live view, replay and resume are pure functions of these (see `snapshot`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from reactree_core.observation import Observation
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.goal_record import NO_GOAL
from reactree_core.record.run_settings import NO_SETTINGS
from reactree_core.record.run_settings import RunSettings
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE

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
        whole run and what a person is asked before the root begins.
    :param text: of a THINK the thought, else a reason; of a GROUND in old records the task in the
        world's names.
    :param subgoals: of an EXPAND; for FORBID what no node may do; for GROUND the conditions that
        hold at the end, for MILESTONE those that were met; for REPAIR what is to be done now, ()
        where the node ends with `status`.
    :param ties: of a GROUND: what words of the task were taken for which name, and how.
    :param stamp: seconds since the run's start. :param settings: of a START.
    :param goal: of a GROUND.
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

    @property
    def is_refusal(self) -> bool:
        """Whether it tells of a written step that cannot be done."""
        return self.kind is DecisionKind.THINK and self.status is NodeStatus.FAILURE

    @property
    def is_unasked(self) -> bool:
        """Whether a skill or subgoals were taken without asking the model; the text tells why."""
        if self.kind is DecisionKind.EXPAND:
            return bool(self.text) and not self.usage.requests
        return self.kind is DecisionKind.ACT and bool(self.text)


#: Everything a journal or a bag holds of a run.
Event = Decision | Observation


def is_world_reset(event: Event) -> bool:
    """Whether the world was put back here, and all that was known of it forgotten."""
    return isinstance(event, Observation) and event.tells_reset
