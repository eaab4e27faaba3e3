"""Zero-shot Planner: the whole plan at once, each step translated to the nearest known skill.

The baseline of Tree-Planner (section 4.1, appendix B.2) and of ReAcTree (ZSP, section 5). What the
robot meets on the way changes nothing in the plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.ports import Sample
from reactree_core.record.run_settings import Kept
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.llm.sampling import Draw
from reactree_planner.planners.plans.execution import conclude, StepRunner
from reactree_planner.planners.plans.grounding import plan_parts
from reactree_planner.planners.plans.steps import END, Step, step_reader, StepReader
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.settings import OnInadmissible, PlanSettings

#: Of a score, as in the published code, where a step is written twice in a row.
_SAID_AGAIN = 0.5


class ZeroShotPlanner:
    """Writes a plan, then carries it out without looking."""

    name = 'zero_shot'

    def run(self, run: PlannedRun) -> bool:
        """Plan and act to the end; True when the plan came to its end.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        self._steps = StepRunner(run)
        self._steps.begin(1)
        run.acting.before_decision()
        context = NodeContext(run, run.tree.goal, plan_parts(run), run.settings.plans.tokens)
        try:
            plan = _written_plan(run, context)
            usage = context.take_usage()
        finally:
            context.end()
        if not plan:
            return conclude(run, 1, False, usage, 'no written step is a skill of the robot')
        run.events.think(1, f'Plan: {"; ".join(step.text for step in plan)}', usage)
        stops = run.settings.plans.on_inadmissible is OnInadmissible.STOP
        for step in plan:
            result = self._steps.try_step(1, step)
            if stops and not result.succeeded:
                return conclude(run, 1, False, reason='a step of the plan could not be done')
        return conclude(run, 1, bool(self._steps.done), reason='the plan ends here')


def _written_plan(run: PlannedRun, context: NodeContext) -> list[Step]:
    """Steps until the model writes the end, or something like no skill (early stopping).

    What the next step is written after is the translated step, not what was written.
    """
    settings = run.settings.plans
    reader = step_reader(run)
    draw = Draw(settings.step_tokens, settings.step_temperature, settings.step_top_p)
    plan: list[Step] = []
    while len(plan) < settings.steps:
        run.acting.before_decision()
        context.session.append(f'{len(plan) + 1}.')
        first = len(plan) * settings.step_samples
        seeds = [run.settings.seed_of(first + place) for place in range(settings.step_samples)]
        step = _best_step(reader, tuple(context.samples(seeds, draw)), plan, settings)
        if step is None or step.ends_plan:
            break
        plan.append(step)
        context.session.append(f' {step.text}\n')
    return plan


def _best_step(
    reader: StepReader, samples: Sequence[Sample], plan: Sequence[Step], settings: PlanSettings
) -> Step | None:
    """What the samples say, or None: the end where most of them end the plan.

    Else the step with the highest similarity plus weighted mean log-probability; of several
    samples one that says the last step again counts less, and the best must reach
    `least_similarity`.
    """
    matches = [reader.match(sample.text) for sample in samples]
    if len(samples) == 1:
        return matches[0][0] if matches[0] is not None else None
    ends = sum(
        not sample.text.strip() or (match is not None and match[0].ends_plan)
        for sample, match in zip(samples, matches, strict=True)
    )
    if ends * 2 > len(samples):
        return END
    scored = []
    for sample, match in zip(samples, matches, strict=True):
        if match is None or match[0].ends_plan:
            continue
        likelihood = sample.mean_log_probability or 0.0
        again = _SAID_AGAIN if plan and match[0] == plan[-1] else 0.0
        scored.append((match[1] + settings.likelihood_weight * likelihood - again, match[0]))
    if not scored:
        return None
    score, step = max(scored, key=lambda one: one[0])
    return step if score >= settings.least_similarity else None
