"""Every sampled plan by itself, each from the beginning (Tree-Planner, figures 5 and 10).

How good the best of N plans is, and how good they are in the mean, is the bound of every planner
that decides among them. No plan is corrected; the world is put back before each.
"""

from __future__ import annotations

from collections import Counter

from reactree_core.errors import EpisodeOver, SkillError
from reactree_core.observation import Progress
from reactree_core.record.events import ControlFlow, MOST_SUBGOALS
from reactree_core.record.run_settings import Kept
from reactree_planner.planners.action_tree import sample_plans, TokenAccount
from reactree_planner.planners.plans.execution import conclude, Moment, StepRunner
from reactree_planner.planners.plans.steps import Step
from reactree_planner.planners.try_again import is_better
from reactree_planner.runs.planner import PlannedRun


class SampledPlansPlanner:
    """Plans one run at a time."""

    name = 'sampled_plans'

    def run(self, run: PlannedRun) -> bool:
        """Sample, then carry out each different plan; True when one met the goal.

        What the best of them met is in `run.best`; the mean stands in the last thought.

        :raises SkillError: the world cannot be put back, or does not judge.
        :raises ReactreeError: whatever else ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        self._steps = StepRunner(run)
        self._steps.begin(1)
        begun = self._steps.moment()
        if begun.kept is None or run.world.progress() is None:
            raise SkillError(
                f'The planner {self.name} needs a world with snapshots that judges its tasks, and '
                'plans.undo: choose tree_planner.'
            )
        account = TokenAccount(run.settings.plans.samples)
        counts = Counter(plan.steps for plan in sample_plans(run, account))
        plans = [steps for steps, _ in counts.most_common(MOST_SUBGOALS)]
        if not plans:
            reason = f'none of {account.samples} sampled plans has a step the robot can do'
            return conclude(run, 1, False, account.sampling, reason)
        labels = [' > '.join(step.text for step in steps)[:500] for steps in plans]
        children = run.events.grow(
            1, ControlFlow.PARALLEL, labels, account.sampling, f'{len(plans)} different plans'
        )
        plan_of = dict(zip(children, plans, strict=True))
        met: list[float] = []

        def run_plan(node_id: int) -> bool:
            progress = self._carried_out(run, node_id, plan_of[node_id], begun)
            if is_better(progress, run.best):
                run.best = progress
            met.append(progress.ratio * counts[plan_of[node_id]])
            run.events.end_node(node_id, progress.success, str(progress))
            return progress.success

        success = run.run_children(ControlFlow.PARALLEL, children, run_plan)
        run.events.think(
            1,
            f'Of {account.samples} plans the best met {run.best}; in the mean they met '
            f'{sum(met) / account.samples:.3f} of the goal.',
        )
        return success

    def _carried_out(
        self, run: PlannedRun, node_id: int, plan: tuple[Step, ...], begun: Moment
    ) -> Progress:
        """What holds of the goal after a plan, as far as it could be done."""
        self._steps.undo(node_id, begun)
        try:
            for step in plan:
                if step.ends_plan or not self._steps.try_step(node_id, step).succeeded:
                    break
        except EpisodeOver:
            pass  # what was met is asked for below
        progress = run.world.progress()
        assert progress is not None, 'it judged at the beginning'
        return progress
