"""The prompt of a planner that writes plans, filled with what a run knows."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_planner.planners.plans.examples import plan_examples
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.budget import PromptParts
from reactree_planner.prompting.reactree_prompt import single_line
from reactree_planner.prompting.reactree_prompt import task_line

#: Letters of the first observation that are read.
_SEEN_FIRST = 1000


def plan_parts(run: PlanRun) -> PromptParts:
    """What plans are written from, up to the number of their first step.

    Of what is seen they read only where the robot is and what it holds, as published: a small
    model takes what is around it for what the task is about.
    """
    now = run.knowledge.observation
    return PromptParts(
        _system_text(run, 'whole_plan'),
        plan_examples(run, plan_prompt.whole_plan),
        (plan_prompt.whereabouts(now, run.domain.words) or f'{now.text}\n') + task_line(run.task),
        plan_prompt.PLAN,
        words=run.domain.words,
    )


def step_parts(run: PlanRun, first_observation: str, lessons: Sequence[str]) -> PromptParts:
    """What single steps are asked from, up to the first of them.

    What is seen first stands before the task: after it a small model goes on about what it sees.

    :param lessons: of earlier tries of the whole task.
    """
    return PromptParts(
        _system_text(run, 'next_step'),
        plan_examples(run, plan_prompt.step_by_step),
        f'{single_line(first_observation, _SEEN_FIRST)}\n'
        + plan_prompt.lessons_text(lessons)
        + task_line(run.task),
        plan_prompt.PLAN,
        words=run.domain.words,
    )


def _system_text(run: PlanRun, name: str) -> str:
    return plan_prompt.system_text(run.prompt(name), run.knowledge.vocabulary, run.domain.words)
