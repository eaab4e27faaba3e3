"""Plan-and-Execute: plans once, in detail, and has the executor do each step (ADaPT 4.2)."""

from __future__ import annotations

from reactree_core.record.run_settings import Kept
from reactree_planner.agents.executor import attempt_task
from reactree_planner.planners.plan import run_plan, StepEnd
from reactree_planner.planners.plan_writing import write_plan
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.planner import PlannedRun


class PlanAndExecutePlanner:
    """A plan is not changed once it is made: a step that fails stays failed."""

    name = 'plan_and_execute'

    def run(self, run: PlannedRun) -> bool:
        """Plan, then execute; True when the plan's logic holds of the steps' ends.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.ATTEMPTS)
        plan, usage = write_plan(run, 1, run.tree.goal, 'detailed_plan')
        if plan is None:
            run.events.end_node(1, False, 'no usable plan')
            return False

        def run_step(node_id: int, goal: str, information: str) -> StepEnd:
            attempt = attempt_task(
                run,
                node_id,
                goal,
                prompt.done_before(information),
                run.settings.executor_decisions,
            )
            run.events.end_node(node_id, attempt.success, attempt.reason)
            return StepEnd(attempt.success, attempt.information)

        return run_plan(run, 1, plan, run_step, usage=usage).success
