"""The prompt of a planner that writes plans, filled with what a run knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Sequence

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.budget import PromptParts
from reactree_planner.prompting.plan_prompt import PlanExample
from reactree_planner.prompting.plan_prompt import shipped_examples
from reactree_planner.prompting.reactree_prompt import ACT
from reactree_planner.prompting.reactree_prompt import single_line
from reactree_planner.prompting.reactree_prompt import task_line
from reactree_planner.resume.told_experiences import EXAMPLES
from reactree_planner.runs.run import PlanRun

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


#: Planners whose experiences are plans of a whole task.
PLAN_WRITERS = frozenset(
    {'zero_shot', 'iterative', 'local_replan', 'global_replan', 'tree_planner'}
)
#: Experiences asked of the memory: those of other planners are among them.
_CANDIDATES = 40
_NUMBER = re.compile(r' \d+$')


def plan_of(experience: Experience) -> PlanExample | None:
    """The plan that an experience shows, without numbers; None when it shows none."""
    if experience.planner not in PLAN_WRITERS or experience.termination != Termination.SUCCESS:
        return None
    lines = experience.trajectory.splitlines()
    acts = [line.removeprefix(ACT).strip() for line in lines if line.startswith(ACT)]
    steps = tuple(_NUMBER.sub('', act) for act in acts if act != 'done')
    return PlanExample(experience.goal, steps) if steps else None


def plan_examples(run: PlanRun, render: Callable[[PlanExample], str]) -> tuple[str, ...]:
    """Examples within the settings' count and tokens, nearest to the task last.

    Shipped ones are taken only where the skill server has every skill that they use.
    """
    settings = run.settings
    if not settings.example_count or not settings.example_tokens:
        return ()
    found = run.retrieve(run.task, 0, _CANDIDATES)
    candidates = [
        (experience.experience_id, plan)
        for experience in found
        if (plan := plan_of(experience)) is not None
    ]
    verbs = tuple(f'{verb} ' for verb in run.knowledge.skills.verbs)
    candidates += [
        ('', example)
        for example in shipped_examples(run.domain)
        if all(step.startswith(verbs) for step in example.steps)
    ]
    chosen: list[str] = []
    names: list[str] = []
    spent = 0
    for name, candidate in candidates[: settings.example_count]:
        text = render(candidate)
        spent += run.ports.model.count_tokens(text)
        if spent > settings.example_tokens:
            break
        chosen.append(text)
        names.append(name)
    # Shipped ones have no id.
    run.log.note(EXAMPLES, {'chosen': [name for name in reversed(names) if name]})
    return tuple(reversed(chosen))
