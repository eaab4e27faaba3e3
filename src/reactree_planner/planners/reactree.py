"""ReAcTree: every agent node thinks, acts, or expands its goal into a subtree (section 4.1)."""

from __future__ import annotations

from reactree_core.errors import EpisodeOver, LimitReached, PromptTooLongError
from reactree_core.experience import Experience
from reactree_core.record import trajectory_text
from reactree_core.record.run_settings import Frame
from reactree_core.record.trajectory import relatives
from reactree_core.skill_types import SEARCHING
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents import offering
from reactree_planner.agents.acting import Actor
from reactree_planner.agents.examples import retrieved_examples
from reactree_planner.agents.expansion import by_milestones, Expander, Expansion
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.repair import Repairer, RepairPlan
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.subgoals import SubgoalCheck
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun


class ReAcTreePlanner:
    """Grows the agent tree of one run at a time."""

    name = 'reactree'

    def run(self, run: PlannedRun) -> bool:
        """Grow and run the whole tree; True when its root succeeds.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name)
        self._repairer = Repairer(run)
        return self._run_node(run, 1)

    def _run_node(self, run: PlannedRun, node_id: int) -> bool:
        repairer = self._repairer
        repairer.begin(node_id)
        try:
            success, expansion, usage = _AgentNode(run, node_id, repairer).run_to_end()
        except (LimitReached, PromptTooLongError) as error:
            if not run.budget.fails_node(error):
                raise
            run.events.end_node(node_id, False, str(error))
            return repairer.verdict(node_id, False)
        if expansion is None:
            return repairer.verdict(node_id, success)
        flow, subgoals, reason, _ = expansion
        children = run.events.grow(node_id, flow, subgoals, usage, reason)
        if expansion.by_milestones:
            run.aims.milestones_of.update((child, k) for k, child in enumerate(children, 1))
        # As published, a control flow that stands too deep fails, and nothing below it begins.
        too_deep = not run.events.limits.allows_depth(run.tree.node(node_id).depth + 1)
        run_child = self._fail_deep if too_deep else self._run_node
        while True:
            success = run.run_children(flow, children, lambda child: run_child(run, child))
            plan = repairer.plan_for(
                node_id,
                success,
                lambda context: _AgentNode(run, node_id, repairer, context).ask_repair(),
            )
            if plan is None:
                return repairer.verdict(node_id, success)
            flow, children = plan.flow, repairer.go_on(node_id, plan)

    def _fail_deep(self, run: PlannedRun, node_id: int) -> bool:
        run.events.end_node(node_id, False, 'it stands deeper than the tree may grow')
        return False


def _is_node(experience: Experience) -> bool:
    """Whether an experience is of an agent that might have expanded."""
    return experience.planner in ('', ReAcTreePlanner.name)


def _done_by_others(run: PlannedRun, goal: str) -> str:
    """What was done before to things of a goal's kinds ("another crate"); no paper tells it."""
    if run.settings.frame is Frame.PUBLISHED:
        return ''
    named = {mention.name for mention in run.world.belief.names.find_all(goal)}
    return prompt.done_by_others(
        [
            skill.text
            for skill in run.world.belief.achieved
            if skill.kind not in SEARCHING
            and run.world.belief.names.class_of(skill.target) in named
        ]
    )


