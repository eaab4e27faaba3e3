"""The one reducer: decisions and observations in, the agent tree out.

Live view, terminal, replay, resume and tests share it, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from reactree_core.observation import Observation
from reactree_core.record.control_flow import combined_status
from reactree_core.record.events import (
    ControlFlow,
    Decision,
    DecisionKind,
    Event,
    NodeKind,
    NodeStatus,
    QUESTION,
)
from reactree_core.record.goal_record import GoalRecord, NO_GOAL
from reactree_core.record.run_settings import ParallelPolicy

ENDED = (NodeStatus.SUCCESS, NodeStatus.FAILURE, NodeStatus.CANCELED)
#: What people may say while a run waits, which goes on to wait.
_WHILE_WAITING = (DecisionKind.CORRECT, DecisionKind.FORBID, DecisionKind.START)
#: Skills that are the tree's own and reach no robot.
_ENDINGS = ('done', 'failure')


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node; the fields are those of TreeNode.msg."""

    node_id: int
    parent_id: int
    depth: int
    kind: NodeKind
    status: NodeStatus = NodeStatus.IDLE
    goal: str = ''
    detail: str = ''
    decisions: int = 0
    steps: int = 0
    started: float = -1.0
    ended: float = -1.0


@dataclass(frozen=True, slots=True)
class TreeSnapshot:
    """The whole tree at one moment; the fields are those of TreeSnapshot.msg."""

    task: str = ''
    planner: str = ''
    sequence: int = 0
    decisions: int = 0
    steps: int = 0
    finished: bool = False
    active_node_id: int = 0
    nodes: tuple[TreeNode, ...] = ()
    #: What the task forbids every node, e.g. 'switch on pump'.
    must_not: tuple[str, ...] = ()
    #: Conditions that the task asks for, e.g. '2 crate in truck'.
    wanted: tuple[str, ...] = ()
    #: What words of the task were taken for which name, and how.
    ties: tuple[str, ...] = ()
    #: What the task was read as, and how many of its milestones were met so far.
    goal: GoalRecord = NO_GOAL
    milestones_met: int = 0
    #: What people said while it ran, and what followed from it.
    corrections: tuple[str, ...] = ()
    #: What the run waits for; '' while it works.
    waiting_for: str = ''
    #: How often what a standing task waits for has happened, and how often all was done then.
    firings: int = 0
    firings_done: int = 0


#: Before the first event.
EMPTY_TREE = TreeSnapshot()


