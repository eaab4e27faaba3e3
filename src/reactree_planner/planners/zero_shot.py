"""Zero-shot Planner: the whole plan at once, each step translated to the nearest known skill.

The baseline of Tree-Planner (section 4.1, appendix B.2) and of ReAcTree (ZSP, section 5). What the
robot meets on the way changes nothing in the plan.
"""

from __future__ import annotations

from reactree_planner.agents.node_context import NodeContext
from reactree_planner.planners.plans.execution import conclude
from reactree_planner.planners.plans.execution import StepRunner
from reactree_planner.planners.plans.grounding import plan_parts
from reactree_planner.planners.plans.steps import Step
from reactree_planner.planners.plans.steps import step_reader
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.settings import OnInadmissible
from reactree_planner.tree.run_settings import Kept


class ZeroShotPlanner:
    """Writes a plan, then carries it out without looking."""

    name = 'zero_shot'

    def run(self, run: PlanRun) -> bool:
        """Plan and act to the end; True when the plan came to its end.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        self._steps = StepRunner(run)
        self._steps.begin(1)
        run.before_decision()
        context = NodeContext(run, run.goal, plan_parts(run), run.settings.plans.tokens)
        try:
            plan = _written_plan(run, context)
            usage = context.take_usage()
        finally:
            context.end()
        if not plan:
            return conclude(run, 1, False, usage, 'no written step is a skill of the robot')
        run.think(1, f'Plan: {"; ".join(step.text for step in plan)}', usage)
        stops = run.settings.plans.on_inadmissible is OnInadmissible.STOP
        for step in plan:
            result = self._steps.try_step(1, step)
            if stops and not result.succeeded:
                return conclude(run, 1, False, reason='a step of the plan could not be done')
        return conclude(run, 1, bool(self._steps.done), reason='the plan ends here')


def _written_plan(run: PlanRun, context: NodeContext) -> list[Step]:
    """Steps until the model writes the end, or something like no skill (early stopping).

    What the next step is written after is the translated step, not what was written.
    """
    settings = run.settings
    reader = step_reader(run)
    plan: list[Step] = []
    while len(plan) < settings.plans.steps:
        run.before_decision()
        context.session.append(f'{len(plan) + 1}.')
        with context.fork() as fork:
            line = fork.generate(max_tokens=settings.plans.step_tokens)
        step = reader.read(line)
        if step is None or step.ends_plan:
            break
        plan.append(step)
        context.session.append(f' {step.text}\n')
    return plan
