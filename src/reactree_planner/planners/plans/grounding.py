"""From a step of a plan to a skill here and now; and the prompt that asks for such plans."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reactree_core.experience import Experience, Termination
from reactree_core.record.trajectory_text import ACT, quoted, single_line, task_line
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.effects import holds_already
from reactree_planner.agents.step_skills import AskedSkill
from reactree_planner.facts.skills import Skill
from reactree_planner.planners.plans.steps import Step
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.plan_prompt import PlanExample, shipped_examples
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.reading.vocabulary import NameKind
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.run_belief import RunBelief

#: Skills named as possible in a refusal.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Grounding:
    """What a step is now.

    :param skill: to run; '' when there is nothing to run.
    :param refusal: why it cannot be done; '' when it can be, or is so already.
    """

    skill: str = ''
    refusal: str = ''


def ground(step: Step, belief: RunBelief, skills: Sequence[str]) -> Grounding:
    """The skill that a step means, found among those at hand.

    Of several objects of a name, one is chosen that this run has not placed. Of several places:
    with nothing held one not looked at yet, with a held object the one used before. A step whose
    effect holds already needs no skill.

    :param skills: what may be run now, as the skill server orders it.
    """
    asked = step.asked
    if asked is None:
        if step.text in skills or _fills_a_gap(step.text, belief, skills):
            return Grounding(step.text)
        return Grounding(refusal=f'"{step.text}" cannot be done now.')
    parsed = belief.skills.parse_all(skills)
    fitting = [skill for skill in parsed if asked.asks_for(skill)]
    if asked.kind is SkillKind.MOVE:
        fitting = _places_to_go(asked, belief, fitting)
    elif not fitting and holds_already(belief, asked):
        return Grounding()
    if fitting:
        return Grounding(min(fitting, key=lambda skill: _grounding_cost(skill, belief)).text)
    if asked.kind is SkillKind.MOVE and _is_here(asked, belief):
        return Grounding()
    return Grounding(refusal=_refusal(step, asked, parsed))


def _fills_a_gap(text: str, belief: RunBelief, skills: Sequence[str]) -> bool:
    """Whether a skill at hand leaves open just what is written in this one."""
    written = belief.skills.parse(text)
    return (
        written is not None
        and not written.misfits
        and any(
            skill.type is written.type
            and all(
                value in (slot.text, meant)
                for slot, value, meant in zip(
                    skill.type.slots, skill.values, written.values, strict=True
                )
            )
            for skill in belief.skills.parse_all(skills)
            if skill.has_gap
        )
    )


def _is_here(asked: AskedSkill, belief: RunBelief) -> bool:
    return asked.mention.matches(belief.observation.place)


def _places_to_go(asked: AskedSkill, belief: RunBelief, fitting: list[Skill]) -> list[Skill]:
    """Moves that lead on; none where the robot is where it should be."""
    if not _is_here(asked, belief):
        return fitting
    looked_at = belief.memory.has_looked_at
    if belief.observation.held or not looked_at(belief.observation.place):
        return []
    # The next of several places to search.
    return [
        skill
        for skill in fitting
        if belief.kind(skill.target) is NameKind.PLACE and not looked_at(skill.target)
    ]


def _grounding_cost(skill: Skill, belief: RunBelief) -> tuple[bool, bool]:
    target = skill.target
    kind = belief.kind(skill.target)
    if skill.kind is not SkillKind.MOVE or kind is NameKind.THING:
        return target in belief.placed, False
    if kind is NameKind.REGION:
        return not belief.mind.exploration.unseen((target,)), False
    if belief.observation.held:
        return target not in belief.placed.values(), False
    return belief.memory.has_looked_at(target), target in belief.placed.values()


def _refusal(step: Step, asked: AskedSkill, skills: list[Skill]) -> str:
    """Why a step cannot be done, as far as the skills at hand tell."""
    name = asked.mention.name
    possible = [skill.text for skill in skills if asked.mention.matches(skill.target)]
    if not possible:
        return f'"{step.text}" cannot be done now: no {name} is in sight.'
    return f'"{step.text}" cannot be done now; what can be: {", ".join(possible[:_SHOWN])}.'


#: Letters of the first observation that are read.
_SEEN_FIRST = 1000


def plan_parts(run: PlannedRun) -> PromptParts:
    """What plans are written from, up to the number of their first step.

    Of what is seen they read only where the robot is and what it holds, as published: a small
    model takes what is around it for what the task is about.
    """
    now = run.world.belief.observation
    return PromptParts(
        _system_text(run, 'whole_plan'),
        plan_examples(run, plan_prompt.whole_plan),
        (plan_prompt.whereabouts(now, run.prompts.domain.words) or f'{quoted(now.text)}\n')
        + task_line(run.tree.goal),
        plan_prompt.PLAN,
        words=run.prompts.domain.words,
    )


def step_parts(run: PlannedRun, first_observation: str, lessons: Sequence[str]) -> PromptParts:
    """What single steps are asked from, up to the first of them.

    What is seen first stands before the task: after it a small model goes on about what it sees.

    :param lessons: of earlier tries of the whole task.
    """
    return PromptParts(
        _system_text(run, 'next_step'),
        plan_examples(run, plan_prompt.step_by_step),
        f'{single_line(first_observation, _SEEN_FIRST)}\n'
        + plan_prompt.lessons_text(lessons)
        + task_line(run.tree.goal),
        plan_prompt.PLAN,
        words=run.prompts.domain.words,
    )


def _system_text(run: PlannedRun, name: str) -> str:
    return plan_prompt.system_text(
        run.prompts.text(name), run.world.belief.vocabulary, run.prompts.domain.words
    )


#: Planners whose experiences are plans of a whole task.
PLAN_WRITERS = frozenset(
    {
        'zero_shot',
        'iterative',
        'local_replan',
        'global_replan',
        'tree_planner',
        'best_first',
        'progprompt',
        'oracle',
    }
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


def plan_examples(run: PlannedRun, render: Callable[[PlanExample], str]) -> tuple[str, ...]:
    """Examples within the settings' count and tokens, nearest to the task last.

    Shipped ones are taken only where the skill server has every skill that they use.
    """
    settings = run.settings
    if not settings.example_count or not settings.example_tokens:
        return ()
    found = run.memory.retrieve(run.tree.goal, _CANDIDATES)
    candidates = [
        (experience.experience_id, plan)
        for experience in found
        if (plan := plan_of(experience)) is not None
    ]
    verbs = tuple(f'{verb} ' for verb in run.world.belief.skills.verbs)
    candidates += [
        ('', example)
        for example in shipped_examples(run.prompts.domain)
        if all(step.startswith(verbs) for step in example.steps)
    ]
    chosen: list[str] = []
    names: list[str] = []
    spent = 0
    for name, candidate in candidates[: settings.example_count]:
        text = render(candidate)
        spent += run.model.model.count_tokens(text)
        if spent > settings.example_tokens:
            break
        chosen.append(text)
        names.append(name)
    # Shipped ones have no id.
    run.memory.note_chosen([name for name in reversed(names) if name])
    return tuple(reversed(chosen))