@dataclass
class AgentTree:
    """The reducer's state. Feed it events in order; ask it for a snapshot whenever you like."""

    task: str = ''
    planner: str = ''
    policy: ParallelPolicy = ParallelPolicy.MAJORITY
    sequence: int = 0
    decisions: int = 0
    steps: int = 0
    finished: bool = False
    active_node_id: int = 0
    must_not: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    ties: tuple[str, ...] = ()
    read_as: GoalRecord = NO_GOAL
    milestones_met: int = 0
    corrections: tuple[str, ...] = ()
    waiting_for: str = ''
    firings: int = 0
    firings_done: int = 0
    #: Why a node failed last; '' where no more is known than that it did.
    reason: str = ''
    _free_endings: bool = False
    #: Whether it is not counted yet what became of the last firing.
    _is_fired: bool = False
    _nodes: dict[int, TreeNode] = field(default_factory=dict)
    _children: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def from_snapshot(
        cls, snapshot: TreeSnapshot, policy: ParallelPolicy = ParallelPolicy.MAJORITY
    ) -> AgentTree:
        """The state that a snapshot shows, to go on from when earlier events are lost.

        :param policy: of the run; a snapshot does not say it.
        """
        tree = cls(
            snapshot.task,
            snapshot.planner,
            policy,
            snapshot.sequence,
            snapshot.decisions,
            snapshot.steps,
            snapshot.finished,
            snapshot.active_node_id,
            snapshot.must_not,
            snapshot.wanted,
            snapshot.ties,
            snapshot.goal,
            snapshot.milestones_met,
            snapshot.corrections,
            snapshot.waiting_for,
            snapshot.firings,
            snapshot.firings_done,
        )
        tree._is_fired = bool(snapshot.firings) and not (snapshot.waiting_for or snapshot.finished)
        for node in snapshot.nodes:
            tree._nodes[node.node_id] = node
            tree._children.setdefault(node.parent_id, []).append(node.node_id)
        return tree

    def apply(self, event: Event) -> None:
        """Take one event in. Events of nodes that do not exist are ignored (a damaged record)."""
        if isinstance(event, Observation):
            self._observe(event)
            return
        if event.kind not in _WHILE_WAITING:
            self.waiting_for = ''
        self.sequence = max(self.sequence, event.sequence)
        if event.kind is DecisionKind.START:
            self._start(event)
        elif event.kind is DecisionKind.FORBID:
            self.must_not = event.subgoals
        elif event.kind is DecisionKind.GROUND:
            self._ground(event)
        elif event.kind is DecisionKind.MILESTONE:
            self.milestones_met += 1
        elif event.kind is DecisionKind.CORRECT:
            self._correct(event)
        elif event.kind is DecisionKind.WAIT:
            self._settle_firing()
            self.waiting_for = event.text
        elif event.kind is DecisionKind.FIRE:
            self._fire(event)
        elif event.kind is DecisionKind.FINISH and event.node_id == 0:
            self._finish_run(event)
        elif event.node_id in self._nodes:
            self._decide(event)

    def _start(self, event: Decision) -> None:
        if self._nodes:
            return  # resumed: the tree stands as it was
        self.task = event.text
        self.planner = event.settings.planner
        self.policy = event.settings.parallel_policy
        self._free_endings = event.settings.free_endings
        self._add(0, 1, NodeKind.AGENT, event.text)

    def _ground(self, event: Decision) -> None:
        self.wanted, self.ties, self.read_as = event.subgoals, event.ties, event.goal
        if event.text and 1 in self._nodes:
            # From here on the root is given in the world's names; `task` keeps the sentence.
            self._change(1, goal=event.text)

    def _correct(self, event: Decision) -> None:
        follows = '; '.join(event.subgoals)
        said = f'"{event.text}"'
        self.corrections = (*self.corrections, f'{said}: {follows}' if follows else said)
        if event.goal == NO_GOAL:
            return
        self.read_as = event.goal
        last = event.goal.milestones[-1] if event.goal.milestones else ''
        self.wanted = tuple(filter(None, last.split('; ')))
        self.ties = tuple(dict.fromkeys((*self.ties, *event.ties)))
        self._begin_anew(event.stamp)

    def _fire(self, event: Decision) -> None:
        self._settle_firing()
        self.firings += 1
        self._is_fired = True
        self.wanted, self.milestones_met = event.subgoals, 0
        self._begin_anew(event.stamp)

    def _settle_firing(self) -> None:
        """Count whether what a firing wants was done, once its tree has ended."""
        root = self._nodes.get(1)
        if self._is_fired and root is not None and root.status in ENDED:
            self._is_fired = False
            self.firings_done += root.status is NodeStatus.SUCCESS

    @property
    def firings_so_far(self) -> tuple[int, int]:
        """How often what is waited for has happened, and how often all was done then."""
        ended = self._is_fired and self._nodes[1].status is NodeStatus.SUCCESS
        return self.firings, self.firings_done + ended

    def _begin_anew(self, stamp: float) -> None:
        """The root begins again, for another goal; what is at work below it is given up."""
        for node_id, node in self._nodes.items():
            if node_id == 1:
                self._change(node_id, status=NodeStatus.IDLE, ended=-1.0)
            elif node.status not in ENDED:
                self._change(node_id, status=NodeStatus.CANCELED, ended=stamp)
        self.active_node_id = 0

    def _add(self, parent_id: int, depth: int, kind: NodeKind, goal: str = '') -> int:
        node_id = len(self._nodes) + 1
        self._nodes[node_id] = TreeNode(node_id, parent_id, depth, kind, goal=goal)
        self._children.setdefault(parent_id, []).append(node_id)
        return node_id

    def _change(self, node_id: int, **changes: object) -> None:
        self._nodes[node_id] = replace(self._nodes[node_id], **changes)  # type: ignore[arg-type]

    def _observe(self, event: Observation) -> None:
        self.sequence = max(self.sequence, event.sequence)
        node = self._nodes.get(event.node_id)
        if node is None:
            return
        if node.status is NodeStatus.IDLE:
            # An agent node begins by looking.
            self._begin(node, event.stamp)
            self.waiting_for = ''

    def _begin(self, node: TreeNode, stamp: float) -> None:
        started = stamp if node.started < 0 else node.started
        self._change(node.node_id, status=NodeStatus.RUNNING, started=started)
        self.active_node_id = node.node_id
        parent = self._nodes.get(node.parent_id)
        if parent is not None and parent.status is NodeStatus.IDLE:
            self._change(parent.node_id, status=NodeStatus.RUNNING, started=stamp)

    def _decide(self, event: Decision) -> None:
        node = self._nodes[event.node_id]
        if NodeStatus.FAILURE is event.status or event.skill == _ENDINGS[1]:
            self.reason = event.text if event.text not in ('', *_ENDINGS) else self.reason
        if event.kind is DecisionKind.FINISH:
            self._end(node.node_id, event.status, event.stamp, event.text)
            return
        if node.status is NodeStatus.IDLE:
            self._begin(node, event.stamp)
            node = self._nodes[event.node_id]
        if event.kind is DecisionKind.REPAIR:
            self._repair(node, event)
            return
        is_act = event.kind is DecisionKind.ACT
        counted = not (self._free_endings and is_act and event.skill in _ENDINGS)
        self.decisions += counted
        step = is_act and is_step(event.skill)
        self.steps += step
        detail = event.skill if is_act else event.text
        if event.kind is DecisionKind.EXPAND:
            detail = _subgoals_line(event)
        self._change(
            node.node_id,
            decisions=node.decisions + counted,
            steps=node.steps + step,
            detail=detail,
        )
        if event.kind is DecisionKind.EXPAND:
            self._expand(node, event)

    def _repair(self, node: TreeNode, event: Decision) -> None:
        """Go on with a node that had ended, or end it otherwise than it had."""
        self.decisions += 1
        self._change(node.node_id, decisions=node.decisions + 1)
        self._reopen(node.node_id)
        if event.subgoals:
            self._change(node.node_id, detail=f'repair: {_subgoals_line(event)}')
            self._expand(self._nodes[node.node_id], event)
        else:
            self._end(node.node_id, event.status, event.stamp, event.text)

    def _reopen(self, node_id: int) -> None:
        """Take back the end of a node, and those that followed from it above."""
        while node_id:
            node = self._nodes[node_id]
            if node.status in ENDED:
                is_agent = node.kind is NodeKind.AGENT
                status = NodeStatus.EXPANDED if is_agent else NodeStatus.RUNNING
                self._change(node_id, status=status, ended=-1.0)
            node_id = node.parent_id

    def _expand(self, node: TreeNode, event: Decision) -> None:
        self._change(node.node_id, status=NodeStatus.EXPANDED)
        control = self._add(node.node_id, node.depth + 1, NodeKind(event.control_flow))
        self._change(control, status=NodeStatus.RUNNING, started=event.stamp)
        for subgoal in event.subgoals:
            self._add(control, node.depth + 2, NodeKind.AGENT, subgoal)
        self.active_node_id = 0

    def _end(self, node_id: int, status: NodeStatus, stamp: float, detail: str) -> None:
        """End a node and whatever its end decides above it."""
        while node_id:
            node = self._nodes[node_id]
            if node.status in ENDED:
                return
            self._change(node_id, status=status, ended=stamp, detail=detail or node.detail)
            if self.active_node_id == node_id:
                self.active_node_id = 0
            parent = self._nodes.get(node.parent_id)
            if parent is None or status is NodeStatus.CANCELED:
                return
            if parent.kind is not NodeKind.AGENT:
                statuses = [self._nodes[child].status for child in self._children[parent.node_id]]
                combined = combined_status(ControlFlow(parent.kind), statuses, self.policy)
                if combined not in ENDED:
                    return
                status = combined
            node_id, detail = parent.node_id, ''

    def _finish_run(self, event: Decision) -> None:
        self._settle_firing()
        for node_id, node in self._nodes.items():
            if node.status in (NodeStatus.RUNNING, NodeStatus.EXPANDED):
                self._change(node_id, status=NodeStatus.CANCELED, ended=event.stamp)
        self.finished = True
        self.active_node_id = 0

    @property
    def goal(self) -> str:
        """The task in the world's names, as far as its words were taken for some."""
        return self._nodes[1].goal if self._nodes else self.task

    def node(self, node_id: int) -> TreeNode:
        """One node. :raises KeyError: no such node."""
        return self._nodes[node_id]

    def children(self, node_id: int) -> tuple[TreeNode, ...]:
        """Children in order; of 0, the root."""
        return tuple(self._nodes[child] for child in self._children.get(node_id, ()))

    def ancestors(self, node_id: int) -> tuple[TreeNode, ...]:
        """Agent nodes above a node, nearest first."""
        found = []
        node = self._nodes.get(self._nodes[node_id].parent_id)
        while node is not None:
            if node.kind is NodeKind.AGENT:
                found.append(node)
            node = self._nodes.get(node.parent_id)
        return tuple(found)

    def snapshot(self) -> TreeSnapshot:
        """The tree now, parents before children."""
        return TreeSnapshot(
            self.task,
            self.planner,
            self.sequence,
            self.decisions,
            self.steps,
            self.finished,
            self.active_node_id,
            tuple(self._nodes.values()),
            self.must_not,
            self.wanted,
            self.ties,
            self.read_as,
            self.milestones_met,
            self.corrections,
            self.waiting_for,
            self.firings,
            self.firings_done,
        )


def _subgoals_line(event: Decision) -> str:
    return f'{event.control_flow.name.lower()}: {", ".join(event.subgoals)}'


def is_step(skill: str) -> bool:
    """Whether a skill is one of the server's, and no end or question of an agent."""
    return skill not in _ENDINGS and not skill.startswith(QUESTION)


def reduce_events(events: Iterable[Event]) -> TreeSnapshot:
    """The tree after these events: journal, bag or live, all the same."""
    tree = AgentTree()
    for event in events:
        tree.apply(event)
    return tree.snapshot()


def replaced_nodes(nodes: Iterable[TreeNode]) -> frozenset[int]:
    """Ids of the nodes that belong to an expansion which a later one of the same agent replaced.

    :param nodes: parents before children.
    """
    newest: dict[int, int] = {}
    known = tuple(nodes)
    for node in known:
        if node.kind is not NodeKind.AGENT:
            newest[node.parent_id] = node.node_id
    found: set[int] = set()
    for node in known:
        outdated = node.kind is not NodeKind.AGENT and newest[node.parent_id] != node.node_id
        if outdated or node.parent_id in found:
            found.add(node.node_id)
    return frozenset(found)
