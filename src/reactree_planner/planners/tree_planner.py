"""Tree-Planner: sample plans once, merge them into a tree, decide at its forks (section 3).

In the run's tree an agent node walks a straight run of steps; a fork is a fallback whose subgoals
are the branches, decided anew among those left whenever one has failed.
"""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.record.events import ControlFlow, MOST_SUBGOALS
from reactree_core.record.run_settings import Kept
from reactree_core.record.trajectory_text import quoted
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents.subgoals import LONGEST_SUBGOAL
from reactree_planner.planners.action_tree import (
    ActionNode,
    build_action_tree,
    counts_of,
    decide,
    prune,
    sample_plans,
    TokenAccount,
)
from reactree_planner.planners.plans.execution import (
    conclude,
    Corrections,
    error_text,
    Moment,
    StepResult,
    StepRunner,
)
from reactree_planner.prompting.plan_prompt import facts_text
from reactree_planner.runs.planner import PlannedRun

#: Stands between the steps of a branch in its node's goal.
_THEN = ' > '


class TreePlanner:
    """Plans one run at a time."""

    name = 'tree_planner'

    def run(self, run: PlannedRun) -> bool:
        """Sample, merge, decide and act to the end; True when a plan came to its end.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        self._walk = self._new_walk(run)
        return self._walk.run_to_end()

    def _new_walk(self, run: PlannedRun) -> TreeWalk:
        return TreeWalk(run)


class TreeWalk:
    """One run's way through its action tree.

    Its `root` is the action tree, its `account` what each phase cost; both are there for tests and
    reports.
    """

    def __init__(self, run: PlannedRun) -> None:
        self._run = run
        self.steps = StepRunner(run)
        self.account = TokenAccount(run.settings.plans.samples)
        self.root = ActionNode()
        self._corrections = Corrections(run.settings.plans.corrections)
        #: When a fork was first decided at.
        self._moments: dict[ActionNode, Moment] = {}
        self._error = ''
        self._given_up = ''

    def run_to_end(self) -> bool:
        """All three phases; True when a plan came to its end."""
        run = self._run
        self.steps.begin(1)
        plans = sample_plans(run, self.account)
        self.root = build_action_tree(plans)
        if not plans:
            reason = f'none of {self.account.samples} sampled plans has a step the robot can do'
            return conclude(run, 1, False, self.account.sampling, reason)
        different = counts_of(self.root).plans
        prune(self.root, MOST_SUBGOALS, self._most_forks())
        size = counts_of(self.root)
        cut = different - size.plans
        run.events.think(
            1,
            f'{len(plans)} plans of {self.account.samples} sampled are usable, {different} of '
            f'them different: an action tree of {size.steps} steps and {size.forks} forks'
            f'{f", {cut} plans cut off" if cut else ""}. {self.account.bound_sentence}.',
            self.account.sampling,
        )
        return self._go_on(1, self.root)

    def _most_forks(self) -> int | None:
        """Forks on any path that the depth limit leaves room for; each takes two levels."""
        depth = self._run.events.limits.depth
        return (depth - 1) // 2 if depth else None

    def _go_on(self, node_id: int, at: ActionNode, first: ActionNode | None = None) -> bool:
        """Walk down from a step that was done; True when the end was reached.

        :param first: the child to begin with; None where there is only one, or a fork.
        """
        while True:
            if first is None and len(at.children) > 1:
                return self._run_fork(node_id, at)
            step, first = first or at.children[0], None
            assert step.step is not None, 'only the root has none'
            if step.step.ends_plan:
                return conclude(self._run, node_id, True, reason=self.account.sentence)
            result = self.steps.try_step(node_id, step.step)
            if not result.succeeded:
                return self._fail(node_id, step, result)
            if self._run.settings.plans.keep_errors:
                self._error = ''
            at = step

    def _run_fork(self, node_id: int, fork: ActionNode) -> bool:
        """Decide among the branches until one leads to the end; True when one does."""
        run = self._run
        branches = list(fork.children)
        self._moments[fork] = self.steps.moment()
        chosen, reason, usage = self._decided(node_id, branches)
        labels = [_label(branch) for branch in branches]
        ids = run.events.grow(node_id, ControlFlow.FALLBACK, labels, usage, reason)
        node_of = dict(zip(branches, ids, strict=True))
        while True:
            if self._go_on(node_of.pop(chosen), fork, chosen):
                return True
            if self._given_up:
                break
            left = fork.valid_children
            if not left:
                return False
            chosen, reason, usage = self._decided(node_id, left)
            run.events.think(node_id, f'Next: {chosen.text}. {reason}', usage)
        for untried in node_of.values():
            run.events.end_node(untried, False, f'not tried: {self._given_up}')
        return False

    def _decided(
        self, node_id: int, branches: Sequence[ActionNode]
    ) -> tuple[ActionNode, str, LlmUsage]:
        """The branch to take, how it was decided, and what that cost."""
        run = self._run
        if len(branches) == 1:
            return branches[0], 'the only one left', NO_USAGE
        run.acting.before_decision()
        # Of equal ones the first wins: that in which most plans agree.
        return self._best(node_id, sorted(branches, key=lambda branch: -branch.plans))

    def _best(
        self, node_id: int, ranked: Sequence[ActionNode]
    ) -> tuple[ActionNode, str, LlmUsage]:
        """The same, of two branches or more, those of the most plans first: by votes."""
        run = self._run
        seen = run.acting.look(node_id)
        observed = quoted(seen.text)
        now = (
            facts_text(seen, run.prompts.domain.words)
            if run.settings.plans.facts_at_forks
            else observed
        )
        choice = decide(run, [branch.text for branch in ranked], self.steps.done, now, self._error)
        if not run.settings.plans.keep_errors:
            self._error = ''
        self.account.deciding += choice.usage
        chosen = ranked[choice.index]
        return chosen, f'{chosen.text}: {choice.sentence}', choice.usage

    def _fail(self, node_id: int, step: ActionNode, result: StepResult) -> bool:
        """Mark what failed, go back to the last fork with a way left, end the node; False."""
        before = f'{self._error}\n' if self._error and self._run.settings.plans.keep_errors else ''
        self._error = before + error_text(result)
        back_to = step.mark_failed()
        reason = result.text
        if back_to is None:
            self._given_up = reason = f'no sampled plan is left. {reason}'
        elif not self._corrections.take():
            self._given_up = reason = self._corrections.used_up_text
        else:
            self.steps.undo(node_id, self._moments[back_to])
        return conclude(self._run, node_id, False, reason=reason)


def _label(branch: ActionNode) -> str:
    """The steps of a branch up to its next fork, as a goal."""
    text = _THEN.join(node.text for node in branch.run_of_steps())
    return text if len(text) <= LONGEST_SUBGOAL else text[: LONGEST_SUBGOAL - 4] + ' ...'
