"""Whether what a skill achieves is so already, by what a run knows."""

from __future__ import annotations

from reactree_core.belief import holds
from reactree_core.skill_types import Effect, plain_name, Relation, SkillKind, SWITCHING
from reactree_planner.agents.step_skills import AskedSkill
from reactree_planner.reading.names import Named
from reactree_planner.runs.run_belief import RunBelief


def holds_already(belief: RunBelief, asked: AskedSkill) -> bool:
    """Whether a skill's effect holds already, or was achieved in this run."""
    is_so = effect_holds(belief, asked)
    if is_so is None and asked.kind is not SkillKind.MOVE:
        stands = belief.facts.stands
        return any(asked.asks_for(skill) and stands(skill) for skill in belief.achieved)
    return bool(is_so)


def effect_holds(belief: RunBelief, asked: AskedSkill) -> bool | None:
    """Whether a skill's effect holds now; None where the server does not report it.

    A state holds if its inverse is admissible now. The effect of a PUT is read from the facts
    only if the goal names the place.
    """
    now = belief.observation
    if asked.kind is SkillKind.TAKE and belief.held_objects_known:
        return any(asked.mention.matches(name) for name in now.held)
    if asked.kind is SkillKind.PUT and not (asked.others and belief.tells_facts):
        return False if belief.tells_held else None
    back = asked.type.inverse.split('<')[0].strip()
    if asked.kind in SWITCHING and back and belief.skills.of_verb(back):
        return any(
            skill.verb == back and asked.mention.matches(skill.target)
            for skill in belief.skills.parse_all(now.admissible_skills)
        )
    readable = [fact for fact in asked.type.facts if _is_readable(belief, fact)]
    return all(_holds(belief, fact, asked) for fact in readable) if readable else None


def _is_readable(belief: RunBelief, fact: Effect) -> bool:
    if fact.relation is Relation.HOLDING:
        return belief.tells_held is True
    if fact.relation is Relation.AT:
        return bool(belief.observation.place)
    return belief.tells_facts


def _holds(belief: RunBelief, effect: Effect, asked: AskedSkill) -> bool:
    """Whether an effect is so now, of a thing that is meant."""
    slots = [slot.text for slot in asked.type.slots if slot.type.is_name]
    meant = dict(zip(slots, (asked.mention, *asked.others), strict=False))
    value = meant.get(effect.value)
    now = belief.observation
    if effect.relation in (Relation.HOLDING, Relation.AT):
        there = now.held if effect.relation is Relation.HOLDING else (now.place, now.room)
        return effect.holds == any(_is_meant(value, effect.value, name) for name in there)
    subject = meant.get(effect.subject)
    known = [
        fact for fact in belief.memory.facts() if _is_meant(subject, effect.subject, fact.name)
    ]
    if effect.relation is Relation.IS:
        shown = [fact for fact in known if effect.value in fact.state.split(', ')]
        so = any(_stands(belief, Relation.IS, fact.name, effect.value) for fact in shown)
    elif effect.value == 'here':
        shown = [fact for fact in known if fact.receptacle == now.place]
        so = any(_stands(belief, Relation.IN, fact.name, now.place) for fact in shown)
    elif effect.value in slots and value is None:
        # The goal leaves open where.
        so = any(_is_meant(subject, effect.subject, name) for name in belief.placed)
    else:
        shown = [fact for fact in known if _is_meant(value, effect.value, fact.receptacle)]
        so = any(_stands(belief, Relation.IN, fact.name, fact.receptacle) for fact in shown)
    return so == effect.holds


def _stands(belief: RunBelief, relation: Relation, name: str, value: str) -> bool:
    """Test whether no evidence says that what was shown last is otherwise now."""
    value = value if relation is Relation.IS else plain_name(value)
    what = Effect(relation, plain_name(name), value)
    return holds(belief.facts.evidence, what, belief.facts.now).holds is not False


def _is_meant(mention: Named | None, literal: str, name: str) -> bool:
    return mention.matches(name) if mention is not None else name == literal
