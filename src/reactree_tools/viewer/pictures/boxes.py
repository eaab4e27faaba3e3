"""What a picture says of every node, and how large that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event, NodeKind
from reactree_core.record.snapshot import AgentTree, TreeNode
from reactree_tools.plain_text import visible

#: Pixels. Letters are taken to be as wide as those of Verdana and DejaVu Sans, the widest usual.
GOAL_SIZE = 13.0
STEP_SIZE = 11.0
GOAL_LINE = 17.0
STEP_LINE = 15.0
PADDING = 9.0
SIGN = 20.0
AGENT_WIDTH = 236.0
FLOW_WIDTH, FLOW_HEIGHT = 44.0, 34.0
_LETTER = 0.59
_GOAL_LINES = 4


@dataclass(frozen=True, slots=True)
class Step:
    """One skill of an agent.

    :param number: among all skills of the run, from 1.
    """

    number: int
    skill: str
    succeeded: bool = True


@dataclass(frozen=True, slots=True)
class Box:
    """One node, ready to be placed.

    :param goal: lines. :param steps: lines that fit. :param more: steps that are left out.
    """

    node: TreeNode
    goal: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    more: int = 0

    @property
    def width(self) -> float:
        """Pixels."""
        return AGENT_WIDTH if self.node.kind is NodeKind.AGENT else FLOW_WIDTH

    @property
    def height(self) -> float:
        """Pixels."""
        if self.node.kind is not NodeKind.AGENT:
            return FLOW_HEIGHT
        lines = len(self.steps) + bool(self.more)
        steps = lines * STEP_LINE + (6.0 if lines else 0.0)
        return 2 * PADDING + max(SIGN, len(self.goal) * GOAL_LINE) + steps


def letters(width: float, size: float) -> int:
    """How many letters fit."""
    return max(8, int(width / (size * _LETTER)))


def shortened(text: str, count: int) -> str:
    """At most so many letters, on one line."""
    line = visible(text, 10_000)
    return line if len(line) <= count else line[: count - 1].rstrip() + '…'


def make_boxes(events: Iterable[Event], most_steps: int) -> tuple[AgentTree, dict[int, Box]]:
    """The tree after the events, and a box for every node.

    :param most_steps: of one agent that are written out, 0 or more.
    """
    tree = AgentTree()
    steps: dict[int, list[Step]] = {}
    numbers: dict[int, tuple[int, int]] = {}
    for event in events:
        tree.apply(event)
        if isinstance(event, Observation):
            if event.sequence in numbers and not event.succeeded:
                node_id, position = numbers[event.sequence]
                step = steps[node_id][position]
                steps[node_id][position] = Step(step.number, step.skill, False)
        elif _is_step(event):
            mine = steps.setdefault(event.node_id, [])
            numbers[event.sequence] = (event.node_id, len(mine))
            mine.append(Step(len(numbers), event.skill))
    boxes = {
        node.node_id: _box(node, steps.get(node.node_id, []), most_steps)
        for node in tree.snapshot().nodes
    }
    return tree, boxes


def _is_step(event: Decision) -> bool:
    return event.kind is DecisionKind.ACT and event.skill not in ('done', 'failure')


def _box(node: TreeNode, steps: list[Step], most: int) -> Box:
    if node.kind is not NodeKind.AGENT:
        return Box(node)
    room = AGENT_WIDTH - 2 * PADDING
    goal = wrap(visible(node.goal, 500), letters(room - SIGN - 6, GOAL_SIZE)) or ['']
    if len(goal) > _GOAL_LINES:
        goal = [*goal[: _GOAL_LINES - 1], goal[_GOAL_LINES - 1] + ' …']
    # One line more than what is left out would take no more room than saying so.
    count = len(steps) if len(steps) <= most + 1 and most else most
    fitting = letters(room - 26, STEP_SIZE)
    lines = tuple(
        Step(step.number, shortened(step.skill, fitting), step.succeeded) for step in steps[:count]
    )
    return Box(node, tuple(goal), lines, len(steps) - len(lines))