class _AgentNode:
    """One agent node: a fresh context, then decisions until it ends or expands.

    :param told: lines about what became of its subgoals, where it is asked to go on; '' at first.
    """

    def __init__(
        self, run: PlannedRun, node_id: int, repairer: Repairer, from_above: str = ''
    ) -> None:
        self._run = run
        self._id = node_id
        tree = run.tree
        self._goal = tree.node(node_id).goal
        chain = tuple(ancestor.goal for ancestor in tree.ancestors(node_id))
        depth = tree.node(node_id).depth
        self._may_expand = run.settings.fail_at_limits or run.events.limits.allows_depth(depth + 2)
        known = '' if from_above else _done_by_others(run, self._goal)
        seen = (
            run.world.belief.observation if from_above else run.acting.look(node_id, known=known)
        )
        first_observation = trajectory_text.quoted(seen.text)
        situation = NodeSituation(self._goal, chain, run.world.belief)
        examples = retrieved_examples(run, self._goal, first_observation, _is_node)
        context = NodeContext(
            run,
            self._goal,
            PromptParts(
                run.prompts.text('reactree'),
                tuple(map(run.prompts.example_text, examples)),
                relatives(tree, node_id)
                + prompt.forbidden(run.world.rules.must_not, run.tree.corrections)
                + from_above
                + trajectory_text.task_line(self._goal),
                first_observation,
                words=run.prompts.words,
            ),
            node_id=0 if from_above else node_id,
        )
        until = run.aims.milestones_of.get(node_id, 0)
        # What the end of the task wants beside its goal falls to the last milestone.
        is_last = until == max(run.aims.milestones_of.values(), default=-1)
        self._actor = Actor(
            run,
            node_id,
            situation,
            context,
            is_whole_task=node_id == 1 or is_last,
            until=until,
        )
        checks = run.settings.guards.check_expansions
        above = (self._goal, *chain)
        check = SubgoalCheck(run.world, above, checks, repairer.has_tried)
        self._expander = Expander(context, check)

    def ask_repair(self) -> RepairPlan | None:
        """Other subgoals by the model; None where it gives up, or writes none that are usable."""
        run, context = self._run, self._actor.context
        try:
            with context.fork() as fork:
                ways = (trajectory_text.EXPAND, f'{trajectory_text.ACT} {offering.FAILURE}\n')
                gives_up = run.model.choose(fork, ways) == 1
            expansion = None if gives_up else self._expander.propose()
            if expansion is None:
                return None
            reason = expansion.reason or 'other subgoals were asked for'
            return RepairPlan(expansion.flow, expansion.subgoals, reason, context.take_usage())
        finally:
            context.end()

    def propose(self) -> Expansion | None:
        """An expansion by the model after its thought; None where none is usable."""
        try:
            self._actor.think_first([], may_expand=True)
            return self._expander.propose()
        finally:
            self._actor.context.end()

    def run_to_end(self) -> tuple[bool, Expansion | None, LlmUsage]:
        """Decide until the node ends or expands: success, or the expansion and its cost."""
        run, context = self._run, self._actor.context
        try:
            while True:
                run.acting.before_decision()
                context.make_room()
                ended, expansion = self._decide()
                if expansion is not None:
                    return False, expansion, context.take_usage()
                if ended is not None:
                    reason = self._actor.lack or offering.FAILURE
                    run.events.end_node(self._id, ended, offering.DONE if ended else reason)
                    return ended, None, NO_USAGE
        except EpisodeOver as over:
            ended = self._actor.end(over)
            run.events.end_node(self._id, ended, str(over))
            return ended, None, NO_USAGE
        finally:
            # The parent's context is not needed below: an expansion ends its own loop.
            context.end()

    def _decide(self) -> tuple[bool | None, Expansion | None]:
        """One decision: (how the node ended or None, its expansion or None)."""
        actor = self._actor
        offered = actor.offered()
        if self._id == 1 and self._may_expand:
            parts = by_milestones(self._run.world.reasoner, self._run.aims.goal)
            if parts is not None:
                return None, parts
        obvious = actor.obvious(offered)
        if obvious is not None:
            return actor.perform(*obvious), None
        if actor.think_first(offered, self._may_expand):
            return None, None
        kind = actor.choose_kind(offered, self._may_expand)
        if kind == trajectory_text.THINK:
            actor.think()
            return None, None
        if kind == trajectory_text.EXPAND:
            expansion = self._expander.propose()
            if expansion is not None:
                return None, expansion
            # What was refused would only be refused again; an empty answer says nothing.
            self._may_expand = not self._expander.was_refused
            actor.context.session.append(trajectory_text.ACT)
        return actor.perform(actor.choose_skill(offered)), None
