"""ReAcTree: every agent node thinks, acts, or expands its goal into a subtree (section 4.1)."""

from __future__ import annotations

from reactree_core.errors import EpisodeOver
from reactree_core.experience import Experience
from reactree_core.usage import LlmUsage
from reactree_planner.agents import offering
from reactree_planner.agents.acting import Actor
from reactree_planner.agents.examples import retrieved_examples
from reactree_planner.agents.expansion import Expander
from reactree_planner.agents.expansion import Expansion
from reactree_planner.agents.likely import recalled_at_once
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import NodeKind


class ReAcTreePlanner:
    """Grows the agent tree of one run at a time."""

    name = 'reactree'

    def run(self, run: PlanRun) -> bool:
        """Grow and run the whole tree; True when its root succeeds.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name)
        return self._run_node(run, 1)

    def _run_node(self, run: PlanRun, node_id: int) -> bool:
        node = _AgentNode(run, node_id)
        success, expansion = node.run_to_end()
        if expansion is None:
            return success
        flow, subgoals, usage = expansion
        children = run.grow(node_id, flow, subgoals, usage)
        return run.run_children(flow, children, lambda child: self._run_node(run, child))


def _is_node(experience: Experience) -> bool:
    """Whether an experience is of an agent that might have expanded."""
    return experience.planner in ('', ReAcTreePlanner.name)


class _AgentNode:
    """One agent node: a fresh context, then decisions until it ends or expands."""

    def __init__(self, run: PlanRun, node_id: int) -> None:
        self._run = run
        self._id = node_id
        tree = run.tree
        self._goal = tree.node(node_id).goal
        self._chain = tuple(ancestor.goal for ancestor in tree.ancestors(node_id))
        self._may_expand = run.limits.allows_depth(tree.node(node_id).depth + 2)
        recalled = recalled_at_once(run, self._goal)
        first_observation = prompt.quoted(run.look(node_id, recalled).text)
        situation = NodeSituation(
            self._goal,
            self._chain,
            run.belief,
            pending=tree.goals_to_come(node_id),
            recalled=recalled,
            is_direct=run.settings.takes_direct_steps,
        )
        examples = retrieved_examples(run, self._goal, first_observation, _is_node)
        context = NodeContext(
            run,
            self._goal,
            PromptParts(
                run.prompt('reactree'),
                tuple(example.trajectory for example in examples),
                self._goal_information()
                + prompt.forbidden(run.rules.must_not)
                + prompt.task_line(self._goal),
                first_observation,
                words=run.domain.words,
            ),
            node_id=node_id,
        )
        self._actor = Actor(run, node_id, situation, context)
        self._expander = Expander(run, context, situation)

    def run_to_end(self) -> tuple[bool, tuple[ControlFlow, tuple[str, ...], LlmUsage] | None]:
        """Decide until the node ends or expands: success, or the expansion and its cost."""
        run, context = self._run, self._actor.context
        try:
            while True:
                run.before_decision()
                context.make_room()
                if self._actor.give_up():
                    run.end_node(self._id, False, offering.FAILURE)
                    return False, None
                ended, expansion = self._decide()
                if expansion is not None:
                    return False, (*expansion, context.take_usage())
                if ended is not None:
                    run.end_node(self._id, ended, offering.DONE if ended else offering.FAILURE)
                    return ended, None
        except EpisodeOver as over:
            ended = self._actor.end(over)
            run.end_node(self._id, ended, str(over))
            return ended, None
        finally:
            # The parent's context is not needed below: an expansion ends its own loop.
            context.end()

    def _goal_information(self) -> str:
        tree = self._run.tree
        control_id = tree.node(self._id).parent_id
        if not control_id:
            return ''
        control = tree.node(control_id)
        flow = ControlFlow(control.kind) if control.kind is not NodeKind.AGENT else None
        if flow is None:
            return ''
        siblings = [child.goal for child in tree.children(control_id)]
        return prompt.goal_information(self._chain[0], flow, siblings)

    def _decide(self) -> tuple[bool | None, Expansion | None]:
        """One decision: (how the node ended or None, its expansion or None)."""
        actor = self._actor
        offered = actor.offered()
        obvious = actor.obvious(offered)
        if obvious is not None:
            return actor.perform(*obvious), None
        if actor.think_first():
            return None, None
        kind = actor.choose_kind(offered, self._may_expand)
        if kind == prompt.THINK:
            actor.think()
            return None, None
        if kind == prompt.EXPAND:
            expansion = self._expander.propose()
            if expansion is not None:
                return None, expansion
            # No more tries: it would only fail again.
            self._may_expand = False
            actor.context.session.append(prompt.ACT)
        return actor.perform(actor.choose_skill(offered)), None
