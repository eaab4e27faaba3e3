"""What becomes of a node whose subgoals have ended: it is over, or goes on with other subgoals.

A node goes on where its subgoals failed, something is different since, and the model knows other
ones. The facts overrule what subgoals say of the task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reactree_core.record.events import ControlFlow, DecisionKind, NodeStatus
from reactree_core.record.outcome import Ending
from reactree_core.record.snapshot import TreeNode
from reactree_core.record.trajectory_text import single_line
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.runs.planner import AgentRun

#: Letters of what a subgoal is told to have failed by.
_LONGEST_FAULT = 200
#: Letters of a line that tells the model what became of a goal.
_LONGEST_LINE = 600
#: Letters of all these lines.
_LONGEST_TOLD = 2400
_ROOT = 1
#: Repairs that are left to the root, which knows what the task asks for.
_KEPT_FOR_ROOT = 1


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """How a node goes on.

    :param reason: for people.
    """

    flow: ControlFlow
    subgoals: tuple[str, ...]
    reason: str
    usage: LlmUsage = NO_USAGE


#: Asks the model how a node may go on, given lines of what was done; None where it gives up.
AskRepair = Callable[[str], RepairPlan | None]


class Repairer:
    """Decides about the repairs of one run."""

    def __init__(self, run: AgentRun) -> None:
        self._run = run
        self._begun: dict[int, object] = {}
        #: Subgoals that were tried, and what was known then.
        self._tried: set[tuple[tuple[str, ...], object]] = set()
        #: Nodes for which the model was asked, and what was known then.
        self._asked: set[tuple[int, object]] = set()

    def begin(self, node_id: int) -> None:
        """Take note of what is known as a node begins."""
        self._begun[node_id] = self._run.world.belief.known_state()

    def has_tried(self, subgoals: tuple[str, ...]) -> bool:
        """Whether these subgoals were a repair, or failed, with just what is known now."""
        return (subgoals, self._run.world.belief.known_state()) in self._tried

    def verdict(self, node_id: int, success: bool) -> bool:
        """How a node ends that is not repaired; the facts overrule what its subgoals say."""
        run = self._run
        ending = self._ending(node_id)
        if run.world.belief.observation.over or not self._ends_truly:
            return success
        if success and ending.missing:
            run.events.overrule(node_id, False, ending.lack)
            return False
        if not success and ending.holds:
            run.events.overrule(node_id, True, 'everything asked for holds')
            return True
        return success

    @property
    def _ends_truly(self) -> bool:
        return self._run.settings.guards.true_ends

    def _ending(self, node_id: int) -> Ending:
        return self._run.aims.ending if node_id == _ROOT else Ending()

    def plan_for(self, node_id: int, success: bool, ask: AskRepair) -> RepairPlan | None:
        """How a node goes on whose subgoals have failed; None where it does not.

        :raises ReactreeError: the run may decide no more, or the model failed.
        """
        run = self._run
        kept = 0 if node_id == _ROOT else _KEPT_FOR_ROOT
        if success or run.world.belief.observation.over or run.budget.repairs_left <= kept:
            return None
        if node_id == _ROOT and (run.aims.milestones_of or run.aims.ending.holds):
            return None
        run.acting.before_decision()
        control = run.tree.children(node_id)[-1]
        plan = self._asked_for(node_id, run.tree.children(control.node_id), ask)
        if plan is not None:
            self._tried.add((plan.subgoals, run.world.belief.known_state()))
        return plan

    def go_on(self, node_id: int, plan: RepairPlan) -> tuple[int, ...]:
        """Spend a repair: the new agent nodes, in order.

        :raises LimitReached: the decision limit.
        """
        run = self._run
        run.budget.repairs_left -= 1
        kind = DecisionKind.REPAIR
        return run.events.grow(node_id, plan.flow, plan.subgoals, plan.usage, plan.reason, kind)

    def _fault_below(self, node_id: int) -> str:
        """The last skill that failed in a node or below it, and what was said; '' for none."""
        faults = self._run.world.failed_skills
        found = [faults[below] for below in self._nodes_below(node_id) if below in faults]
        return single_line(found[-1], _LONGEST_FAULT) if found else ''

    def _nodes_below(self, node_id: int) -> Iterator[int]:
        yield node_id
        for child in self._run.tree.children(node_id):
            yield from self._nodes_below(child.node_id)

    def _asked_for(
        self, node_id: int, parts: tuple[TreeNode, ...], ask: AskRepair
    ) -> RepairPlan | None:
        """What the model says, where it may know more than when it wrote the subgoals."""
        run = self._run
        now = run.world.belief.known_state()
        changed = self._begun.get(node_id) != now or self._fault_below(node_id)
        if not changed or (node_id, now) in self._asked:
            return None
        self._asked.add((node_id, now))
        # What has failed is no repair in this state, whoever says so.
        self._tried.add((tuple(part.goal for part in parts), now))
        plan = ask(self._told(node_id))
        return None if plan is None or self.has_tried(plan.subgoals) else plan

    def _told(self, node_id: int) -> str:
        """Lines for the model: what was done, what failed and why, what is known."""
        run = self._run
        parts = [
            part
            for control in run.tree.children(node_id)
            for part in run.tree.children(control.node_id)
        ]
        done = dict.fromkeys(part.goal for part in parts if part.status is NodeStatus.SUCCESS)
        failed: dict[str, str] = {}
        for part in parts:
            if part.status is NodeStatus.FAILURE and part.goal not in done:
                fault = self._fault_below(part.node_id)
                failed[part.goal] = fault or failed.get(part.goal, '')
        lines = [f'Done so far: {"; ".join(done)}.'] if done else []
        for goal, why in failed.items():
            lines.append(f'Failed: {goal}{f" ({why})" if why else ""}.')
        explored = run.world.belief.explored_text(run.world.belief.vocabulary.rooms)
        lines += [explored] if explored else []
        text, room = '', _LONGEST_TOLD
        # The newest says most.
        for line in reversed(lines):
            shown = f'{single_line(line, _LONGEST_LINE)}\n'
            room -= len(shown)
            if room < 0:
                break
            text = shown + text
        return text
