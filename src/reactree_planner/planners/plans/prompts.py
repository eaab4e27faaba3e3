"""The prompt of a planner that writes plans, filled with what a run knows."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.planners.plans.examples import plan_examples
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.budget import PromptParts
from reactree_planner.prompting.reactree_prompt import task_line


def plan_parts(run: PlanRun, first_observation: str) -> PromptParts:
    """What plans are sampled from, up to the number of their first step."""
    return PromptParts(
        plan_prompt.system_text(f'{run.settings.prompts}/whole_plan', run.knowledge.vocabulary),
        plan_examples(run, plan_prompt.whole_plan),
        task_line(run.task),
        first_observation,
    )


def step_parts(run: PlanRun, first_observation: str, lessons: Sequence[str]) -> PromptParts:
    """What single steps are asked from, up to the first of them.

    :param lessons: of earlier tries of the whole task.
    """
    return PromptParts(
        plan_prompt.system_text(f'{run.settings.prompts}/next_step', run.knowledge.vocabulary),
        plan_examples(run, plan_prompt.step_by_step),
        plan_prompt.lessons_text(lessons) + task_line(run.task),
        first_observation,
    )
