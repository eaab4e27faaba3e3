"""Examples for prompts of plans: what such planners did before, then the shipped ones."""

from __future__ import annotations

import re
from collections.abc import Callable

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting.plan_prompt import PlanExample
from reactree_planner.prompting.plan_prompt import shipped_examples
from reactree_planner.prompting.reactree_prompt import ACT
from reactree_planner.resume.told_experiences import EXAMPLES

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
