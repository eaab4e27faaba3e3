"""The second reducer: decisions and observations in, the text of every agent node out.

It is the published form of a trajectory. A node's history in its prompt, the experiences that a
run leaves, exports of recorded runs and the viewer's prompts are all read from here, for planners
of other packages too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from reactree_core.experience import Experience, Termination
from reactree_core.observation import Observation
from reactree_core.record.events import (
    ControlFlow,
    Decision,
    DecisionKind,
    Event,
    is_world_reset,
    NodeKind,
    NodeStatus,
    QUESTION,
)
from reactree_core.record.goal_record import NO_GOAL
from reactree_core.record.run_settings import Kept
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trajectory_text import (
    ACKNOWLEDGE,
    FLOW_WORDS,
    goal_information,
    quoted,
    task_line,
)

DONE = 'done'
FAILURE = 'failure'
#: Why a skill is done that takes another back, as its decision says.
TAKEN_BACK = 'taken back: it led nowhere'
_CONCLUSIONS = {DONE: Termination.SUCCESS, FAILURE: Termination.FAILURE}
_ROOT = 1


def think_block(text: str) -> str:
    """A thought in a trajectory."""
    return f'Think: {text}\n{ACKNOWLEDGE}'


def act_block(skill: str, observation: str | None) -> str:
    """A skill in a trajectory, with what was observed; None for `done` and `failure`."""
    if observation is None:
        return f'Act: {skill}\n'
    return f'Act: {skill}\n{quoted(observation)}\n'


def expand_block(flow: ControlFlow, subgoals: tuple[str, ...]) -> str:
    """An expansion in a trajectory."""
    return (
        f'Expand:\n- control flow: {FLOW_WORDS[flow]}\n'
        f'- subgoals: {", ".join(subgoals)}\n{ACKNOWLEDGE}'
    )


def relatives(tree: AgentTree, node_id: int) -> str:
    """Why a node exists, as its prompt has it: its parent's goal and its siblings; '' for none."""
    control_id = tree.node(node_id).parent_id
    if not control_id or tree.node(control_id).kind is NodeKind.AGENT:
        return ''
    siblings = [child.goal for child in tree.children(control_id)]
    parent = tree.ancestors(node_id)[0].goal
    return goal_information(parent, ControlFlow(tree.node(control_id).kind), siblings)


@dataclass
class Trajectory:
    """What one agent saw, thought and did.

    :param goal: as its prompt has it. :param first_observation: one line; '' before a look.
    :param steps: blocks of text, one a thought, skill or expansion.
    :param termination: how the agent ended; None while it has not.
    :param later: blocks after that, which are not the agent's: a plan, a reflection.
    :param is_repaired: whether the subgoals that it ends with had to give way to others.
    """

    goal: str
    first_observation: str = ''
    steps: list[str] = field(default_factory=list)
    termination: Termination | None = None
    later: list[str] = field(default_factory=list)
    is_repaired: bool = False

    @property
    def text(self) -> str:
        """Everything so far."""
        seen = f'{self.first_observation}\n' if self.first_observation else ''
        return ''.join((task_line(self.goal), seen, *self.steps))

    @property
    def is_lesson(self) -> bool:
        """Whether it has ended and shows anything that is worth doing again.

        A failure before anything was done does not, nor an expansion that had to be repaired.
        """
        failed_at_once = self.steps == [act_block(FAILURE, None)]
        return self.termination is not None and not (failed_at_once or self.is_repaired)


