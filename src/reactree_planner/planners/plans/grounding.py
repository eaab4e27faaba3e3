"""From a step to the skill it is here and now: which of the things of its name is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.knowledge import RunKnowledge
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.names import NameKind
from reactree_planner.planners.plans.steps import Step

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


def ground(step: Step, knowledge: RunKnowledge, skills: Sequence[str]) -> Grounding:
    """The skill that a step means, found among those at hand.

    Of several things of a name, one that was not put in its place by this run is taken; when the
    robot holds nothing, a place that was not looked at yet, and else the place that
    was used before. A step whose effect is there already needs nothing.

    :param skills: what may be run now, as the skill server orders it.
    """
    asked = step.asked
    if asked is None:
        if step.text in skills or _fills_a_gap(step.text, knowledge, skills):
            return Grounding(step.text)
        return Grounding(refusal=f'"{step.text}" cannot be done now.')
    parsed = knowledge.skills.parse_all(skills)
    fitting = [skill for skill in parsed if asked.asks_for(skill)]
    if asked.kind is SkillKind.MOVE:
        fitting = _places_to_go(asked, knowledge, fitting)
    elif not fitting and knowledge.holds_already(asked):
        return Grounding()
    if fitting:
        return Grounding(min(fitting, key=lambda skill: _strangeness(skill, knowledge)).text)
    if asked.kind is SkillKind.MOVE and _is_here(asked, knowledge):
        return Grounding()
    return Grounding(refusal=_refusal(step, asked, parsed))


def _fills_a_gap(text: str, knowledge: RunKnowledge, skills: Sequence[str]) -> bool:
    """Whether a skill at hand leaves open just what is written in this one."""
    written = knowledge.skills.parse(text)
    return written is not None and any(
        skill.type is written.type
        and all(
            value in (slot.text, meant)
            for slot, value, meant in zip(
                skill.type.slots, skill.values, written.values, strict=True
            )
        )
        for skill in knowledge.skills.parse_all(skills)
        if skill.has_gap
    )


def _is_here(asked: AskedSkill, knowledge: RunKnowledge) -> bool:
    return asked.mention.matches(knowledge.observation.place)


def _places_to_go(asked: AskedSkill, knowledge: RunKnowledge, fitting: list[Skill]) -> list[Skill]:
    """Moves that lead on; none where the robot is where it should be."""
    if not _is_here(asked, knowledge):
        return fitting
    looked_at = knowledge.memory.has_looked_at
    if knowledge.observation.held or not looked_at(knowledge.observation.place):
        return []
    # The next of several places to search.
    return [
        skill
        for skill in fitting
        if knowledge.names.kind(skill.name) is NameKind.PLACE and not looked_at(skill.target)
    ]


def _strangeness(skill: Skill, knowledge: RunKnowledge) -> tuple[bool, bool]:
    target = skill.target
    kind = knowledge.names.kind(skill.name)
    if skill.kind is not SkillKind.MOVE or kind is NameKind.THING:
        return target in knowledge.placed, False
    if kind is NameKind.REGION:
        return not knowledge.unseen((target,)), False
    if knowledge.observation.held:
        return target not in knowledge.placed.values(), False
    return knowledge.memory.has_looked_at(target), target in knowledge.placed.values()


def _refusal(step: Step, asked: AskedSkill, skills: list[Skill]) -> str:
    """Why a step cannot be done, as far as the skills at hand tell."""
    name = asked.mention.name
    possible = [skill.text for skill in skills if asked.mention.matches(skill.target)]
    if not possible:
        return f'"{step.text}" cannot be done now: no {name} is in sight.'
    return f'"{step.text}" cannot be done now; what can be: {", ".join(possible[:_SHOWN])}.'
