"""Plan sampling: many plans from one prompt (section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.planners.action_tree.token_account import critical_samples
from reactree_planner.planners.action_tree.token_account import TokenAccount
from reactree_planner.planners.node_context import NodeContext
from reactree_planner.planners.plans.prompts import plan_parts
from reactree_planner.planners.plans.reading import step_reader
from reactree_planner.planners.plans.steps import Step
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting.plan_prompt import PLAN_STOPS

#: Stands where the first step of a plan goes.
_FIRST = '1.'


def sample_plans(
    run: PlanRun, first_observation: str, account: TokenAccount
) -> list[tuple[Step, ...]]:
    """The usable ones of the sampled plans, in the order sampled; equal ones stay.

    :param account: told what sampling cost, and how many samples would pay.
    :raises ModelError: the model failed. :raises CanceledError: stopped.
    :raises LimitReached: time or tokens ran out.
    """
    settings = run.settings
    wanted = settings.plans
    reader = step_reader(run)
    parts = plan_parts(run, first_observation)
    plans = []
    context = NodeContext(run, run.task, parts, wanted.tokens)
    try:
        context.session.append(_FIRST)
        prompt = context.session.text
        for number in range(wanted.samples):
            run.before_decision()
            with context.fork() as fork:
                text = fork.generate(
                    PLAN_STOPS,
                    wanted.tokens,
                    wanted.temperature,
                    settings.seed_of(number),
                    wanted.top_p,
                )
            plan = reader.read_plan(_whole_lines(text, run, wanted.tokens), wanted.steps)
            if plan:
                plans.append(plan)
        account.sampling += context.take_usage()
    finally:
        context.end()
    account.critical = _critical(run, prompt, plans)
    return plans


def _whole_lines(text: str, run: PlanRun, most_tokens: int) -> str:
    """The plan without a last line that was cut off where it became too long."""
    if run.ports.model.count_tokens(text) < most_tokens - 1:
        return text
    return text.rpartition('\n')[0]


def _critical(run: PlanRun, prompt: str, plans: Sequence[Sequence[Step]]) -> float:
    """The published bound, with the means of this run's prompt and plans."""
    steps = [step.text for plan in plans for step in plan]
    if not steps:
        return 0.0
    count_tokens = run.ports.model.count_tokens
    tokens = {text: count_tokens(text) for text in set(steps)}
    mean_tokens = sum(tokens[text] for text in steps) / len(steps)
    return critical_samples(count_tokens(prompt), max(1.0, mean_tokens), len(steps) / len(plans))