class Trajectories:
    """The trajectories of one run.

    :param tree: grows by the same events, each before it is applied here.
    """

    def __init__(self, tree: AgentTree) -> None:
        self._tree = tree
        self._kept: Kept | None = None
        self._nodes: dict[int, Trajectory] = {}
        self._plan = _PlanTrajectory(tree)
        self._model = self._task_type = self._domain = ''
        #: Whether what was wanted changed on the way: then no node shows how the task is done.
        self._is_changed = False

    def apply(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, Decision):
            self._model = self._model or event.usage.model
            if event.kind is DecisionKind.START and self._kept is None:
                self._start(event)
            begins_anew = event.kind is DecisionKind.CORRECT and event.goal != NO_GOAL
            if begins_anew or event.kind is DecisionKind.FIRE:
                self._is_changed = True
                self._nodes.pop(_ROOT, None)
        if self._kept in (Kept.PLANS, Kept.FRESH_PLANS):
            self._plan.apply(event)
        if event.node_id:
            self._apply_to_node(event)

    def _start(self, event: Decision) -> None:
        settings = event.settings
        self._kept = settings.kept
        self._plan.takes_back = settings.undo
        self._plan.begins_anew = self._kept is Kept.FRESH_PLANS
        self._task_type = settings.world_task.partition(':')[0]
        self._domain = settings.domain

    def _apply_to_node(self, event: Event) -> None:
        trajectory = self._nodes.get(event.node_id)
        if trajectory is None:
            trajectory = self._begun(event)
            if trajectory is None or isinstance(event, Observation):
                return
        block = _block(event)
        if not block:
            return
        if trajectory.termination is not None:
            trajectory.later.append(block)
            trajectory.is_repaired |= (
                isinstance(event, Decision) and event.kind is DecisionKind.REPAIR
            )
            return
        trajectory.steps.append(block)
        if isinstance(event, Decision):
            if event.kind is DecisionKind.ACT:
                trajectory.termination = _CONCLUSIONS.get(event.skill)
            elif event.kind is DecisionKind.EXPAND and self._kept is Kept.NODES:
                # A node that has seen nothing only passes work on.
                trajectory.termination = (
                    Termination.EXPAND if trajectory.first_observation else None
                )

    def _begun(self, event: Event) -> Trajectory | None:
        """A new trajectory; None where the event begins none."""
        if is_world_reset(event) or _is_end(event):
            return None
        tree = self._tree
        goal = tree.goal if self._kept is Kept.TRIALS else tree.node(event.node_id).goal
        seen = quoted(event.text) if isinstance(event, Observation) else ''
        return self._nodes.setdefault(event.node_id, Trajectory(goal, seen))

    def of(self, node_id: int) -> Trajectory:
        """What an agent node has seen, thought and done so far.

        :raises KeyError: no such node.
        """
        return self._nodes.get(node_id) or Trajectory(self._tree.node(node_id).goal)

    def experiences(self, run_id: str) -> tuple[Experience, ...]:
        """What is worth keeping of a run whose goal was met, in the order in which nodes began."""
        if self._is_changed:
            return ()
        found = self._nodes
        if self._kept in (Kept.PLANS, Kept.FRESH_PLANS):
            whole = self._plan.trajectory()
            found = {} if whole is None else {_ROOT: whole}
        return tuple(
            self._experience(run_id, node_id, trajectory)
            for node_id, trajectory in found.items()
            if trajectory.is_lesson
        )

    def _experience(self, run_id: str, node_id: int, trajectory: Trajectory) -> Experience:
        assert trajectory.termination is not None
        text = trajectory.text
        return Experience(
            # An id follows from the run and the text.
            hashlib.sha256(f'{run_id}:{node_id}:{text}'.encode()).hexdigest()[:32],
            trajectory.goal,
            text,
            trajectory.termination,
            run_id,
            self._task_type,
            self._tree.planner,
            self._model,
            domain=self._domain,
            context=relatives(self._tree, node_id).strip() if self._kept is Kept.NODES else '',
        )


def _is_end(event: Event) -> bool:
    return isinstance(event, Decision) and event.kind is DecisionKind.FINISH


def _block(event: Event) -> str:
    """What an event adds to its node's text; a skill stands with what was observed after it."""
    if isinstance(event, Observation):
        return act_block(event.skill, event.text) if event.skill else ''
    if event.kind is DecisionKind.THINK:
        return think_block(event.text)
    expands = event.kind in (DecisionKind.EXPAND, DecisionKind.REPAIR)
    if expands and event.subgoals:
        return expand_block(event.control_flow, event.subgoals)
    concludes = event.kind is DecisionKind.ACT and event.skill in _CONCLUSIONS
    return act_block(event.skill, None) if concludes else ''


class _PlanTrajectory:
    """The way that led to the end of a plan, without the steps that failed or were taken back.

    Which steps count no more when a plan goes back is given by where it goes on: one that begins
    anew looks again, Tree-Planner does the first step of another branch.
    """

    def __init__(self, tree: AgentTree) -> None:
        self._tree = tree
        self.takes_back = True
        self.begins_anew = False
        self._first_observation: str | None = None
        self._done: list[str] = []
        #: Steps that had been done when a node was split into branches.
        self._done_at: dict[int, int] = {}
        #: Nodes that have decided something.
        self._begun: set[int] = set()
        self._is_taking_back = False

    def apply(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, Decision):
            if event.node_id and event.kind is not DecisionKind.FINISH:
                self._decide(event)
        elif not event.skill:
            if self._first_observation is None or self.begins_anew:
                self._first_observation = quoted(event.text)
                self._leave(0)
        elif (
            event.succeeded
            and not self._is_taking_back
            # What a person answered is no step of the way.
            and not event.skill.startswith(QUESTION)
        ):
            self._done.append(act_block(event.skill, event.text))

    def _decide(self, decision: Decision) -> None:
        node_id = decision.node_id
        self._is_taking_back = decision.text == TAKEN_BACK
        if node_id not in self._begun and node_id != _ROOT:
            fork = self._tree.node(self._tree.node(node_id).parent_id).parent_id
            self._leave(self._done_at[fork])
        self._begun.add(node_id)
        if decision.kind in (DecisionKind.EXPAND, DecisionKind.REPAIR):
            self._done_at[node_id] = len(self._done)

    def _leave(self, count: int) -> None:
        """Go back to where so many steps had been done."""
        if self.takes_back:
            del self._done[count:]

    def trajectory(self) -> Trajectory | None:
        """Of the whole task; None of a run that the planner itself does not hold for done."""
        if self._first_observation is None:
            return None
        if self._tree.node(_ROOT).status is not NodeStatus.SUCCESS:
            return None
        steps = [*self._done, act_block(DONE, None)]
        return Trajectory(self._tree.goal, self._first_observation, steps, Termination.SUCCESS)


def trajectories_of(events: Iterable[Event]) -> Trajectories:
    """The trajectories after these events: of a journal, a bag or a run, all the same."""
    tree = AgentTree()
    trajectories = Trajectories(tree)
    for event in events:
        tree.apply(event)
        trajectories.apply(event)
    return trajectories
