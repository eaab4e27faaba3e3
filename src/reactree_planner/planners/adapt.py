"""ADaPT: the executor tries a task first; only what it cannot do is planned (algorithm 1)."""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_planner.agents.executor import attempt_task
from reactree_planner.planners.plan import run_plan, StepEnd
from reactree_planner.planners.plan_writing import write_plan
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.planner import PlannedRun


class AdaptPlanner:
    """A node of the tree is a task: what the executor did there, then what it was split into.

    The root has level 1 and the steps of its plan level 2, however deep their logic is nested;
    on level `trials` (the paper's d_max) only the executor is left.
    """

    name = 'adapt'

    def run(self, run: PlannedRun) -> bool:
        """Run algorithm 1 on the task; True when it completed, by the executor's own judgement.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.ATTEMPTS)
        #: What executors could not do, of which later plans are told.
        self._failed: list[str] = []
        return self._complete(run, 1, run.tree.goal, '', 1).success

    def _complete(
        self, run: PlannedRun, node_id: int, goal: str, information: str, level: int
    ) -> StepEnd:
        before = prompt.done_before(information)
        attempt = attempt_task(run, node_id, goal, before, run.settings.executor_decisions)
        if attempt.success:
            run.events.end_node(node_id, True, attempt.reason)
            return StepEnd(True, attempt.information)
        others = prompt.tried_before(self._failed)
        self._failed.append(goal)
        if level >= run.settings.trials:
            run.events.end_node(node_id, False, f'{attempt.reason}, on the last of {level} levels')
            return StepEnd(False)
        plan, usage = write_plan(run, node_id, goal, 'plan', others + before)
        depth = run.tree.node(node_id).depth
        if plan is None or not run.events.limits.allows_depth(depth + 2 * plan.levels):
            reason = 'no usable plan' if plan is None else 'the plan is too deep for max_depth'
            run.events.end_node(node_id, False, f'{attempt.reason}, and {reason}')
            return StepEnd(False)
        return run_plan(
            run,
            node_id,
            plan,
            lambda child, step, known: self._complete(run, child, step, known, level + 1),
            information,
            usage,
            '' if attempt.concluded else f'{attempt.reason}. ',
        )
